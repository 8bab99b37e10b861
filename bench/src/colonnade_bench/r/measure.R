# Seconds, processor time and memory of what is measured.

memory_fields <- function() {
  lines <- tryCatch(readLines("/proc/self/status"), error = function(e) character())
  found <- regmatches(lines, regexec("^(RssAnon|RssFile|VmHWM):\\s+([0-9]+) kB", lines))
  found <- Filter(length, found)
  values <- vapply(found, function(part) as.numeric(part[[3]]) * 1024, 0)
  names(values) <- vapply(found, function(part) part[[2]], "")
  values
}

reset_peak <- function() {
  tryCatch(
    {
      con <- file("/proc/self/clear_refs", "w")
      on.exit(close(con))
      writeLines("5", con)
    },
    error = function(e) NULL, warning = function(w) NULL
  )
}

now <- function() as.numeric(Sys.time())

# Runs `call()`; gives its value and what it took. `clock` says that start and end are no monotonic seconds: R has none.
metered <- function(call) {
  reset_peak()
  held <- memory_fields()
  base <- sum(held[names(held) %in% c("RssAnon", "RssFile")])
  used <- proc.time()
  start <- now()
  value <- call()
  end <- now()
  used <- proc.time() - used
  peak <- memory_fields()["VmHWM"]
  list(value = value, took = list(
    clock = "wall", start = start, end = end, elapsed_s = end - start,
    user_s = used[["user.self"]], system_s = used[["sys.self"]],
    peak_nbytes = if (is.na(peak)) 0 else max(0, peak - base)
  ))
}
