# One column of each kind that R has, of three rows. Round trips compare with identical(), which knows nothing of this package.

latin1 <- function(x) {
  Encoding(x) <- "latin1"
  x
}
times <- function(x, ...) structure(x, class = c("POSIXct", "POSIXt"), ...)

kinds <- list(
  int = c(1L, -2L, .Machine$integer.max), int_na = c(1L, NA, -5L), int_all_na = rep(NA_integer_, 3),
  dbl = c(1.5, 2, -0.0), dbl_na = c(1.5, NA, NaN), dbl_inf = c(Inf, -Inf, NA), dbl_all_na = rep(NA_real_, 3),
  dbl_tiny = c(5e-324, 1.7976931348623157e308, 0.1 + 0.2),
  lgl = c(TRUE, FALSE, TRUE), lgl_na = c(TRUE, NA, FALSE), lgl_all_na = rep(NA, 3),
  chr = c("a", "bb", ""), chr_na = c("a", NA, "\u00fc"), chr_latin1 = latin1(c("\xfc", "a", "b")), chr_na_text = c("NA", NA, "null"),
  chr_all_na = rep(NA_character_, 3), chr_numbers = c("1", "2.5", "TRUE"), chr_quotes = c("a\nb", "\"q\"", "x,y"),
  chr_spaces = c(" a ", "\t", "b "), chr_wide = c("\U1F600", "\u65e5\u672c", "e\u0301"),
  fct = factor(c("x", "y", "x")), fct_na = factor(c("x", NA, "y"), levels = c("y", "x", "z")),
  ord = factor(c("lo", "hi", NA), levels = c("lo", "hi"), ordered = TRUE), fct_na_level = addNA(factor(c("a", NA, "b"))),
  fct_na_both = structure(c(1L, NA, 2L), levels = c("a", NA), class = "factor"),
  fct_empty = factor(rep(NA, 3), levels = character()), fct_attribute = structure(factor(c("a", "b", "a")), label = "L"),
  date = as.Date(c("2020-01-01", NA, "1969-12-31")), date_int = structure(c(1L, NA, 3L), class = "Date"),
  date_part = structure(c(1.5, NA, 2), class = "Date"), date_inf = structure(c(Inf, NaN, 2), class = "Date"),
  ct_utc = as.POSIXct(c("2020-01-01 10:00:00", NA, "1950-01-01"), tz = "UTC", optional = TRUE),
  ct_zone = times(c(1593554400.25, NA, -631155599.75), tzone = "Europe/Berlin"),
  ct_local = times(c(1.7e9, NA, 1.5)), ct_empty_zone = times(c(1.7e9, NA, 1.5), tzone = ""),
  ct_int = times(c(1L, NA, 3L), tzone = "UTC"), ct_nano = times(1.7e9 + c(1 / 3, 1 / 7, 0.1), tzone = "UTC"),
  ct_other = times(c(1 / 3, NaN, Inf), tzone = "UTC"), ct_three_zones = times(c(1.7e9, 0, 1), tzone = c("", "CET", "CEST")),
  secs = as.difftime(c(1.5, NA, 3), units = "secs"), mins = as.difftime(c(1.5, NA, 3), units = "mins"),
  days = as.difftime(c(1 / 3, NA, 3), units = "days"), weeks = as.difftime(c(1, 2, 3), units = "weeks"),
  hours_int = structure(1:3, class = "difftime", units = "hours"),
  hms = structure(c(1, 2, NA), class = c("hms", "difftime"), units = "secs"),
  cplx = c(1 + 2i, NA, complex(real = NaN, imaginary = Inf)), raw = as.raw(0:2),
  list_dbl = list(c(1, 2), NULL, 3), list_ragged = I(list(c(1, 2), NULL, numeric())), list_int = list(1:2, NA_integer_, integer()),
  list_chr = list("a", c("b", NA), NULL), list_lgl = list(TRUE, NA, NULL), list_mixed = list(1, "a", TRUE),
  list_nested = list(list(1, 2), list(c(3, 4)), list()), list_deep = list(list(list(1L)), list(), NULL),
  list_named = list(c(a = 1), list(b = 2, c = "x"), NULL), list_frames = list(data.frame(x = 1:2), data.frame(x = 3L), NULL),
  list_raw = list(as.raw(1:3), raw(), NULL), list_null = list(NULL, NULL, NULL), list_empty = list(list(), list(), list()),
  list_classes = list(factor("a"), as.Date("2020-01-01"), as.POSIXct("2020-01-01", tz = "UTC")), list_cplx = list(1i, 2, NULL),
  list_numbers = list(c(NA, NaN, -0.0, Inf), 1L, -Inf),
  mat_dbl = matrix(c(1, NA, NaN, 4, 5, 6), 3), mat_int = matrix(1:6, 3), mat_lgl = matrix(c(TRUE, NA, FALSE), 3),
  mat_chr = matrix(letters[1:6], 3, dimnames = list(NULL, c("p", "q"))),
  mat_names = matrix(1:3, 3, dimnames = list(c("a", "b", "c"), "x")), mat_empty = matrix(numeric(), 3, 0),
  frame = data.frame(a = 1:3, b = c("x", NA, "z")), frame_factor = I(data.frame(a = 1:3, b = factor(c("x", NA, "z")))),
  frame_rows = data.frame(a = 1:3, row.names = c("q", "r", "s")), frame_date = data.frame(d = as.Date(c("2020-01-01", NA, "2021-01-01"))),
  asis = I(1:3), names = c(a = 1, b = 2, c = 3), octmode = structure(1:3, class = "octmode"), noquote = noquote(c("a", "b", "c")),
  versions = numeric_version(c("1.2", "3", "4.5.6")), yearqtr = structure(c(2020, 2021, NA), class = "yearqtr"),
  labelled = structure(c(1, 2, NA), label = "weight", class = c("haven_labelled", "vctrs_vctr", "double"), labels = c(low = 1, high = 2)),
  class_int = structure(1:3, class = "foo", bar = list(x = 1, y = "z", NULL)),
  attributes = structure(c(1, 2, 3), q = c(NA, NaN, -Inf, -0.0, 1e300), r = c(1L, NA), s = c("x", NA), t = NA, u = as.raw(1), v = 1i)
)
if (requireNamespace("bit64", quietly = TRUE)) {
  kinds$integer64 <- bit64::as.integer64(c("1", "9007199254740993", NA))
  kinds$integer64_small <- bit64::as.integer64(1:3)
}
if (requireNamespace("nanotime", quietly = TRUE)) {
  # A nanosecond, which a double of this size cannot hold; the first time of nanotime, and missing.
  kinds$nanotime <- nanotime::nanotime(bit64::as.integer64(c("1700000000123456789", "-9223372036854775807", NA)))
  kinds$nanotime_names <- stats::setNames(nanotime::nanotime(bit64::as.integer64(1:3)), c("a", "b", "c"))
}

# Text formats need a schema to bring back types.
formats <- list(npz = list(), arrow = list(), arrows = list(), parquet = list(), msgpack = list(), csv = list(schema = "header"),
                json = list(schema = "header"), ndjson = list(schema = "header"), yaml = list(schema = "header"))

frame_of_column <- function(x) structure(list(x = x), class = "data.frame", row.names = .set_row_names(3L))

encode_in <- function(x, format) do.call(encode_frame, c(list(x, format), formats[[format]]))

expect_same <- function(found, expected, info) {
  expect_true(identical(found, expected, num.eq = FALSE, single.NA = FALSE), info = info)
}
