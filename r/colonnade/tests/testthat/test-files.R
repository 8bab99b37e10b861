test_that("each format has a reader and a writer of its own", {
  x <- data.frame(a = c(1.5, NA), b = c("x", NA))
  pairs <- list(npz = list(read_npz, write_npz), arrow = list(read_arrow, write_arrow), arrows = list(read_arrows, write_arrows),
                parquet = list(read_parquet, write_parquet), msgpack = list(read_msgpack, write_msgpack),
                csv = list(read_csv_frame, write_csv_frame), json = list(read_json_frame, write_json_frame),
                ndjson = list(read_ndjson, write_ndjson), yaml = list(read_yaml_frame, write_yaml_frame))
  for (format in names(pairs)) {
    path <- withr_tempfile("any")
    pairs[[format]][[2]](x, path)
    found <- pairs[[format]][[1]](path)
    attr(found, "colonnade") <- NULL
    expect_equal(found, x, info = format)
  }
  path <- withr_tempfile("npy")
  write_npy(matrix(c(1, 2, 3, 4), 2), path)
  expect_equal(unname(as.matrix(read_npy(path))), matrix(c(1, 2, 3, 4), 2))
  # An array has no names.
  expect_s3_class(error_of(write_npy(data.frame(a = 1), path)), "colonnade_unrepresentable")
})

test_that("R's own readers read plain files", {
  x <- data.frame(a = c(1L, NA), b = c("x, y", "z"))
  path <- withr_tempfile("csv")
  write_frame(x, path)
  expect_equal(utils::read.csv(path), x)
  expect_equal(read_frame(path), x, ignore_attr = "colonnade")
})

test_that("info describes a file without reading it", {
  path <- withr_tempfile("parquet")
  write_frame(data.frame(a = 1:3, b = c("x", "y", "z")), path)
  info <- frame_info(path)
  expect_identical(info$format, "parquet")
  expect_identical(info$nrows, 3L)
  expect_identical(info$columns$name, c("a", "b"))
  expect_output(print(info), "3 rows x 2 columns")
  expect_true("npz" %in% frame_formats()$name)
})

# Other threads fill vectors of half a megabyte, and texts that many rows repeat are looked up in groups.
test_that("large frames come back whole", {
  n <- 70001L
  set.seed(1L)
  words <- c("", "a", "\u00e4\u00f6", "eight ch", "sixteen letters.", strrep("long ", 20), sprintf("word %d", 1:30000))
  x <- data.frame(
    i = c(NA, -seq_len(n - 1L)), d = c(NaN, NA, seq_len(n - 2L) / 7), l = rep_len(c(TRUE, NA, FALSE), n),
    few = words[sample.int(7L, n, TRUE)], many = c(words[sample.int(length(words), n - 1L, TRUE)], NA),
    f = factor(rep_len(letters, n)), g = addNA(factor(rep_len(c("u", NA), n))),
    t = as.POSIXct(seq_len(n), origin = "2020-01-01", tz = "Europe/Paris"), days = as.Date("2020-01-01") + seq_len(n)
  )
  x$list <- rep_len(list(1:3, "x"), n)
  x$matrix <- matrix(as.double(seq_len(2L * n)), n)
  x$inner <- data.frame(a = seq_len(n), b = rep_len(words[1:6], n))
  for (format in c("npz", "arrow", "parquet", "msgpack")) {
    expect_identical(decode_frame(encode_frame(x, format), format), x, info = format)
    expect_identical(decode_frame(encode_frame(x, format), format, rows = 69990:70001)[["many"]], tail(x$many, 12L))
  }
  one_by_one <- lapply(names(x), function(name) decode_frame(encode_frame(x[name], "arrow"), "arrow")[[1]])
  expect_identical(one_by_one, unname(as.list(x)))
})

test_that("texts that rows repeat are read under pressure of the gc", {
  s <- sprintf("text %d of this test", c(1:40, 40:1, rep(41L, 20L)))
  bytes <- encode_frame(data.frame(s = c(s, NA, s)), "arrow")
  rm(s)
  gctorture(TRUE)
  on.exit(gctorture(FALSE))
  x <- decode_frame(bytes, "arrow")
  gctorture(FALSE)
  s <- sprintf("text %d of this test", c(1:40, 40:1, rep(41L, 20L)))
  expect_identical(x$s, c(s, NA, s))
})

test_that("files are converted", {
  x <- data.frame(a = c(1L, NA), f = factor(c("u", "v")))
  from <- withr_tempfile("parquet")
  write_frame(x, from)
  for (suffix in c("npz", "arrow", "arrows", "msgpack")) {
    to <- withr_tempfile(suffix)
    convert_frame(from, to)
    expect_identical(read_frame(to), x)
  }
  to <- withr_tempfile("csv")
  expect_warning(convert_frame(from, to), class = "colonnade_loss")
  convert_frame(from, to, to_options = list(schema = "header"))
  expect_identical(read_frame(to), x)
})

test_that("files are written and read by chunks", {
  x <- data.frame(i = 1:10, s = c(letters[1:9], NA), d = c(NA, 2:10), t = as.POSIXct("2020-01-01", tz = "UTC") + 1:10)
  for (suffix in c("arrow", "arrows", "parquet", "msgpack", "csv", "ndjson")) {
    path <- withr_tempfile(suffix)
    options <- formats[[suffix]]
    writer <- do.call(open_frame_writer, c(list(path), options))
    for (rows in list(1:3, 4:8, 9:10)) {
      chunk <- x[rows, ]
      rownames(chunk) <- NULL
      write_chunk(writer, chunk)
    }
    close(writer)
    expect_s3_class(error_of(write_chunk(writer, x)), "colonnade_error")
    reader <- open_frame_reader(path, chunk_rows = 4)
    chunks <- list()
    while (!is.null(chunk <- read_chunk(reader))) chunks <- c(chunks, list(chunk))
    close(reader)
    found <- do.call(rbind, lapply(chunks, function(chunk) {
      attr(chunk, "colonnade") <- NULL
      rownames(chunk) <- NULL
      chunk
    }))
    expect_equal(found, x, info = suffix, tolerance = 0)
  }
})

test_that("a chunk of another schema is refused, and a discarded file is gone", {
  path <- withr_tempfile("arrow")
  writer <- open_frame_writer(path)
  write_chunk(writer, data.frame(a = 1:2))
  expect_s3_class(error_of(write_chunk(writer, data.frame(a = c("x", "y")))), "colonnade_unrepresentable")
  close(writer, discard = TRUE)
  expect_false(file.exists(path))
})

test_that("rows may be any positions", {
  x <- data.frame(a = 1:10, row.names = letters[1:10])
  path <- withr_tempfile("npz")
  write_frame(x, path)
  for (rows in list(1:3, 10L, c(7, 2, 2), integer(), 3:10)) {
    expect_identical(read_frame(path, rows = rows), x[rows, , drop = FALSE], info = deparse(rows))
  }
})

test_that("bytes say which format they have", {
  x <- data.frame(a = 1:3)
  for (format in c("npz", "arrow", "arrows", "parquet", "msgpack", "csv")) {
    expect_identical(decode_frame(encode_in(x, format)), x, info = format)
  }
  error <- error_of(decode_frame(charToRaw("what is it?")))
  expect_match(conditionMessage(error), "Pass the format", fixed = TRUE)
})
