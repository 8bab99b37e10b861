// Values of R as typed MessagePack and back: attributes, and the cells of list columns. crates/colonnade-r/src/tags.rs has the
// table. R's serialize is never used: other languages could not read it, and it can hold code.

#include <string.h>

#include "colonnade_package.h"

#define MAX_DEPTH 64

SEXP attributes_of(SEXP x) {
  if (ATTRIB(x) == R_NilValue) return R_NilValue;
  SEXP call = PROTECT(Rf_lang2(Rf_install("attributes"), x));
  // A language object as an argument would be evaluated: quote it.
  SEXP quoted = PROTECT(Rf_lang2(Rf_install("quote"), x));
  SETCADR(call, quoted);
  SEXP out = Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
  return out;
}

static void write_key(ByteWriter *bytes, const char *key) { write_text(bytes, key, strlen(key)); }

static const char *class_of(SEXP x) {
  SEXP class = Rf_getAttrib(x, R_ClassSymbol);
  if (TYPEOF(class) == STRSXP && XLENGTH(class) > 0) return CHAR(STRING_ELT(class, 0));
  return Rf_type2char(TYPEOF(x));
}

void write_typed(ByteWriter *bytes, SEXP x, int depth) {
  if (depth > MAX_DEPTH) {
    throw_message("limit_exceeded", NULL, "expected values nested at most %d deep, found deeper ones.", MAX_DEPTH);
  }
  if (x == R_NilValue) {
    write_nil(bytes);
    return;
  }
  int known = TYPEOF(x) == LGLSXP || TYPEOF(x) == INTSXP || TYPEOF(x) == REALSXP || TYPEOF(x) == CPLXSXP ||
              TYPEOF(x) == STRSXP || TYPEOF(x) == RAWSXP || TYPEOF(x) == VECSXP;
  if (!known || IS_S4_OBJECT(x)) {
    throw_message("unrepresentable", NULL,
                  "expected a vector or a list of vectors, found an object of class %s. Convert it to data first.",
                  class_of(x));
  }
  SEXP attributes = PROTECT(attributes_of(x));
  R_xlen_t count = XLENGTH(x);
  write_map(bytes, attributes == R_NilValue ? 1 : 2);
  switch (TYPEOF(x)) {
    case LGLSXP:
      write_key(bytes, "lgl");
      write_array(bytes, (size_t)count);
      for (R_xlen_t i = 0; i < count; i++) {
        int value = LOGICAL_ELT(x, i);
        if (value == NA_LOGICAL) write_nil(bytes);
        else write_bool(bytes, value);
      }
      break;
    case INTSXP:
      write_key(bytes, "int");
      write_array(bytes, (size_t)count);
      for (R_xlen_t i = 0; i < count; i++) {
        int value = INTEGER_ELT(x, i);
        if (value == NA_INTEGER) write_nil(bytes);
        else write_int(bytes, value);
      }
      break;
    case REALSXP:
      write_key(bytes, "dbl");
      write_array(bytes, (size_t)count);
      for (R_xlen_t i = 0; i < count; i++) write_double(bytes, REAL_ELT(x, i));
      break;
    case CPLXSXP:
      write_key(bytes, "cplx");
      write_array(bytes, (size_t)count * 2);
      for (R_xlen_t i = 0; i < count; i++) {
        Rcomplex value = COMPLEX_ELT(x, i);
        write_double(bytes, value.r);
        write_double(bytes, value.i);
      }
      break;
    case STRSXP:
      write_key(bytes, "chr");
      write_array(bytes, (size_t)count);
      for (R_xlen_t i = 0; i < count; i++) write_string(bytes, STRING_ELT(x, i));
      break;
    case RAWSXP:
      write_key(bytes, "raw");
      write_raw(bytes, RAW(x), (size_t)count);
      break;
    default:
      write_key(bytes, "list");
      write_array(bytes, (size_t)count);
      for (R_xlen_t i = 0; i < count; i++) write_typed(bytes, VECTOR_ELT(x, i), depth + 1);
  }
  if (attributes != R_NilValue) {
    SEXP names = PROTECT(Rf_getAttrib(attributes, R_NamesSymbol));
    write_key(bytes, "attributes");
    write_map(bytes, (size_t)XLENGTH(attributes));
    for (R_xlen_t i = 0; i < XLENGTH(attributes); i++) {
      write_string(bytes, STRING_ELT(names, i));
      write_typed(bytes, VECTOR_ELT(attributes, i), depth + 1);
    }
    UNPROTECT(1);
  }
  UNPROTECT(1);
}

// ---------------------------------------------------------------- reading

static void refuse_typed(void) {
  throw_message("malformed", NULL, "expected a typed value of R, found other MessagePack. The file was damaged.");
}

static CnrEvent expect(const unsigned char *data, size_t size, size_t *at, CnrItem item) {
  CnrEvent event = next_item(data, size, at);
  if (event.item != item) refuse_typed();
  return event;
}

static int is_key(const CnrEvent *event, const char *key) {
  return event->count == strlen(key) && memcmp(event->data, key, event->count) == 0;
}

