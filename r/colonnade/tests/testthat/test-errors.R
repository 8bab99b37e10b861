test_that("columns that no format holds are refused by name", {
  refused <- list(closure = list(mean), environment = list(globalenv()), formula = list(y ~ x), s4 = list(methods::getClass("numeric")))
  for (kind in names(refused)) {
    x <- structure(list(ok = 1, bad = refused[[kind]]), class = "data.frame", row.names = .set_row_names(1L))
    error <- error_of(encode_frame(x, "npz"))
    expect_s3_class(error, "colonnade_unrepresentable")
    expect_s3_class(error, "colonnade_error")
    expect_identical(error$column, "bad")
  }
  lt <- structure(list(t = as.POSIXlt("2020-01-01", tz = "UTC")), class = "data.frame", row.names = .set_row_names(1L))
  error <- error_of(encode_frame(lt, "npz"))
  expect_identical(error$column, "t")
  expect_match(error$expected, "POSIXct")
  bytes <- data.frame(b = "a")
  Encoding(bytes$b) <- "bytes"
  bytes$b <- "\xff"
  Encoding(bytes$b) <- "bytes"
  expect_identical(error_of(encode_frame(bytes, "npz"))$column, "b")
  invalid <- data.frame(v = "\xff\xfe")
  error <- error_of(encode_frame(invalid, "npz"))
  expect_identical(error$kind, "unrepresentable")
  expect_match(conditionMessage(error), "row 1")
})

test_that("an error has its kind, place and parts as fields", {
  path <- withr_tempfile("npz")
  write_frame(data.frame(price = 1, count = 2L), path)
  error <- error_of(read_frame(path, columns = "prize"))
  expect_s3_class(error, "colonnade_not_found")
  expect_identical(error$column, "prize")
  expect_match(conditionMessage(error), "Did you mean \"price\"?", fixed = TRUE)
  error <- error_of(read_frame(path, colour = 1))
  expect_s3_class(error, "colonnade_invalid_option")
  expect_identical(error$format, "npz")
  expect_match(error$expected, "threads")
  expect_identical(error$found, "\"colour\"")
  error <- error_of(read_frame("/nowhere/x.npz"))
  expect_identical(error$os_error, 2L)
  expect_s3_class(error_of(write_frame(1:3, path)), "colonnade_invalid_option")
  expect_s3_class(error_of(read_frame(path, rows = 0)), "colonnade_invalid_option")
  expect_s3_class(error_of(read_frame(path, rows = 9)), "colonnade_not_found")
  expect_s3_class(error_of(read_frame(path, columns = 9)), "colonnade_not_found")
  expect_s3_class(error_of(write_frame(data.frame(a = 1), tempfile(fileext = ".xyz"))), "colonnade_invalid_option")
})

test_that("damaged and shortened files are errors, and never end R", {
  x <- data.frame(i = c(1L, NA, 3L), s = c("a", NA, "c"), f = factor(c("u", "v", "u")), l = I(list(1, "a", NULL)))
  for (format in names(formats)) {
    bytes <- encode_in(x, format)
    set.seed(1)
    for (at in sort(sample(length(bytes), min(40, length(bytes))))) {
      damaged <- bytes
      damaged[at] <- xor(damaged[at], as.raw(0x55))
      found <- tryCatch(suppressWarnings(decode_frame(damaged, format)), error = identity)
      expect_true(is.data.frame(found) || inherits(found, "error"), info = paste(format, at))
      cut <- tryCatch(suppressWarnings(decode_frame(bytes[seq_len(at - 1)], format)), error = identity)
      expect_true(is.data.frame(cut) || inherits(cut, "error"), info = paste(format, at))
    }
  }
})

test_that("plain text warns of what it loses, or refuses", {
  x <- data.frame(f = factor(c("a", "b")))
  expect_warning(encode_frame(x, "csv"), class = "colonnade_loss")
  expect_s3_class(error_of(encode_frame(x, "csv", on_loss = "raise")), "colonnade_unrepresentable")
  expect_silent(encode_frame(x, "csv", on_loss = "ignore"))
  expect_silent(encode_frame(data.frame(a = 1:2, b = c("x", NA)), "csv"))
})

test_that("a failed write leaves the old file", {
  path <- withr_tempfile("npz")
  write_frame(data.frame(a = 1), path)
  error_of(write_frame(structure(list(b = list(mean)), class = "data.frame", row.names = .set_row_names(1L)), path))
  expect_identical(read_frame(path), data.frame(a = 1))
  expect_identical(list.files(dirname(path), basename(path)), basename(path))
})

test_that("an interrupt stops a call", {
  skip_on_os("windows")
  skip_if_not(nzchar(Sys.which("sh")))
  path <- withr_tempfile("parquet")
  x <- data.frame(a = as.double(1:2e7))
  pid <- Sys.getpid()
  # The signal arrives while the file is written, or right before: both are interrupts.
  system(paste0("(sleep 0.3; kill -INT ", pid, ") &"))
  caught <- tryCatch({
    repeat write_frame(x, path)
  }, interrupt = function(condition) "interrupted")
  expect_identical(caught, "interrupted")
  expect_identical(decode_frame(encode_frame(data.frame(a = 1), "npz")), data.frame(a = 1))
})

test_that("an interrupt while other threads fill columns waits for them", {
  skip_on_os("windows")
  skip_if_not(nzchar(Sys.which("sh")))
  x <- data.frame(s = as.character(1:300000), t = as.character(300000:1))
  for (name in letters[1:9]) x[[name]] <- seq_len(300000) / 7
  bytes <- encode_frame(x, "arrow")
  system(paste0("(sleep 0.2; kill -INT ", Sys.getpid(), ") &"))
  caught <- tryCatch({
    repeat decode_frame(bytes, "arrow")
  }, interrupt = function(condition) "interrupted")
  expect_identical(caught, "interrupted")
  gc()
  expect_identical(decode_frame(bytes, "arrow"), x)
})
