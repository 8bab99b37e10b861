# Conditions of class colonnade_error. The C code calls these functions with what Rust knows of an error.

# Kinds of errors that tryCatch() distinguishes by class: colonnade_truncated, colonnade_not_found, ...
throw_colonnade_error <- function(fields) {
  column <- fields$column
  if (is.null(column) && fields$kind %in% c("unrepresentable", "not_found", "unsupported")) column <- fields$member
  fields$column <- column
  message <- fields$text
  if (!is.null(column) && is.null(fields$member)) message <- paste0("column \"", column, "\": ", message)
  signal_error(message, fields)
}

throw_colonnade_message <- function(fields) {
  where <- if (is.null(fields$column)) "" else paste0("column \"", fields$column, "\": ")
  message <- paste0(fields$format, ": ", where, fields$message)
  fields$member <- fields$column
  fields$text <- message
  parts <- regmatches(fields$message, regexec("^(.*?)expected (.*?), found (.*?)\\.(?: (.*))?$", fields$message, perl = TRUE))[[1]]
  if (length(parts) == 5) {
    fields$expected <- parts[3]
    fields$found <- parts[4]
    fields$next_step <- if (nzchar(parts[5])) parts[5]
  }
  fields$message <- NULL
  signal_error(message, fields)
}

signal_error <- function(message, fields) {
  fields <- fields[!vapply(fields, is.null, NA)]
  class <- c(paste0("colonnade_", fields$kind), "colonnade_error", "error", "condition")
  stop(structure(c(list(message = message, call = caller()), fields), class = class))
}

# The call of the exported function, for the message. None if R touched a lazy column: then the C code called the first function.
caller <- function() {
  calls <- sys.calls()
  space <- environment(caller)
  for (i in seq_along(calls)) {
    frame <- sys.function(i)
    if (identical(frame, throw_colonnade_error) || identical(frame, throw_colonnade_message)) return(NULL)
    if (identical(environment(frame), space)) return(calls[[i]])
  }
  NULL
}

# An error of R's side, in the form of those of Rust.
refuse <- function(kind, format, what, expected, found, next_step = NULL) {
  message <- paste0(format, ": ", what, ": expected ", expected, ", found ", found, ".", if (!is.null(next_step)) " ", next_step)
  signal_error(message, list(kind = kind, format = format, text = message, what = what, expected = expected, found = found,
                             next_step = next_step))
}

# R's own interrupt was caught on its way through Rust: signal it again.
signal_interrupt <- function() {
  interrupt <- structure(class = c("interrupt", "condition"), list(message = "", call = NULL))
  signalCondition(interrupt)
  invokeRestart("abort")
}

# One warning for all that plain text does not bring back.
warn_losses <- function(losses, where) {
  if (is.null(losses)) return(invisible())
  lines <- strsplit(losses, "\n", fixed = TRUE)[[1]]
  shown <- paste(head(lines, 5), collapse = "; ")
  more <- if (length(lines) > 5) paste0("; and ", length(lines) - 5, " more") else ""
  message <- paste0(where, ": reading this file with default options gives other values: ", shown, more,
                    ". Write it with schema = \"header\", or on_loss = \"ignore\".")
  warning(structure(class = c("colonnade_loss", "warning", "condition"),
                    list(message = message, call = NULL, losses = lines)))
}
