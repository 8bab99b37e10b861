# Whether the values of a column are still in the file.
pending <- function(x) .Call(C_pending, x)

all_kinds <- function() structure(kinds, class = "data.frame", row.names = .set_row_names(3L))

lazy_file <- function(x, format, env = parent.frame(), ...) {
  path <- withr_tempfile(format, env)
  write_frame(x, path, ...)
  path
}

test_that("lazy columns of all kinds are those of an eager read, in every format", {
  x <- all_kinds()
  for (format in names(formats)) {
    path <- do.call(lazy_file, c(list(x, format), formats[[format]]))
    found <- read_frame(path, lazy = TRUE)
    expect_identical(names(found), names(kinds))
    expect_same(lapply(found, attributes), lapply(read_frame(path), attributes), format)
    for (kind in names(kinds)) expect_same(found[[kind]], x[[kind]], paste(format, kind))
    expect_same(found, x, format)
    # The same through each element, through a copy and without the attributes.
    found <- read_frame(path, lazy = TRUE)
    for (kind in names(kinds)) expect_same(unclass(found[[kind]])[3:1], unclass(x[[kind]])[3:1], paste(format, kind))
    expect_same(read_frame(path, rows = 2:3, lazy = TRUE)$int_na, x$int_na[2:3], format)
    expect_same(read_frame(path, columns = "names", rows = 2:3, lazy = TRUE)$names, x$names[2:3], format)
    expect_same(decode_frame(encode_in(x, format), format, lazy = TRUE), x, format)
  }
})

test_that("R reads a column when it touches the values, and no other column", {
  waiting <- c("int", "int_na", "dbl", "dbl_na", "lgl", "lgl_na", "chr", "chr_na", "fct", "fct_na", "ord", "fct_na_level", "date",
               "date_int", "ct_utc", "ct_zone", "ct_int", "secs", "mins", "hours_int", "hms", "asis", "names", "labelled")
  path <- lazy_file(all_kinds()[waiting], "arrow")
  x <- read_frame(path, lazy = TRUE)
  expect_true(all(vapply(x, pending, NA)))
  expect_false(any(vapply(read_frame(path), pending, NA)))
  # Attributes and lengths need no values.
  expect_identical(dim(x), c(3L, length(waiting)))
  expect_identical(lengths(x, use.names = FALSE), rep(3L, length(waiting)))
  expect_identical(levels(x$fct_na), c("y", "x", "z"))
  expect_identical(class(x$ct_zone), c("POSIXct", "POSIXt"))
  expect_true(all(vapply(x, pending, NA)))
  expect_identical(x$fct_na[2:3], kinds$fct_na[2:3])
  expect_identical(x$chr[[2]], "bb")
  expect_identical(sum(x$int[1:2]), -1L)
  read <- c("int", "chr", "fct_na")
  expect_identical(names(Filter(Negate(pending), x)), read)
  expect_false(any(vapply(x[read], pending, NA)))
  expect_output(.Internal(inspect(x$dbl)), "column \"dbl\" of a file, not read yet", fixed = TRUE)
  expect_output(.Internal(inspect(x$int)), "column of a file, read", fixed = TRUE)
})

test_that("a change is a change of R's memory", {
  x <- data.frame(i = c(1L, NA, 3L), d = c(1.5, NA, 2), l = c(TRUE, NA, FALSE), s = c("a", NA, "b"), f = factor(c("u", "v", "u")))
  path <- lazy_file(x, "npz")
  before <- readBin(path, "raw", file.size(path))
  y <- read_frame(path, lazy = TRUE)
  other <- y
  i <- y$i
  y$i[2] <- 7L
  y$d[1] <- -1
  y$l[2] <- TRUE
  y$s[2] <- "changed"
  y$f[3] <- "v"
  expect_identical(y, data.frame(i = c(1L, 7L, 3L), d = c(-1, NA, 2), l = c(TRUE, TRUE, FALSE), s = c("a", "changed", "b"),
                                 f = factor(c("u", "v", "v"))))
  expect_identical(other, x)
  expect_identical(i, x$i)
  # A vector that nothing else has is changed in place, also before it was read.
  alone <- read_frame(path, columns = "s", lazy = TRUE)$s
  alone[3] <- NA
  expect_identical(alone, c("a", NA, NA))
  alone <- read_frame(path, columns = "d", lazy = TRUE)$d
  alone[[3]] <- 9
  expect_identical(alone, c(1.5, NA, 9))
  alone[5] <- 1
  expect_length(alone, 5)
  expect_identical(readBin(path, "raw", file.size(path)), before)
  expect_identical(read_frame(path), x)
})

test_that("bytes in memory may change after a lazy read", {
  x <- data.frame(d = as.double(1:100), s = as.character(1:100))
  bytes <- encode_frame(x, "arrow")
  y <- decode_frame(bytes, lazy = TRUE)
  bytes[seq_along(bytes)] <- as.raw(0)
  rm(bytes)
  gc()
  expect_true(pending(y$d) && pending(y$s))
  expect_identical(y, x)
})

