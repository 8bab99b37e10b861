# Data frames in and out: the parts that the C code needs, and the data frame made of its answer.

# Attributes of a data frame that are stored in other ways, or not at all.
STRUCTURAL <- c("names", "row.names", ".internal.selfref", "colonnade")

# The columns, names, row names (NULL if automatic), number of rows, attributes and hint of a data frame.
frame_parts <- function(x) {
  unnamed <- FALSE
  if (!is.data.frame(x)) {
    # A matrix without names has automatic labels, as an array of NumPy.
    unnamed <- is.matrix(x) && is.null(colnames(x))
    if (is.matrix(x) || is.list(x)) x <- as.data.frame(x, stringsAsFactors = FALSE)
    else refuse("invalid_option", "r", "x", "a data frame", paste0("an object of class ", class(x)[1]),
                "Make one with data.frame().")
  }
  automatic <- .row_names_info(x, type = 1L) <= 0L
  attributes <- attributes(x)
  kept <- attributes[setdiff(names(attributes), STRUCTURAL)]
  if (identical(kept, list(class = "data.frame"))) kept <- NULL
  columns <- lapply(unclass(x), prepare_column)
  attributes(columns) <- NULL
  names <- names(x)
  list(columns, if (is.null(names) || unnamed) character() else names, if (!automatic) attr(x, "row.names"),
       as.double(.row_names_info(x, type = 2L)), kept, attr(x, "colonnade", exact = TRUE))
}

# nanotime is a class of S4 over integer64: its numbers are stored, and its name.
prepare_column <- function(x) {
  if (isS4(x) && inherits(x, "nanotime")) return(structure(unclass(S3Part(x, strictS3 = TRUE)), class = c("nanotime", "integer64")))
  x
}

restore_column <- function(x) {
  if (inherits(x, "nanotime") && !isS4(x) && requireNamespace("nanotime", quietly = TRUE)) {
    return(nanotime::nanotime(structure(unclass(x), class = "integer64")))
  }
  x
}

# Rows after the first `start`, of a data frame or matrix within a list.
slice_rows <- function(x, start, count) {
  rows <- seq_len(count) + start
  out <- x[rows, , drop = FALSE]
  if (is.data.frame(out)) attr(out, "row.names") <- .set_row_names(count)
  out
}

# A data frame of what the C code read. `as`: the class, or NULL for that of the written data frame.
frame_of <- function(parts, as = NULL) {
  columns <- lapply(parts$columns, restore_column)
  names <- parts$names
  nrow <- parts$nrow
  row_names <- .set_row_names(nrow)
  levels <- parts$levels
  if (length(levels) == 0) {
    range <- parts$start + parts$step * seq_len(nrow) - parts$step
    if ((parts$start != 0 || parts$step != 1) && nrow > 0 && all(abs(range) < 2^31)) row_names <- as.integer(range)
  } else if (is_row_names(levels)) {
    row_names <- levels[[1]]
  } else {
    # R has no row labels of other types, of several levels, or that repeat: they are the first columns.
    columns <- c(levels, columns)
    names <- c(strsplit(parts$level_names, "\n", fixed = TRUE)[[1]], names)
  }
  attributes <- parts$attributes
  if (is.null(attributes$class)) attributes <- c(attributes, list(class = "data.frame"))
  attributes$names <- names
  attributes$row.names <- row_names
  if (length(parts$hint) > 0) attributes$colonnade <- parts$hint
  # A class that needs a package comes last: its methods would see half a data frame.
  class <- attributes$class
  attributes$class <- NULL
  attributes(columns) <- attributes
  class(columns) <- class
  warn_rounded(parts$names[parts$rounded])
  as_class(columns, as)
}

is_row_names <- function(levels) {
  level <- levels[[1]]
  length(levels) == 1 && is.null(attributes(level)) && (is.character(level) || is.integer(level)) &&
    !anyNA(level) && anyDuplicated(level) == 0
}

warn_rounded <- function(names) {
  if (length(names) == 0) return(invisible())
  message <- paste0("R has no type that holds all values of ", paste0("\"", head(names, 5), "\"", collapse = ", "),
                    if (length(names) > 5) ", ...", ": the nearest doubles were read.")
  warning(structure(class = c("colonnade_loss", "warning", "condition"),
                    list(message = message, call = NULL, columns = names)))
}

as_class <- function(x, as) {
  if (is.null(as)) {
    if (inherits(x, "data.table") && requireNamespace("data.table", quietly = TRUE)) x <- data.table::setalloccol(x)
    return(x)
  }
  switch(match.arg(as, c("data.frame", "tibble", "data.table")),
    data.frame = {
      class(x) <- "data.frame"
      x
    },
    tibble = {
      need("tibble")
      class(x) <- c("tbl_df", "tbl", "data.frame")
      x
    },
    data.table = {
      need("data.table")
      class(x) <- "data.frame"
      data.table::setDT(x)[]
    })
}

need <- function(package) {
  if (!requireNamespace(package, quietly = TRUE)) {
    refuse("invalid_option", "r", "as", paste0("a class whose package is installed"), paste0("\"", package, "\""),
           paste0("Install it: install.packages(\"", package, "\")."))
  }
}
