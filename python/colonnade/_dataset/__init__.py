"""Datasets: many files of one schema, read lazily and in parts."""
