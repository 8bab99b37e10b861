// Items of MessagePack: written into bytes that grow, and read. values.c and messages.c make values of R of them.

#include <string.h>

#include "colonnade_package.h"

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

CnrEvent next_item(const unsigned char *data, size_t size, size_t *at) {
  CnrEvent event;
  CnError error = {0};
  check_code(cnr_msgpack_next(data, size, at, &event, &error), &error);
  return event;
}

SEXP char_of(const CnrEvent *event) {
  if (event->count > INT_MAX || memchr(event->data, 0, event->count) != NULL) {
    throw_message("unsupported", NULL, "expected text without NUL, which R cannot hold, found one.");
  }
  return Rf_mkCharLenCE((const char *)event->data, (int)event->count, CE_UTF8);
}
