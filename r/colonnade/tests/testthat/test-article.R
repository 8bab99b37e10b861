# What the article "Which data format is fastest?" of the package msgpack does with messages, on small tables.

tables <- list(
  flights = data.frame(year = 2013L, dep_time = c(517L, NA, 542L), dep_delay = c(2, NA, -1.5), carrier = c("UA", NA, "B6"),
                       time_hour = as.POSIXct("2013-01-01 05:00", tz = "UTC") + 3600 * 0:2),
  weather = data.frame(origin = c("EWR", "JFK"), temp = c(39.02, NA), precip = 0),
  planes = data.frame(tailnum = "N10156", engines = 2L, speed = NA_integer_),
  airports = data.frame(faa = c("04G", "06A"), name = c("Lansdowne", "Žemaitija"), lat = c(41.1, 32.5)),
  airlines = data.frame(carrier = c("9E", "AA"), name = c("Endeavor Air Inc.", "American Airlines Inc."))
)

# Two ends of a socket within this process.
socket_pair <- function() {
  for (port in 20000L + (Sys.getpid() * 7L + (0:99) * 97L) %% 12000L) {
    server <- tryCatch(serverSocket(port), error = function(e) NULL, warning = function(w) NULL)
    if (!is.null(server)) break
  }
  skip_if(is.null(server), "no free port")
  on.exit(close(server))
  client <- socketConnection(port = port, open = "w+b", blocking = FALSE)
  list(client, socketAccept(server, open = "r+b", blocking = FALSE))
}

# Waits for what is on its way.
wait_for <- function(con, count, as = "value") {
  found <- list()
  for (turn in 1:1000) {
    found <- c(found, readMsgs(con, as = as))
    if (length(found) >= count) break
    Sys.sleep(0.01)
  }
  found
}

test_that("all tables pass in memory, through a file and over a socket", {
  send <- function(con) for (table in tables) writeMsg(table, con, as = "frame")
  expect_identical(lapply(tables, function(x) unpackMsg(packMsg(x, as = "frame"), as = "frame")), tables)
  path <- withr_tempfile("bin")
  con <- msgConnection(file(path, "wb"))
  send(con)
  close(con)
  con <- msgConnection(file(path, "rb"))
  expect_identical(readMsgs(con, as = "frame"), unname(tables))
  close(con)
  skip_on_os("windows")
  pair <- lapply(socket_pair(), msgConnection)
  send(pair[[1]])
  close(pair[[1]])
  expect_identical(wait_for(pair[[2]], 5, "frame"), unname(tables))
  close(pair[[2]])
})

test_that("values with NA are packed as they are", {
  for (x in list(c(1, 2, 3, NA), c(1L, NA), c("a", NA), c(TRUE, NA))) expect_identical(unpackMsg(packMsg(x)), x)
})

test_that("objects of serialize are messages: several on one connection", {
  skip_on_os("windows")
  pair <- lapply(socket_pair(), msgConnection)
  add <- function(n) function(x) x + n
  for (object in list(add(3), tables, quote(buckle))) writeMsg(serialize(object, NULL), pair[[1]])
  found <- lapply(wait_for(pair[[2]], 3), unserialize)
  expect_identical(found[[1]](4), 7)
  expect_identical(found[2:3], list(tables, quote(buckle)))
  lapply(pair, close)
})

test_that("of several connections, the one with a complete message answers", {
  skip_on_os("windows")
  pairs <- list(socket_pair(), socket_pair())
  readers <- lapply(pairs, function(pair) msgConnection(pair[[2]]))
  bytes <- packMsg(as.double(1:1000))
  writeBin(head(bytes, 5000), pairs[[1]][[1]])
  writeBin(bytes, pairs[[2]][[1]])
  expect_identical(wait_for(readers[[2]], 1), list(as.double(1:1000)))
  expect_identical(readMsgs(readers[[1]]), list())
  expect_identical(status(readers[[1]]), "incomplete")
  writeBin(tail(bytes, -5000), pairs[[1]][[1]])
  expect_identical(wait_for(readers[[1]], 1), list(as.double(1:1000)))
  lapply(readers, close)
  lapply(pairs, function(pair) close(pair[[1]]))
})

test_that("YAML of many rows is read", {
  x <- data.frame(id = 1:20000, name = rep(c("a", NA), 10000))
  expect_identical(decode_frame(encode_frame(x, "yaml", schema = "header"), "yaml"), x)
})
