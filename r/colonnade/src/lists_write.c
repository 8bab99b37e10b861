// Lists, matrices and data frames within a column.

#include <string.h>

#include "columns_write.h"

static int is_bare(SEXP x) { return ATTRIB(x) == R_NilValue && !IS_S4_OBJECT(x); }

// The type that all vectors of a list have: an atomic one, VECSXP for lists, or NILSXP for none.
static int item_type(SEXP x) {
  int found = NILSXP;
  for (R_xlen_t i = 0; i < XLENGTH(x); i++) {
    SEXP item = VECTOR_ELT(x, i);
    if (item == R_NilValue) continue;
    if (!is_bare(item) || (found != NILSXP && found != TYPEOF(item))) return NILSXP;
    found = TYPEOF(item);
  }
  switch (found) {
    case LGLSXP:
    case INTSXP:
    case REALSXP:
    case STRSXP:
    case RAWSXP:
    case VECSXP: return found;
    default: return NILSXP;
  }
}

// The items of all vectors of a list, one after another.
static SEXP joined(SEXP x, int type, R_xlen_t total) {
  SEXP out = PROTECT(Rf_allocVector((SEXPTYPE)type, total));
  R_xlen_t at = 0;
  for (R_xlen_t i = 0; i < XLENGTH(x); i++) {
    SEXP item = VECTOR_ELT(x, i);
    R_xlen_t count = item == R_NilValue ? 0 : XLENGTH(item);
    if (count == 0) continue;
    switch (type) {
      case LGLSXP: memcpy(LOGICAL(out) + at, LOGICAL_RO(item), (size_t)count * sizeof(int)); break;
      case INTSXP: memcpy(INTEGER(out) + at, INTEGER_RO(item), (size_t)count * sizeof(int)); break;
      case REALSXP: memcpy(REAL(out) + at, REAL_RO(item), (size_t)count * sizeof(double)); break;
      case STRSXP:
        for (R_xlen_t j = 0; j < count; j++) SET_STRING_ELT(out, at + j, STRING_ELT(item, j));
        break;
      default:
        for (R_xlen_t j = 0; j < count; j++) SET_VECTOR_ELT(out, at + j, VECTOR_ELT(item, j));
    }
    at += count;
  }
  UNPROTECT(1);
  return out;
}

// Raw vectors as bytes.
static void push_bytes(Target *target, SEXP x) {
  R_xlen_t count = XLENGTH(x);
  size_t nbytes = 0;
  for (R_xlen_t i = 0; i < count; i++) nbytes += VECTOR_ELT(x, i) == R_NilValue ? 0 : (size_t)XLENGTH(VECTOR_ELT(x, i));
  CALL(cnr_text_begin, (size_t)count, nbytes, true);
  for (R_xlen_t i = 0; i < count; i++) {
    SEXP item = VECTOR_ELT(x, i);
    // The address of an empty vector is not null: a null means NULL.
    const void *value = item == R_NilValue ? NULL : (XLENGTH(item) == 0 ? (const void *)"" : (const void *)RAW_RO(item));
    size_t size = item == R_NilValue ? 0 : (size_t)XLENGTH(item);
    CALL(cnr_text_push, &value, &size, 1);
  }
  check_column(cnr_text_end(target->builder, &target->error), &target->error, target->column);
}

// Vectors of several types: each as typed MessagePack.
static void push_cells(Target *target, SEXP x) {
  R_xlen_t count = XLENGTH(x);
  CALL(cnr_text_begin, (size_t)count, 0, true);
  SEXP holder = PROTECT(Rf_allocVector(VECSXP, 1));
  ByteWriter bytes = bytes_new(holder);
  for (R_xlen_t i = 0; i < count; i++) {
    bytes.size = 0;
    write_typed(&bytes, VECTOR_ELT(x, i), 0);
    const void *value = bytes_data(&bytes);
    CALL(cnr_text_push, &value, &bytes.size, 1);
  }
  UNPROTECT(1);
  check_column(cnr_text_end(target->builder, &target->error), &target->error, target->column);
}

int push_list(Target *target, SEXP x, int nested) {
  int type = item_type(x);
  if (type == NILSXP) {
    if (nested) return 1;
    push_cells(target, x);
    return 1;
  }
  if (type == RAWSXP) {
    push_bytes(target, x);
    return 0;
  }
  R_xlen_t count = XLENGTH(x), total = 0;
  SEXP lengths = PROTECT(Rf_allocVector(REALSXP, count));
  int64_t *sizes = (int64_t *)REAL(lengths);
  for (R_xlen_t i = 0; i < count; i++) {
    SEXP item = VECTOR_ELT(x, i);
    sizes[i] = item == R_NilValue ? -1 : (int64_t)XLENGTH(item);
    if (sizes[i] > 0) total += sizes[i];
  }
  SEXP items = PROTECT(joined(x, type, total));
  keep(target, items);
  if (type == VECSXP) {
    if (push_list(target, items, 1)) {
      // Lists within differ: the whole column is cells.
      UNPROTECT(2);
      if (nested) return 1;
      push_cells(target, x);
      return 1;
    }
  } else {
    push_atomic(target, items, 1);
  }
  CALL(cnr_push_list, sizes, (size_t)count);
  UNPROTECT(2);
  return 0;
}

void push_matrix(Target *target, SEXP x, SEXP dim) {
  if (TYPEOF(x) == VECSXP || TYPEOF(x) == CPLXSXP || TYPEOF(x) == RAWSXP) {
    refuse_column(target, "a matrix of logical, integer, double or character", x);
  }
  R_xlen_t rows = INTEGER(dim)[0], columns = INTEGER(dim)[1];
  // The file stores row after row.
  SEXP out = PROTECT(transposed(x, (size_t)rows, (size_t)columns));
  keep(target, out);
  push_atomic(target, out, 1);
  CALL(cnr_push_matrix, (size_t)columns, (size_t)rows);
  UNPROTECT(1);
}

void push_frame(Target *target, SEXP x) {
  R_xlen_t ncols = XLENGTH(x);
  SEXP names = PROTECT(Rf_getAttrib(x, R_NamesSymbol));
  if (ncols > 0 && TYPEOF(names) != STRSXP) refuse_column(target, "a data frame with names", x);
  SEXP rows = PROTECT(Rf_getAttrib(x, R_RowNamesSymbol));
  R_xlen_t count = ncols > 0 ? XLENGTH(VECTOR_ELT(x, 0)) : XLENGTH(rows);
  const uint8_t **texts = (const uint8_t **)R_alloc((size_t)ncols + 1, sizeof *texts);
  size_t *sizes = (size_t *)R_alloc((size_t)ncols + 1, sizeof *sizes);
  for (R_xlen_t i = 0; i < ncols; i++) {
    texts[i] = (const uint8_t *)utf8_or_null(STRING_ELT(names, i), &sizes[i]);
    if (texts[i] == NULL) refuse_column(target, "a data frame without missing names", x);
    push(target, VECTOR_ELT(x, i), 1);
  }
  CALL(cnr_push_struct, texts, sizes, (size_t)ncols, (size_t)count);
  UNPROTECT(2);
}
