// What the C files of the package share.

#ifndef COLONNADE_PACKAGE_H
#define COLONNADE_PACKAGE_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

#include "colonnade_r.h"

// ---------------------------------------------------------------- errors.c

// Signals the error as a condition of class colonnade_error, or an interrupt. `column`: a name, or R_NilValue. Never returns.
void throw_error(CnError *error, SEXP column);
void check_code(CnCode code, CnError *error);
void check_column(CnCode code, CnError *error, SEXP column);
// Signals an error of R's side: `kind` as in CnError, `member` a column or NULL.
void throw_message(const char *kind, const char *member, const char *format, ...);

// Names the column that is being converted, for errors of the functions below. NULL: none.
void set_column(SEXP column);
SEXP get_column(void);
// Called once, when the package is loaded.
void keep_current_column(void);

// A callback that hears interrupts of R's user. Rust polls it about every 50 ms.
CnProgress interrupts(void);
// Whether the user interrupted the call; its error is then signalled as an interrupt.
int poll_interrupts(void);

// ---------------------------------------------------------------- progress.c

// A watch of a function of bytes done and their total, or of NULL. The caller protects it, checks the code of the call with it, and
// hears interrupts.
SEXP watch_new(SEXP callback);
CnProgress watched(SEXP watch);
void check_watched(CnCode code, CnError *error, SEXP watch);

// ---------------------------------------------------------------- handles.c

// An external pointer that frees a handle of Rust, also after an error of R.
typedef void (*Release)(void *);
SEXP handle_new(void *pointer, const char *tag, R_CFinalizer_t finalizer);
// The pointer of a handle that is open and not in use.
void *handle_get(SEXP handle, const char *tag);
// Marks a handle as in use, around each call of Rust that gets a callback. Such a handle cannot be used or freed.
void handle_use(SEXP handle, int in_use);
void handle_check_unused(SEXP handle);
void handle_free(SEXP handle, R_CFinalizer_t finalizer);
// A builder of a frame, freed with its handle.
SEXP builder_handle(CnrBuilder *builder);
SEXP frame_handle(CnrFrame *frame);
// Moves bytes of Rust to a raw vector, and frees them.
SEXP take_buffer(CnBuffer *buffer);
// NULL, or the text of a character vector of length 1 as UTF-8.
const char *text_or_null(SEXP x);

// ---------------------------------------------------------------- pages.c

// The bytes in front of the values of a vector that R allocates by a custom allocator.
size_t vector_header_nbytes(void);
// Makes a raw vector of pages, without a copy.
SEXP take_pages(CnrPages *pages);
// An integer, logical, double or character vector to fill.
SEXP vector_new(SEXPTYPE type, size_t count);

// ---------------------------------------------------------------- values.c, items.c

// ByteWriter that grow, in a raw vector of R that `holder` keeps.
typedef struct {
  SEXP holder;
  size_t size;
} ByteWriter;

// The UTF-8 of a string that is not NA, and its size. Refuses bytes. Memory is R's, freed by vmaxset.
const char *utf8_of(SEXP string, size_t *size);
void find_native_encoding(void);
// The next item of MessagePack, and a text of it. Refuses text with NUL.
CnrEvent next_item(const unsigned char *data, size_t size, size_t *at);
SEXP char_of(const CnrEvent *event);

ByteWriter bytes_new(SEXP holder);
void bytes_add(ByteWriter *bytes, const void *data, size_t size);
const unsigned char *bytes_data(const ByteWriter *bytes);
void write_array(ByteWriter *bytes, size_t count);
void write_map(ByteWriter *bytes, size_t count);
void write_text(ByteWriter *bytes, const char *text, size_t size);
void write_string(ByteWriter *bytes, SEXP string);
void write_int(ByteWriter *bytes, int64_t value);
void write_double(ByteWriter *bytes, double value);
void write_raw(ByteWriter *bytes, const unsigned char *data, size_t size);
void write_nil(ByteWriter *bytes);
void write_bool(ByteWriter *bytes, int value);

// Any value of R with its attributes, as typed MessagePack (crates/colonnade-r/src/tags.rs), and back.
void write_typed(ByteWriter *bytes, SEXP x, int depth);
SEXP read_typed(const unsigned char *data, size_t size, size_t *at, int depth);
// The attributes of an R object as a named list; R_NilValue if it has none.
SEXP attributes_of(SEXP x);
// The seconds of a unit of difftime; 0 for another one.
double units_factor(SEXP units);
// The values of a matrix of `rows` and `columns`, row after row.
SEXP transposed(SEXP x, size_t rows, size_t columns);

// ---------------------------------------------------------------- text_write.c, text_read.c

// The UTF-8 of a string; NULL for NA. Memory is R's, freed by vmaxset.
const char *utf8_or_null(SEXP string, size_t *size);
// Pushes a character vector. `column`: its name, for errors.
void push_text_column(CnrBuilder *builder, SEXP x, SEXP column);
// A column of text as a character vector.
SEXP text_column(const CnrFrame *frame, size_t node, size_t count, SEXP column);
// A string of UTF-8. Refuses text with NUL.
SEXP string_of(SEXP column, const void *data, size_t size);

// ---------------------------------------------------------------- columns_write.c, columns_read.c

// Builds a frame from a list of columns. Returns the builder's handle.
SEXP build_frame(SEXP columns, SEXP names, SEXP row_names, SEXP nrows, SEXP attributes, SEXP hint, int chunked);
// The columns, names and attributes of a frame, as a list for R. `lazy_source`: NULL to read all columns; else they are read when R
// touches them, and the frame keeps this object, whose memory it uses (R_NilValue for a file).
SEXP frame_to_list(CnrFrame *frame, size_t first_row, SEXP lazy_source);
// One column as a plain vector with its attributes.
SEXP read_column(const CnrFrame *frame, size_t node, size_t first_row, SEXP column);

// ---------------------------------------------------------------- lazy.c

// A vector without attributes that read_column() fills when R touches it. `frame`: the handle.
SEXP lazy_vector(SEXP frame, SEXPTYPE type, size_t node, size_t first_row, size_t count, SEXP column);
SEXP pending_call(SEXP x);
void make_lazy_classes(DllInfo *dll);

// ---------------------------------------------------------------- peers.c

SEXP connect_call(SEXP url, SEXP options);
SEXP send_bytes_call(SEXP handle, SEXP bytes, SEXP seconds);
SEXP send_frame_call(SEXP handle, SEXP frame, SEXP format, SEXP options, SEXP seconds);
SEXP receive_call(SEXP handle, SEXP seconds);
SEXP wait_call(SEXP handles, SEXP seconds);
SEXP finish_call(SEXP handle);
SEXP disconnect_call(SEXP handle);
SEXP listen_call(SEXP url, SEXP options);
SEXP listener_url_call(SEXP handle);
SEXP accept_call(SEXP handle, SEXP seconds);
SEXP stop_listening_call(SEXP handle);

// ---------------------------------------------------------------- messages.c, messages_read.c

// How deep values of MessagePack are nested at most.
#define MESSAGE_DEPTH 512

SEXP pack_call(SEXP x, SEXP as_is, SEXP hook);
SEXP unpack_call(SEXP bytes, SEXP size, SEXP at, SEXP simplify);
SEXP scan_call(SEXP bytes, SEXP size, SEXP at, SEXP left);
SEXP append_call(SEXP buffer, SEXP at, SEXP bytes);
SEXP part_call(SEXP bytes, SEXP start, SEXP stop);
SEXP json_call(SEXP text);

#endif
