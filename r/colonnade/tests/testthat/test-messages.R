test_that("values are packed as the specification says", {
  # Literal bytes, by hand from https://github.com/msgpack/msgpack/blob/master/spec.md
  packed <- list(
    list(NULL, "c0"), list(TRUE, "c3"), list(1L, "01"), list(-1L, "ff"), list(300L, "cd012c"), list(1.5, "cb3ff8000000000000"),
    list("a", "a161"), list(NA, "c0"), list(c(1L, 2L), "920102"), list(list(a = 1L), "81a16101"), list(list(), "90"),
    list(as.raw(1:2), "c4020102"), list(c(x = 1L), "81a17801"), list(factor("u"), "a175"), list(I(1L), "9101"),
    list(list(1L, "a"), "9201a161"), list("\u00fc", "a2c3bc"), list(-200L, "d1ff38"), list(NA_character_, "c0"))
  for (pair in packed) expect_identical(paste(packMsg(pair[[1]]), collapse = ""), pair[[2]])
})

test_that("values come back", {
  values <- list(NULL, TRUE, 1L, -5L, 1.5, 2^40, "a", c(1.5, NA, 2), 1:5, c(TRUE, NA), c("a", NA), as.raw(1:3), list(1L, "a", NULL),
                 list(a = 1L, b = list(c = "x")), list(a = 1:3, b = NULL), list())
  for (value in values) expect_identical(unpackMsg(packMsg(value)), value)
  expect_identical(unpackMsg(packMsg(1:3), simplify = FALSE), list(1L, 2L, 3L))
  expect_identical(unpackMsg(packMsg(c(1L, NA))), c(1L, NA))
  expect_identical(unpackMsg(packMsg(data.frame(a = 1:2, b = c("x", NA)))), list(a = 1:2, b = c("x", NA)))
  expect_identical(unpackMsg(packMsg(data.frame(a = 1L))), list(a = 1L))
})

test_that("frames are messages", {
  x <- data.frame(a = c(1L, NA), f = factor(c("u", "v")))
  expect_identical(unpackMsg(packMsg(x, as = "frame"), as = "frame"), x)
})

test_that("code is refused by name", {
  for (value in list(mean, globalenv(), quote(a), y ~ x)) {
    error <- error_of(packMsg(list(1, value)))
    expect_s3_class(error, "colonnade_unrepresentable")
    expect_match(conditionMessage(error), "prepack")
  }
})

test_that("a class packs by its method of prepack", {
  registerS3method("prepack", "money", function(x) list(amount = unclass(x), currency = "EUR"), envir = asNamespace("colonnade"))
  expect_identical(unpackMsg(packMsg(structure(5, class = "money"))), list(amount = 5, currency = "EUR"))
  expect_identical(unpackMsg(packMsg(as.Date("2020-02-29"))), "2020-02-29")
})

test_that("several messages are unpacked, and garbage is refused", {
  bytes <- c(packMsg(1L), packMsg("two"), packMsg(list(3, 4)))
  found <- unpackMsgs(c(bytes, as.raw(0xa5)))
  expect_identical(found$msgs, list(1L, "two", c(3, 4)))
  expect_identical(found$remaining, as.raw(0xa5))
  expect_s3_class(error_of(unpackMsg(bytes)), "colonnade_malformed")
  expect_s3_class(error_of(unpackMsg(as.raw(0xc1))), "colonnade_malformed")
  expect_s3_class(error_of(unpackMsg(as.raw(c(0xdd, 0xff, 0xff, 0xff, 0xff)))), "colonnade_truncated")
  expect_s3_class(error_of(unpackMsg(rep(as.raw(0x91), 2000))), "colonnade_error")
})

test_that("messages pass through a file, with seek and the rest", {
  path <- withr_tempfile("msgpack")
  con <- msgConnection(file(path, "w+b"), read_size = 7)
  writeMsgs(list(1L, "two", list(three = 3L)), con)
  seek(con, 0)
  expect_identical(readMsg(con), 1L)
  at <- seek(con)
  expect_identical(at, 1)
  expect_identical(readMsgs(con), list("two", list(three = 3L)))
  expect_identical(status(con), "end of input")
  expect_s3_class(error_of(readMsg(con)), "colonnade_truncated")
  seek(con, 1)
  expect_identical(readMsg(con), "two")
  expect_gt(summary(con)$bytes_read, 0)
  close(con)
})

