# A path of a file that is removed when the test ends.
withr_tempfile <- function(suffix, env = parent.frame()) {
  path <- tempfile(fileext = paste0(".", suffix))
  do.call(on.exit, list(bquote(unlink(.(path))), add = TRUE), envir = env)
  path
}

error_of <- function(expression) tryCatch(expression, error = identity)
