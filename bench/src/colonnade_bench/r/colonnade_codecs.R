# Colonnade for R. Its files hold one table: several tables are a list of raw vectors in memory, a folder on disk, and one
# message after another on a connection, each after its name and its length.

write_message <- function(name, bytes, con) {
  name <- charToRaw(enc2utf8(name))
  # One call: a socket would hold back what follows a first short write.
  writeBin(c(writeBin(as.double(c(length(name), length(bytes))), raw(), endian = "little"), name), con)
  write_bytes(bytes, con)
}

write_messages <- function(messages, con) {
  for (name in names(messages)) write_message(name, messages[[name]], con)
}

# Up to the end; `decode_one` takes each message while the next one is on its way.
read_messages <- function(con, decode_one) {
  out <- list()
  while (length(lengths <- readBin(con, "double", 2L, endian = "little")) == 2L) {
    name <- rawToChar(read_exactly(con, lengths[[1]]))
    Encoding(name) <- "UTF-8"
    out[[name]] <- decode_one(read_exactly(con, lengths[[2]]))
  }
  out
}

# One call where R can: its sockets wait for all bytes that are asked for.
read_exactly <- function(con, nbytes) {
  if (nbytes > write_nbytes) return(read_bytes(con, nbytes))
  bytes <- readBin(con, "raw", nbytes)
  if (length(bytes) < nbytes) stop("the stream ended after ", length(bytes), " of ", nbytes, " bytes")
  bytes
}

frame_codec <- function(names, format, encode_one, decode_one, options = list()) {
  files <- folder_of_files(
    save_one = function(table, path) {
      do.call(colonnade::write_frame, c(list(table, path, format = format), options))
    },
    load_one = function(path) colonnade::read_frame(path, format = format)
  )
  codec(names,
    to = function(data) lapply(data, encode_one),
    # raw: all that a connection brought
    from = function(messages) {
      if (!is.raw(messages)) return(lapply(messages, decode_one))
      bytes_connection(messages, function(con) read_messages(con, decode_one), "rb")
    },
    write = function(data, con) for (name in names(data)) write_message(name, encode_one(data[[name]]), con),
    read = function(con) read_messages(con, decode_one),
    save = files$save, load = files$load,
    buffered = "fifo" # reads there come short
  )
}

# The options are those of the Python package's rows: plain CSV, and JSON with its types in front.
for (row in list(
  list("npz none"), list("arrow none"), list("parquet default"), list("csv none", on_loss = "ignore"),
  list("json none", schema = "header")
)) local({
  format <- sub(" .*", "", row[[1]])
  options <- row[-1]
  frame_codec(paste("R colonnade", row[[1]]), format,
    encode_one = function(table) do.call(colonnade::encode_frame, c(list(table, format), options)),
    decode_one = function(bytes) colonnade::decode_frame(bytes, format),
    options = options
  )
})

frame_codec("R colonnade msgpack none", "msgpack",
  encode_one = function(table) colonnade::packMsg(table, as = "frame"),
  decode_one = function(bytes) colonnade::unpackMsg(bytes, as = "frame")
)

# All tables as one value of MessagePack, as the package msgpack has it.
codec("R colonnade msgpack values none",
  to = function(data) colonnade::packMsg(data),
  from = function(bytes) colonnade::unpackMsg(bytes),
  write = function(data, con) colonnade::writeMsg(data, colonnade::msgConnection(con)),
  read = function(con) colonnade::readMsg(colonnade::msgConnection(con))
)

# Colonnade's own connections: a message for each table, after one with its name.
codec("R colonnade connection none",
  to = function(data) lapply(data, function(table) colonnade::encode_frame(table, "arrows")),
  from = function(messages) lapply(messages, function(bytes) colonnade::decode_frame(bytes, "arrows")),
  listen = function() {
    listener <- colonnade::cn_listen("tcp://127.0.0.1:0", timeout_s = timeout_s)
    list(address = listener$url, accept = function() {
      on.exit(close(listener))
      colonnade::cn_accept(listener, timeout_s)
    })
  },
  dial = function(address) colonnade::cn_connect(address, timeout_s = timeout_s),
  write = function(data, con) {
    colonnade::writeMsg(length(data), con)
    for (name in names(data)) {
      colonnade::writeMsg(name, con)
      colonnade::writeMsg(data[[name]], con)
    }
  },
  read = function(con) {
    out <- list()
    for (number in seq_len(colonnade::readMsg(con))) {
      name <- colonnade::readMsg(con)
      out[[name]] <- colonnade::readMsg(con)
    }
    out
  }
)
