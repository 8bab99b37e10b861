// R's strings as a column of text.

#include <string.h>

#include "colonnade_package.h"

#define CHUNK 1024
#define AHEAD 16

// The UTF-8 of a string; NULL for NA.
const char *utf8_or_null(SEXP string, size_t *size) {
  if (string == NA_STRING) {
    *size = 0;
    return NULL;
  }
  return utf8_of(string, size);
}

// R allocates strings in words of 8 bytes, so the last word may be copied as a whole. The target has room for it.
static void copy_text(unsigned char *target, const char *text, size_t size) {
  if (size <= 8) {
    memcpy(target, text, 8);
  } else if (size <= 16) {
    memcpy(target, text, 8);
    memcpy(target + size - 8, text + size - 8, 8);
  } else {
    memcpy(target, text, size);
  }
}

// Tells the processor which string is needed soon: those of a column with many texts are not in its caches.
static void fetch_ahead(const SEXP *strings, size_t row, size_t count) {
  if (row + AHEAD < count) {
    __builtin_prefetch(strings[row + AHEAD]);
    // The text is behind 48 bytes of R's header, often in the next line.
    __builtin_prefetch((const char *)strings[row + AHEAD] + 48);
  }
}

// Copies the strings without a look at their encodings. Returns false if a text is not ASCII, or if there is too much for offsets of
// 32 bits: then nothing was pushed.
static int push_ascii(CnrBuilder *builder, const SEXP *strings, size_t count, SEXP column) {
  CnError error = {0};
  CnrTextPlaces places;
  check_column(cnr_ascii_begin(builder, count, &places, &error), &error, column);
  size_t nbytes = 0, missing = 0;
  for (size_t row = 0; row < count; row++) {
    if (row % (64 * CHUNK) == 0) R_CheckUserInterrupt();
    fetch_ahead(strings, row, count);
    if (strings[row] == NA_STRING) {
      missing++;
    } else {
      nbytes += (size_t)LENGTH(strings[row]);
      places.present[row / 8] |= (uint8_t)(1u << row % 8);
    }
    if (nbytes > INT_MAX) return 0;
    places.offsets[row + 1] = (int32_t)nbytes;
  }
  uint8_t *bytes;
  check_column(cnr_ascii_bytes(builder, nbytes, &bytes, &error), &error, column);
  for (size_t row = 0; row < count; row++) {
    if (row % (64 * CHUNK) == 0) R_CheckUserInterrupt();
    fetch_ahead(strings, row, count);
    size_t start = (size_t)places.offsets[row], size = (size_t)places.offsets[row + 1] - start;
    // A row without text needs no copy.
    if (size > 0) copy_text(bytes + start, CHAR(strings[row]), size);
  }
  bool is_ascii = false;
  check_column(cnr_ascii_end(builder, missing, &is_ascii, &error), &error, column);
  return is_ascii;
}

void push_text_column(CnrBuilder *builder, SEXP x, SEXP column) {
  R_xlen_t count = XLENGTH(x);
  const SEXP *strings = STRING_PTR_RO(x);
  if (push_ascii(builder, strings, (size_t)count, column)) return;
  size_t nbytes = 0;
  for (R_xlen_t i = 0; i < count; i++) nbytes += (size_t)LENGTH(strings[i]);
  CnError error = {0};
  check_column(cnr_text_begin(builder, (size_t)count, nbytes, false, &error), &error, column);
  const void *values[CHUNK];
  size_t sizes[CHUNK];
  for (R_xlen_t start = 0; start < count; start += CHUNK) {
    if (start % (64 * CHUNK) == 0) R_CheckUserInterrupt();
    const void *mark = vmaxget();
    size_t rows = count - start < CHUNK ? (size_t)(count - start) : CHUNK;
    for (size_t i = 0; i < rows; i++) values[i] = utf8_or_null(strings[start + (R_xlen_t)i], &sizes[i]);
    check_column(cnr_text_push(builder, values, sizes, rows, &error), &error, column);
    vmaxset(mark);
  }
  check_column(cnr_text_end(builder, &error), &error, column);
}
