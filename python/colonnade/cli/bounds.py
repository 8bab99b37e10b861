"""Least and largest values of Parquet's column chunks as people write them: dates, times, decimals, UUIDs."""

from __future__ import annotations

import re
import struct
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from .._values.terminal_text import label_text
from .._values.time_text import clock_text, duration_text

_TIMESTAMP = re.compile(r"timestamp\[(ms|us|ns)(, UTC)?\]")
_TIME = re.compile(r"time\[(ms|us|ns)(, UTC)?\]")
_DECIMAL = re.compile(r"decimal\(\d+, (-?\d+)\)")
_DURATION = re.compile(r"(?:timedelta64|duration)\[(s|ms|us|ns)\]")


def bound_text(value: Any, logical: str | None, dtype: str | None) -> str:
    """One bound as text.

    Parquet has no logical type of durations, so `dtype`, the type of the column if it is a flat one, tells them.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return _ticks_text(value, logical or "", dtype or "") or str(value)
    if isinstance(value, bytes) and logical == "uuid" and len(value) == 16:
        return str(UUID(bytes=value))
    if isinstance(value, bytes) and logical == "float16" and len(value) == 2:
        return label_text(struct.unpack("<e", value)[0])
    return label_text(value)


def _ticks_text(value: int, logical: str, dtype: str) -> str | None:
    if logical == "date":
        return str(np.datetime64(value, "D"))
    if found := _TIMESTAMP.fullmatch(logical):
        # NumPy's text has all digits of the unit, most of them zeros. A space: it may be broken there.
        return _short(str(np.int64(value).view(f"M8[{found[1]}]")).replace("T", " ")) + ("Z" if found[2] else "")
    if found := _TIME.fullmatch(logical):
        return clock_text(value, found[1])
    if found := _DECIMAL.fullmatch(logical):
        return f"{Decimal(value).scaleb(-int(found[1])):f}"
    if found := _DURATION.fullmatch(dtype):
        return duration_text(value, found[1])
    return None


def _short(text: str) -> str:
    """A time without zeros at the end of its fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text
