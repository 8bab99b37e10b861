# Options as the text of a JSON object, which the core checks: it knows their names and types.

json_text <- function(x) {
  quoted <- encodeString(enc2utf8(x), quote = "\"")
  # encodeString writes escapes of R; JSON has fewer.
  plain <- !grepl("[\\\\\"[:cntrl:]]|[^ -~]", x)
  out <- character(length(x))
  out[plain] <- paste0("\"", x[plain], "\"")
  out[!plain] <- vapply(x[!plain], escape_json, "", USE.NAMES = FALSE)
  out
}

escape_json <- function(x) {
  codes <- utf8ToInt(enc2utf8(x))
  one <- function(code) {
    if (code %in% c(34L, 92L)) return(paste0("\\", intToUtf8(code)))
    if (code < 32L || code == 127L) return(sprintf("\\u%04x", code))
    intToUtf8(code)
  }
  paste0("\"", paste(vapply(codes, one, ""), collapse = ""), "\"")
}

json_scalars <- function(x) {
  if (is.character(x)) return(ifelse(is.na(x), "null", json_text(x)))
  if (is.logical(x)) return(ifelse(is.na(x), "null", ifelse(x, "true", "false")))
  if (is.numeric(x)) return(ifelse(is.na(x), "null", format(x, digits = 17, scientific = FALSE, trim = TRUE)))
  refuse("invalid_option", "options", "value", "text, numbers, TRUE or FALSE", class(x)[1])
}

# A named list or vector is an object, a vector of length 1 a scalar, anything else an array.
json_value <- function(x) {
  if (is.null(x)) return("null")
  items <- if (is.list(x)) vapply(x, json_value, "") else json_scalars(x)
  if (!is.null(names(x))) return(paste0("{", paste0(json_text(names(x)), ":", items, collapse = ","), "}"))
  if (length(x) == 1 && !is.list(x)) return(unname(items))
  paste0("[", paste(items, collapse = ","), "]")
}

# The options of `...` as JSON; NULL if there are none.
options_json <- function(...) {
  options <- list(...)
  if (length(options) == 0) return(NULL)
  if (is.null(names(options)) || any(!nzchar(names(options)))) {
    refuse("invalid_option", "options", "...", "options with names", "a value without a name")
  }
  json_value(options)
}

# A path, expanded; raw bytes as they are.
check_path <- function(path) {
  if (!is.character(path) || length(path) != 1 || is.na(path)) {
    refuse("invalid_option", "path", "path", "one path", describe_value(path))
  }
  path.expand(path)
}

describe_value <- function(x) {
  if (is.character(x)) paste(length(x), "texts") else paste0("an object of class ", class(x)[1])
}
