# The numbers that a call reports, as a matrix.
reports_of <- function(call) {
  reports <- list()
  old <- options(colonnade.progress = function(done, total) reports[[length(reports) + 1]] <<- c(done, total))
  on.exit(options(old))
  force(call)
  do.call(rbind, reports)
}

expect_growing <- function(reports, info) {
  expect_true(is.matrix(reports), info = info)
  for (total in unique(reports[, 2])) {
    done <- reports[reports[, 2] %in% total, 1]
    expect_true(all(diff(done) > 0), info = info)
    if (!is.na(total)) expect_identical(max(done), total, info = info)
  }
}

test_that("a function of the option hears growing numbers up to the total", {
  x <- data.frame(a = as.double(1:1e5), s = as.character(1:1e5))
  yaml <- withr_tempfile("yaml")
  npz <- withr_tempfile("npz")
  expect_growing(reports_of(suppressWarnings(write_frame(x, yaml))), "write")
  reports <- reports_of(read_frame(yaml))
  expect_growing(reports, "read")
  expect_gt(nrow(reports), 1)
  reports <- reports_of(convert_frame(yaml, npz))
  expect_growing(reports, "convert")
  expect_true(file.size(yaml) %in% reports[, 2])
  expect_equal(read_frame(npz)$a, x$a)
})

test_that("an error or an interrupt in the function ends the call, and nothing is written", {
  skip_on_os("windows")
  path <- withr_tempfile("npz")
  x <- data.frame(a = as.double(1:1e5))
  write_frame(data.frame(a = 1), path)
  old <- options(colonnade.progress = function(done, total) stop("enough"))
  on.exit(options(old))
  expect_error(write_frame(x, path), "enough")
  options(colonnade.progress = function(done, total) invokeRestart("leave", total))
  expect_gt(withRestarts(write_frame(x, path), leave = identity), 8e5)
  interrupt <- function() tools::pskill(Sys.getpid(), tools::SIGINT)
  options(colonnade.progress = function(done, total) {
    interrupt()
    for (turn in 1:1e6) turn + 1
  })
  expect_identical(tryCatch(write_frame(x, path), interrupt = function(condition) "interrupted"), "interrupted")
  options(colonnade.progress = FALSE)
  expect_identical(read_frame(path), data.frame(a = 1))
  expect_identical(list.files(dirname(path), basename(path)), basename(path))
  # The signal arrives while Rust works, and the next poll hears it.
  yaml <- withr_tempfile("yaml")
  suppressWarnings(write_frame(data.frame(a = 1:1e5), yaml))
  reports <- 0
  options(colonnade.progress = function(done, total) reports <<- reports + 1)
  # system() ignores the signal until it returns, so all of the command runs in the background.
  system(paste0("(sleep 0.5; kill -INT ", Sys.getpid(), ")"), wait = FALSE)
  caught <- tryCatch({
    for (turn in 1:1000) read_frame(yaml)
  }, interrupt = function(condition) "interrupted")
  expect_identical(caught, "interrupted")
  expect_gt(reports, 0)
})

test_that("cli shows a bar where it is installed, and only where it is asked for", {
  expect_null(with_progress("Reading", "x.npz", identity))
  without <- with_progress
  environment(without) <- list2env(list(requireNamespace = function(...) FALSE), parent = environment(with_progress))
  old <- options(colonnade.progress = TRUE, cli.progress_show_after = 0, cli.dynamic = TRUE)
  on.exit(options(old))
  expect_silent(without("Reading", "x.npz", function(progress) progress(1, 2)))
  skip_if_not_installed("cli")
  shown <- character()
  withCallingHandlers({
    with_progress("Reading", "folder/a{b}.npz", function(progress) {
      progress(10, NA_real_)
      for (done in c(20, 20, 60, 100)) progress(done, 100)
    })
  }, message = function(message) {
    shown <<- c(shown, conditionMessage(message))
    invokeRestart("muffleMessage")
  })
  expect_match(paste(shown, collapse = ""), "Reading a{b}.npz", fixed = TRUE)
  # A call that ends at once shows nothing.
  expect_silent(with_progress("Reading", "x.npz", function(progress) progress(100, 100)))
})
