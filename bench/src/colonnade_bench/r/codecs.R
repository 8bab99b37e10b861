# What each engine calls. A codec is a list of functions on a named list of data frames:
#   to(data), from(bytes or text)   conversion in memory; a list of raw vectors is one message for each table
#   write(data, con), read(con)     on an open connection; without `read` all bytes are read first
#   save(data, path), load(path)    on a file, where that is not writing to a connection
#   buffered = c("fifo", "tcp")     where `read` does not work, and is given all bytes at once instead
#   wrap(con)                       what an open connection is put into first
#   listen(), dial(address)         connections of its own, instead of R's sockets
#   text = TRUE                     connections are opened in text mode
#   string = TRUE                   `from` takes a string; else bytes
#   prepare(data)                   what the data must lose first, before the clock starts

# Codecs by "engine format codec".
codecs <- list()

codec <- function(names, ...) {
  for (name in names) codecs[[name]] <<- list(...)
}

# Files that hold one table each, in a folder.
folder_of_files <- function(save_one, load_one) {
  save <- function(data, path) {
    dir.create(path)
    for (k in seq_along(data)) save_one(data[[k]], file.path(path, paste0(k, "-", names(data)[[k]])))
  }
  load <- function(path) {
    files <- list.files(path)
    files <- files[order(as.integer(sub("-.*", "", files)))]
    out <- lapply(file.path(path, files), load_one)
    names(out) <- sub("^[0-9]+-", "", files)
    out
  }
  list(save = save, load = load)
}

# Codecs that know only paths, and one table at a time: a folder of files on disk, temporary files elsewhere.
path_codec <- function(names, save_one, load_one) {
  files <- folder_of_files(save_one, load_one)
  to <- function(data) {
    folder <- tempfile("passing")
    on.exit(unlink(folder, recursive = TRUE))
    files$save(data, folder)
    pack_files(folder)
  }
  from <- function(bytes) {
    folder <- tempfile("passing")
    on.exit(unlink(folder, recursive = TRUE))
    unpack_files(bytes, folder)
    files$load(folder)
  }
  codec(names, to = to, from = from, save = files$save, load = files$load, through = "temporary files")
}

# Files of a folder as one buffer: a line with name and length before each.
pack_files <- function(folder) {
  parts <- lapply(list.files(folder), function(name) {
    path <- file.path(folder, name)
    nbytes <- file.size(path)
    c(charToRaw(sprintf("%s\t%.0f\n", name, nbytes)), readBin(path, "raw", nbytes))
  })
  do.call(c, parts)
}

unpack_files <- function(bytes, folder) {
  dir.create(folder)
  con <- rawConnection(bytes, "rb")
  on.exit(close(con))
  while (length(head <- readLines(con, 1L))) {
    parts <- strsplit(head, "\t", fixed = TRUE)[[1]]
    writeBin(readBin(con, "raw", as.numeric(parts[[2]])), file.path(folder, parts[[1]]))
  }
}

# Texts of several tables on one connection: a line with the name and the number of rows before each.
write_framed <- function(data, con, write_one) {
  for (name in names(data)) {
    writeLines(paste(nrow(data[[name]]), name), con)
    write_one(data[[name]], con)
  }
}

read_framed <- function(con, read_one) {
  out <- list()
  # a text connection has an empty line at its end
  while (length(head <- readLines(con, 1L, encoding = "UTF-8")) && nzchar(head)) {
    out[[sub("^[0-9]+ ", "", head)]] <- read_one(con, as.numeric(sub(" .*", "", head)))
  }
  out
}

# What is written to a connection, as bytes; and the other way round. R's raw connections are binary whatever is asked
# for, so that text is read from a text connection.
connection_bytes <- function(write, mode) {
  con <- rawConnection(raw(0), mode)
  on.exit(close(con))
  write(con)
  rawConnectionValue(con)
}

bytes_connection <- function(bytes, read, mode) {
  con <- if (mode == "r") textConnection(rawToChar(bytes), encoding = "UTF-8") else rawConnection(bytes, mode)
  on.exit(close(con))
  read(con)
}

# A codec of text that has only calls on connections.
stream_codec <- function(names, write, read) {
  codec(names,
    to = function(data) connection_bytes(function(con) write(data, con), "w"),
    from = function(bytes) bytes_connection(bytes, read, "r"),
    write = write, read = read, text = TRUE
  )
}
