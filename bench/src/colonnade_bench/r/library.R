# The R package of this repository, as `make r-install` leaves it: it comes before a version that is installed elsewhere, as
# the benchmark measures the repository's own Python package. A benchmark that is installed elsewhere has no such folder.

built <- file.path(here, "..", "..", "..", "..", "target", "r", "library")
if (dir.exists(built)) .libPaths(c(built, .libPaths()))
