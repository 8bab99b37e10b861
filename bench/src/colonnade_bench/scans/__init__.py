"""Measures datasets, object stores, engines and the server against those who do the same: ``make bench-scans``."""
