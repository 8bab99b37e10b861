"""One module a format: its options and what `inspect` shows of it. `registry` lists the formats."""
