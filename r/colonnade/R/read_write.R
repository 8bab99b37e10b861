# read_frame(), write_frame() and their relatives.

# Names of columns, or their positions from 1.
check_columns <- function(columns) {
  if (is.null(columns) || is.character(columns)) return(columns)
  whole <- is.numeric(columns) && !anyNA(columns) && all(columns >= 1 & columns == floor(columns) & columns < 2^31)
  if (!whole) refuse("invalid_option", "r", "columns", "names or positions from 1", describe_value(columns))
  as.integer(columns)
}

# The range of rows to read, from 0, and the rows to take of it, or NULL for all.
check_rows <- function(rows) {
  if (is.null(rows)) return(list(range = NULL, take = NULL))
  whole <- is.numeric(rows) && !anyNA(rows) && all(rows >= 1 & rows == floor(rows))
  if (!whole) refuse("invalid_option", "r", "rows", "positions from 1, such as 1:1000", describe_value(rows))
  if (length(rows) == 0) return(list(range = c(0, 0), take = NULL))
  first <- min(rows)
  last <- max(rows)
  regular <- length(rows) == last - first + 1 && rows[1] == first && !is.unsorted(rows, strictly = TRUE)
  list(range = c(first - 1, last), take = if (!regular) rows - first + 1)
}

read_source <- function(source, format, columns, rows, as, lazy, progress, ...) {
  if (!isTRUE(lazy) && !isFALSE(lazy)) refuse("invalid_option", "r", "lazy", "TRUE or FALSE", describe_value(lazy))
  rows <- check_rows(rows)
  range <- if (!is.null(rows$range)) as.double(rows$range)
  parts <- .Call(C_read, source, format, options_json(...), check_columns(columns), range, lazy, progress)
  x <- frame_of(parts, as)
  if (is.null(rows$take)) x else x[rows$take, , drop = FALSE]
}

read_frame <- function(path, columns = NULL, rows = NULL, format = NULL, as = NULL, lazy = FALSE, ...) {
  path <- check_path(path)
  with_progress("Reading", path, function(progress) read_source(path, format, columns, rows, as, lazy, progress, ...))
}

decode_frame <- function(x, format = NULL, columns = NULL, rows = NULL, as = NULL, lazy = FALSE, ...) {
  if (!is.raw(x)) refuse("invalid_option", "r", "x", "a raw vector", paste0("an object of class ", class(x)[1]))
  read_source(x, format, columns, rows, as, lazy, NULL, ...)
}

write_frame <- function(x, path, format = NULL, ...) {
  path <- check_path(path)
  losses <- with_progress("Writing", path, function(progress) {
    .Call(C_write, frame_parts(x), path, format, options_json(...), progress)
  })
  warn_losses(losses, path)
  invisible(x)
}

encode_frame <- function(x, format, ...) {
  out <- .Call(C_encode, frame_parts(x), format, options_json(...))
  warn_losses(out[[2]], format)
  out[[1]]
}

frame_info <- function(path, format = NULL, ...) {
  source <- if (is.raw(path)) path else check_path(path)
  info <- .Call(C_json, .Call(C_info, source, format, options_json(...)))
  if (!is.null(info$columns)) {
    field <- function(name) vapply(info$columns, function(column) {
      value <- column[[name]]
      if (is.null(value)) NA_character_ else as.character(value)
    }, "")
    info$columns <- data.frame(name = field("name"), type = field("type"))
  }
  structure(info, class = "frame_info")
}

print.frame_info <- function(x, ...) {
  cat("<", x$format, "> ", sep = "")
  if (is.null(x$nrows)) cat(x$kind, "of", length(x$labels), "parts\n")
  else {
    cat(x$nrows, "rows x", x$ncols, "columns,", x$file_nbytes, "bytes\n")
    print(head(x$columns, 20), row.names = FALSE)
    if (x$ncols > 20) cat("... and", x$ncols - 20, "more columns\n")
  }
  invisible(x)
}

convert_frame <- function(from, to, from_format = NULL, to_format = NULL, from_options = list(), to_options = list()) {
  to <- check_path(to)
  losses <- with_progress("Converting", to, function(progress) {
    .Call(C_convert, check_path(from), from_format, do.call(options_json, from_options), to, to_format,
          do.call(options_json, to_options), progress)
  })
  warn_losses(losses, to)
  invisible(to)
}

frame_formats <- function() {
  formats <- .Call(C_json, .Call(C_formats))
  text <- function(name) vapply(formats, function(format) paste(format[[name]], collapse = " "), "")
  data.frame(name = text("name"), suffixes = text("suffixes"), capabilities = text("capabilities"))
}
