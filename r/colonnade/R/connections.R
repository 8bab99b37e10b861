# Messages over R's connections. R's interface of connections for C is not public, so bytes go through readBin() and writeBin().

# The state is an environment: reading changes it. `buffer` holds bytes from `start` to `used`; the search for the end of the next
# message stands at `at`, with `left` items to come, so that no byte is searched twice.
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
  state$status <- "ok"
  state$bytes_read <- 0
  state$bytes_written <- 0
  reset_buffer(state)
  structure(list(state = state), class = "msgConnection")
}

reset_buffer <- function(state) {
  state$buffer <- raw(state$read_size)
  state$start <- 0
  state$used <- 0
  state$at <- 0
  state$left <- 1
}

writeMsg <- function(x, con, ...) UseMethod("writeMsg", con)
writeMsgs <- function(xs, con, ...) {
  for (x in xs) writeMsg(x, con, ...)
  invisible(con)
}
readMsg <- function(con, ...) UseMethod("readMsg")

writeMsg.msgConnection <- function(x, con, ...) {
  bytes <- packMsg(x, ...)
  state <- con$state
  writeBin(bytes, state$con)
  if (inherits(state$con, c("file", "fifo", "pipe"))) flush(state$con)
  state$bytes_written <- state$bytes_written + length(bytes)
  invisible(con)
}

# Reading more than the message has would block on these: readBin() waits for all bytes that it was asked for.
is_blocking <- function(con) inherits(con, c("sockconn", "fifo", "pipe", "terminal", "url"))

# Reads more bytes, `needed` at least if the connection has them; FALSE if there are none now.
fill_buffer <- function(state, needed) {
  size <- if (is_blocking(state$con)) needed else max(needed, state$read_size, state$used - state$start)
  bytes <- tryCatch(readBin(state$con, raw(), size), error = function(e) raw())
  if (length(bytes) == 0) {
    state$status <- if (is_waiting(state$con)) "incomplete" else "end of input"
    return(FALSE)
  }
  state$bytes_read <- state$bytes_read + length(bytes)
  held <- state$used - state$start + length(bytes)
  if (!is.na(state$max_size) && held > state$max_size) {
    refuse("limit_exceeded", "msgpack", "max_size", paste("a message of at most", state$max_size, "bytes"), paste(held, "bytes"),
           "Raise max_size if you trust the peer.")
  }
  if (state$used + length(bytes) > length(state$buffer)) {
    larger <- raw(max(2 * held, state$read_size))
    .Call(C_append, larger, 0, held_bytes(state))
    state$buffer <- larger
    state$at <- state$at - state$start
    state$used <- state$used - state$start
    state$start <- 0
  }
  .Call(C_append, state$buffer, state$used, bytes)
  state$used <- state$used + length(bytes)
  state$status <- "ok"
  TRUE
}

# Whether a connection without bytes may have some later.
is_waiting <- function(con) {
  inherits(con, c("sockconn", "fifo")) && isTRUE(tryCatch(isIncomplete(con), error = function(e) FALSE))
}

# The next message, as a list of one; NULL if it has not arrived. `as` is as in unpackMsg().
next_message <- function(state, as = "value") {
  repeat {
    scan <- .Call(C_scan, state$buffer, state$used, state$at, state$left)
    state$at <- scan[1]
    state$left <- scan[2]
    if (state$left == 0) {
      start <- state$start
      state$start <- state$at
      state$left <- 1
      if (as == "frame") return(list(unpackMsg(.Call(C_part, state$buffer, start, state$at), as = "frame")))
      return(.Call(C_unpack, state$buffer, state$used, start, state$simplify)[1])
    }
    if (!fill_buffer(state, scan[3])) return(NULL)
  }
}

# Up to `n` messages; NA for all that have arrived.
readMsgs <- function(con, n = NA, as = "value") {
  if (inherits(con, "colonnade_connection")) return(arrived(con, n, as = as))
  as <- match.arg(as, c("value", "frame"))
  msgs <- list()
  while (is.na(n) || length(msgs) < n) {
    found <- next_message(con$state, as)
    if (is.null(found)) break
    msgs <- c(msgs, found)
  }
  msgs
}

readMsg.msgConnection <- function(con, as = c("value", "frame"), ...) {
  state <- con$state
  found <- next_message(state, match.arg(as))
  if (!is.null(found)) return(found[[1]])
  waiting <- state$status == "incomplete"
  held <- state$used - state$start
  if (held > 0 && !waiting) {
    refuse("truncated", "msgpack", "connection", "a whole message", paste("its end after", held, "bytes"),
           "The peer closed the connection within a message.")
  }
  refuse("truncated", "msgpack", "connection", "a message", if (waiting) "none yet" else "the end of input",
         if (waiting) "Read again later.")
}

partial <- function(con) UseMethod("partial")
partial.msgConnection <- function(con) held_bytes(con$state)

# The bytes after the last message.
held_bytes <- function(state) .Call(C_part, state$buffer, state$start, state$used)

status <- function(con) UseMethod("status")
status.msgConnection <- function(con) con$state$status

close.msgConnection <- function(con, ...) close(con$state$con, ...)

summary.msgConnection <- function(object, ...) {
  state <- object$state
  c(summary(state$con), list(status = state$status, bytes_read = state$bytes_read, bytes_written = state$bytes_written,
                             partial = state$used - state$start))
}

# The place of the next message in a file. Seeking drops bytes that were read ahead.
seek.msgConnection <- function(con, where = NA, rw = "read", ...) {
  state <- con$state
  if (rw == "write") return(seek(state$con, where, rw = "write", ...))
  at <- seek(state$con, NA, rw = "read", ...) - (state$used - state$start)
  if (!is.na(where)) {
    seek(state$con, where, rw = "read", ...)
    reset_buffer(state)
    state$status <- "ok"
  }
  at
}
