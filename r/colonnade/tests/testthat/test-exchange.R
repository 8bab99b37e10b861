# Files exchanged with Python, which COLONNADE_PYTHON names: make test-r sets it.
python <- Sys.getenv("COLONNADE_PYTHON")

run_python <- function(act, folder) {
  out <- suppressWarnings(system2(python, c(shQuote(test_path("exchange.py")), act, shQuote(folder)), stdout = TRUE, stderr = TRUE,
                                  env = "LD_LIBRARY_PATH="))
  expect_null(attr(out, "status"), info = paste(c(act, out), collapse = "\n"))
}

test_that("files of pandas come as R's natural types, and go back the same", {
  skip_if_not(nzchar(python), "COLONNADE_PYTHON names a Python with colonnade")
  skip_if_not_installed("bit64")
  folder <- tempfile()
  dir.create(file.path(folder, "back"), recursive = TRUE)
  on.exit(unlink(folder, recursive = TRUE))
  run_python("write", folder)
  files <- list.files(folder, "\\.")
  expect_length(files, 36)
  for (file in files) {
    x <- read_frame(file.path(folder, file))
    write_frame(x, file.path(folder, "back", file))
    # The types of a data frame do not depend on the format.
    expect_equal(x, read_frame(file.path(folder, sub("\\..*", ".npz", file))), ignore_attr = "colonnade", info = file)
  }
  run_python("check", folder)
  x <- read_frame(file.path(folder, "plain.parquet"))
  types <- vapply(x, function(column) class(column)[1], "")
  expect_identical(unname(types), c("integer", "integer", "integer", "integer64", "numeric", "numeric", "logical", "character",
                                    "factor", "ordered", "POSIXct", "POSIXct", "difftime", "integer", "logical", "complex", "list"))
  expect_identical(x$text, c("a", NA, "\u00fc", "d"))
  expect_identical(x$int64, 0:3)
  expect_identical(x$lists, list(1:2, NULL, integer(), 3L))
  expect_identical(attr(x$zoned, "tzone"), "Europe/Berlin")
  expect_identical(format(x$time[3], "%Y-%m-%d %H:%M:%OS3"), "2021-01-01 10:00:00.123")
  expect_identical(names(read_frame(file.path(folder, "levels.npz"))), c("k", "l", "int64", "float64"))
  expect_identical(rownames(read_frame(file.path(folder, "named.npz"))), c("p", "q", "r", "s"))
})

test_that("Python users find what they expect in a file of R", {
  skip_if_not(nzchar(python), "COLONNADE_PYTHON names a Python with colonnade")
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  x <- data.frame(int = 1:3, int_na = c(1L, NA, 3L), dbl = c(1.5, -0.0, Inf), dbl_na = c(1.5, NA, 2), lgl = c(TRUE, FALSE, TRUE),
                  chr = c("\u00fc", NA, "c"), fct = factor(c("lo", "hi", "lo")), ord = factor(c("lo", "hi", NA), ordered = TRUE),
                  date = as.Date(c("2020-02-29", "1969-12-31", "2021-01-01")),
                  time = as.POSIXct("2020-07-01 10:00", tz = "Europe/Berlin") + 0:2,
                  secs = as.difftime(c(1.5, 60, 0), units = "secs"), mins = as.difftime(c(1.5, 0, 1), units = "mins"), cplx = c(1 + 2i, 0, -1i), row.names = c("one", "two", "three"))
  x$list <- list(c(1, 2), numeric(), 3)
  x$mat <- matrix(1:6, 3)
  for (suffix in c("npz", "arrow", "parquet", "msgpack")) {
    path <- file.path(folder, paste0("r.", suffix))
    write_frame(x, path)
    expect_identical(read_frame(path), x)
  }
  run_python("check_r", folder)
})
