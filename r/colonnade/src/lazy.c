// Vectors whose values are read when R first touches them (ALTREP), for read_frame(lazy = TRUE).
//
// Until then data1 is a list: the handle of the frame, three numbers (the column, the first row that was asked for, the length) and the
// column's name. Afterwards data1 is NULL, and data2 has the plain vector. So R frees the frame with the last vector that needs it.
// The finalizer of the handle calls Rust, and Rust never calls R.
//
// There is no method for R's serialize: without one R writes a plain vector, which a session without this package reads too.

#include "colonnade_package.h"

#include <R_ext/Altrep.h>

static R_altrep_class_t integers, doubles, logicals, strings;

static SEXP values_of(SEXP x) {
  if (R_altrep_data2(x) != R_NilValue) return R_altrep_data2(x);
  // Numbers are copied in one step, so an interrupt is heard before it. Text hears one every 65536 rows.
  R_CheckUserInterrupt();
  // What R ran meanwhile may have touched the same vector.
  if (R_altrep_data2(x) != R_NilValue) return R_altrep_data2(x);
  SEXP later = PROTECT(R_altrep_data1(x));
  const double *numbers = REAL_RO(VECTOR_ELT(later, 1));
  const CnrFrame *frame = R_ExternalPtrAddr(VECTOR_ELT(later, 0));
  SEXP values = PROTECT(read_column(frame, (size_t)numbers[0], (size_t)numbers[1], VECTOR_ELT(later, 2)));
  // A finalizer of R that ran meanwhile may have touched the same vector: the first copy stays, for others may point into it.
  if (R_altrep_data2(x) == R_NilValue) {
    R_set_altrep_data2(x, values);
    R_set_altrep_data1(x, R_NilValue);
  }
  UNPROTECT(2);
  return R_altrep_data2(x);
}

static R_xlen_t length_of(SEXP x) {
  SEXP values = R_altrep_data2(x);
  return values != R_NilValue ? XLENGTH(values) : (R_xlen_t)REAL_ELT(VECTOR_ELT(R_altrep_data1(x), 1), 2);
}

// R turns its gc off while it asks for the address, and on again also after an error. Its own methods for single numbers ask for the
// address too, so no element of a vector is read where R does not expect an allocation.
static void *address_of(SEXP x, Rboolean writable) {
  (void)writable;
  // A change goes to the plain vector, which is R's own memory: the file never changes.
  return (void *)DATAPTR_RO(values_of(x));
}

static const void *address_or_null(SEXP x) {
  return R_altrep_data2(x) == R_NilValue ? NULL : DATAPTR_RO(R_altrep_data2(x));
}

static SEXP string_at(SEXP x, R_xlen_t i) { return STRING_ELT(values_of(x), i); }

static void set_string(SEXP x, R_xlen_t i, SEXP value) { SET_STRING_ELT(values_of(x), i, value); }

// A copy is a plain vector. R gives it the attributes of `x`.
static SEXP duplicate(SEXP x, Rboolean deep) {
  (void)deep;
  return Rf_shallow_duplicate(values_of(x));
}

static Rboolean inspect(SEXP x, int pre, int deep, int pvec, void (*subtree)(SEXP, int, int, int)) {
  if (R_altrep_data2(x) == R_NilValue) {
    Rprintf(" column \"%s\" of a file, not read yet\n", CHAR(STRING_ELT(VECTOR_ELT(R_altrep_data1(x), 2), 0)));
  } else {
    Rprintf(" column of a file, read\n");
    subtree(R_altrep_data2(x), pre, deep, pvec);
  }
  return TRUE;
}

static R_altrep_class_t *class_of_type(SEXPTYPE type) {
  switch (type) {
    case INTSXP: return &integers;
    case REALSXP: return &doubles;
    case LGLSXP: return &logicals;
    default: return &strings;
  }
}

SEXP lazy_vector(SEXP frame, SEXPTYPE type, size_t node, size_t first_row, size_t count, SEXP column) {
  SEXP later = PROTECT(Rf_allocVector(VECSXP, 3));
  SET_VECTOR_ELT(later, 0, frame);
  SET_VECTOR_ELT(later, 1, Rf_allocVector(REALSXP, 3));
  double *numbers = REAL(VECTOR_ELT(later, 1));
  numbers[0] = (double)node;
  numbers[1] = (double)first_row;
  numbers[2] = (double)count;
  SET_VECTOR_ELT(later, 2, column);
  SEXP out = R_new_altrep(*class_of_type(type), later, R_NilValue);
  UNPROTECT(1);
  return out;
}

// Whether the values of a vector are still in the file.
SEXP pending_call(SEXP x) {
  int ours = ALTREP(x) && (TYPEOF(x) == INTSXP || TYPEOF(x) == REALSXP || TYPEOF(x) == LGLSXP || TYPEOF(x) == STRSXP) &&
             R_altrep_inherits(x, *class_of_type(TYPEOF(x)));
  return Rf_ScalarLogical(ours && R_altrep_data2(x) == R_NilValue);
}

void make_lazy_classes(DllInfo *dll) {
  integers = R_make_altinteger_class("lazy_integer", "colonnade", dll);
  doubles = R_make_altreal_class("lazy_double", "colonnade", dll);
  logicals = R_make_altlogical_class("lazy_logical", "colonnade", dll);
  strings = R_make_altstring_class("lazy_character", "colonnade", dll);
  R_altrep_class_t *classes[] = {&integers, &doubles, &logicals, &strings};
  for (int i = 0; i < 4; i++) {
    R_set_altrep_Length_method(*classes[i], length_of);
    R_set_altrep_Duplicate_method(*classes[i], duplicate);
    R_set_altrep_Inspect_method(*classes[i], inspect);
    R_set_altvec_Dataptr_method(*classes[i], address_of);
    R_set_altvec_Dataptr_or_null_method(*classes[i], address_or_null);
  }
  R_set_altstring_Elt_method(strings, string_at);
  R_set_altstring_Set_elt_method(strings, set_string);
}