static SEXP read_items(const unsigned char *data, size_t size, size_t *at, int depth, const CnrEvent *key) {
  if (is_key(key, "raw")) {
    CnrEvent bytes = expect(data, size, at, CNR_ITEM_BYTES);
    SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t)bytes.count);
    if (bytes.count > 0) memcpy(RAW(out), bytes.data, bytes.count);
    return out;
  }
  CnrEvent array = expect(data, size, at, CNR_ITEM_ARRAY);
  R_xlen_t count = (R_xlen_t)array.count;
  SEXP out = R_NilValue;
  if (is_key(key, "list")) {
    out = PROTECT(Rf_allocVector(VECSXP, count));
    for (R_xlen_t i = 0; i < count; i++) SET_VECTOR_ELT(out, i, read_typed(data, size, at, depth + 1));
  } else if (is_key(key, "chr")) {
    out = PROTECT(Rf_allocVector(STRSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
      CnrEvent item = next_item(data, size, at);
      if (item.item != CNR_ITEM_NIL && item.item != CNR_ITEM_TEXT) refuse_typed();
      SET_STRING_ELT(out, i, item.item == CNR_ITEM_NIL ? NA_STRING : char_of(&item));
    }
  } else if (is_key(key, "lgl") || is_key(key, "int")) {
    int logical = is_key(key, "lgl");
    out = PROTECT(Rf_allocVector(logical ? LGLSXP : INTSXP, count));
    int *values = logical ? LOGICAL(out) : INTEGER(out);
    for (R_xlen_t i = 0; i < count; i++) {
      CnrEvent item = next_item(data, size, at);
      CnrItem expected = logical ? CNR_ITEM_BOOL : CNR_ITEM_INT;
      if (item.item != CNR_ITEM_NIL && (item.item != expected || item.integer > INT_MAX || item.integer < -INT_MAX)) {
        refuse_typed();
      }
      values[i] = item.item == CNR_ITEM_NIL ? NA_INTEGER : (int)item.integer;
    }
  } else if (is_key(key, "dbl")) {
    out = PROTECT(Rf_allocVector(REALSXP, count));
    for (R_xlen_t i = 0; i < count; i++) REAL(out)[i] = expect(data, size, at, CNR_ITEM_FLOAT).number;
  } else if (is_key(key, "cplx")) {
    if (count % 2 != 0) refuse_typed();
    out = PROTECT(Rf_allocVector(CPLXSXP, count / 2));
    double *values = (double *)COMPLEX(out);
    for (R_xlen_t i = 0; i < count; i++) values[i] = expect(data, size, at, CNR_ITEM_FLOAT).number;
  } else {
    refuse_typed();
    PROTECT(out);
  }
  UNPROTECT(1);
  return out;
}

SEXP read_typed(const unsigned char *data, size_t size, size_t *at, int depth) {
  if (depth > MAX_DEPTH) refuse_typed();
  CnrEvent map = next_item(data, size, at);
  if (map.item == CNR_ITEM_NIL) return R_NilValue;
  if (map.item != CNR_ITEM_MAP || map.count < 1 || map.count > 2) refuse_typed();
  CnrEvent key = expect(data, size, at, CNR_ITEM_TEXT);
  SEXP out = PROTECT(read_items(data, size, at, depth, &key));
  if (map.count == 2) {
    key = expect(data, size, at, CNR_ITEM_TEXT);
    if (!is_key(&key, "attributes")) refuse_typed();
    CnrEvent attributes = expect(data, size, at, CNR_ITEM_MAP);
    // The class is set last: some classes refuse a vector without their other attributes.
    SEXP class = PROTECT(Rf_allocVector(VECSXP, 1));
    for (size_t i = 0; i < attributes.count; i++) {
      CnrEvent name = expect(data, size, at, CNR_ITEM_TEXT);
      SEXP symbol = PROTECT(Rf_installTrChar(char_of(&name)));
      SEXP value = PROTECT(read_typed(data, size, at, depth + 1));
      if (symbol == R_ClassSymbol) SET_VECTOR_ELT(class, 0, value);
      else Rf_setAttrib(out, symbol, value);
      UNPROTECT(2);
    }
    if (VECTOR_ELT(class, 0) != R_NilValue) Rf_setAttrib(out, R_ClassSymbol, VECTOR_ELT(class, 0));
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return out;
}

double units_factor(SEXP units) {
  static const struct {
    const char *name;
    double factor;
  } known[] = {{"secs", 1}, {"mins", 60}, {"hours", 3600}, {"days", 86400}, {"weeks", 604800}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (TYPEOF(units) == STRSXP && XLENGTH(units) == 1 && strcmp(CHAR(STRING_ELT(units, 0)), known[i].name) == 0) return known[i].factor;
  }
  return 0;
}

SEXP transposed(SEXP x, size_t rows, size_t columns) {
  SEXP out = PROTECT(Rf_allocVector(TYPEOF(x), (R_xlen_t)(rows * columns)));
  for (size_t column = 0; column < columns; column++) {
    for (size_t row = 0; row < rows; row++) {
      size_t from = column * rows + row, to = row * columns + column;
      switch (TYPEOF(x)) {
        case LGLSXP: LOGICAL(out)[to] = LOGICAL_RO(x)[from]; break;
        case INTSXP: INTEGER(out)[to] = INTEGER_RO(x)[from]; break;
        case REALSXP: REAL(out)[to] = REAL_RO(x)[from]; break;
        default: SET_STRING_ELT(out, (R_xlen_t)to, STRING_ELT(x, (R_xlen_t)from));
      }
    }
  }
  UNPROTECT(1);
  return out;
}
