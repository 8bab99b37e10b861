# Data frames as Python handed them over: plain arrays in files, and one line of JSON a table that says what they are.

# Every table of a folder, in the order they were handed over.
read_handed <- function(folder) {
  lines <- readLines(file.path(folder, "tables.jsonl"), encoding = "UTF-8")
  tables <- list()
  for (line in lines) {
    about <- from_json(line)
    columns <- lapply(about$columns, handed_column, folder = folder, nrows = about$nrows)
    names(columns) <- vapply(about$columns, function(column) column$name, "")
    tables[[about$table]] <- structure(columns, row.names = .set_row_names(about$nrows), class = "data.frame")
  }
  tables
}

# What R's own types could not take over, as sentences.
lost_before <- function(folder) {
  out <- list()
  for (line in readLines(file.path(folder, "tables.jsonl"), encoding = "UTF-8")) {
    out <- c(out, from_json(line)$lost)
  }
  as.character(out)
}

handed_column <- function(column, folder, nrows) {
  path <- file.path(folder, column$file)
  numbers <- function(what) readBin(path, what, nrows, endian = "little")
  switch(column$kind,
    integer = numbers("integer"),
    numeric = numbers("double"),
    logical = as.logical(numbers("integer")),
    time = structure(numbers("double"), class = c("POSIXct", "POSIXt"), tzone = column$zone),
    date = structure(numbers("double"), class = "Date"),
    difference = structure(numbers("double"), class = "difftime", units = "secs"),
    text = handed_text(path, nrows),
    factor = structure(numbers("integer"),
      levels = handed_text(paste0(path, "-levels"), column$nlevels),
      class = c(if (column$ordered) "ordered", "factor")
    ),
    stop("handed over: unknown kind ", column$kind)
  )
}

# Lengths in one file (-1 is NA), UTF-8 in another.
handed_text <- function(path, count) {
  lengths <- readBin(paste0(path, "-lengths"), "integer", count, endian = "little")
  bytes <- readBin(path, "raw", file.size(path))
  texts <- readChar(bytes, pmax(lengths, 0L), useBytes = TRUE)
  Encoding(texts) <- "UTF-8"
  texts[lengths < 0L] <- NA_character_
  texts
}
