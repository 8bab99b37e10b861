"""Colonnade for R against R's own ways: ``python -m colonnade_bench.r_package``."""
