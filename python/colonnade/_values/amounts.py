"""One notation for sizes, times and rates: three digits, decimal units. ``1.5 MB``, ``12 ms``, ``1.2 GB/s``.

For the command line, reprs, and the benchmark's reports.
"""

from __future__ import annotations

import numpy as np

_PREFIXES = ("", "k", "M", "G", "T")


def nbytes_text(value: float, digits: int = 3) -> str:
    """A number of bytes.

    >>> nbytes_text(12), nbytes_text(1_500_000), nbytes_text(61_900_000, digits=2)
    ('12 B', '1.5 MB', '62 MB')
    """
    return _scaled(value, "B", digits)


def byte_rate_text(value: float, digits: int = 3) -> str:
    """Bytes a second, the unit of memory and disks.

    >>> byte_rate_text(1.2e9)
    '1.2 GB/s'
    """
    return _scaled(value, "B/s", digits)


def bit_rate_text(value: float, digits: int = 3) -> str:
    """Bits a second, the unit of links.

    >>> bit_rate_text(940e6), bit_rate_text(6.02e9), bit_rate_text(56_000)
    ('940 Mbit/s', '6.02 Gbit/s', '56 kbit/s')
    """
    return _scaled(value, "bit/s", digits)


def seconds_text(value: float, digits: int = 3) -> str:
    """A duration.

    >>> seconds_text(754), seconds_text(0.012), seconds_text(2.5e-05), seconds_text(3e-9)
    ('754 s', '12 ms', '25 µs', '3 ns')
    """
    factor, unit = second_unit(value, digits)
    return f"{digits_text(value * factor, digits)} {unit}"


def second_unit(value: float, digits: int = 3) -> tuple[float, str]:
    """The unit in which `value` seconds are shown, and how many of it a second has."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if _rounded(abs(value) * factor, digits) >= 1:
            return factor, unit
    return (1e9, "ns") if value else (1.0, "s")


def digits_text(value: float, digits: int = 3) -> str:
    """A number rounded to so many digits, without an exponent and without zeros at the end of its fraction.

    >>> digits_text(1234.6), digits_text(62.0), digits_text(0.00123456)
    ('1,230', '62', '0.00123')
    """
    if abs(value) >= 10 ** (digits - 1):
        return f"{_rounded(value, digits):,.0f}"
    return np.format_float_positional(_rounded(value, digits), trim="-")


def _scaled(value: float, unit: str, digits: int) -> str:
    place = 0
    while place < len(_PREFIXES) - 1 and _rounded(abs(value), digits) >= 1000:
        value, place = value / 1000, place + 1
    return f"{digits_text(value, digits)} {_PREFIXES[place]}{unit}"


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits - 1}e}")
