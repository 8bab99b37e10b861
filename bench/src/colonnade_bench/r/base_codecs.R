# What R itself brings.

for (xdr in c(TRUE, FALSE)) local({
  xdr <- xdr
  codec(
    if (xdr) "R serialize serialize none" else "R serialize serialize xdr=FALSE none",
    to = function(data) serialize(data, NULL, xdr = xdr),
    from = unserialize,
    write = function(data, con) serialize(data, con, xdr = xdr),
    read = unserialize,
    buffered = "fifo" # reads there come short, and unserialize() does not ask again
  )
})

# gzcon() compresses what goes over a connection, as saveRDS() does itself with a file. Its end comes with its closing, and
# a connection in memory is gone then: there the bytes are compressed at once.
for (kind in c("gzip", "bzip2", "xz", "none")) local({
  kind <- kind
  compressed <- kind != "none"
  streams <- kind %in% c("gzip", "none")
  codec(
    paste("R saveRDS rds", kind),
    to = function(data) {
      bytes <- serialize(data, NULL)
      if (compressed) memCompress(bytes, kind) else bytes
    },
    from = function(bytes) unserialize(if (compressed) memDecompress(bytes, kind) else bytes),
    write = if (streams) function(data, con) saveRDS(data, con),
    read = if (streams) readRDS,
    wrap = if (kind == "gzip") gzcon,
    # gzcon() reads from nothing that can be written to, as R says of every socket; readRDS() is as unserialize()
    buffered = if (kind == "gzip") "tcp" else "fifo",
    save = function(data, path) saveRDS(data, path, compress = if (compressed) kind else FALSE),
    load = readRDS
  )
})

# Text of R itself is read by running it.
for (exact in c(FALSE, TRUE)) local({
  control <- c("keepNA", "keepInteger", "niceNames", "showAttributes", if (exact) "hexNumeric")
  codec(
    if (exact) "R dput dput hexNumeric none" else "R dput dput none",
    to = function(data) deparse(data, control = control),
    from = function(text) eval(parse(text = text)),
    write = function(data, con) dput(data, con, control = control),
    read = function(con) eval(parse(con)),
    text = TRUE, string = TRUE
  )
})

stream_codec(
  "R write.csv csv none",
  write = function(data, con) {
    write_framed(data, con, function(table, con) write.csv(table, con, row.names = FALSE))
  },
  read = function(con) {
    read_framed(con, function(con, nrows) {
      # nrows = 0 would mean all there is
      if (nrows > 0) read.csv(con, nrows = nrows) else read.csv(text = readLines(con, 1L))
    })
  }
)
