# Values of R as MessagePack.

prepack <- function(x) UseMethod("prepack")
prepack.default <- function(x) x
prepack.factor <- function(x) as.character(x)
prepack.Date <- function(x) format(x)
prepack.POSIXt <- function(x) format(as.POSIXct(x), "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC")
prepack.data.frame <- function(x) {
  # Columns are arrays, also those of one row.
  columns <- lapply(unclass(x), function(column) {
    column <- prepack(column)
    if (is.null(names(column)) && is.atomic(column)) structure(column, class = "AsIs") else column
  })
  attributes(columns) <- list(names = names(x))
  columns
}

packMsg <- function(x, as_is = FALSE, as = c("value", "frame"), ...) {
  if (match.arg(as) == "frame") return(encode_frame(x, "msgpack", ...))
  .Call(C_pack, x, as_is, prepack)
}

packMsgs <- function(xs, ...) do.call(c, c(list(raw()), lapply(xs, packMsg, ...)))

unpackMsg <- function(x, simplify = TRUE, as = c("value", "frame"), ...) {
  if (match.arg(as) == "frame") return(decode_frame(x, "msgpack", ...))
  out <- .Call(C_unpack, x, as.double(length(x)), 0, simplify)
  rest <- length(x) - out[[2]]
  if (rest > 0) refuse("malformed", "msgpack", paste("byte", out[[2]]), "the end of the message", paste(rest, "bytes more"),
                       "Use unpackMsgs() for several messages.")
  out[[1]]
}

# All complete messages of `x`, and the bytes that remain.
unpackMsgs <- function(x, n = NA, simplify = TRUE) {
  msgs <- list()
  at <- 0
  size <- as.double(length(x))
  while (at < size && (is.na(n) || length(msgs) < n)) {
    if (.Call(C_scan, x, size, at, 1)[2] > 0) break
    out <- .Call(C_unpack, x, size, at, simplify)
    msgs[length(msgs) + 1] <- list(out[[1]])
    at <- out[[2]]
  }
  list(msgs = msgs, remaining = .Call(C_part, x, at, size), bytes_read = at)
}
