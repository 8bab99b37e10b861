// Vectors in memory of the core, by R's custom allocators (R_ext/Rallocators.h).
//
// R's own memory for a vector of many megabytes is fresh from the system, which clears each page: that takes longer than filling it.
// The core keeps pages for a while.

#include <string.h>

#include "colonnade_package.h"

#include <R_ext/Rallocators.h>

// Smaller vectors are cheaper in R's memory, which is reused as well.
#define LARGE_NBYTES (1u << 20)

static void *offered;  // the memory that the next vector gets

static void *give_offered(R_allocator_t *allocator, size_t size) {
  void *out = offered;
  offered = NULL;
  return out;
}

static void free_block(R_allocator_t *allocator, void *block) { cnr_pages_free(block); }

static void keep_block(R_allocator_t *allocator, void *block) {}

// How much memory R wants in front of the values is not public: a first vector shows it. 0: R did not use the allocator.
size_t vector_header_nbytes(void) {
  static size_t header;
  if (header == 0) {
    enum { SIZE = 4096 };
    R_allocator_t allocator = {give_offered, keep_block, NULL, NULL};
    static char *block;
    if (block == NULL) block = (char *)R_Calloc(2 * SIZE, char);
    offered = block;
    char *values = (char *)RAW(Rf_allocVector3(RAWSXP, SIZE, &allocator));
    if (values > block && values < block + SIZE) header = (size_t)(values - block);
  }
  return header;
}

static void free_pages(SEXP handle) {
  cnr_pages_free(R_ExternalPtrAddr(handle));
  R_ClearExternalPtr(handle);
}

SEXP take_pages(CnrPages *pages) {
  // An error of R would leave this function: until the vector owns the memory, the handle does.
  SEXP handle = PROTECT(handle_new(pages->block, "colonnade_pages", free_pages));
  size_t header = vector_header_nbytes(), nbytes = pages->nbytes;
  const unsigned char *values = (const unsigned char *)pages->block + header;
  SEXP out = R_NilValue;
  // A small vector is cheaper in R's own memory.
  if (header > 0 && nbytes >= 65536) {
    R_allocator_t allocator = {give_offered, free_block, NULL, NULL};
    offered = pages->block;
    out = Rf_allocVector3(RAWSXP, (R_xlen_t)nbytes, &allocator);
    R_ClearExternalPtr(handle);
  } else {
    out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)nbytes));
    if (nbytes > 0) memcpy(RAW(out), values, nbytes);
    free_pages(handle);
    UNPROTECT(1);
  }
  UNPROTECT(1);
  return out;
}

static void *allocate_block(R_allocator_t *allocator, size_t size) { return cnr_pages_allocate(size); }

SEXP vector_new(SEXPTYPE type, size_t count) {
  size_t width = type == LGLSXP || type == INTSXP ? sizeof(int) : sizeof(double);
  if (count < LARGE_NBYTES / width) return Rf_allocVector(type, (R_xlen_t)count);
  R_allocator_t allocator = {allocate_block, free_block, NULL, NULL};
  return Rf_allocVector3(type, (R_xlen_t)count, &allocator);
}
