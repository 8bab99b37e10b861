// Lists, matrices and byte strings of a frame as R's lists and vectors.

#include <string.h>

#include "columns_read.h"

#define CHUNK 1024

SEXP read_bytes(Source *source, size_t node, size_t count, int cells) {
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  const void *values[CHUNK];
  size_t sizes[CHUNK];
  for (size_t start = 0; start < count; start += CHUNK) {
    if (start % (64 * CHUNK) == 0) R_CheckUserInterrupt();
    size_t rows = count - start < CHUNK ? count - start : CHUNK;
    CALL(cnr_values, node, start, rows, values, sizes);
    for (size_t i = 0; i < rows; i++) {
      if (values[i] == NULL) continue;
      SEXP item;
      if (cells) {
        size_t at = 0;
        item = read_typed(values[i], sizes[i], &at, 0);
      } else {
        item = Rf_allocVector(RAWSXP, (R_xlen_t)sizes[i]);
        if (sizes[i] > 0) memcpy(RAW(item), values[i], sizes[i]);
      }
      SET_VECTOR_ELT(out, (R_xlen_t)(start + i), item);
    }
  }
  UNPROTECT(1);
  return out;
}

SEXP slice(SEXP x, R_xlen_t start, R_xlen_t stop) {
  R_xlen_t count = stop - start;
  if (Rf_inherits(x, "data.frame") || Rf_getAttrib(x, R_DimSymbol) != R_NilValue) {
    SEXP name = PROTECT(Rf_mkString("colonnade"));
    SEXP space = PROTECT(R_FindNamespace(name));
    SEXP first = PROTECT(Rf_ScalarReal((double)start)), size = PROTECT(Rf_ScalarReal((double)count));
    SEXP call = PROTECT(Rf_lang4(Rf_install("slice_rows"), x, first, size));
    SEXP out = Rf_eval(call, space);
    UNPROTECT(5);
    return out;
  }
  SEXP out = PROTECT(Rf_allocVector(TYPEOF(x), count));
  if (count > 0) {
    switch (TYPEOF(x)) {
      case LGLSXP: memcpy(LOGICAL(out), LOGICAL_RO(x) + start, (size_t)count * sizeof(int)); break;
      case INTSXP: memcpy(INTEGER(out), INTEGER_RO(x) + start, (size_t)count * sizeof(int)); break;
      case REALSXP: memcpy(REAL(out), REAL_RO(x) + start, (size_t)count * sizeof(double)); break;
      case CPLXSXP: memcpy(COMPLEX(out), COMPLEX_RO(x) + start, (size_t)count * sizeof(Rcomplex)); break;
      case RAWSXP: memcpy(RAW(out), RAW_RO(x) + start, (size_t)count); break;
      case STRSXP:
        for (R_xlen_t i = 0; i < count; i++) SET_STRING_ELT(out, i, STRING_ELT(x, start + i));
        break;
      default:
        for (R_xlen_t i = 0; i < count; i++) SET_VECTOR_ELT(out, i, VECTOR_ELT(x, start + i));
    }
  }
  static const char *shared[] = {"levels", "class", "units", "tzone"};
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    SEXP value = Rf_getAttrib(x, Rf_install(shared[i]));
    if (value != R_NilValue) Rf_setAttrib(out, Rf_install(shared[i]), value);
  }
  UNPROTECT(1);
  return out;
}

SEXP read_list(Source *source, size_t node, size_t count) {
  SEXP items = PROTECT(read_child(source, node, 0));
  SEXP bounds = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count * 2));
  int64_t *starts = (int64_t *)REAL(bounds), *stops = starts + count;
  CALL(cnr_list_bounds, node, starts, stops);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; i++) {
    if (stops[i] >= 0) SET_VECTOR_ELT(out, (R_xlen_t)i, slice(items, starts[i], stops[i]));
  }
  UNPROTECT(3);
  return out;
}

// The file stores row after row.
SEXP read_matrix(Source *source, size_t node, size_t rows, size_t columns) {
  SEXP items = PROTECT(read_child(source, node, 0));
  int plain = TYPEOF(items) == LGLSXP || TYPEOF(items) == INTSXP || TYPEOF(items) == REALSXP || TYPEOF(items) == STRSXP;
  if (!plain || Rf_isObject(items)) {
    // A matrix of R has no class: lists hold such values.
    SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)rows));
    for (size_t i = 0; i < rows; i++) {
      SET_VECTOR_ELT(out, (R_xlen_t)i, slice(items, (R_xlen_t)(i * columns), (R_xlen_t)((i + 1) * columns)));
    }
    UNPROTECT(2);
    return out;
  }
  SEXP out = PROTECT(transposed(items, columns, rows));
  SEXP dim = PROTECT(Rf_allocVector(INTSXP, 2));
  INTEGER(dim)[0] = (int)rows;
  INTEGER(dim)[1] = (int)columns;
  Rf_setAttrib(out, R_DimSymbol, dim);
  UNPROTECT(3);
  return out;
}
