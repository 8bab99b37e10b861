"""What the modules of engines share: their predicates as conditions."""
