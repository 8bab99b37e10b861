// The tag of a column: the attributes of R that its stored type does not imply.

#include <string.h>

#include "columns_write.h"

int is_text(SEXP x, const char *text) {
  return TYPEOF(x) == STRSXP && XLENGTH(x) == 1 && strcmp(CHAR(STRING_ELT(x, 0)), text) == 0;
}

static int is_texts(SEXP x, const char *first, const char *second) {
  return TYPEOF(x) == STRSXP && XLENGTH(x) == 2 && strcmp(CHAR(STRING_ELT(x, 0)), first) == 0 &&
         strcmp(CHAR(STRING_ELT(x, 1)), second) == 0;
}

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

void tag(Target *target, SEXP x, Kind kind, const char *storage, int exact) {
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
