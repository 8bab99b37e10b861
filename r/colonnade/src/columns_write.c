// R's columns as arrays of a frame. crates/colonnade-r/src/lib.rs has the table of types.
//
// A column is a vector and its attributes. Attributes that the stored type implies (the levels of a factor, the class of a Date)
// are not written; if others remain, all of them go into the column's tag.

#include <string.h>

#include "columns_write.h"

void keep(Target *target, SEXP x) {
  R_SetExternalPtrProtected(target->handle, Rf_cons(x, R_ExternalPtrProtected(target->handle)));
}

static const char *column_text(Target *target) {
  return TYPEOF(target->column) == STRSXP ? Rf_translateCharUTF8(STRING_ELT(target->column, 0)) : NULL;
}

void refuse_column(Target *target, const char *expected, SEXP x) {
  SEXP class = Rf_getAttrib(x, R_ClassSymbol);
  const char *found = TYPEOF(class) == STRSXP && XLENGTH(class) > 0 ? CHAR(STRING_ELT(class, 0))
                                                                   : Rf_type2char(TYPEOF(x));
  throw_message("unrepresentable", column_text(target), "expected %s, found an object of class %s.", expected, found);
}

// ---------------------------------------------------------------- vectors

void push_atomic(Target *target, SEXP x, int nested) {
  size_t count = (size_t)XLENGTH(x);
  switch (TYPEOF(x)) {
    case LGLSXP: CALL(cnr_push_logical, LOGICAL_RO(x), count, nested); break;
    case INTSXP: CALL(cnr_push_integer, INTEGER_RO(x), count, nested); break;
    case REALSXP: CALL(cnr_push_double, REAL_RO(x), count, nested); break;
    case CPLXSXP:
      if (nested) refuse_column(target, "a type that needs no attributes within a list, matrix or data frame", x);
      CALL(cnr_push_complex, (const double *)COMPLEX_RO(x), count);
      break;
    case STRSXP: push_text_column(target->builder, x, target->column); break;
    case RAWSXP: CALL(cnr_push_raw, RAW_RO(x), count); break;
    default: refuse_column(target, "a vector or a list of vectors", x);
  }
}

static void push_time(Target *target, SEXP x, Kind kind, int nested) {
  size_t count = (size_t)XLENGTH(x);
  int integer = TYPEOF(x) == INTSXP;
  const double *values = integer ? (const double *)INTEGER_RO(x) : REAL_RO(x);
  bool exact = false;
  if (kind == DATE) {
    CALL(cnr_push_date, values, count, integer, &exact);
  } else if (kind == TIME) {
    SEXP zone = Rf_getAttrib(x, Rf_install("tzone"));
    const char *text = TYPEOF(zone) == STRSXP && XLENGTH(zone) > 0 ? Rf_translateCharUTF8(STRING_ELT(zone, 0)) : NULL;
    CALL(cnr_push_time, values, count, integer, text, &exact);
  } else {
    double factor = units_factor(Rf_getAttrib(x, Rf_install("units")));
    if (factor > 0) CALL(cnr_push_duration, values, count, integer, factor, &exact);
  }
  if (!exact) push_atomic(target, x, nested);
  tag(target, x, kind, exact && integer ? "integer" : NULL, exact);
}

// ---------------------------------------------------------------- factors

// No format has a level that is missing. If NA is the last level, as addNA() makes it, its rows are null; otherwise codes are
// stored as integers. In both cases the levels are in the tag.
static void push_factor(Target *target, SEXP x, SEXP levels) {
  R_xlen_t count = XLENGTH(x), nlevels = XLENGTH(levels), missing = 0;
  for (R_xlen_t i = 0; i < nlevels; i++) missing += STRING_ELT(levels, i) == NA_STRING;
  int ordered = Rf_inherits(x, "ordered");
  if (missing == 0) {
    push_text_column(target->builder, levels, target->column);
    CALL(cnr_push_factor, INTEGER_RO(x), (size_t)count, ordered);
    tag(target, x, FACTOR, NULL, 1);
    return;
  }
  int last = missing == 1 && STRING_ELT(levels, nlevels - 1) == NA_STRING;
  for (R_xlen_t i = 0; i < count; i++) last &= INTEGER_ELT(x, i) != NA_INTEGER;
  if (!last) {
    push_atomic(target, x, 0);
    tag(target, x, PLAIN, NULL, 1);
    return;
  }
  SEXP known = PROTECT(Rf_allocVector(STRSXP, nlevels - 1));
  for (R_xlen_t i = 0; i < nlevels - 1; i++) SET_STRING_ELT(known, i, STRING_ELT(levels, i));
  push_text_column(target->builder, known, target->column);
  SEXP codes = PROTECT(Rf_allocVector(INTSXP, count));
  for (R_xlen_t i = 0; i < count; i++) INTEGER(codes)[i] = INTEGER_ELT(x, i) == nlevels ? NA_INTEGER : INTEGER_ELT(x, i);
  CALL(cnr_push_factor, INTEGER_RO(codes), (size_t)count, ordered);
  tag(target, x, FACTOR_NA, NULL, 1);
  UNPROTECT(2);
}