test_that("lazy columns are saved and loaded as plain vectors", {
  x <- all_kinds()
  path <- lazy_file(x, "arrow")
  saved <- withr_tempfile("rds")
  saveRDS(read_frame(path, lazy = TRUE), saved)
  expect_same(readRDS(saved), x, "saveRDS")
  y <- unserialize(serialize(read_frame(path, columns = "dbl", lazy = TRUE), NULL, version = 2))
  expect_false(pending(y$dbl))
  expect_identical(y$dbl, x$dbl)
})

test_that("a lazy frame outlives its file and its variable", {
  x <- data.frame(d = as.double(1:1000), s = as.character(1:1000), f = factor(rep(c("u", "v"), 500)))
  for (format in c("npz", "arrow", "parquet")) {
    path <- lazy_file(x, format)
    y <- read_frame(path, lazy = TRUE)
    s <- y$s
    f <- y$f
    write_frame(data.frame(d = rep(0, 1000), s = "other", f = factor("w")), path)
    rm(y)
    gc()
    expect_true(pending(s))
    expect_identical(s, x$s)
    unlink(path)
    gc()
    expect_identical(f, x$f)
    # The file that a lazy frame came from is written again from it.
    write_frame(x, path)
    y <- read_frame(path, lazy = TRUE)
    write_frame(y[c("s", "d")], path)
    expect_identical(read_frame(path), x[c("s", "d")])
  }
})

test_that("lazy columns are read under pressure of the gc", {
  x <- data.frame(i = c(1L, NA), d = c(1.5, NA), l = c(TRUE, NA), s = c("unique text of this test", NA), f = factor(c("u", NA)),
                  t = as.POSIXct(c(0, NA), origin = "1970-01-01", tz = "UTC"))
  bytes <- encode_frame(x, "arrow")
  gctorture(TRUE)
  on.exit(gctorture(FALSE))
  y <- decode_frame(bytes, lazy = TRUE)
  one <- y$s[1]
  y$d[1] <- 2
  part <- y[2:1, ]
  gctorture(FALSE)
  expect_identical(one, x$s[1])
  x$d[1] <- 2
  expect_identical(y, x)
  expect_identical(part, x[2:1, ])
  for (turn in 1:200) y <- decode_frame(bytes, lazy = TRUE)$s
  gc()
  expect_identical(y, x$s)
})

test_that("an error in a lazy read is a condition that names the column, and the gc still works", {
  bytes <- encode_frame(data.frame(good = c("a", "b"), bad = c("c", "d\001e")), "arrow")
  at <- which(bytes == as.raw(1) & c(raw(1), bytes[-length(bytes)]) == charToRaw("d") & c(bytes[-1], raw(1)) == charToRaw("e"))
  expect_length(at, 1)
  bytes[at] <- as.raw(0)
  expect_identical(error_of(decode_frame(bytes))$column, "bad")
  x <- decode_frame(bytes, lazy = TRUE)
  for (use in list(function() nchar(x$bad), function() x$bad[1], function() paste(x$bad), function() encode_frame(x, "npz"))) {
    error <- error_of(use())
    expect_s3_class(error, "colonnade_unsupported")
    expect_identical(error$column, "bad")
    expect_match(conditionMessage(error), "column \"bad\"", fixed = TRUE)
    expect_false(identical(as.character(error$call[[1]]), "throw_colonnade_message"))
  }
  expect_true(pending(x$bad))
  expect_identical(x$good, c("a", "b"))
  freed <- FALSE
  local(reg.finalizer(new.env(), function(e) freed <<- TRUE))
  gc()
  expect_true(freed)
  expect_s3_class(error_of(decode_frame(bytes, lazy = NA)), "colonnade_invalid_option")
  expect_s3_class(error_of(decode_frame(bytes, lazy = "yes")), "colonnade_invalid_option")
})

test_that("an interrupt stops a lazy read, which a later use repeats", {
  skip_on_os("windows")
  x <- data.frame(s = as.character(1:300000))
  y <- decode_frame(encode_frame(x, "arrow"), lazy = TRUE)
  caught <- tryCatch({
    tools::pskill(Sys.getpid(), tools::SIGINT)
    y$s[1]
  }, interrupt = function(condition) "interrupted")
  expect_identical(caught, "interrupted")
  expect_true(pending(y$s))
  expect_identical(y, x)
})

test_that("lazy columns become tibbles and data.tables", {
  skip_if_not_installed("tibble")
  skip_if_not_installed("data.table")
  x <- data.frame(g = c("a", "b", "a"), v = c(1, 2, NA))
  path <- lazy_file(x, "npz")
  expect_identical(read_frame(path, as = "tibble", lazy = TRUE), tibble::as_tibble(x))
  expect_true(pending(read_frame(path, as = "tibble", lazy = TRUE)$v))
  y <- read_frame(path, as = "data.table", lazy = TRUE)
  data.table::set(y, 3L, "v", 5)
  expect_identical(y$v[y$g == "a"], c(1, 5))
  expect_identical(read_npz(path, lazy = TRUE), x)
})
