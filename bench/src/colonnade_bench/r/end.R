# One end of a measured cell whose data is R's. It is told by words on standard input what to do, as the ends in Python
# are. Data is read and packages are loaded before "loaded", connections are made before "ready"; between "go" and "done"
# nothing runs but what is measured.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[[1]]))
for (part in c(
  "library", "words", "handed", "measure", "codecs", "base_codecs", "package_codecs", "colonnade_codecs", "moves", "check", "trial"
)) {
  source(file.path(here, paste0(part, ".R")))
}
# Nothing that a package prints gets between the words.
channel <- file("/dev/fd/1", "w", raw = TRUE)
sink(stderr())
invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8"))
options(warn = 1)

say <- function(...) {
  writeLines(to_json(list(...)), channel)
  flush(channel)
}

words <- file("stdin", "r")
hear <- function() {
  line <- readLines(words, 1L)
  if (length(line)) from_json(line)
}

run <- function(task) {
  cell <- task$cell
  codec <- codecs[[paste(cell$engine, cell$format, if (is.null(cell$codec)) "none" else cell$codec)]]
  if (is.null(codec)) stop("no codec for ", paste(cell$engine, cell$format, cell$codec), " in R")
  transport <- sub("-.*", "", cell$transport)
  if (!transport %in% c("memory", "buffer", "file", "fifo", "tcp")) stop("R has no connection for ", cell$transport)
  rehearse(codec)
  data <- if (task$role == "read") list() else read_handed(task$handed)
  original <- data
  if (!is.null(codec$prepare)) data <- codec$prepare(data)
  if (task$role %in% c("check", "fault")) return(trial(task, codec, data, original))
  nrows <- sum(vapply(data, nrow, 0L))
  say(word = "loaded", frame_nbytes = as.numeric(object.size(data)), nrows = nrows)
  obey(task, codec, transport, data)
}

# The same calls on a few values, so that packages are loaded and code is warm. What fails here fails again, measured.
rehearse <- function(codec) {
  tiny <- list(tiny = data.frame(a = 1:4, b = c(0.5, 1.5, 2.5, 3.5), c = letters[1:4]))
  tryCatch(invisible(decode(encode(tiny, codec), codec)), error = function(e) NULL)
}

obey <- function(task, codec, transport, data) {
  framed <- identical(task$cell$options$via, "framed")
  way <- if (task$role == "write") "w" else "r"
  mode <- mode_of(way, codec, transport, framed)
  number <- 0L
  con <- NULL
  wire_nbytes <- NULL
  frame_nbytes <- as.numeric(object.size(data))
  connect <- function(opened) {
    con <<- if (is.null(codec$wrap) || framed || !streams_over(way, codec, transport)) opened else codec$wrap(opened)
    warm_guest(frame_nbytes)
    say(word = "ready")
  }
  while (!is.null(told <- hear())) {
    # A reader holds nothing: how much will come to it is said with the first word.
    if (!is.null(told$frame_nbytes)) frame_nbytes <- told$frame_nbytes
    switch(told$word,
      listen = {
        number <- number + 1L
        host <- if (is.null(told$host)) "127.0.0.1" else told$host
        there <- if (is.null(codec$listen)) listen(transport, task$directory, number, host, mode) else codec$listen()
        say(word = "listening", address = there$address)
        connect(there$accept())
      },
      dial = {
        if (is.null(wire_nbytes)) wire_nbytes <- count_streamed(data, codec, transport, framed)
        connect(if (is.null(codec$dial)) dial(transport, told$address, mode) else codec$dial(told$address))
      },
      go = {
        if (transport %in% c("memory", "buffer", "file")) {
          warm_guest(frame_nbytes)
          say(word = "ready")
        }
        done <- measured(task, codec, transport, data, con, framed)
        # Asked for by who wants to know that it was the data that came: not timed.
        if (isTRUE(told$check)) done$took$losses <- as.list(losses(read_handed(task$handed), done$value))
        if (is.null(done$took$nbytes)) done$took$nbytes <- wire_nbytes
        do.call(say, c(list(word = "done"), done$took))
      },
      exit = return(invisible()),
      stop("unknown word ", told$word)
    )
  }
}

# As for the ends in Python: no garbage is left over, and the host backs the memory that will be asked for.
warm_guest <- function(nbytes) {
  gc()
  touched <- raw(2.5 * nbytes) # R fills it with zeros
  rm(touched)
  invisible(gc())
}

# One repetition: what it took, and what was read.
measured <- function(task, codec, transport, data, con, framed) {
  if (task$role == "both") return(both(codec, transport, data, framed))
  path <- file.path(task$directory, "file")
  if (task$role == "write") {
    if (transport == "file") {
      unlink(path, recursive = TRUE)
      system2("sync")
      m <- metered(function() save_file(data, path, codec))
      return(list(took = c(m$took, nbytes = nbytes_of(path))))
    }
    m <- metered(function() {
      parts <- send(data, con, codec, framed)
      close(con)
      parts
    })
    return(list(took = c(m$took, m$value)))
  }
  m <- metered(function() {
    if (transport == "file") return(list(value = load_file(path, codec)))
    got <- receive(con, codec, transport, framed)
    close(con)
    got
  })
  # R has every value by the time a call returns: open and usable are the same.
  usable <- list(open_s = m$took$elapsed_s, usable_s = m$took$elapsed_s, rows = rows_of(m$value$value))
  list(took = c(m$took, m$value$parts, usable), value = m$value$value)
}

# Conversion in one process, or through a buffer that is a connection; each half for itself, and their sum.
both <- function(codec, transport, data, framed) {
  # closing what compresses would close the buffer: there it compresses at once
  if (!is.null(codec$wrap)) codec[c("write", "read")] <- list(NULL)
  write <- metered(function() {
    if (transport == "memory") return(encode(data, codec))
    connection_bytes(function(con) send(data, con, codec, framed), mode_of("w", codec, transport, framed))
  })
  nbytes <- if (transport == "memory") count_bytes(write$value) else length(write$value)
  read <- metered(function() {
    if (transport == "memory") return(decode(write$value, codec))
    mode <- mode_of("r", codec, transport, framed)
    bytes_connection(write$value, function(con) receive(con, codec, transport, framed)$value, mode)
  })
  halves <- list(write$took, read$took)
  total <- function(name) sum(vapply(halves, function(half) half[[name]], 0))
  took <- list(
    clock = "wall", start = write$took$start, end = write$took$start + total("elapsed_s"),
    elapsed_s = total("elapsed_s"), user_s = total("user_s"), system_s = total("system_s"),
    peak_nbytes = max(write$took$peak_nbytes, read$took$peak_nbytes), nbytes = nbytes,
    encode_s = write$took$elapsed_s, decode_s = read$took$elapsed_s,
    open_s = total("elapsed_s"), usable_s = total("elapsed_s"),
    write = write$took, read = read$took, rows = rows_of(read$value)
  )
  list(took = took, value = read$value)
}

# Rows of each table; engines that give lists have the length of their first.
rows_of <- function(found) {
  if (!is.list(found)) return(list())
  lapply(found, function(table) {
    if (is.data.frame(table)) nrow(table) else if (is.list(table) && length(table)) length(table[[1]]) else 0
  })
}

nbytes_of <- function(path) {
  sum(file.size(if (dir.exists(path)) list.files(path, full.names = TRUE, recursive = TRUE) else path))
}

status <- tryCatch(
  {
    run(hear())
    0L
  },
  error = function(e) {
    say(error = paste0(class(e)[[1]], ": ", substr(conditionMessage(e), 1L, 400L)))
    1L
  }
)
quit("no", status = status)
