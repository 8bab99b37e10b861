# Sends a data frame to colonnade as an ordinary MessagePack map of columns, with the package RcppMsgPack.
#
#   Rscript send.R 127.0.0.1 5555        (in Python: colonnade.listen("tcp://127.0.0.1:5555").accept().receive())
library(RcppMsgPack)

arguments <- commandArgs(trailingOnly = TRUE)

frame <- data.frame(
  id = 1:4,
  price = c(1.5, 2.25, -0.25, 1e300),
  name = c("ash", "\u00e9lm", "oak", "fir"),
  seen = c(TRUE, FALSE, TRUE, TRUE)
)

# One cell a list entry, so that a column of one row is an array too.
columns <- lapply(frame, as.list)
content <- msgpack_pack(msgpack_map(key = names(frame), value = unname(columns)))

connection <- socketConnection(arguments[[1]], as.integer(arguments[[2]]), open = "wb", blocking = TRUE)
writeBin(content, connection)
close(connection)
