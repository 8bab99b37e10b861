# The version of R and of every package it has, as one JSON object.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[[1]]))
for (part in c("library", "words")) source(file.path(here, paste0(part, ".R")))
found <- installed.packages()
# The first of several libraries is the one that library() takes.
found <- found[!duplicated(found[, "Package"]), , drop = FALSE]
versions <- as.list(found[, "Version"])
names(versions) <- found[, "Package"]
writeLines(to_json(c(list(R = paste(R.version$major, R.version$minor, sep = ".")), versions)))
