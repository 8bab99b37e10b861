# How bytes get from one end to the other: R's own connections.

# Longest read from a connection. A pipe holds 64 KiB, and R makes room for the whole of what is asked for.
read_nbytes <- 65536L
# R writes at most 2^31 - 1 bytes in one call.
write_nbytes <- 2^30
timeout_s <- 600

# Whether this codec works on the connection itself, or beside it on all bytes at once.
streams_over <- function(way, codec, transport) {
  if (way == "w") return(!is.null(codec$write))
  !is.null(codec$read) && !transport %in% codec$buffered
}

# The mode to open a connection in.
mode_of <- function(way, codec, transport, framed) {
  text <- isTRUE(codec$text) && streams_over(way, codec, transport) && !framed
  paste0(way, if (!text) "b")
}

write_bytes <- function(bytes, con) {
  bytes <- as_bytes(bytes)
  if (length(bytes) <= write_nbytes) {
    writeBin(bytes, con)
  } else {
    for (at in seq(0, length(bytes) - 1, by = write_nbytes)) {
      writeBin(bytes[(at + 1):min(at + write_nbytes, length(bytes))], con)
    }
  }
  length(bytes)
}

# What `to` gave, as one raw vector.
as_bytes <- function(encoded) {
  if (is.character(encoded)) return(charToRaw(paste(encoded, collapse = "\n")))
  if (is.list(encoded)) return(connection_bytes(function(con) write_messages(encoded, con), "wb"))
  encoded
}

# All bytes up to the end, or the first `nbytes`. Reads of R's fifo() come short, so that one call is never enough.
read_bytes <- function(con, nbytes = Inf) {
  parts <- list()
  held <- 0
  while (held < nbytes) {
    part <- readBin(con, "raw", min(read_nbytes, nbytes - held))
    if (!length(part)) break
    held <- held + length(part)
    parts[[length(parts) + 1L]] <- part
  }
  if (is.finite(nbytes) && held < nbytes) stop("the stream ended after ", held, " of ", nbytes, " bytes")
  if (length(parts) == 1L) parts[[1L]] else do.call(c, c(list(raw(0)), parts))
}

# What `to` gave, as text or bytes that `from` takes.
decode <- function(bytes, codec) {
  if (is.raw(bytes) && isTRUE(codec$string)) {
    bytes <- rawToChar(bytes)
    Encoding(bytes) <- "UTF-8"
  }
  codec$from(bytes)
}

encode <- function(data, codec) {
  out <- codec$to(data)
  if (is.character(out)) enc2utf8(out) else out
}

count_bytes <- function(encoded) {
  if (is.list(encoded)) return(sum(lengths(encoded)))
  if (is.raw(encoded)) length(encoded) else sum(nchar(encoded, "bytes")) + length(encoded) - 1
}

# Writes all tables; gives encode_s and nbytes where encoding and moving are apart.
send <- function(data, con, codec, framed) {
  if (!framed && !is.null(codec$write)) {
    codec$write(data, con)
    return(list())
  }
  start <- now()
  encoded <- encode(data, codec)
  encode_s <- now() - start
  if (framed) {
    encoded <- as_bytes(encoded)
    writeBin(as.double(length(encoded)), con, endian = "little")
  }
  list(encode_s = encode_s, nbytes = write_bytes(encoded, con) + 8 * framed)
}

# A connection does not say how much went over it: the same is written to memory once, before any clock starts. None where
# `send` counts by itself.
count_streamed <- function(data, codec, transport, framed) {
  if (framed || !streams_over("w", codec, transport)) return(NULL)
  if (!is.null(codec$wrap) || !is.null(codec$dial)) return(count_bytes(encode(data, codec)))
  length(connection_bytes(function(con) codec$write(data, con), mode_of("w", codec, transport, FALSE)))
}

# Reads all tables; gives decode_s where moving and decoding are apart.
receive <- function(con, codec, transport, framed) {
  if (!framed && streams_over("r", codec, transport)) return(list(value = codec$read(con), parts = list()))
  bytes <- read_bytes(con, if (framed) readBin(con, "double", 1L, endian = "little") else Inf)
  start <- now()
  value <- decode(bytes, codec)
  list(value = value, parts = list(decode_s = now() - start, nbytes = length(bytes) + 8 * framed))
}

save_file <- function(data, path, codec) {
  if (!is.null(codec$save)) return(codec$save(data, path))
  con <- file(path, mode_of("w", codec, "file", FALSE))
  on.exit(close(con))
  send(data, con, codec, FALSE)
}

load_file <- function(path, codec) {
  if (!is.null(codec$load)) return(codec$load(path))
  if (is.null(codec$read)) return(decode(readBin(path, "raw", file.size(path)), codec))
  con <- file(path, mode_of("r", codec, "file", FALSE))
  on.exit(close(con))
  codec$read(con)
}

# The reader's side, first half: what the writer dials. Then `accept()` gives the connection.
listen <- function(transport, directory, number, host, mode) {
  if (transport == "fifo") {
    path <- file.path(directory, paste0("fifo-", number))
    if (system2("mkfifo", shQuote(path)) != 0) stop("mkfifo ", path, " failed")
    return(list(address = path, accept = function() fifo(path, mode, blocking = TRUE)))
  }
  # R cannot ask for a free port: numbers are tried, another process's first at other places.
  for (port in 20000L + (Sys.getpid() * 7L + number + (0:99) * 97L) %% 12000L) {
    server <- tryCatch(serverSocket(port), error = function(e) NULL, warning = function(w) NULL)
    if (!is.null(server)) break
  }
  if (is.null(server)) stop("no free port")
  list(address = list(host, port), accept = function() {
    on.exit(close(server))
    socketAccept(server, blocking = TRUE, open = mode, timeout = timeout_s)
  })
}

dial <- function(transport, address, mode) {
  if (transport == "fifo") return(fifo(address, mode, blocking = TRUE))
  socketConnection(address[[1]], address[[2]], blocking = TRUE, open = mode, timeout = timeout_s)
}
