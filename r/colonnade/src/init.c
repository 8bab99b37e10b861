// The functions that R calls, and their registration.

#include <string.h>

#include "colonnade_package.h"

// A character vector with one line for each loss, or NULL.
static SEXP take_losses(char *losses) {
  if (losses == NULL) return R_NilValue;
  SEXP out = PROTECT(Rf_ScalarString(Rf_mkCharCE(losses, CE_UTF8)));
  cn_text_free(losses);
  UNPROTECT(1);
  return out;
}

static const char **texts_of(SEXP x) {
  size_t count = (size_t)XLENGTH(x);
  const char **out = (const char **)R_alloc(count + 1, sizeof *out);
  for (size_t i = 0; i < count; i++) out[i] = Rf_translateCharUTF8(STRING_ELT(x, (R_xlen_t)i));
  return out;
}

// A path, or bytes, with the part that is asked for: names or positions of columns from 1, and two rows from 0.
static CnrSource source_of(SEXP from, SEXP format, SEXP options, SEXP columns, SEXP rows) {
  CnrSource source;
  memset(&source, 0, sizeof source);
  if (TYPEOF(from) == RAWSXP) {
    source.data = RAW(from);
    source.nbytes = (size_t)XLENGTH(from);
  } else {
    source.path = text_or_null(from);
  }
  source.format = text_or_null(format);
  source.options = text_or_null(options);
  if (TYPEOF(columns) == STRSXP) {
    source.columns = texts_of(columns);
    source.ncolumns = (size_t)XLENGTH(columns);
  } else if (TYPEOF(columns) == INTSXP) {
    int *positions = (int *)R_alloc((size_t)XLENGTH(columns) + 1, sizeof *positions);
    for (R_xlen_t i = 0; i < XLENGTH(columns); i++) positions[i] = INTEGER_ELT(columns, i) - 1;
    source.positions = positions;
    source.ncolumns = (size_t)XLENGTH(columns);
  }
  if (rows != R_NilValue) {
    source.has_rows = true;
    source.start_row = (size_t)REAL_ELT(rows, 0);
    source.stop_row = (size_t)REAL_ELT(rows, 1);
  }
  return source;
}

static SEXP read_call(SEXP from, SEXP format, SEXP options, SEXP columns, SEXP rows, SEXP lazy, SEXP callback) {
  CnrSource source = source_of(from, format, options, columns, rows);
  SEXP watch = PROTECT(watch_new(callback));
  CnError error = {0};
  CnProgress progress = watched(watch);
  CnrFrame *frame = NULL;
  check_watched(cnr_read(&source, &progress, &frame, &error), &error, watch);
  SEXP lazy_source = NULL;
  if (Rf_asLogical(lazy) == TRUE) {
    lazy_source = source.path == NULL ? from : R_NilValue;
    // The columns are views of these bytes: R must copy them before it changes them.
    if (source.path == NULL) MARK_NOT_MUTABLE(from);
  }
  SEXP out = frame_to_list(frame, source.start_row, lazy_source);
  UNPROTECT(1);
  return out;
}

static SEXP info_call(SEXP from, SEXP format, SEXP options) {
  CnrSource source = source_of(from, format, options, R_NilValue, R_NilValue);
  CnError error = {0};
  CnProgress progress = interrupts();
  char *text = NULL;
  check_code(cnr_info(&source, &progress, &text, &error), &error);
  return take_losses(text);
}

static SEXP write_call(SEXP frame, SEXP path, SEXP format, SEXP options, SEXP callback) {
  SEXP builder = PROTECT(build_frame(VECTOR_ELT(frame, 0), VECTOR_ELT(frame, 1), VECTOR_ELT(frame, 2),
                                     VECTOR_ELT(frame, 3), VECTOR_ELT(frame, 4), VECTOR_ELT(frame, 5), 0));
  SEXP watch = PROTECT(watch_new(callback));
  CnError error = {0};
  CnProgress progress = watched(watch);
  char *losses = NULL;
  CnrBuilder *pointer = R_ExternalPtrAddr(builder);
  CnCode code = cnr_write(pointer, text_or_null(path), text_or_null(format), text_or_null(options), &progress, &losses, &error);
  check_watched(code, &error, watch);
  cnr_builder_free(pointer);
  R_ClearExternalPtr(builder);
  UNPROTECT(2);
  return take_losses(losses);
}

static SEXP encode_call(SEXP frame, SEXP format, SEXP options) {
  SEXP builder = PROTECT(build_frame(VECTOR_ELT(frame, 0), VECTOR_ELT(frame, 1), VECTOR_ELT(frame, 2),
                                     VECTOR_ELT(frame, 3), VECTOR_ELT(frame, 4), VECTOR_ELT(frame, 5), 0));
  CnError error = {0};
  CnProgress progress = interrupts();
  char *losses = NULL;
  CnrPages pages = {0};
  CnrBuilder *pointer = R_ExternalPtrAddr(builder);
  CnCode code = cnr_encode(pointer, text_or_null(format), text_or_null(options), vector_header_nbytes(), &progress, &pages,
                           &losses, &error);
  check_code(code, &error);
  cnr_builder_free(pointer);
  R_ClearExternalPtr(builder);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(out, 0, take_pages(&pages));
  SET_VECTOR_ELT(out, 1, take_losses(losses));
  UNPROTECT(2);
  return out;
}

