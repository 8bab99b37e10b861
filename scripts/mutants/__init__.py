"""Changes of the readers, each of which a test should notice."""
