"""The notation of sizes, times and rates, for the package and for colonnade-bench."""

from .._values.amounts import bit_rate_text, byte_rate_text, digits_text, nbytes_text, second_unit, seconds_text

__all__ = ["bit_rate_text", "byte_rate_text", "digits_text", "nbytes_text", "second_unit", "seconds_text"]
