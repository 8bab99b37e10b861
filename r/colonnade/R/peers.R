# Connections of Colonnade, to Python's cn.listen() and others: Unix sockets, TCP and TLS.

cn_connect <- function(url, timeout_s = NULL, ...) {
  connection_of(.Call(C_connect, check_url(url), address_options(timeout_s, ...)), url)
}

cn_listen <- function(url, timeout_s = NULL, ...) {
  handle <- .Call(C_listen, check_url(url), address_options(timeout_s, ...))
  structure(list(handle = handle, url = .Call(C_listener_url, handle)), class = "colonnade_listener")
}

cn_accept <- function(listener, timeout_s = Inf) {
  if (!inherits(listener, "colonnade_listener")) {
    refuse("invalid_option", "r", "listener", "a listener of cn_listen()", describe_value(listener))
  }
  handle <- .Call(C_accept, listener$handle, check_seconds(timeout_s))
  if (!is.null(handle)) connection_of(handle, listener$url)
}

connection_of <- function(handle, url) {
  state <- new.env(parent = emptyenv())
  state$status <- "ok"
  structure(list(handle = handle, url = url, state = state), class = "colonnade_connection")
}

check_url <- function(url) {
  if (!is.character(url) || length(url) != 1 || is.na(url)) {
    refuse("invalid_option", "r", "url", "one address, such as \"tcp://127.0.0.1:5000\"", describe_value(url))
  }
  url
}

address_options <- function(timeout_s, ...) {
  if (is.null(timeout_s)) options_json(...) else options_json(timeout_s = timeout_s, ...)
}

# Seconds for the C code: negative for the connection's own time.
check_seconds <- function(seconds) {
  if (is.null(seconds)) return(-1)
  if (!is.numeric(seconds) || length(seconds) != 1 || is.na(seconds) || seconds < 0) {
    refuse("invalid_option", "r", "timeout_s", "0 or more seconds", describe_value(seconds))
  }
  if (is.infinite(seconds)) -1 else as.double(seconds)
}

# A data frame is a frame, which Python's receive() takes; any other value is bytes of MessagePack, for receive_bytes().
writeMsg.colonnade_connection <- function(x, con, as = if (is.data.frame(x)) "frame" else "value", format = "arrows",
                                          timeout_s = NULL, ...) {
  seconds <- check_seconds(timeout_s)
  switch(match.arg(as, c("frame", "value", "bytes")),
    frame = .Call(C_send_frame, con$handle, frame_parts(x), format, options_json(...), seconds),
    value = .Call(C_send_bytes, con$handle, packMsg(x, ...), seconds),
    bytes = .Call(C_send_bytes, con$handle, x, seconds))
  invisible(con)
}

# One message as a list of one; NULL if none has arrived, or none will.
receive_one <- function(con, seconds, simplify, as) {
  found <- .Call(C_receive, con$handle, seconds)
  con$state$status <- if (found[[1]] == 0L) "incomplete" else if (found[[1]] == 1L) "end of input" else "ok"
  switch(found[[1]] + 1L,
    NULL,
    NULL,
    list(frame_of(found[[2]], if (!as %in% c("value", "frame", "bytes")) as)),
    list(if (as == "bytes") found[[2]] else unpackMsg(found[[2]], simplify, if (as == "frame") "frame" else "value")))
}

readMsg.colonnade_connection <- function(con, timeout_s = NULL, simplify = TRUE, as = "value", ...) {
  found <- receive_one(con, check_seconds(timeout_s), simplify, as)
  if (!is.null(found)) return(found[[1]])
  waiting <- con$state$status == "incomplete"
  refuse("truncated", "message", con$url, "a message", if (waiting) "none in the time given" else "the end of input",
         if (waiting) "Read again later.")
}

# All messages that have arrived.
arrived <- function(con, n = NA, simplify = TRUE, as = "value") {
  msgs <- list()
  while ((is.na(n) || length(msgs) < n) && !is.null(found <- receive_one(con, 0, simplify, as))) msgs <- c(msgs, found)
  msgs
}

# The connections from which something can be received, after `timeout_s` seconds at most.
cn_wait <- function(connections, timeout_s = Inf) {
  handles <- lapply(connections, function(con) con$handle)
  connections[.Call(C_wait, handles, check_seconds(timeout_s))]
}

# Ends sending; the peer may still send.
cn_finish <- function(con) {
  .Call(C_finish, con$handle)
  invisible(con)
}

status.colonnade_connection <- function(con) con$state$status

close.colonnade_connection <- function(con, ...) invisible(.Call(C_disconnect, con$handle))

print.colonnade_connection <- function(x, ...) cat("<colonnade_connection> ", x$url, "\n", sep = "")

close.colonnade_listener <- function(con, ...) invisible(.Call(C_stop_listening, con$handle))

print.colonnade_listener <- function(x, ...) cat("<colonnade_listener> ", x$url, "\n", sep = "")
