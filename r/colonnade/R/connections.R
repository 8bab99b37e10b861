# Messages over R's connections. R's interface of connections for C is not public, so bytes go through readBin() and writeBin().

# The state is an environment: reading changes it.
msgConnection <- function(con, read_size = 65536, max_size = NA, simplify = TRUE) {
  if (!inherits(con, "connection")) {
    refuse("invalid_option", "r", "con", "a connection", paste0("an object of class ", class(con)[1]))
  }
  if (!isOpen(con)) open(con, "r+b")
  state <- new.env(parent = emptyenv())
  state$con <- con
  state$read_size <- read_size
  state$max_size <- max_size
  state$simplify <- simplify
  state$partial <- raw()
  state$status <- "ok"
  state$bytes_read <- 0
  state$bytes_written <- 0
  structure(list(state = state), class = "msgConnection")
}

writeMsg <- function(x, con, ...) UseMethod("writeMsg", con)
writeMsgs <- function(xs, con, ...) {
  for (x in xs) writeMsg(x, con, ...)
  invisible(con)
}
readMsg <- function(con, ...) UseMethod("readMsg")

writeMsg.msgConnection <- function(x, con, ...) {
  bytes <- packMsg(x, ...)
  writeBin(bytes, con$state$con)
  # A socket or pipe holds text back, not bytes; a file of gzfile() would.
  if (inherits(con$state$con, "file") || inherits(con$state$con, "fifo")) flush(con$state$con)
  con$state$bytes_written <- con$state$bytes_written + length(bytes)
  invisible(con)
}

# More bytes; FALSE if there are none now.
fill <- function(state) {
  bytes <- tryCatch(readBin(state$con, raw(), state$read_size), error = function(e) raw())
  if (length(bytes) == 0) {
    state$status <- if (is_waiting(state$con)) "incomplete" else "end of input"
    return(FALSE)
  }
  state$bytes_read <- state$bytes_read + length(bytes)
  state$partial <- c(state$partial, bytes)
  over <- !is.na(state$max_size) && length(state$partial) > state$max_size
  if (over) refuse("limit_exceeded", "msgpack", "max_size", paste("a message of at most", state$max_size, "bytes"),
                   paste(length(state$partial), "bytes"), "Raise max_size if you trust the peer.")
  state$status <- "ok"
  TRUE
}

# Whether a connection without bytes may have some later.
is_waiting <- function(con) {
  if (inherits(con, "sockconn") || inherits(con, "fifo")) isTRUE(tryCatch(isIncomplete(con), error = function(e) FALSE)) else FALSE
}

# Up to `n` messages; NA for all that have arrived.
readMsgs <- function(con, n = NA) {
  state <- con$state
  msgs <- list()
  repeat {
    found <- unpackMsgs(state$partial, if (is.na(n)) NA else n - length(msgs), state$simplify)
    state$partial <- found$remaining
    msgs <- c(msgs, found$msgs)
    if (!is.na(n) && length(msgs) >= n) break
    if (!fill(state)) break
  }
  msgs
}

readMsg.msgConnection <- function(con, ...) {
  msgs <- readMsgs(con, 1)
  if (length(msgs) == 1) return(msgs[[1]])
  state <- con$state
  if (state$status == "end of input" && length(state$partial) > 0) {
    refuse("truncated", "msgpack", "connection", "a whole message", paste("its end after", length(state$partial), "bytes"),
           "The peer closed the connection within a message.")
  }
  refuse("truncated", "msgpack", "connection", "a message", if (state$status == "incomplete") "none yet" else "the end of input",
         if (state$status == "incomplete") "Read again later." else NULL)
}

partial <- function(con) UseMethod("partial")
partial.msgConnection <- function(con) con$state$partial

status <- function(con) UseMethod("status")
status.msgConnection <- function(con) con$state$status

close.msgConnection <- function(con, ...) close(con$state$con, ...)

summary.msgConnection <- function(object, ...) {
  state <- object$state
  c(summary(state$con), list(status = state$status, bytes_read = state$bytes_read, bytes_written = state$bytes_written,
                             partial = length(state$partial)))
}

# The place of the next message in a file. Seeking drops bytes that were read ahead.
seek.msgConnection <- function(con, where = NA, rw = "read", ...) {
  state <- con$state
  if (rw == "write") return(seek(state$con, where, rw = "write", ...))
  at <- seek(state$con, NA, rw = "read", ...) - length(state$partial)
  if (!is.na(where)) {
    seek(state$con, where, rw = "read", ...)
    state$partial <- raw()
    state$status <- "ok"
  }
  at
}
