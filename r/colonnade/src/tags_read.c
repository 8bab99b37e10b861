// The attributes of R in a column's tag.

#include <string.h>

#include "columns_read.h"

void set_class(SEXP x, const char *first, const char *second) {
  SEXP class = PROTECT(Rf_allocVector(STRSXP, second == NULL ? 1 : 2));
  SET_STRING_ELT(class, 0, Rf_mkChar(first));
  if (second != NULL) SET_STRING_ELT(class, 1, Rf_mkChar(second));
  Rf_setAttrib(x, R_ClassSymbol, class);
  UNPROTECT(1);
}

SEXP tagged_attributes(const CnrInfo *info) {
  if (info->attributes == NULL) return R_NilValue;
  const unsigned char *data = info->attributes;
  size_t size = info->attributes_nbytes, at = 0;
  CnrEvent map;
  CnError error = {0};
  check_code(cnr_msgpack_next(data, size, &at, &map, &error), &error);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)map.count));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)map.count));
  for (size_t i = 0; i < map.count; i++) {
    CnrEvent name;
    check_code(cnr_msgpack_next(data, size, &at, &name, &error), &error);
    SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkCharLenCE((const char *)name.data, (int)name.count, CE_UTF8));
    SET_VECTOR_ELT(out, (R_xlen_t)i, read_typed(data, size, &at, 0));
  }
  Rf_setAttrib(out, R_NamesSymbol, names);
  UNPROTECT(2);
  return out;
}

SEXP list_get(SEXP list, const char *name) {
  if (list == R_NilValue) return R_NilValue;
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(list); i++) {
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
  }
  return R_NilValue;
}

void set_attributes(Source *source, SEXP x, SEXP attributes, size_t count) {
  if (attributes == R_NilValue) return;
  SEXP names = Rf_getAttrib(attributes, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(attributes); i++) {
    const char *name = CHAR(STRING_ELT(names, i));
    SEXP value = VECTOR_ELT(attributes, i);
    if (strcmp(name, "class") == 0) continue;
    int nprotect = 0;
    R_xlen_t first = (R_xlen_t)source->first_row;
    if (strcmp(name, "names") == 0 && TYPEOF(value) == STRSXP && XLENGTH(value) >= first + (R_xlen_t)count) {
      value = PROTECT(slice(value, first, first + (R_xlen_t)count));
      nprotect++;
    } else if (strcmp(name, "dimnames") == 0 && TYPEOF(value) == VECSXP && XLENGTH(value) == 2) {
      SEXP rows = VECTOR_ELT(value, 0);
      value = PROTECT(Rf_shallow_duplicate(value));
      nprotect++;
      if (TYPEOF(rows) == STRSXP && XLENGTH(rows) >= first + (R_xlen_t)count) {
        SET_VECTOR_ELT(value, 0, slice(rows, first, first + (R_xlen_t)count));
      }
    }
    Rf_setAttrib(x, Rf_install(name), value);
    UNPROTECT(nprotect);
  }
  SEXP class = list_get(attributes, "class");
  if (class != R_NilValue) Rf_setAttrib(x, R_ClassSymbol, class);
}
