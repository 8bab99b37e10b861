"""Formats figures for readers: ``3.1 s``, ``62 MB``, ``940 Mbit/s``."""

from __future__ import annotations

import math


def seconds(value: float) -> str:
    """Formats seconds with two digits in a suitable unit.

    >>> seconds(3.14), seconds(0.0312), seconds(0.0004), seconds(620.0)
    ('3.1 s', '31 ms', '0.4 ms', '620 s')
    """
    if value >= 0.9995:
        return f"{_digits(value)} s"
    return f"{_digits(value * 1e3)} ms"


def nbytes(value: float) -> str:
    """Formats bytes in decimal units, as links count them.

    >>> nbytes(61_900_000), nbytes(1_234), nbytes(12)
    ('62 MB', '1.2 kB', '12 B')
    """
    return _scaled(value, ("B", "kB", "MB", "GB", "TB"), 2)


def rate(value: float) -> str:
    """Formats bits a second.

    >>> rate(940e6), rate(6.04e9), rate(59.7e6)
    ('940 Mbit/s', '6 Gbit/s', '60 Mbit/s')
    """
    return _scaled(value, ("bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"), 2)


def _scaled(value: float, units: tuple[str, ...], digits: int) -> str:
    place = 0
    while place < len(units) - 1 and _rounded(value, digits) >= 1000:
        value, place = value / 1000, place + 1
    return f"{_digits(value, digits)} {units[place]}"


def _rounded(value: float, digits: int) -> float:
    return value if value == 0 else round(value, digits - 1 - math.floor(math.log10(abs(value))))


def _digits(value: float, digits: int = 2) -> str:
    if value == 0:
        return "0"
    return f"{_rounded(value, digits):.10g}"
