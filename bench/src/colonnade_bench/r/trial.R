# Round trips that are not timed: what is lost, and what happens to damaged copies.

cuts <- c(0, 0.01, 0.25, 0.5, 0.75, 0.99)
flips <- 16L
damaged_rows <- 2000L

trial <- function(task, codec, data, original) {
  if (task$role == "check") check(task, codec, data, original) else fault(task, codec, data[1])
}

check <- function(task, codec, data, original) {
  found <- tryCatch(
    {
      encoded <- encode(data, codec)
      list(nbytes = count_bytes(encoded), losses = losses(original, decode(encoded, codec)))
    },
    error = function(e) list(error = paste0(class(e)[[1]], ": ", substr(conditionMessage(e), 1L, 400L)))
  )
  if (!is.null(found$error)) return(say(word = "checked", ok = FALSE, losses = list(), error = found$error))
  say(
    word = "checked", ok = TRUE, losses = as.list(c(lost_before(task$handed), found$losses)),
    wire_nbytes = found$nbytes, frame_nbytes = as.numeric(object.size(original))
  )
}

# Before each copy its number is said: the parent knows which one ended the process, or never came back.
fault <- function(task, codec, data) {
  data[[1]] <- head(data[[1]], damaged_rows)
  encoded <- encode(data, codec)
  # One table is one message: it is damaged, not what says how long it is.
  as_given <- if (is.list(encoded)) list else identity
  encoded <- if (is.list(encoded)) encoded[[1]] else as_bytes(encoded)
  clean <- decode(as_given(encoded), codec)
  copies <- damaged(encoded, task$what)
  first <- if (is.null(task$from)) 0 else task$from
  for (number in seq_along(copies) - 1L) {
    if (number < first) next
    say(word = "trying", number = number, of = length(copies))
    tryCatch(
      {
        back <- decode(as_given(copies[[number + 1L]]), codec)
        say(word = "tried", outcome = if (identical(back, clean)) "unnoticed" else "silently wrong")
      },
      error = function(e) {
        say(word = "tried", outcome = "error", detail = paste0(class(e)[[1]], ": ", substr(conditionMessage(e), 1L, 200L)))
      }
    )
  }
}

# Cut short, or with one bit flipped at places that a seed decides.
damaged <- function(bytes, what) {
  if (what == "truncated") {
    lengths <- c(floor(length(bytes) * cuts), length(bytes) - 1L)
    return(lapply(lengths, function(n) bytes[seq_len(n)]))
  }
  set.seed(20261122L)
  lapply(seq_len(flips), function(k) {
    at <- sample.int(length(bytes), 1L)
    copy <- bytes
    copy[[at]] <- xor(copy[[at]], as.raw(bitwShiftL(1L, sample.int(8L, 1L) - 1L)))
    copy
  })
}
