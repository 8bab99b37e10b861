# Progress of long calls, which the C code reports about every 50 ms.

# The option colonnade.progress: TRUE or FALSE for a bar of the package cli, or a function of the bytes done and their total, NA if unknown.
with_progress <- function(verb, path, work) {
  wanted <- getOption("colonnade.progress", interactive())
  if (is.function(wanted)) return(work(growing(wanted)))
  if (!isTRUE(wanted)) return(work(NULL))
  here <- environment()
  bar <- NULL
  show <- function(done, total) {
    # A call that ends before the first report needs no bar, and no cli.
    if (is.null(bar)) {
      if (isTRUE(done == total) || !requireNamespace("cli", quietly = TRUE)) return()
      name <- paste(verb, basename(path))
      bar <<- cli::cli_progress_bar(name, type = "download", total = total, .envir = here, .auto_close = FALSE)
    }
    cli::cli_progress_update(set = done, total = total, id = bar, .envir = here)
  }
  on.exit(if (!is.null(bar)) cli::cli_progress_done(id = bar, .envir = here))
  work(growing(show))
}

# A call has parts, each with a total of its own: a conversion reads and writes. Within a part the numbers grow; Rust may go over the
# same bytes twice.
growing <- function(report) {
  force(report)
  part <- NULL
  last <- -1
  function(done, total) {
    if (!identical(total, part)) {
      part <<- total
      last <<- -1
    }
    if (done > last) {
      last <<- done
      report(done, total)
    }
  }
}
