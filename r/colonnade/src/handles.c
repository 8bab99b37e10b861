// Handles of Rust as external pointers, which free them even if an error of R leaves the function by longjmp.

#include <string.h>

#include "colonnade_package.h"

SEXP handle_new(void *pointer, const char *tag, R_CFinalizer_t finalizer) {
  SEXP handle = PROTECT(R_MakeExternalPtr(pointer, Rf_install(tag), R_NilValue));
  R_RegisterCFinalizerEx(handle, finalizer, FALSE);
  UNPROTECT(1);
  return handle;
}

// A handle is in use while Rust runs, which calls R to hear interrupts. R may then run code of the user, a window's button for example.
void handle_use(SEXP handle, int in_use) {
  R_SetExternalPtrProtected(handle, in_use ? R_ExternalPtrTag(handle) : R_NilValue);
}

void handle_check_unused(SEXP handle) {
  if (TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrProtected(handle) == R_ExternalPtrTag(handle)) {
    throw_message("invalid_option", NULL, "expected an object that no call uses, found one that a call uses. Wait until it ends.");
  }
}

void *handle_get(SEXP handle, const char *tag) {
  set_column(NULL);
  if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != Rf_install(tag)) {
    throw_message("invalid_option", NULL, "expected a %s, found another object.", tag);
  }
  handle_check_unused(handle);
  void *pointer = R_ExternalPtrAddr(handle);
  if (pointer == NULL) throw_message("invalid_option", NULL, "expected an open %s, found a closed one. Open it again.", tag);
  return pointer;
}

void handle_free(SEXP handle, R_CFinalizer_t finalizer) { finalizer(handle); }

static void free_builder(SEXP handle) {
  cnr_builder_free(R_ExternalPtrAddr(handle));
  R_ClearExternalPtr(handle);
}

static void free_frame(SEXP handle) {
  cnr_frame_free(R_ExternalPtrAddr(handle));
  R_ClearExternalPtr(handle);
}

SEXP builder_handle(CnrBuilder *builder) { return handle_new(builder, "colonnade_builder", free_builder); }

SEXP frame_handle(CnrFrame *frame) { return handle_new(frame, "colonnade_frame", free_frame); }

static void free_buffer(SEXP handle) {
  CnBuffer *buffer = R_ExternalPtrAddr(handle);
  if (buffer != NULL) cn_buffer_free(buffer);
  R_ClearExternalPtr(handle);
}

SEXP take_buffer(CnBuffer *buffer) {
  // The buffer is a variable of the caller, which an error of R would leave: the handle frees the bytes before that.
  SEXP handle = PROTECT(handle_new(NULL, "colonnade_buffer", free_buffer));
  SEXP holder = PROTECT(Rf_allocVector(RAWSXP, sizeof(CnBuffer)));
  memcpy(RAW(holder), buffer, sizeof(CnBuffer));
  R_SetExternalPtrProtected(handle, holder);
  R_SetExternalPtrAddr(handle, RAW(holder));
  SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)buffer->nbytes));
  if (buffer->nbytes > 0) memcpy(RAW(out), buffer->data, buffer->nbytes);
  free_buffer(handle);
  UNPROTECT(3);
  return out;
}

const char *text_or_null(SEXP x) {
  set_column(NULL);
  if (x == R_NilValue) return NULL;
  if (TYPEOF(x) != STRSXP || XLENGTH(x) != 1 || STRING_ELT(x, 0) == NA_STRING) {
    throw_message("invalid_option", NULL, "expected one text, found another value.");
  }
  return Rf_translateCharUTF8(STRING_ELT(x, 0));
}