test_that("a message in pieces is complete only at its end", {
  bytes <- packMsg(list(a = 1:100, b = "text"))
  path <- withr_tempfile("bin")
  writeBin(bytes[1:50], path)
  con <- msgConnection(file(path, "rb"))
  expect_s3_class(error_of(readMsg(con)), "colonnade_truncated")
  expect_identical(partial(con), bytes[1:50])
  close(con)
  con <- msgConnection(rawConnection(c(bytes, bytes)), read_size = 10)
  expect_length(readMsgs(con, 1), 1)
  expect_identical(readMsg(con), list(a = 1:100, b = "text"))
  close(con)
  con <- msgConnection(rawConnection(packMsg(raw(1000))), read_size = 10, max_size = 100)
  expect_s3_class(error_of(readMsg(con)), "colonnade_limit_exceeded")
  close(con)
})

test_that("messages pass through a pipe and over sockets", {
  skip_on_os("windows")
  path <- withr_tempfile("bin")
  writeBin(c(packMsg(1L), packMsg(rep("text", 50000)), packMsg("end")), path)
  con <- msgConnection(pipe(paste("cat", shQuote(path)), "rb"))
  expect_identical(readMsg(con), 1L)
  expect_identical(readMsg(con), rep("text", 50000))
  expect_identical(readMsgs(con), list("end"))
  close(con)
  server <- tryCatch(serverSocket(port <- 20000L + Sys.getpid() %% 20000L), error = function(e) NULL)
  skip_if(is.null(server), "no free port")
  client <- socketConnection(port = port, open = "r+b", blocking = FALSE)
  peer <- socketAccept(server, open = "r+b", blocking = TRUE)
  close(server)
  here <- msgConnection(client)
  there <- msgConnection(peer)
  expect_s3_class(error_of(readMsg(here)), "colonnade_truncated")
  writeMsg(list(question = 1:10), here)
  expect_identical(readMsg(there), list(question = 1:10))
  writeMsgs(list("answer", 42L), there)
  socketSelect(list(client))
  found <- list()
  while (length(found) < 2) found <- c(found, readMsgs(here))
  expect_identical(found, list("answer", 42L))
  close(here)
  close(there)
})

test_that("messages go to another R process and back over fifos", {
  skip_on_os("windows")
  skip_if_not(capabilities("fifo") && nzchar(Sys.which("mkfifo")), "no fifos")
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  ways <- file.path(folder, c("there", "back"))
  expect_identical(system2("mkfifo", shQuote(ways)), 0L)
  script <- file.path(folder, "peer.R")
  writeLines(c("library(colonnade)", "ways <- commandArgs(TRUE)",
               "there <- msgConnection(fifo(ways[1], \"rb\", blocking = TRUE))",
               "back <- msgConnection(fifo(ways[2], \"wb\", blocking = TRUE))",
               "repeat {", "  message <- readMsg(there)", "  writeMsg(list(got = message), back)",
               "  if (identical(message, \"stop\")) break", "}", "close(back)"), script)
  log <- file.path(folder, "log")
  # The peer finds this package where this process did.
  library_path <- paste(.libPaths(), collapse = .Platform$path.sep)
  system2(file.path(R.home("bin"), "Rscript"), shQuote(c(script, ways)), wait = FALSE, stdout = log, stderr = log,
          env = paste0("R_LIBS=", shQuote(library_path)))
  # A blocking end waits for the other to be opened, and would do so for ever if the peer failed. An end that does not block tells.
  for (turn in 1:600) {
    first <- tryCatch(suppressWarnings(fifo(ways[1], "wb", blocking = FALSE)), error = function(e) NULL)
    if (is.null(first)) Sys.sleep(0.05) else break
  }
  if (is.null(first)) return(fail(paste(c("the peer did not start", readLines(log)), collapse = "\n")))
  there <- msgConnection(fifo(ways[1], "wb", blocking = TRUE))
  close(first)
  back <- msgConnection(fifo(ways[2], "rb", blocking = TRUE))
  # Also empty values, and one that is larger than the memory of a fifo.
  for (value in list(1L, "text", NULL, raw(), list(a = 1:3, b = c("x", NA)), as.double(1:50000), as.raw(rep(0:255, 2000)))) {
    writeMsg(value, there)
    expect_identical(readMsg(back), list(got = value))
  }
  writeMsgs(list("first", "second", "stop"), there)
  expect_identical(readMsgs(back), list(list(got = "first"), list(got = "second"), list(got = "stop")))
  expect_identical(status(back), "end of input")
  expect_s3_class(error_of(readMsg(back)), "colonnade_truncated")
  close(there)
  close(back)
  expect_length(readLines(log), 0)
})
