// Text as R's strings.
//
// R keeps each text once, in a table of all texts. Columns repeat texts, so a small table of the last ones, which is next to the
// processor, answers most rows without R's.

#include <string.h>

#include "colonnade_package.h"

#define CHUNK 1024
#define TOGETHER 64
#define FEWEST_BITS 14
#define MOST_BITS 20

// A text of up to 16 bytes is its size and its first and last 8 bytes; a longer one is compared as a whole too.
typedef struct {
  uint64_t head, tail;
  uint32_t size;
  uint32_t column;  // the number of the column that wrote this entry; 0: none
  SEXP string;      // an element of that column's vector, which protects it
} Recent;

// Sets of two entries, the newer one first, in one line of the processor's cache. The table of a column with many texts grows, and is
// freed after the column, or, if an error left it, with the next one.
static Recent few[1 << FEWEST_BITS] __attribute__((aligned(64)));
static Recent *recents = few;
static void *allocated;  // the memory of a table that has grown: of the core, whose large pages suit random access
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

static uint64_t hash_of(uint64_t head, uint64_t tail, size_t size) {
  return ((head ^ size) * 0x9e3779b97f4a7c15u ^ tail) * 0xff51afd7ed558ccdu;
}

static Recent *set_of(Recent *table, int table_bits, uint64_t hash) {
  return &table[(hash >> (64 - table_bits)) & ~(uint64_t)1];
}

static int is_text(const Recent *recent, uint32_t number, uint64_t head, uint64_t tail, const unsigned char *data, size_t size) {
  return recent->head == head && recent->tail == tail && recent->size == size && recent->column == number &&
         (size <= 16 || memcmp(CHAR(recent->string), data, size) == 0);
}

static void free_table(void) {
  cnr_pages_free(allocated);
  allocated = NULL;
  recents = few;
  bits = FEWEST_BITS;
  misses = 0;
}

// A larger table with the entries of the column. Without memory the table stays as it is.
static void grow_table(uint32_t number) {
  int more = bits + 2 < MOST_BITS ? bits + 2 : MOST_BITS;
  size_t nbytes = sizeof(Recent) << more;
  Recent *larger = cnr_pages_allocate(nbytes);
  misses = 0;
  if (larger == NULL) return;
  memset(larger, 0, nbytes);
  for (size_t i = 0; i < (size_t)1 << bits; i++) {
    Recent *old = &recents[i];
    if (old->column != number) continue;
    Recent *set = set_of(larger, more, hash_of(old->head, old->tail, old->size));
    set[1] = set[0];
    set[0] = *old;
  }
  free_table();
  allocated = recents = larger;
  bits = more;
}

// Rows whose texts are looked up together, so that the processor fetches the places of the table, and then the strings, at the same
// time: those of a column with many texts are not in its caches. Arrays, because one array of structures takes a tenth longer.
typedef struct {
  SEXP out, column;
  uint32_t number;  // of the column
  size_t count;
  size_t rows[TOGETHER];
  const unsigned char *data[TOGETHER];
  uint64_t heads[TOGETHER], tails[TOGETHER], hashes[TOGETHER];
  size_t sizes[TOGETHER];
} Texts;

static SEXP find_text(const Texts *texts, size_t i) {
  Recent *set = set_of(recents, bits, texts->hashes[i]);
  for (int k = 0; k < 2; k++) {
    if (is_text(&set[k], texts->number, texts->heads[i], texts->tails[i], texts->data[i], texts->sizes[i])) return set[k].string;
  }
  return NULL;
}

static void add_string(const Texts *texts, size_t i) {
  SEXP string = string_of(texts->column, texts->data[i], texts->sizes[i]);
  // The vector protects what the table refers to.
  SET_STRING_ELT(texts->out, (R_xlen_t)texts->rows[i], string);
  // The allocation may have run a finalizer that read another column: the table may be another one.
  if (++misses > (size_t)1 << (bits - 1) && bits < MOST_BITS) grow_table(texts->number);
  Recent *set = set_of(recents, bits, texts->hashes[i]);
  set[1] = set[0];
  set[0] = (Recent){texts->heads[i], texts->tails[i], (uint32_t)texts->sizes[i], texts->number, string};
}

static void set_texts(Texts *texts) {
  SEXP found[TOGETHER];
  for (size_t i = 0; i < texts->count; i++) {
    found[i] = find_text(texts, i);
    if (found[i] != NULL) __builtin_prefetch(found[i]);
    else add_string(texts, i);
  }
  for (size_t i = 0; i < texts->count; i++) {
    if (found[i] != NULL) SET_STRING_ELT(texts->out, (R_xlen_t)texts->rows[i], found[i]);
  }
  texts->count = 0;
}

static void add_text(Texts *texts, size_t row, const unsigned char *data, size_t size) {
  size_t i = texts->count++;
  texts->rows[i] = row;
  texts->data[i] = data;
  texts->sizes[i] = size;
  ends(data, size, &texts->heads[i], &texts->tails[i]);
  texts->hashes[i] = hash_of(texts->heads[i], texts->tails[i], size);
  __builtin_prefetch(set_of(recents, bits, texts->hashes[i]));
  if (texts->count == TOGETHER) set_texts(texts);
}

#define READ_ROWS(offsets)                                                                                  \
  for (size_t row = 0; row < count; row++) {                                                                \
    if (row % (64 * CHUNK) == 0) R_CheckUserInterrupt();                                                    \
    size_t bit = places.first_bit + row;                                                                    \
    if (places.present != NULL && !(places.present[bit / 8] >> bit % 8 & 1)) {                              \
      SET_STRING_ELT(out, (R_xlen_t)row, NA_STRING);                                                        \
    } else {                                                                                                \
      add_text(&texts, row, places.bytes + offsets[row], (size_t)(offsets[row + 1] - offsets[row]));        \
    }                                                                                                       \
  }

SEXP text_column(const CnrFrame *frame, size_t node, size_t count, SEXP column) {
  free_table();
  if (++current_column == 0) {
    memset(few, 0, sizeof few);
    current_column = 1;
  }
  CnError error = {0};
  CnrTexts places;
  check_column(cnr_texts(frame, node, &places, &error), &error, column);
  SEXP out = PROTECT(vector_new(STRSXP, count));
  Texts texts;
  texts.out = out;
  texts.column = column;
  texts.number = current_column;
  texts.count = 0;
  if (places.offsets32 != NULL) {
    READ_ROWS(places.offsets32)
  } else if (places.offsets64 != NULL) {
    READ_ROWS(places.offsets64)
  } else {
    const void *values[CHUNK];
    size_t sizes[CHUNK];
    for (size_t start = 0; start < count; start += CHUNK) {
      if (start % (64 * CHUNK) == 0) R_CheckUserInterrupt();
      size_t rows = count - start < CHUNK ? count - start : CHUNK;
      check_column(cnr_values(frame, node, start, rows, values, sizes, &error), &error, column);
      for (size_t i = 0; i < rows; i++) {
        if (values[i] == NULL) SET_STRING_ELT(out, (R_xlen_t)(start + i), NA_STRING);
        else add_text(&texts, start + i, values[i], sizes[i]);
      }
    }
  }
  set_texts(&texts);
  free_table();
  UNPROTECT(1);
  return out;
}
