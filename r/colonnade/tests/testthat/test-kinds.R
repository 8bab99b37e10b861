test_that("eighty kinds of columns come back with every bit and attribute, in every format", {
  expect_gte(length(kinds), 80)
  for (format in names(formats)) {
    for (kind in names(kinds)) {
      x <- frame_of_column(kinds[[kind]])
      expect_same(decode_frame(encode_in(x, format), format), x, paste(format, kind))
    }
  }
})

test_that("all kinds come back together, from a file, and by column and row", {
  x <- structure(kinds, class = "data.frame", row.names = .set_row_names(3L))
  for (format in names(formats)) {
    path <- withr_tempfile(format)
    do.call(write_frame, c(list(x, path), formats[[format]]))
    expect_same(read_frame(path), x, format)
    some <- c("mins", "fct_na", "mat_names", "names")
    expect_same(read_frame(path, columns = some), x[some], format)
    rows <- read_frame(path, columns = "int_na", rows = 2:3)
    expect_identical(rows$int_na, x$int_na[2:3])
    expect_identical(read_frame(path, columns = "names", rows = 2:3)$names, x$names[2:3])
  }
})

test_that("frames of every shape come back", {
  shapes <- list(
    none = data.frame(), no_rows = data.frame(a = integer(), b = character(), c = factor()), no_columns = data.frame(row.names = 1:4),
    row_names = data.frame(a = 1:2, row.names = c("x", "y")), integer_row_names = data.frame(a = 1:4)[c(3, 1), , drop = FALSE],
    twice = structure(list(1:2, 3:4), names = c("a", "a"), class = "data.frame", row.names = .set_row_names(2L)),
    odd_names = structure(list(1, 2, 3), names = c("", "a b", "\u00fc"), class = "data.frame", row.names = .set_row_names(1L)),
    attribute = structure(data.frame(a = 1), note = list(by = "me", at = as.Date("2020-01-01"))))
  for (format in setdiff(names(formats), c("csv", "ndjson"))) {
    for (shape in names(shapes)) {
      expect_same(decode_frame(encode_in(shapes[[shape]], format), format), shapes[[shape]], paste(format, shape))
    }
  }
})

test_that("tibbles and data.tables come back as such, and others become them", {
  skip_if_not_installed("tibble")
  skip_if_not_installed("data.table")
  tbl <- tibble::tibble(a = 1:2, b = list(1, "x"))
  expect_identical(decode_frame(encode_frame(tbl, "npz")), tbl)
  dt <- data.table::data.table(a = c(2L, 1L), b = c("x", "y"))
  back <- decode_frame(encode_frame(dt, "arrow"))
  expect_true(data.table::is.data.table(back))
  data.table::set(back, j = "c", value = back$a * 2L)
  expect_identical(back$c, c(4L, 2L))
  bytes <- encode_frame(data.frame(a = 1:2), "parquet")
  expect_s3_class(decode_frame(bytes, as = "tibble"), "tbl_df")
  expect_s3_class(decode_frame(bytes, as = "data.table"), "data.table")
  expect_identical(class(decode_frame(encode_frame(tbl, "npz"), as = "data.frame")), "data.frame")
})
