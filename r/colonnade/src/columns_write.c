// R's columns as arrays of a frame. crates/colonnade-r/src/lib.rs has the table of types.
//
// A column is a vector and its attributes. Attributes that the stored type implies (the levels of a factor, the class of a Date)
// are not written; if others remain, all of them go into the column's tag.

#include <string.h>

#include "colonnade_package.h"

typedef struct {
  CnrBuilder *builder;
  CnError error;
  SEXP column;  // the name of the current column, for errors
  SEXP handle;  // the builder's handle, which keeps the vectors that arrays borrow
} Target;

static void push(Target *target, SEXP x, int nested);

static void check(Target *target, CnCode code) { check_column(code, &target->error, target->column); }

#define CALL(function, ...) check(target, function(target->builder, __VA_ARGS__, &target->error))

// Keeps a temporary vector until the frame is written: arrays borrow its memory.
static void keep(Target *target, SEXP x) {
  R_SetExternalPtrProtected(target->handle, Rf_cons(x, R_ExternalPtrProtected(target->handle)));
}

static const char *column_text(Target *target) {
  return TYPEOF(target->column) == STRSXP ? Rf_translateCharUTF8(STRING_ELT(target->column, 0)) : NULL;
}

static void refuse(Target *target, const char *expected, SEXP x) {
  SEXP class = Rf_getAttrib(x, R_ClassSymbol);
  const char *found = TYPEOF(class) == STRSXP && XLENGTH(class) > 0 ? CHAR(STRING_ELT(class, 0))
                                                                   : Rf_type2char(TYPEOF(x));
  throw_message("unrepresentable", column_text(target), "expected %s, found an object of class %s.", expected, found);
}

// ---------------------------------------------------------------- attributes

static int is_text(SEXP x, const char *text) {
  return TYPEOF(x) == STRSXP && XLENGTH(x) == 1 && strcmp(CHAR(STRING_ELT(x, 0)), text) == 0;
}

static int is_texts(SEXP x, const char *first, const char *second) {
  return TYPEOF(x) == STRSXP && XLENGTH(x) == 2 && strcmp(CHAR(STRING_ELT(x, 0)), first) == 0 &&
         strcmp(CHAR(STRING_ELT(x, 1)), second) == 0;
}

// The kinds of vectors, by the attributes that their stored type implies.
typedef enum { PLAIN, FACTOR, FACTOR_NA, DATE, TIME, DURATION, INTEGER64, MATRIX, DATA_FRAME } Kind;

static int is_plain_zone(SEXP zone) {
  return TYPEOF(zone) == STRSXP && XLENGTH(zone) == 1 && CHAR(STRING_ELT(zone, 0))[0] != 0;
}

// Whether reading the stored type gives this attribute without a tag.
static int is_implied(Kind kind, const char *name, SEXP value) {
  int class = strcmp(name, "class") == 0;
  switch (kind) {
    case FACTOR: return class && (is_text(value, "factor") || is_texts(value, "ordered", "factor"));
    case DATE: return class && is_text(value, "Date");
    case TIME: return class ? is_texts(value, "POSIXct", "POSIXt") : strcmp(name, "tzone") == 0 && is_plain_zone(value);
    case DURATION: return class ? is_text(value, "difftime") : strcmp(name, "units") == 0 && is_text(value, "secs");
    case INTEGER64: return class && is_text(value, "integer64");
    case DATA_FRAME: return class && is_text(value, "data.frame");
    default: return 0;
  }
}

// Attributes that the structure of the stored array holds: they are never in the tag.
static int is_structural(Kind kind, const char *name, SEXP value) {
  switch (kind) {
    case FACTOR: return strcmp(name, "levels") == 0;
    case MATRIX: return strcmp(name, "dim") == 0;
    case DATA_FRAME:
      return strcmp(name, "names") == 0 ||
             (strcmp(name, "row.names") == 0 && TYPEOF(value) == INTSXP);
    default: return 0;
  }
}

// Sets the tag of the array on top: `storage` or NULL, and the attributes of `x` if they are not all implied. `exact`: whether
// the array is of the kind's type; a number that stands for it needs all attributes.
static void tag(Target *target, SEXP x, Kind kind, const char *storage, int exact) {
  SEXP attributes = PROTECT(attributes_of(x));
  R_xlen_t count = attributes == R_NilValue ? 0 : XLENGTH(attributes);
  SEXP names = count == 0 ? R_NilValue : Rf_getAttrib(attributes, R_NamesSymbol);
  PROTECT(names);
  int written = 0, zone = 0, surplus = !exact;
  for (R_xlen_t i = 0; i < count; i++) {
    const char *name = CHAR(STRING_ELT(names, i));
    SEXP value = VECTOR_ELT(attributes, i);
    if (is_structural(kind, name, value)) continue;
    written++;
    zone |= strcmp(name, "tzone") == 0;
    surplus |= !is_implied(kind, name, value);
  }
  // Without a zone, a time of the file would come back with one.
  surplus |= kind == TIME && !zone;
  if (!surplus || written == 0) {
    if (storage != NULL) CALL(cnr_tag, storage, NULL, 0);
    UNPROTECT(2);
    return;
  }
  SEXP holder = PROTECT(Rf_allocVector(VECSXP, 1));
  ByteWriter bytes = bytes_new(holder);
  write_map(&bytes, (size_t)written);
  for (R_xlen_t i = 0; i < count; i++) {
    const char *name = CHAR(STRING_ELT(names, i));
    if (is_structural(kind, name, VECTOR_ELT(attributes, i))) continue;
    write_string(&bytes, STRING_ELT(names, i));
    write_typed(&bytes, VECTOR_ELT(attributes, i), 0);
  }
  CALL(cnr_tag, storage, bytes_data(&bytes), bytes.size);
  UNPROTECT(3);
}

