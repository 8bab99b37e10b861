# Words between the runner and an R end: one JSON value a line, read and written with base R alone, so that no package
# that is measured is needed to say that it is missing.

token_pattern <- '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[][{},:]|[^][{},:"\\s]+'

# The R value of one JSON text: objects are named lists, arrays plain lists, null is NULL.
from_json <- function(text) {
  tokens <- regmatches(text, gregexpr(token_pattern, text, perl = TRUE))[[1]]
  at <- 0L
  take <- function() {
    at <<- at + 1L
    tokens[[at]]
  }
  value <- function() {
    token <- take()
    if (token == "{") members() else if (token == "[") items() else scalar(token)
  }
  members <- function() {
    out <- list()
    if (tokens[[at + 1L]] == "}") {
      take()
      return(out)
    }
    repeat {
      name <- unquoted(take())
      take() # the colon
      out[name] <- list(value())
      if (take() == "}") return(out)
    }
  }
  items <- function() {
    out <- list()
    if (tokens[[at + 1L]] == "]") {
      take()
      return(out)
    }
    repeat {
      out[length(out) + 1L] <- list(value())
      if (take() == "]") return(out)
    }
  }
  value()
}

scalar <- function(token) {
  if (startsWith(token, '"')) return(unquoted(token))
  switch(token, true = TRUE, false = FALSE, null = NULL, as.numeric(token))
}

escapes <- c(b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", "\"" = "\"", "\\" = "\\", "/" = "/")

unquoted <- function(token) {
  text <- substr(token, 2L, nchar(token) - 1L)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  found <- regmatches(text, gregexpr("(?:\\\\u[0-9a-fA-F]{4})+|\\\\.|[^\\\\]+", text, perl = TRUE))[[1]]
  paste(vapply(found, unescaped, "", USE.NAMES = FALSE), collapse = "")
}

unescaped <- function(part) {
  if (!startsWith(part, "\\")) return(part)
  if (!startsWith(part, "\\u")) return(escapes[[substr(part, 2L, 2L)]])
  units <- strtoi(regmatches(part, gregexpr("[0-9a-fA-F]{4}", part))[[1]], 16L)
  high <- which(units >= 0xD800 & units < 0xDC00)
  if (length(high)) {
    units[high] <- 0x10000 + (units[high] - 0xD800) * 0x400 + units[high + 1L] - 0xDC00
    units <- units[-(high + 1L)]
  }
  intToUtf8(units)
}

# JSON of a list, a string, a number or a truth value. A vector of several values becomes an array.
to_json <- function(value) {
  if (is.list(value)) {
    parts <- vapply(value, to_json, "", USE.NAMES = FALSE)
    if (is.null(names(value))) return(paste0("[", paste(parts, collapse = ","), "]"))
    return(paste0("{", paste0(quoted(names(value)), ":", parts, collapse = ","), "}"))
  }
  if (is.null(value)) return("null")
  if (length(value) != 1L) return(to_json(as.list(value)))
  if (is.na(value)) return("null")
  if (is.logical(value)) return(if (value) "true" else "false")
  if (is.numeric(value)) return(format(value, digits = 17, scientific = FALSE, trim = TRUE))
  quoted(value)
}

quoted <- function(text) {
  text <- enc2utf8(iconv(text, "UTF-8", "UTF-8", sub = "byte"))
  text <- gsub("\"", "\\\"", gsub("\\", "\\\\", text, fixed = TRUE), fixed = TRUE)
  for (name in c("b", "f", "n", "r", "t")) text <- gsub(escapes[[name]], paste0("\\", name), text, fixed = TRUE)
  paste0("\"", gsub("[[:cntrl:]]", " ", text), "\"")
}
