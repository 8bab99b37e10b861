library(testthat)
library(colonnade)

test_check("colonnade")