// ---------------------------------------------------------------- vectors

static void push_atomic(Target *target, SEXP x, int nested) {
  size_t count = (size_t)XLENGTH(x);
  switch (TYPEOF(x)) {
    case LGLSXP: CALL(cnr_push_logical, LOGICAL_RO(x), count, nested); break;
    case INTSXP: CALL(cnr_push_integer, INTEGER_RO(x), count, nested); break;
    case REALSXP: CALL(cnr_push_double, REAL_RO(x), count, nested); break;
    case CPLXSXP:
      if (nested) refuse(target, "a type that needs no attributes within a list, matrix or data frame", x);
      CALL(cnr_push_complex, (const double *)COMPLEX_RO(x), count);
      break;
    case STRSXP: push_text_column(target->builder, x, target->column); break;
    case RAWSXP: CALL(cnr_push_raw, RAW_RO(x), count); break;
    default: refuse(target, "a vector or a list of vectors", x);
  }
}

static double units_factor(SEXP units) {
  static const struct {
    const char *name;
    double factor;
  } known[] = {{"secs", 1}, {"mins", 60}, {"hours", 3600}, {"days", 86400}, {"weeks", 604800}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (is_text(units, known[i].name)) return known[i].factor;
  }
  return 0;
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

// ---------------------------------------------------------------- lists

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
  check(target, cnr_text_end(target->builder, &target->error));
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
  check(target, cnr_text_end(target->builder, &target->error));
}

// Returns whether the array needs the tag "cells".
static int push_list(Target *target, SEXP x, int nested) {
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

// ---------------------------------------------------------------- matrices and data frames

static void push_matrix(Target *target, SEXP x, SEXP dim) {
  if (TYPEOF(x) == VECSXP || TYPEOF(x) == CPLXSXP || TYPEOF(x) == RAWSXP) {
    refuse(target, "a matrix of logical, integer, double or character", x);
  }
  R_xlen_t rows = INTEGER(dim)[0], columns = INTEGER(dim)[1];
  // The file stores row after row.
  SEXP out = PROTECT(Rf_allocVector(TYPEOF(x), rows * columns));
  for (R_xlen_t column = 0; column < columns; column++) {
    for (R_xlen_t row = 0; row < rows; row++) {
      R_xlen_t to = row * columns + column, from = column * rows + row;
      switch (TYPEOF(x)) {
        case LGLSXP: LOGICAL(out)[to] = LOGICAL_RO(x)[from]; break;
        case INTSXP: INTEGER(out)[to] = INTEGER_RO(x)[from]; break;
        case REALSXP: REAL(out)[to] = REAL_RO(x)[from]; break;
        default: SET_STRING_ELT(out, to, STRING_ELT(x, from));
      }
    }
  }
  keep(target, out);
  push_atomic(target, out, 1);
  CALL(cnr_push_matrix, (size_t)columns, (size_t)rows);
  UNPROTECT(1);
}

static void push_frame(Target *target, SEXP x) {
  R_xlen_t ncols = XLENGTH(x);
  SEXP names = PROTECT(Rf_getAttrib(x, R_NamesSymbol));
  if (ncols > 0 && TYPEOF(names) != STRSXP) refuse(target, "a data frame with names", x);
  SEXP rows = PROTECT(Rf_getAttrib(x, R_RowNamesSymbol));
  R_xlen_t count = ncols > 0 ? XLENGTH(VECTOR_ELT(x, 0)) : XLENGTH(rows);
  const uint8_t **texts = (const uint8_t **)R_alloc((size_t)ncols + 1, sizeof *texts);
  size_t *sizes = (size_t *)R_alloc((size_t)ncols + 1, sizeof *sizes);
  for (R_xlen_t i = 0; i < ncols; i++) {
    texts[i] = (const uint8_t *)utf8_or_null(STRING_ELT(names, i), &sizes[i]);
    if (texts[i] == NULL) refuse(target, "a data frame without missing names", x);
    push(target, VECTOR_ELT(x, i), 1);
  }
  CALL(cnr_push_struct, texts, sizes, (size_t)ncols, (size_t)count);
  UNPROTECT(2);
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

static void push(Target *target, SEXP x, int nested) {
  if (IS_S4_OBJECT(x)) refuse(target, "a vector or a list of vectors", x);
  if (Rf_inherits(x, "POSIXlt")) refuse(target, "times of class POSIXct (as.POSIXct() makes them)", x);
  if (Rf_inherits(x, "data.frame")) {
    push_frame(target, x);
    tag(target, x, DATA_FRAME, NULL, 1);
    return;
  }
  SEXP dim = PROTECT(Rf_getAttrib(x, R_DimSymbol));
  if (dim != R_NilValue && XLENGTH(dim) != 2) refuse(target, "a vector or a matrix", x);
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
  if (automatic) check(&target, cnr_automatic_names(target.builder, &target.error));
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
    check(&target, cnr_add_column(target.builder, (const uint8_t *)text, size, &target.error));
    UNPROTECT(1);
    vmaxset(mark);
  }
  set_column(NULL);
  target.column = R_NilValue;
  if (row_names != R_NilValue) {
    push_atomic(&target, row_names, 0);
    check(&target, cnr_set_row_names(target.builder, &target.error));
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
  check(&target, code);
  UNPROTECT(2);
  return handle;
}
