"""Converts the values of filters to literals of the core: a kind, and a number, text or bytes."""

import datetime
import decimal
import numbers
import uuid
from typing import Any

import numpy as np

from .._values.conditions import Condition
from ..errors import OptionError

Literal = tuple[str, Any]

_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_UTC = _EPOCH.replace(tzinfo=datetime.UTC)
_MICROSECOND = datetime.timedelta(microseconds=1)
_NANOS = {
    "W": 604_800 * 10**9,
    "D": 86_400 * 10**9,
    "h": 3_600 * 10**9,
    "m": 60 * 10**9,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
}
_WIDEST_BITS = 127


def terms(filters: list[list[Condition]]) -> list[list[tuple[str, str, list[Literal]]]]:
    """The conditions of `filters`, with the names of their columns, and their values as literals.

    Raises
    ------
    OptionError
        A null, or a value of an unsupported type.
    """
    named = [[(field_name(label), op, value) for label, op, value in each] for each in filters]
    return [[(column, op, _literals(column, op, value)) for column, op, value in each] for each in named]


def field_name(label: Any) -> str:
    """The name of a column in Arrow and Parquet: the text of its label."""
    if isinstance(label, tuple):
        return f"({', '.join(repr(str(part)) for part in label)})"
    return str(label)


def _literals(column: str, op: str, value: Any) -> list[Literal]:
    if op in ("is", "is not"):
        return []
    values = list(value) if op in ("in", "not in") else [value]
    return [literal(column, one) for one in values]


def literal(column: str, value: Any) -> Literal:
    """`value` as a kind and a plain value."""
    found = _of_numpy(value) if isinstance(value, np.generic) else _of_python(value)
    if found is None:
        if value is None or _is_null(value) or isinstance(value, np.generic):
            raise OptionError(
                f"filters: column {column!r}: expected a value, found {value!r}. Nulls are equal to nothing, nor above "
                f"or below it: ask for them with ({column!r}, 'is', None)."
            )
        raise OptionError(
            f"filters: column {column!r}: expected a bool, number, text, bytes, date, time or duration, found "
            f"{type(value).__name__}."
        )
    return found


def _of_numpy(value: np.generic) -> Literal | None:
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else ("instant", (_nanos(value), False))
    if isinstance(value, np.timedelta64):
        return None if np.isnat(value) else ("span", _nanos(value))
    return _of_python(value.item())


def _of_python(value: Any) -> Literal | None:
    match value:
        case bool():
            return "bool", value
        case str():
            return "text", str(value)
        case bytes() | bytearray() | memoryview():
            return "bytes", bytes(value)
        case uuid.UUID():
            return "bytes", value.bytes
        case float():
            return "float", float(value)
        case decimal.Decimal():
            return _of_decimal(value)
        case numbers.Integral():
            number = int(value)
            # No column exceeds this bound, so larger numbers are clamped.
            return ("int", number) if number.bit_length() <= _WIDEST_BITS else ("float", float("inf") * _sign(number))
        case _:
            return _of_time(value)


def _of_time(value: Any) -> Literal | None:
    if _is_null(value):
        return None
    match value:
        case datetime.datetime():
            if hasattr(value, "to_datetime64"):  # pandas': nanoseconds, and years that datetime does not reach
                return "instant", (_nanos(value.to_datetime64()), value.tzinfo is not None)
            epoch = _EPOCH if value.tzinfo is None else _EPOCH_UTC
            return "instant", ((value - epoch) // _MICROSECOND * 1000, value.tzinfo is not None)
        case datetime.date():
            return "date", value.toordinal() - _EPOCH.toordinal()
        case datetime.time() if value.tzinfo is None:
            seconds = (value.hour * 60 + value.minute) * 60 + value.second
            return "clock", (seconds * 10**6 + value.microsecond) * 1000
        case datetime.timedelta():
            if hasattr(value, "to_timedelta64"):
                return "span", _nanos(value.to_timedelta64())
            return "span", value // _MICROSECOND * 1000
        case _:
            return None


def _is_null(value: Any) -> bool:
    """Whether it is pandas' NA or NaT, without importing pandas."""
    return type(value).__name__ in ("NAType", "NaTType")


def _of_decimal(value: decimal.Decimal) -> Literal:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return "float", float(value)
    number = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    if exponent > 0:
        number, exponent = number * 10 ** min(exponent, 100), 0
    if number.bit_length() > _WIDEST_BITS or exponent < -255:
        return "float", float(value)
    return "decimal", (number, -exponent)


def _sign(number: int) -> int:
    return -1 if number < 0 else 1


def _nanos(value: Any) -> int:
    unit, count = np.datetime_data(value.dtype)
    if unit not in _NANOS:  # years, months; below nanoseconds no column counts
        value = value.astype("datetime64[D]" if isinstance(value, np.datetime64) else "timedelta64[ns]")
        unit, count = np.datetime_data(value.dtype)
    return int(value.astype("int64")) * count * _NANOS[unit]
