// Connections to peers: the calls of R/peers.R.

#include "colonnade_package.h"

#define TAG "colonnade_connection"

static void free_connection(SEXP handle) {
  cnr_connection_free(R_ExternalPtrAddr(handle));
  R_ClearExternalPtr(handle);
}

SEXP connect_call(SEXP url, SEXP options) {
  CnError error = {0};
  CnProgress progress = interrupts();
  CnrConnection *connection = NULL;
  check_code(cnr_connect(text_or_null(url), text_or_null(options), &progress, &connection, &error), &error);
  return handle_new(connection, TAG, free_connection);
}

SEXP send_bytes_call(SEXP handle, SEXP bytes, SEXP seconds) {
  const void *data = RAW(bytes);
  double limit = Rf_asReal(seconds);
  CnError error = {0};
  CnProgress progress = interrupts();
  CnrConnection *connection = handle_get(handle, TAG);
  handle_use(handle, 1);
  CnCode code = cnr_send_bytes(connection, data, (size_t)XLENGTH(bytes), limit, &progress, &error);
  handle_use(handle, 0);
  check_code(code, &error);
  return R_NilValue;
}

SEXP send_frame_call(SEXP handle, SEXP frame, SEXP format, SEXP options, SEXP seconds) {
  handle_get(handle, TAG);
  SEXP builder = PROTECT(build_frame(VECTOR_ELT(frame, 0), VECTOR_ELT(frame, 1), VECTOR_ELT(frame, 2),
                                     VECTOR_ELT(frame, 3), VECTOR_ELT(frame, 4), VECTOR_ELT(frame, 5), 0));
  // The conversion may have run code of R, which may have closed the connection.
  CnrConnection *connection = handle_get(handle, TAG);
  CnError error = {0};
  CnProgress progress = interrupts();
  const char *format_text = text_or_null(format), *options_text = text_or_null(options);
  double limit = Rf_asReal(seconds);
  handle_use(handle, 1);
  CnCode code = cnr_send_frame(connection, R_ExternalPtrAddr(builder), format_text, options_text, limit, &progress, &error);
  handle_use(handle, 0);
  check_code(code, &error);
  UNPROTECT(1);
  return R_NilValue;
}

// A list of what was found (0 nothing, 1 the end, 2 a frame, 3 bytes) and its content.
SEXP receive_call(SEXP handle, SEXP seconds) {
  double limit = Rf_asReal(seconds);
  CnrConnection *connection = handle_get(handle, TAG);
  CnError error = {0};
  CnProgress progress = interrupts();
  CnrReceived found = CNR_RECEIVED_PENDING;
  CnrFrame *frame = NULL;
  CnBuffer bytes = {0};
  handle_use(handle, 1);
  CnCode code = cnr_receive(connection, limit, &progress, &found, &frame, &bytes, &error);
  handle_use(handle, 0);
  check_code(code, &error);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, Rf_ScalarInteger((int)found));
  if (found == CNR_RECEIVED_FRAME) SET_VECTOR_ELT(out, 1, frame_to_list(frame, 0, NULL));
  if (found == CNR_RECEIVED_BYTES) SET_VECTOR_ELT(out, 1, take_buffer(&bytes));
  UNPROTECT(1);
  return out;
}

SEXP wait_call(SEXP handles, SEXP seconds) {
  double limit = Rf_asReal(seconds);
  size_t count = (size_t)XLENGTH(handles);
  const CnrConnection **connections = (const CnrConnection **)R_alloc(count + 1, sizeof *connections);
  bool *ready = (bool *)R_alloc(count + 1, sizeof *ready);
  for (size_t i = 0; i < count; i++) connections[i] = handle_get(VECTOR_ELT(handles, (R_xlen_t)i), TAG);
  CnError error = {0};
  CnProgress progress = interrupts();
  for (size_t i = 0; i < count; i++) handle_use(VECTOR_ELT(handles, (R_xlen_t)i), 1);
  CnCode code = cnr_wait(connections, count, limit, &progress, ready, &error);
  for (size_t i = 0; i < count; i++) handle_use(VECTOR_ELT(handles, (R_xlen_t)i), 0);
  check_code(code, &error);
  SEXP out = PROTECT(Rf_allocVector(LGLSXP, (R_xlen_t)count));
  for (size_t i = 0; i < count; i++) LOGICAL(out)[i] = ready[i];
  UNPROTECT(1);
  return out;
}

SEXP finish_call(SEXP handle) {
  CnError error = {0};
  check_code(cnr_connection_finish(handle_get(handle, TAG), &error), &error);
  return R_NilValue;
}

SEXP disconnect_call(SEXP handle) {
  if (TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrTag(handle) == Rf_install(TAG)) {
    handle_check_unused(handle);
    free_connection(handle);
  }
  return R_NilValue;
}

// ---------------------------------------------------------------- listeners

#define LISTENER_TAG "colonnade_listener"

static void free_listener(SEXP handle) {
  cnr_listener_free(R_ExternalPtrAddr(handle));
  R_ClearExternalPtr(handle);
}

SEXP listen_call(SEXP url, SEXP options) {
  CnError error = {0};
  CnProgress progress = interrupts();
  CnrListener *listener = NULL;
  check_code(cnr_listen(text_or_null(url), text_or_null(options), &progress, &listener, &error), &error);
  return handle_new(listener, LISTENER_TAG, free_listener);
}

SEXP listener_url_call(SEXP handle) { return Rf_mkString(cnr_listener_url(handle_get(handle, LISTENER_TAG))); }

// The handle of a connection; NULL if no peer came.
SEXP accept_call(SEXP handle, SEXP seconds) {
  double limit = Rf_asReal(seconds);
  const CnrListener *listener = handle_get(handle, LISTENER_TAG);
  CnError error = {0};
  CnProgress progress = interrupts();
  CnrConnection *connection = NULL;
  handle_use(handle, 1);
  CnCode code = cnr_accept(listener, limit, &progress, &connection, &error);
  handle_use(handle, 0);
  check_code(code, &error);
  return connection == NULL ? R_NilValue : handle_new(connection, TAG, free_connection);
}

SEXP stop_listening_call(SEXP handle) {
  if (TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrTag(handle) == Rf_install(LISTENER_TAG)) {
    handle_check_unused(handle);
    free_listener(handle);
  }
  return R_NilValue;
}
