"""Tests of the Python package. Shared helpers live beside this file; one folder a subject."""
