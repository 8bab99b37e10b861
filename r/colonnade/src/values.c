// Values of R as typed MessagePack and back: attributes, and the cells of list columns. crates/colonnade-r/src/tags.rs has the
// table. R's serialize is never used: other languages could not read it, and it can hold code.

#include <string.h>

#include "colonnade_package.h"

#define MAX_DEPTH 64

ByteWriter bytes_new(SEXP holder) {
  SET_VECTOR_ELT(holder, 0, Rf_allocVector(RAWSXP, 256));
  ByteWriter bytes = {holder, 0};
  return bytes;
}

const unsigned char *bytes_data(const ByteWriter *bytes) { return RAW(VECTOR_ELT(bytes->holder, 0)); }

void bytes_add(ByteWriter *bytes, const void *data, size_t size) {
  SEXP old = VECTOR_ELT(bytes->holder, 0);
  size_t capacity = (size_t)XLENGTH(old);
  if (bytes->size + size > capacity) {
    size_t grown = capacity * 2 > bytes->size + size ? capacity * 2 : bytes->size + size;
    SEXP larger = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)grown));
    memcpy(RAW(larger), RAW(old), bytes->size);
    SET_VECTOR_ELT(bytes->holder, 0, larger);
    UNPROTECT(1);
  }
  if (size > 0) memcpy(RAW(VECTOR_ELT(bytes->holder, 0)) + bytes->size, data, size);
  bytes->size += size;
}

// A code, and a number of `width` bytes, most significant first.
static void add_number(ByteWriter *bytes, int code, uint64_t number, int width) {
  unsigned char out[9];
  out[0] = (unsigned char)code;
  for (int i = 0; i < width; i++) out[1 + i] = (unsigned char)(number >> (8 * (width - 1 - i)));
  bytes_add(bytes, out, (size_t)width + 1);
}

static void add_length(ByteWriter *bytes, size_t count, int fixed, size_t limit, int code8, int code16) {
  if (count < limit) {
    add_number(bytes, fixed | (int)count, 0, 0);
  } else if (code8 != 0 && count < 256) {
    add_number(bytes, code8, count, 1);
  } else if (count < 65536) {
    add_number(bytes, code16, count, 2);
  } else if (count <= 0xffffffffu) {
    add_number(bytes, code16 + 1, count, 4);
  } else {
    throw_message("unrepresentable", NULL, "expected at most 2^32 items in a value, found more. Split it.");
  }
}

void write_array(ByteWriter *bytes, size_t count) { add_length(bytes, count, 0x90, 16, 0, 0xdc); }

void write_map(ByteWriter *bytes, size_t count) { add_length(bytes, count, 0x80, 16, 0, 0xde); }

void write_text(ByteWriter *bytes, const char *text, size_t size) {
  add_length(bytes, size, 0xa0, 32, 0xd9, 0xda);
  bytes_add(bytes, text, size);
}

void write_raw(ByteWriter *bytes, const unsigned char *data, size_t size) {
  add_length(bytes, size, 0, 0, 0xc4, 0xc5);
  bytes_add(bytes, data, size);
}

void write_nil(ByteWriter *bytes) { add_number(bytes, 0xc0, 0, 0); }

void write_bool(ByteWriter *bytes, int value) { add_number(bytes, value ? 0xc3 : 0xc2, 0, 0); }

void write_double(ByteWriter *bytes, double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  add_number(bytes, 0xcb, bits, 8);
}

void write_int(ByteWriter *bytes, int64_t value) {
  if (value >= 0) {
    if (value < 128) add_number(bytes, (int)value, 0, 0);
    else if (value < 256) add_number(bytes, 0xcc, (uint64_t)value, 1);
    else if (value < 65536) add_number(bytes, 0xcd, (uint64_t)value, 2);
    else if (value <= 0xffffffffLL) add_number(bytes, 0xce, (uint64_t)value, 4);
    else add_number(bytes, 0xcf, (uint64_t)value, 8);
  } else {
    if (value >= -32) add_number(bytes, (int)(value & 0xff), 0, 0);
    else if (value >= -128) add_number(bytes, 0xd0, (uint64_t)value, 1);
    else if (value >= -32768) add_number(bytes, 0xd1, (uint64_t)value, 2);
    else if (value >= -2147483648LL) add_number(bytes, 0xd2, (uint64_t)value, 4);
    else add_number(bytes, 0xd3, (uint64_t)value, 8);
  }
}

// Whether text without a mark is Latin-1, as the locale says. In other locales it is taken for UTF-8, and checked: R would replace
// what it cannot translate ("<ff>"), which no reader could tell from text.
static int native_is_latin1 = 0;

void find_native_encoding(void) {
  SEXP call = PROTECT(Rf_lang1(Rf_install("l10n_info")));
  SEXP info = PROTECT(Rf_eval(call, R_BaseEnv));
  SEXP names = Rf_getAttrib(info, R_NamesSymbol);
  for (R_xlen_t i = 0; i < XLENGTH(info); i++) {
    if (strcmp(CHAR(STRING_ELT(names, i)), "Latin-1") == 0) native_is_latin1 = Rf_asLogical(VECTOR_ELT(info, i)) == TRUE;
  }
  UNPROTECT(2);
}

const char *utf8_of(SEXP string, size_t *size) {
  cetype_t encoding = Rf_getCharCE(string);
  if (encoding == CE_BYTES) {
    throw_message("unrepresentable", NULL,
                  "expected text of a known encoding, found bytes. Set it with Encoding(), or use a list of raw vectors.");
  }
  if (encoding == CE_LATIN1 || (encoding == CE_NATIVE && native_is_latin1)) {
    const char *text = Rf_translateCharUTF8(string);
    *size = strlen(text);
    return text;
  }
  *size = (size_t)LENGTH(string);
  return CHAR(string);
}

void write_string(ByteWriter *bytes, SEXP string) {
  if (string == NA_STRING) {
    write_nil(bytes);
    return;
  }
  const void *mark = vmaxget();
  size_t size;
  const char *text = utf8_of(string, &size);
  write_text(bytes, text, size);
  vmaxset(mark);
}

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

static CnrEvent next_item(const unsigned char *data, size_t size, size_t *at) {
  CnrEvent event;
  CnError error = {0};
  check_code(cnr_msgpack_next(data, size, at, &event, &error), &error);
  return event;
}

static void refuse_typed(void) {
  throw_message("malformed", NULL, "expected a typed value of R, found other MessagePack. The file was damaged.");
}

static CnrEvent expect(const unsigned char *data, size_t size, size_t *at, CnrItem item) {
  CnrEvent event = next_item(data, size, at);
  if (event.item != item) refuse_typed();
  return event;
}

static SEXP char_of(const CnrEvent *event) {
  if (event->count > INT_MAX || memchr(event->data, 0, event->count) != NULL) {
    throw_message("unrepresentable", NULL, "expected text without NUL, which R cannot hold, found one.");
  }
  return Rf_mkCharLenCE((const char *)event->data, (int)event->count, CE_UTF8);
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
