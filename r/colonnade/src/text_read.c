// Text as R's strings.
//
// R keeps each text once, in a table of all texts. Columns repeat texts, so a small table of the last ones, which is next to the
// processor, answers most rows without R's.

#include <stdlib.h>
#include <string.h>

#include "colonnade_package.h"

#define CHUNK 1024
#define FEWEST_BITS 14
#define MOST_BITS 20

// A text of up to 16 bytes is its size and its first and last 8 bytes; a longer one is compared as a whole too.
typedef struct {
  uint64_t head, tail;
  uint32_t size;
  uint32_t column;  // the number of the column that wrote this entry; 0: none
  SEXP string;      // an element of that column's vector, which protects it
} Recent;

// Sets of two entries: the newer one first. The table of a column with many texts grows, and is freed after the column, or, if an error
// left it, with the next one.
static Recent few[1 << FEWEST_BITS];
static Recent *recents = few;
static int bits = FEWEST_BITS;
static size_t misses;
static uint32_t current_column;

SEXP string_of(SEXP column, const void *data, size_t size) {
  if (size > INT_MAX || memchr(data, 0, size) != NULL) {
    const char *name = TYPEOF(column) == STRSXP ? CHAR(STRING_ELT(column, 0)) : NULL;
    throw_message("unsupported", name, "expected text without NUL, which R cannot hold, found one. Read other columns.");
  }
  return Rf_mkCharLenCE(data, (int)size, CE_UTF8);
}

static uint64_t word(const unsigned char *data) {
  uint64_t out;
  memcpy(&out, data, 8);
  return out;
}

// The first and the last 8 bytes, or all bytes of a shorter text, without reading past its end.
static void ends(const unsigned char *data, size_t size, uint64_t *head, uint64_t *tail) {
  if (size >= 8) {
    *head = word(data);
    *tail = word(data + size - 8);
  } else if (size >= 4) {
    uint32_t first, last;
    memcpy(&first, data, 4);
    memcpy(&last, data + size - 4, 4);
    *head = first;
    *tail = last;
  } else {
    *head = size == 0 ? 0 : (uint64_t)data[0] | (uint64_t)data[size / 2] << 8 | (uint64_t)data[size - 1] << 16;
    *tail = 0;
  }
}

static Recent *set_of(Recent *table, int table_bits, uint64_t head, uint64_t tail, size_t size) {
  uint64_t hash = ((head ^ size) * 0x9e3779b97f4a7c15u ^ tail) * 0xff51afd7ed558ccdu;
  return &table[(hash >> (64 - table_bits)) & ~(uint64_t)1];
}

static int is_text(const Recent *recent, uint32_t number, uint64_t head, uint64_t tail, const unsigned char *data, size_t size) {
  return recent->head == head && recent->tail == tail && recent->size == size && recent->column == number &&
         (size <= 16 || memcmp(CHAR(recent->string), data, size) == 0);
}

static void free_table(void) {
  if (recents != few) free(recents);
  recents = few;
  bits = FEWEST_BITS;
  misses = 0;
}

// A larger table with the entries of the column. Without memory the table stays as it is.
static void grow_table(uint32_t number) {
  int more = bits + 2 < MOST_BITS ? bits + 2 : MOST_BITS;
  Recent *larger = calloc((size_t)1 << more, sizeof *larger);
  misses = 0;
  if (larger == NULL) return;
  for (size_t i = 0; i < (size_t)1 << bits; i++) {
    Recent *old = &recents[i];
    if (old->column != number) continue;
    Recent *set = set_of(larger, more, old->head, old->tail, old->size);
    set[1] = set[0];
    set[0] = *old;
  }
  free_table();
  recents = larger;
  bits = more;
}

static SEXP find_text(SEXP column, uint32_t number, const unsigned char *data, size_t size) {
  uint64_t head, tail;
  ends(data, size, &head, &tail);
  Recent *set = set_of(recents, bits, head, tail, size);
  if (is_text(&set[0], number, head, tail, data, size)) return set[0].string;
  if (is_text(&set[1], number, head, tail, data, size)) return set[1].string;
  SEXP string = string_of(column, data, size);
  // The allocation may have run a finalizer that read another column: the table may be another one.
  if (++misses > (size_t)1 << (bits - 1) && bits < MOST_BITS) grow_table(number);
  set = set_of(recents, bits, head, tail, size);
  set[1] = set[0];
  set[0] = (Recent){head, tail, (uint32_t)size, number, string};
  return string;
}

static void set_text(SEXP out, size_t row, SEXP column, uint32_t number, const unsigned char *data, size_t size) {
  SET_STRING_ELT(out, (R_xlen_t)row, find_text(column, number, data, size));
}

#define READ_ROWS(offsets)                                                                                  \
  for (size_t row = 0; row < count; row++) {                                                                \
    if (row % (64 * CHUNK) == 0) R_CheckUserInterrupt();                                                    \
    size_t bit = texts.first_bit + row;                                                                     \
    if (texts.present != NULL && !(texts.present[bit / 8] >> bit % 8 & 1)) {                                \
      SET_STRING_ELT(out, (R_xlen_t)row, NA_STRING);                                                        \
    } else {                                                                                                \
      set_text(out, row, column, number, texts.bytes + offsets[row], (size_t)(offsets[row + 1] - offsets[row])); \
    }                                                                                                       \
  }

SEXP text_column(const CnrFrame *frame, size_t node, size_t count, SEXP column) {
  free_table();
  if (++current_column == 0) {
    memset(few, 0, sizeof few);
    current_column = 1;
  }
  uint32_t number = current_column;
  CnError error = {0};
  CnrTexts texts;
  check_column(cnr_texts(frame, node, &texts, &error), &error, column);
  SEXP out = PROTECT(vector_new(STRSXP, count));
  if (texts.offsets32 != NULL) {
    READ_ROWS(texts.offsets32)
  } else if (texts.offsets64 != NULL) {
    READ_ROWS(texts.offsets64)
  } else {
    const void *values[CHUNK];
    size_t sizes[CHUNK];
    for (size_t start = 0; start < count; start += CHUNK) {
      if (start % (64 * CHUNK) == 0) R_CheckUserInterrupt();
      size_t rows = count - start < CHUNK ? count - start : CHUNK;
      check_column(cnr_values(frame, node, start, rows, values, sizes, &error), &error, column);
      for (size_t i = 0; i < rows; i++) {
        if (values[i] == NULL) SET_STRING_ELT(out, (R_xlen_t)(start + i), NA_STRING);
        else set_text(out, start + i, column, number, values[i], sizes[i]);
      }
    }
  }
  free_table();
  UNPROTECT(1);
  return out;
}
