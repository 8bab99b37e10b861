# The names that R users look for: one reader and one writer for each format.

reader_of <- function(format) {
  force(format)
  function(path, columns = NULL, rows = NULL, as = NULL, ...) read_frame(path, columns, rows, format = format, as = as, ...)
}

writer_of <- function(format) {
  force(format)
  function(x, path, ...) write_frame(x, path, format = format, ...)
}

read_npz <- reader_of("npz")
read_npy <- reader_of("npy")
read_arrow <- reader_of("arrow")
read_arrows <- reader_of("arrows")
read_parquet <- reader_of("parquet")
read_msgpack <- reader_of("msgpack")
read_csv_frame <- reader_of("csv")
read_json_frame <- reader_of("json")
read_ndjson <- reader_of("ndjson")
read_yaml_frame <- reader_of("yaml")

write_npz <- writer_of("npz")
write_npy <- writer_of("npy")
write_arrow <- writer_of("arrow")
write_arrows <- writer_of("arrows")
write_parquet <- writer_of("parquet")
write_msgpack <- writer_of("msgpack")
write_csv_frame <- writer_of("csv")
write_json_frame <- writer_of("json")
write_ndjson <- writer_of("ndjson")
write_yaml_frame <- writer_of("yaml")
