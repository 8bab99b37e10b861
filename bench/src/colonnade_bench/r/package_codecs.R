# What packages bring. A package is loaded by its first call here, before the clock starts.

string_codec <- function(names, to, from, ...) codec(names, to = to, from = from, string = TRUE, ...)

for (exact in c(FALSE, TRUE)) local({
  tail <- if (exact) " digits=NA none" else " none"
  more <- if (exact) list(digits = NA) # without it four digits behind the point are kept
  string_codec(
    paste0("R jsonlite json", tail),
    to = function(data) do.call(jsonlite::toJSON, c(list(data), more)),
    from = function(text) jsonlite::fromJSON(text),
    read = function(con) jsonlite::fromJSON(con)
  )
  stream_codec(
    paste0("R jsonlite ndjson", tail),
    write = function(data, con) {
      write_framed(data, con, function(table, con) {
        do.call(jsonlite::stream_out, c(list(table, con, verbose = FALSE), more))
      })
    },
    read = function(con) {
      # stream_in() reads to the end of its connection, so that each table is given one of its own.
      read_framed(con, function(con, nrows) {
        lines <- textConnection(readLines(con, nrows, encoding = "UTF-8"), encoding = "bytes")
        on.exit(close(lines))
        jsonlite::stream_in(lines, verbose = FALSE)
      })
    }
  )
})

string_codec("R rjson json none", to = function(data) rjson::toJSON(data), from = function(text) rjson::fromJSON(text))

string_codec("R RJSONIO json none",
  to = function(data) RJSONIO::toJSON(data),
  from = function(text) RJSONIO::fromJSON(text),
  read = function(con) RJSONIO::readJSONStream(con)
)

string_codec("R yaml yaml none", to = function(data) yaml::as.yaml(data), from = function(text) yaml::yaml.load(text))

path_codec("R data.table csv none",
  save_one = function(table, path) data.table::fwrite(table, path),
  load_one = function(path) data.table::fread(path)
)

codec("R msgpack msgpack none",
  to = function(data) msgpack::packMsg(data),
  from = function(bytes) msgpack::unpackMsg(bytes),
  write = function(data, con) msgpack::writeMsg(data, con),
  read = function(con) msgpack::readMsg(msgpack::msgConnection(con))
)

# It has no NA: one row refuses, the other has a number in its place.
without_na <- function(data) {
  lapply(data, function(table) {
    table[] <- lapply(table, function(column) {
      missing <- is.na(column)
      if (!any(missing)) return(column)
      if (is.factor(column)) column <- as.character(column)
      column[missing] <- if (is.character(column)) "9999" else 9999
      column
    })
    table
  })
}
for (replaced in c(FALSE, TRUE)) local({
  codec(
    if (replaced) "R msgpackR msgpack na=9999 none" else "R msgpackR msgpack none",
    to = function(data) msgpackR::pack(data),
    from = function(bytes) msgpackR::unpack(bytes),
    prepare = if (replaced) without_na
  )
})

path_codec("R fst fst default",
  save_one = function(table, path) fst::write_fst(table, path),
  load_one = function(path) fst::read_fst(path)
)
path_codec("R fst fst none",
  save_one = function(table, path) fst::write_fst(table, path, compress = 0),
  load_one = function(path) fst::read_fst(path)
)

codec("R qs2 qs2 zstd",
  to = function(data) qs2::qs_serialize(data),
  from = function(bytes) qs2::qs_deserialize(bytes),
  save = function(data, path) qs2::qs_save(data, path),
  load = function(path) qs2::qs_read(path)
)
codec("R qs2 qdata zstd",
  to = function(data) qs2::qd_serialize(data),
  from = function(bytes) qs2::qd_deserialize(bytes),
  save = function(data, path) qs2::qd_save(data, path),
  load = function(path) qs2::qd_read(path)
)
