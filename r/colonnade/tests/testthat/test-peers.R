test_that("frames and values go to Python and back", {
  python <- Sys.getenv("COLONNADE_PYTHON")
  skip_if_not(nzchar(python), "COLONNADE_PYTHON names a Python with colonnade")
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  log <- file.path(folder, "log")
  # R's own library path makes Python load another libpython.
  system2(python, c(shQuote(test_path("exchange.py")), "serve", shQuote(folder)), wait = FALSE, stdout = log, stderr = log,
          env = "LD_LIBRARY_PATH=")
  url <- file.path(folder, "url")
  for (turn in 1:600) if (file.exists(url)) break else Sys.sleep(0.05)
  expect_true(file.exists(url), info = paste(readLines(log), collapse = "\n"))
  x <- structure(kinds, class = "data.frame", row.names = .set_row_names(3L))
  urls <- readLines(url)
  tls <- list(authorities = file.path(folder, "authority.pem"), token_file = file.path(folder, "token"))
  for (address in c(urls, paste0("unix:", folder, "/socket"))) {
    con <- do.call(cn_connect, c(list(address, timeout_s = 30), if (startsWith(address, "tls")) tls))
    writeMsg(x, con)
    expect_same(readMsg(con), x, address)
    writeMsg(x, con, format = "msgpack")
    expect_same(readMsg(con), x, address)
    for (value in list(list(a = 1:3, b = "x"), 5L, "text", NULL, raw(3), as.double(1:1e5))) {
      writeMsg(value, con)
      expect_identical(readMsg(con), value)
    }
    expect_identical(status(con), "ok")
    expect_length(readMsgs(con), 0)
    expect_identical(status(con), "incomplete")
    expect_s3_class(error_of(readMsg(con, timeout_s = 0)), "colonnade_truncated")
    close(con)
    expect_s3_class(error_of(readMsg(con)), "colonnade_invalid_option")
  }
  expect_s3_class(error_of(cn_connect(urls[2], timeout_s = 30, token_file = tls$token_file)), "colonnade_error")
  tls$token_file <- file.path(folder, "other")
  writeLines("another token, of nobody", tls$token_file)
  expect_s3_class(error_of(do.call(cn_connect, c(list(urls[2], timeout_s = 30), tls))), "colonnade_error")
  pair <- list(cn_connect(address), cn_connect(address))
  expect_length(cn_wait(pair, timeout_s = 0), 0)
  writeMsg("second", pair[[2]])
  expect_identical(cn_wait(pair, timeout_s = 30), pair[2])
  expect_identical(readMsg(pair[[2]]), "second")
  cn_finish(pair[[1]])
  expect_s3_class(error_of(readMsg(pair[[1]], timeout_s = 30)), "colonnade_truncated")
  writeMsg("stop", pair[[2]])
  lapply(pair, close)
})

test_that("a peer that sends garbage, or ends inside a message, is an error", {
  port <- 21000L + Sys.getpid() %% 20000L
  server <- tryCatch(serverSocket(port), error = function(e) NULL)
  skip_if(is.null(server), "no free port")
  on.exit(close(server))
  frame <- encode_frame(data.frame(a = 1:100), "arrows")
  for (bytes in list(as.raw(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)), frame[seq_len(length(frame) - 9)], as.raw(c(0xc1, 0x43, 0x4e, 0x42)),
                     charToRaw("GET / HTTP/1.1\r\n\r\n"), as.raw(c(0x92, 0x01)))) {
    con <- cn_connect(paste0("tcp://127.0.0.1:", port), timeout_s = 10)
    peer <- socketAccept(server, open = "w+b", blocking = TRUE)
    writeBin(bytes, peer)
    close(peer)
    expect_s3_class(error_of(readMsg(con)), "colonnade_error")
    close(con)
  }
  con <- cn_connect(paste0("tcp://127.0.0.1:", port))
  peer <- socketAccept(server, open = "r+b", blocking = TRUE)
  writeMsg(data.frame(a = 1:3), con, format = "msgpack")
  # Any MessagePack library reads the frame: here the plain reader of this package.
  message <- readMsg(msgConnection(peer))
  expect_identical(message$a, 1:3)
  close(peer)
  close(con)
})

test_that("addresses and options are checked", {
  expect_s3_class(error_of(cn_connect("http://x")), "colonnade_invalid_option")
  expect_s3_class(error_of(cn_connect("unix:/nowhere/socket")), "colonnade_io")
  expect_s3_class(error_of(cn_connect("tcp://127.0.0.1:1", token_env = "NO_SUCH_TOKEN")), "colonnade_invalid_option")
  expect_s3_class(error_of(cn_connect("tcp://127.0.0.1:1", colour = 1)), "colonnade_invalid_option")
  # Plain TCP does not leave this machine.
  expect_s3_class(error_of(cn_connect("tcp://192.0.2.1:5000", timeout_s = 1)), "colonnade_error")
})

test_that("R listens to R", {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  x <- structure(kinds, class = "data.frame", row.names = .set_row_names(3L))
  for (url in c("tcp://127.0.0.1:0", paste0("unix:", folder, "/socket"))) {
    listener <- cn_listen(url, timeout_s = 30)
    expect_null(cn_accept(listener, timeout_s = 0))
    sender <- cn_connect(listener$url, timeout_s = 30)
    receiver <- cn_accept(listener, timeout_s = 30)
    for (format in c("arrows", "msgpack")) {
      writeMsg(x, sender, format = format)
      expect_same(readMsg(receiver), x, paste(url, format))
    }
    writeMsg(x, sender)
    writeMsg(packMsg(x, as = "frame"), sender, as = "bytes")
    for (turn in 1:2) expect_same(readMsg(receiver, as = "frame"), x, url)
    writeMsg(list(a = 1), receiver)
    expect_identical(readMsg(sender), list(a = 1))
    for (each in list(sender, receiver, listener)) close(each)
    expect_s3_class(error_of(cn_accept(listener, timeout_s = 0)), "colonnade_invalid_option")
    expect_s3_class(error_of(cn_connect(listener$url, timeout_s = 1)), "colonnade_error")
  }
  expect_s3_class(error_of(cn_accept(sender)), "colonnade_invalid_option")
  expect_s3_class(error_of(cn_listen("tcp://0.0.0.0:0")), "colonnade_error")
})
