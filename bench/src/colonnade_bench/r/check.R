# What a round trip lost, one sentence each; nothing where nothing was lost.

most_losses <- 40L

losses <- function(original, back) {
  if (!is.list(back) || !identical(names(back), names(original))) {
    return(paste("the list of tables became", described(back)))
  }
  out <- unlist(lapply(names(original), function(name) {
    found <- table_losses(original[[name]], back[[name]])
    if (length(found) && length(original) > 1L) paste0(sub(".*-", "", name), ".", found) else found
  }))
  if (length(out) > most_losses) c(out[seq_len(most_losses)], paste("and", length(out) - most_losses, "more")) else out
}

described <- function(x) {
  kinds <- setdiff(class(x), c("POSIXt", "oldClass"))
  if (is.null(x)) "NULL" else paste(kinds, collapse = " ")
}

table_losses <- function(original, back) {
  out <- character()
  # a data.table is a data.frame: no loss
  if (!is.data.frame(back)) out <- paste("the data.frame became a", described(back))
  if (!is.list(back)) return(out)
  if (is.data.frame(back) && nrow(back) != nrow(original)) {
    return(c(out, sprintf("%d rows became %d", nrow(original), nrow(back))))
  }
  if (is.data.frame(back) && !identical(as.character(row.names(back)), as.character(row.names(original)))) {
    out <- c(out, "names of rows")
  }
  if (length(back) != length(original)) return(c(out, sprintf("%d columns became %d", length(original), length(back))))
  if (setequal(names(back), names(original))) {
    if (!identical(names(back), names(original))) out <- c(out, "order of columns")
    back <- unclass(back)[names(original)]
  } else {
    out <- c(out, "names of columns")
  }
  for (k in seq_along(original)) {
    found <- column_losses(original[[k]], back[[k]])
    if (length(found)) out <- c(out, paste0(names(original)[[k]], ": ", found))
  }
  out
}

column_losses <- function(original, back) {
  if (identical(original, back)) return(character())
  out <- character()
  if (!identical(class(original), class(back))) out <- paste(described(original), "became", described(back))
  if (length(original) != length(back)) return(c(out, sprintf("%d values became %d", length(original), length(back))))
  if (is.list(back)) return(out)
  if (!length(out)) {
    if (is.factor(original) && !identical(levels(original), levels(back))) out <- c(out, "levels")
    if (!identical(attr(original, "tzone"), attr(back, "tzone"))) out <- c(out, "time zone")
    if (!identical(units_of(original), units_of(back))) out <- c(out, "units")
  }
  c(out, value_losses(original, back))
}

units_of <- function(x) if (inherits(x, "difftime")) attr(x, "units")

# Classes apart: NA, NaN, and in how many places values differ.
value_losses <- function(original, back) {
  out <- character()
  a <- plain(original)
  b <- plain(back)
  missing <- is.na(a)
  absent <- is.na(b)
  if (any(missing & !absent)) out <- c(out, paste("NA became values", places(missing & !absent)))
  if (any(!missing & absent)) out <- c(out, paste("values became NA", places(!missing & absent)))
  if (is.double(a) && is.double(b)) {
    nan <- is.nan(a) & absent & !is.nan(b)
    if (any(nan)) out <- c(out, paste("NaN became NA", places(nan)))
    na <- missing & !is.nan(a) & is.nan(b)
    if (any(na)) out <- c(out, paste("NA became NaN", places(na)))
  }
  both <- !missing & !absent
  # a time is no text, nor a number a truth value: their classes said so already
  if (!comparable(a, b)) return(out)
  wrong <- both & a != b
  wrong[is.na(wrong)] <- FALSE
  if (any(wrong)) out <- c(out, paste("values changed", places(wrong)))
  out
}

comparable <- function(a, b) (is.character(a) && is.character(b)) || (!is.character(a) && !is.character(b))

plain <- function(x) if (is.factor(x)) as.character(x) else as.vector(unclass(x))

places <- function(where) sprintf("(%s of %s)", format(sum(where), big.mark = ","), format(length(where), big.mark = ","))