static SEXP convert_call(SEXP from, SEXP from_format, SEXP from_options, SEXP to, SEXP to_format, SEXP to_options,
                         SEXP callback) {
  SEXP watch = PROTECT(watch_new(callback));
  CnError error = {0};
  CnProgress progress = watched(watch);
  char *losses = NULL;
  CnCode code = cn_convert(text_or_null(from), text_or_null(from_format), text_or_null(from_options), text_or_null(to),
                           text_or_null(to_format), text_or_null(to_options), &progress, &losses, &error);
  check_watched(code, &error, watch);
  UNPROTECT(1);
  return take_losses(losses);
}

// ---------------------------------------------------------------- chunks

static void free_reader(SEXP handle) {
  cnr_reader_free(R_ExternalPtrAddr(handle));
  R_ClearExternalPtr(handle);
}

static void free_writer(SEXP handle) {
  cn_writer_free(R_ExternalPtrAddr(handle));
  R_ClearExternalPtr(handle);
}

static SEXP reader_open_call(SEXP path, SEXP format, SEXP options, SEXP rows) {
  CnError error = {0};
  CnrReader *reader = NULL;
  size_t max_rows = (size_t)Rf_asReal(rows);
  CnCode code = cnr_reader_open(text_or_null(path), text_or_null(format), text_or_null(options), max_rows, &reader, &error);
  check_code(code, &error);
  return handle_new(reader, "colonnade_reader", free_reader);
}

static SEXP reader_next_call(SEXP handle) {
  CnrReader *reader = handle_get(handle, "colonnade_reader");
  CnError error = {0};
  CnProgress progress = interrupts();
  CnrFrame *frame = NULL;
  handle_use(handle, 1);
  CnCode code = cnr_reader_next(reader, &progress, &frame, &error);
  handle_use(handle, 0);
  check_code(code, &error);
  return frame == NULL ? R_NilValue : frame_to_list(frame, 0, NULL);
}

static SEXP writer_open_call(SEXP path, SEXP format, SEXP options) {
  CnError error = {0};
  CnWriter *writer = NULL;
  CnCode code = cn_writer_create(text_or_null(path), text_or_null(format), text_or_null(options), &writer, &error);
  check_code(code, &error);
  return handle_new(writer, "colonnade_writer", free_writer);
}

static SEXP writer_write_call(SEXP handle, SEXP frame) {
  handle_get(handle, "colonnade_writer");
  SEXP builder = PROTECT(build_frame(VECTOR_ELT(frame, 0), VECTOR_ELT(frame, 1), VECTOR_ELT(frame, 2),
                                     VECTOR_ELT(frame, 3), VECTOR_ELT(frame, 4), VECTOR_ELT(frame, 5), 1));
  // The conversion may have run code of R, which may have closed the writer.
  CnWriter *writer = handle_get(handle, "colonnade_writer");
  CnError error = {0};
  CnProgress progress = interrupts();
  handle_use(handle, 1);
  CnCode code = cnr_writer_write(writer, R_ExternalPtrAddr(builder), &progress, &error);
  handle_use(handle, 0);
  check_code(code, &error);
  UNPROTECT(1);
  return R_NilValue;
}

static SEXP writer_close_call(SEXP handle) {
  CnWriter *writer = handle_get(handle, "colonnade_writer");
  CnError error = {0};
  CnProgress progress = interrupts();
  handle_use(handle, 1);
  CnCode code = cn_writer_close(writer, &progress, &error);
  handle_use(handle, 0);
  free_writer(handle);
  check_code(code, &error);
  return R_NilValue;
}

// Closes a reader, or a writer whose file is then removed.
static SEXP close_call(SEXP handle) {
  if (TYPEOF(handle) == EXTPTRSXP && R_ExternalPtrAddr(handle) != NULL) {
    R_CFinalizer_t release = NULL;
    if (R_ExternalPtrTag(handle) == Rf_install("colonnade_reader")) release = free_reader;
    else if (R_ExternalPtrTag(handle) == Rf_install("colonnade_writer")) release = free_writer;
    if (release != NULL) {
      handle_check_unused(handle);
      release(handle);
    }
  }
  return R_NilValue;
}

static SEXP formats_call(void) { return take_losses(cn_formats()); }

static SEXP version_call(void) { return Rf_mkString(cn_version()); }

#define ENTRY(name, arguments) {"C_" #name, (DL_FUNC)&name##_call, arguments}

static const R_CallMethodDef calls[] = {
    ENTRY(read, 7),        ENTRY(info, 3),         ENTRY(write, 5),        ENTRY(encode, 3),  ENTRY(convert, 7),
    ENTRY(reader_open, 4), ENTRY(reader_next, 1),  ENTRY(writer_open, 3),  ENTRY(writer_write, 2),
    ENTRY(writer_close, 1), ENTRY(close, 1),       ENTRY(formats, 0),      ENTRY(version, 0), ENTRY(pack, 3),
    ENTRY(unpack, 4),      ENTRY(scan, 4),         ENTRY(append, 3),      ENTRY(part, 3),         ENTRY(json, 1),
    ENTRY(connect, 2),     ENTRY(send_bytes, 3),   ENTRY(send_frame, 5),  ENTRY(receive, 2),    ENTRY(wait, 2),
    ENTRY(finish, 1),      ENTRY(disconnect, 1),   ENTRY(pending, 1),   ENTRY(listen, 2),
    ENTRY(listener_url, 1), ENTRY(accept, 2),      ENTRY(stop_listening, 1), {NULL, NULL, 0}};

void R_init_colonnade(DllInfo *dll) {
  R_registerRoutines(dll, NULL, calls, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
  keep_current_column();
  make_lazy_classes(dll);
  find_native_encoding();
}
