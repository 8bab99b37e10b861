# Files that are read and written chunk by chunk.

open_frame_reader <- function(path, format = NULL, chunk_rows = 65536, as = NULL, ...) {
  path <- check_path(path)
  handle <- .Call(C_reader_open, path, format, options_json(...), as.double(chunk_rows))
  structure(list(handle = handle, path = path, as = as), class = "colonnade_reader")
}

read_chunk <- function(reader) {
  if (!inherits(reader, "colonnade_reader")) {
    refuse("invalid_option", "r", "reader", "a reader of open_frame_reader()", paste0("an object of class ", class(reader)[1]))
  }
  parts <- .Call(C_reader_next, reader$handle)
  if (is.null(parts)) NULL else frame_of(parts, reader$as)
}

open_frame_writer <- function(path, format = NULL, ...) {
  path <- check_path(path)
  handle <- .Call(C_writer_open, path, format, options_json(...))
  structure(list(handle = handle, path = path), class = "colonnade_writer")
}

write_chunk <- function(writer, x) {
  if (!inherits(writer, "colonnade_writer")) {
    refuse("invalid_option", "r", "writer", "a writer of open_frame_writer()", paste0("an object of class ", class(writer)[1]))
  }
  .Call(C_writer_write, writer$handle, frame_parts(x))
  invisible(writer)
}

close.colonnade_reader <- function(con, ...) invisible(.Call(C_close, con$handle))

# A writer that is closed with discard = TRUE leaves no file.
close.colonnade_writer <- function(con, discard = FALSE, ...) {
  if (discard) .Call(C_close, con$handle) else .Call(C_writer_close, con$handle)
  invisible(con$path)
}

print.colonnade_reader <- function(x, ...) cat("<colonnade_reader> ", x$path, "\n", sep = "")
print.colonnade_writer <- function(x, ...) cat("<colonnade_writer> ", x$path, "\n", sep = "")
