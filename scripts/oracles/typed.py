"""Cells without parts behind Colonnade's header: what a value of JSON, YAML or MessagePack is in a declared type."""

import base64
import decimal
import re
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as pat

from . import iso8601
from .outcomes import NotCompared, Refused
from .sql_values import PER_SECOND
from .values import Number, Time

Read = Callable[[Any], Any]
NAN = re.compile(r"NaN\(0x([0-9a-f]+)\)\Z")
WORDS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
NAN_BITS = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}


class Unfit(Refused):
    """A value that is none of its type."""


def flat(kind: pa.DataType, is_packed: bool) -> Read:
    """The reader of a type without parts."""
    if pat.is_boolean(kind):
        return lambda value: expected(value, bool)
    if pat.is_integer(kind):
        return lambda value: integer(value, kind)
    if pat.is_floating(kind):
        return lambda value: float_bits(value, kind.bit_width)
    if pat.is_decimal(kind):
        return lambda value: unscaled(value, kind.scale)
    if pat.is_timestamp(kind):
        return lambda value: ticks(value, kind.unit, kind.tz is not None)
    if pat.is_date32(kind):
        return lambda value: days(value)
    if pat.is_date64(kind):
        return lambda value: ticks(value, "ms", False)
    if pat.is_time(kind):
        return lambda value: iso8601.clock(value, PER_SECOND[kind.unit]) if isinstance(value, str) else integer(value)
    if pat.is_duration(kind):
        return integer
    if any(test(kind) for test in (pat.is_string, pat.is_large_string, pat.is_string_view)):
        return lambda value: expected(value, str)
    if "binary" in str(kind):
        return octets if is_packed else (lambda value: base64.b64decode(expected(value, str), validate=True))
    if str(kind) == "month_day_nano_interval":
        return lambda value: tuple(integer(part) for part in array(value))
    if pat.is_null(kind):
        return no_value
    raise NotCompared(f"cells of {kind}")


def no_value(value: Any) -> None:
    """A column of nulls has no other values."""
    raise Unfit(f"a value in a column of nulls: {value!r:.60}")


def expected(value: Any, kind: type) -> Any:
    """The value, which is of this class."""
    if not isinstance(value, kind):
        raise Unfit(f"no {kind.__name__}: {value!r:.60}")
    return value


def array(value: Any) -> Any:
    """The value, which is an array."""
    return expected(value, list)


def octets(value: Any) -> bytes:
    """Bytes, or the bytes of text."""
    return value.encode() if isinstance(value, str) else expected(value, bytes)


def integer(value: Any, kind: Any = None) -> int:
    """A whole number within the range of its type."""
    if isinstance(value, str) and kind is None:
        value = int(value)
    if type(value) is not int:
        raise Unfit(f"no integer: {value!r:.60}")
    if kind is not None:
        limits = np.iinfo(kind.to_pandas_dtype())
        if not limits.min <= value <= limits.max:
            raise Unfit(f"{value} as {kind}")
    return value


def float_bits(value: Any, width: int) -> int:
    """The bits of the float of this width that is nearest to the number, or that the text names."""
    if isinstance(value, str):
        if value.startswith("NaN("):
            return nan_bits(value, width)
        if value == "NaN":
            return NAN_BITS[width]
        value = float(WORDS[value]) if value in WORDS else expected(value, float)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unfit(f"no number: {value!r:.60}")
    letter = {16: "e", 32: "f", 64: "d"}[width]
    found = nearest(value, width)
    if np.isinf(found) and not (isinstance(value, float) and np.isinf(value) and not isinstance(value, Number)):
        raise Unfit(f"{value!r:.40} as float{width}")
    return int.from_bytes(struct.pack(f"<{letter}", found), "little")


def nan_bits(text: str, width: int) -> int:
    """The bits of a NaN that text spells."""
    spelled = NAN.match(text)
    bits = int(spelled[1], 16) if spelled and len(spelled[1]) == width // 4 else 0
    if not np.isnan(np.array(bits, f"u{width // 8}").view(f"f{width // 8}")):
        raise Unfit(f"no NaN: {text:.60}")
    return bits


def nearest(value: Any, width: int) -> float:
    """The nearest float of this width, rounded once from the text where there is one."""
    if width == 64 or not np.isfinite(float(value)):
        return float(value)
    kind = np.dtype(f"f{width // 8}").type
    with np.errstate(over="ignore"):
        middle = kind(float(value))
    if not isinstance(value, Number) or not np.isfinite(middle):
        return float(middle)
    exact = Fraction(value.text)
    near = [middle, np.nextafter(middle, kind(np.inf)), np.nextafter(middle, kind(-np.inf))]
    near = [one for one in near if np.isfinite(one)]
    bits = f"u{width // 8}"
    return float(min(near, key=lambda one: (abs(Fraction(float(one)) - exact), int(one.view(bits)) & 1)))


def unscaled(value: Any, scale: int) -> int:
    """A decimal without its point."""
    text = value.text if isinstance(value, Number) else value if isinstance(value, str) else str(integer(value))
    found = Fraction(decimal.Decimal(text)) * Fraction(10) ** scale
    if found.denominator != 1:
        raise Unfit(f"more digits than the scale {scale}: {text:.60}")
    return found.numerator


def ticks(value: Any, unit: str, is_zoned: bool) -> int:
    """A count of the unit since 1970."""
    if isinstance(value, Time):
        found, rest = divmod(int(value), 10**9 // PER_SECOND[unit])
        if rest:
            raise Unfit(f"a fraction of {unit}")
        return found
    if isinstance(value, str) and not value.lstrip("+-").isdigit():
        return iso8601.instant(value, PER_SECOND[unit], is_zoned)
    return integer(value)


def days(value: Any) -> int:
    """Days since 1970."""
    if isinstance(value, Time):
        found, rest = divmod(int(value), 86_400 * 10**9)
        if rest:
            raise Unfit("a fraction of a day")
        return found
    if isinstance(value, str) and not value.lstrip("+-").isdigit():
        return iso8601.date(value)
    return integer(value)