// ---------------------------------------------------------------- any column

void push(Target *target, SEXP x, int nested) {
  if (IS_S4_OBJECT(x)) refuse_column(target, "a vector or a list of vectors", x);
  if (Rf_inherits(x, "POSIXlt")) refuse_column(target, "times of class POSIXct (as.POSIXct() makes them)", x);
  if (Rf_inherits(x, "data.frame")) {
    push_frame(target, x);
    tag(target, x, DATA_FRAME, NULL, 1);
    return;
  }
  SEXP dim = PROTECT(Rf_getAttrib(x, R_DimSymbol));
  if (dim != R_NilValue && XLENGTH(dim) != 2) refuse_column(target, "a vector or a matrix", x);
  int number = TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP;
  if (dim != R_NilValue) {
    push_matrix(target, x, dim);
    tag(target, x, MATRIX, NULL, 1);
  } else if (TYPEOF(x) == INTSXP && Rf_inherits(x, "factor") && TYPEOF(Rf_getAttrib(x, R_LevelsSymbol)) == STRSXP) {
    push_factor(target, x, Rf_getAttrib(x, R_LevelsSymbol));
  } else if (number && Rf_inherits(x, "Date")) {
    push_time(target, x, DATE, nested);
  } else if (number && Rf_inherits(x, "POSIXct")) {
    push_time(target, x, TIME, nested);
  } else if (number && Rf_inherits(x, "difftime")) {
    push_time(target, x, DURATION, nested);
  } else if (TYPEOF(x) == REALSXP && Rf_inherits(x, "integer64")) {
    CALL(cnr_push_integer64, (const int64_t *)REAL_RO(x), (size_t)XLENGTH(x));
    tag(target, x, INTEGER64, "integer64", 1);
  } else if (TYPEOF(x) == VECSXP) {
    int cells = push_list(target, x, 0);
    tag(target, x, PLAIN, cells ? "cells" : NULL, 1);
  } else {
    push_atomic(target, x, nested);
    tag(target, x, PLAIN, TYPEOF(x) == RAWSXP ? "raw" : NULL, 1);
  }
  UNPROTECT(1);
}

SEXP build_frame(SEXP columns, SEXP names, SEXP row_names, SEXP nrows, SEXP attributes, SEXP hint, int chunked) {
  size_t rows = (size_t)Rf_asReal(nrows);
  SEXP handle = PROTECT(builder_handle(cnr_builder_new(rows, chunked)));
  Target target = {R_ExternalPtrAddr(handle), {0}, R_NilValue, handle};
  keep(&target, columns);
  keep(&target, row_names);
  R_xlen_t ncols = XLENGTH(columns);
  int automatic = TYPEOF(names) == STRSXP && XLENGTH(names) == 0 && ncols > 0;
  if (automatic) check_column(cnr_automatic_names(target.builder, &target.error), &target.error, target.column);
  else if (TYPEOF(names) != STRSXP || XLENGTH(names) != ncols) {
    throw_message("unrepresentable", NULL, "expected a name for each of %d columns, found others. Set names().", (int)ncols);
  }
  for (R_xlen_t i = 0; i < ncols; i++) {
    const void *mark = vmaxget();
    SEXP name = automatic ? NA_STRING : STRING_ELT(names, i);
    target.column = PROTECT(Rf_ScalarString(name));
    if (i % 64 == 0) R_CheckUserInterrupt();
    set_column(target.column);
    push(&target, VECTOR_ELT(columns, i), 0);
    size_t size;
    const char *text = utf8_or_null(name, &size);
    check_column(cnr_add_column(target.builder, (const uint8_t *)text, size, &target.error), &target.error, target.column);
    UNPROTECT(1);
    vmaxset(mark);
  }
  set_column(NULL);
  target.column = R_NilValue;
  if (row_names != R_NilValue) {
    push_atomic(&target, row_names, 0);
    check_column(cnr_set_row_names(target.builder, &target.error), &target.error, target.column);
  }
  SEXP holder = PROTECT(Rf_allocVector(VECSXP, 1));
  ByteWriter bytes = bytes_new(holder);
  if (attributes != R_NilValue && XLENGTH(attributes) > 0) {
    SEXP keys = Rf_getAttrib(attributes, R_NamesSymbol);
    write_map(&bytes, (size_t)XLENGTH(attributes));
    for (R_xlen_t i = 0; i < XLENGTH(attributes); i++) {
      write_string(&bytes, STRING_ELT(keys, i));
      write_typed(&bytes, VECTOR_ELT(attributes, i), 0);
    }
  }
  const void *hinted = TYPEOF(hint) == RAWSXP ? RAW(hint) : NULL;
  size_t hinted_size = hinted == NULL ? 0 : (size_t)XLENGTH(hint);
  CnCode code = cnr_finish(target.builder, bytes_data(&bytes), bytes.size, hinted, hinted_size, &target.error);
  check_column(code, &target.error, target.column);
  UNPROTECT(2);
  return handle;
}
