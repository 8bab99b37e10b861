# The parts of `python -m colonnade_bench.r_package` that one process of R measures. The first line of its input is a task
# as JSON; each line of its output is a record. Calls alternate, and what comes back is compared before a time counts.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[[1]]))
for (part in c("library", "words", "handed", "measure", "check")) source(file.path(here, paste0(part, ".R")))
task <- from_json(readLines(file("stdin"), 1L))
rounds <- seq_len(task$rounds)
suppressMessages(library(colonnade))

record <- function(...) writeLines(to_json(list(...)))
path_of <- function(name) file.path(task$folder, name)

# Runs the call without garbage of an earlier one, and tells what it took. The value is dropped.
timed <- function(contestant, operation, call, ...) {
  gc()
  took <- metered(call)$took
  record(
    contestant = contestant, operation = operation, elapsed_s = took$elapsed_s, peak_nbytes = took$peak_nbytes, ...
  )
}

# In each round another one begins.
turned <- function(contestants, round) {
  names(contestants)[(seq_along(contestants) + round - 2L) %% length(contestants) + 1L]
}

same <- function(found, expected, what) if (!identical(found, expected)) stop(what, " changed the data")

# Numbers and text: 56 bytes a row, and one distinct text for 64 rows.
mixed <- function(nbytes) {
  n <- as.integer(nbytes / 57)
  set.seed(20261122L)
  x <- list(
    at = as.double(seq_len(n)), price = runif_of(n), change = runif_of(n) - 0.5, missing = runif_of(n),
    count = sample.int(n), code = sample.int(1000L, n, TRUE),
    word = sprintf("word %d", seq_len(1000L))[sample.int(1000L, n, TRUE)],
    name = sprintf("name %d", seq_len(n %/% 64L + 1L))[sample.int(n %/% 64L + 1L, n, TRUE)]
  )
  x$missing[seq(1L, n, 7L)] <- NA
  structure(x, row.names = .set_row_names(n), class = "data.frame")
}
# stats, which has runif(), is not attached.
runif_of <- function(n) stats::runif(n)

parts <- list()

# Some columns of many.
parts$columns <- function() {
  path <- path_of("columns.parquet")
  nrow <- 500L
  x <- structure(lapply(seq_len(18000L), function(k) k + seq_len(nrow) / nrow),
    names = sprintf("c%05d", seq_len(18000L)), row.names = .set_row_names(nrow), class = "data.frame"
  )
  write_frame(x, path)
  some <- names(x)[seq(45L, 18000L, 90L)]
  same(read_frame(path, columns = some), x[some], "read_frame")
  for (round in rounds) timed("read_frame(columns=)", "read", function() read_frame(path, columns = some))
}

# Round trips in memory of frames of more and more bytes.
parts$growth <- function() {
  for (nbytes in unlist(task$sizes)) {
    x <- mixed(nbytes)
    held <- as.numeric(object.size(x))
    contestants <- list()
    for (format in c("arrow", "npz", "msgpack")) local({
      format <- format
      contestants[[paste("colonnade", format)]] <<- function() decode_frame(encode_frame(x, format), format)
    })
    contestants[["serialize xdr=FALSE"]] <- function() unserialize(serialize(x, NULL, xdr = FALSE))
    for (name in names(contestants)) same(contestants[[name]](), x, name)
    for (round in rounds) {
      for (name in turned(contestants, round)) {
        timed(name, "round trip", contestants[[name]], size = nbytes, frame_nbytes = held)
      }
    }
  }
}

# The largest amount of memory while a file is written, and while it is read.
parts$memory <- function() {
  formats <- c("arrow", "npz", "parquet", "msgpack")
  names(formats) <- paste("colonnade", formats)
  x <- mixed(task$nbytes)
  held <- as.numeric(object.size(x))
  for (format in formats) {
    path <- path_of(paste0("memory.", format))
    write_frame(x, path)
    same(read_frame(path), x, format)
  }
  writing <- lapply(formats, function(format) {
    path <- path_of(paste0("memory.", format))
    function() write_frame(x, path)
  })
  for (round in rounds) {
    for (name in turned(writing, round)) timed(name, "write", writing[[name]], frame_nbytes = held)
  }
  # R has every text once: the first frame would lend its texts to the one that is read.
  rm(x)
  reading <- lapply(formats, function(format) {
    path <- path_of(paste0("memory.", format))
    function() read_frame(path)
  })
  for (round in rounds) {
    for (name in turned(reading, round)) timed(name, "read", reading[[name]], frame_nbytes = held)
  }
}

# CSV files of flights, each library at its defaults.
parts$csv <- function() {
  x <- read_handed(task$handed)[["flights"]]
  ours <- path_of("ours.csv")
  theirs <- path_of("theirs.csv")
  quietly <- function(call) withCallingHandlers(call, colonnade_loss = function(w) invokeRestart("muffleWarning"))
  writing <- list(
    colonnade = function() quietly(write_frame(x, ours)),
    data.table = function() data.table::fwrite(x, theirs)
  )
  reading <- list(colonnade = function() read_frame(ours), data.table = function() data.table::fread(theirs))
  for (name in names(writing)) {
    writing[[name]]()
    lost <- losses(list(flights = x), list(flights = reading[[name]]()))
    if (name == "colonnade" && any(grepl("values|rows", lost))) stop("colonnade csv: ", paste(lost, collapse = "; "))
    record(contestant = name, operation = "lost", losses = as.list(lost))
  }
  for (round in rounds) {
    for (name in turned(writing, round)) {
      timed(name, "write", writing[[name]], nbytes = file.size(if (name == "colonnade") ours else theirs))
    }
    for (name in turned(reading, round)) timed(name, "read", reading[[name]])
  }
  record(contestant = "data.table", operation = "threads", threads = data.table::getDTthreads())
}

parts[[task$part]]()
