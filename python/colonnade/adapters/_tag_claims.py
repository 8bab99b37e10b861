"""Checks a column's tag against the column's data.

A tag adds facts that the column's type lacks: for example, that int64 counts months, or that fixed bytes are a NumPy
dtype. A tag never changes a value, so a tag on any other type is refused with a ValueError. The callers convert it to a
DecodeError.
"""

from typing import Any

import numpy as np

from .._core import ArrowColumn
from .._values import tagged_labels
from .._values.zones import arrow_zone

_TEXT = ("utf8", "large_utf8", "utf8_view")
_MASKED = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double")
# A code of `object_nulls` for each missing value: None, NaN, NA. 0 is a value.
_NULL_CODES = 3
_LAST_CODE_POINT = 0x10FFFF


def check_tag(column: ArrowColumn, tag: dict[str, Any]) -> None:
    """Raises a ValueError if the tag does not fit the column's type or nulls."""
    kind = tag.get("kind")
    check = _CHECKS.get(kind) if isinstance(kind, str) else None
    if check is not None:
        check(column, tag)


def numpy_view(column: ArrowColumn, tag: dict[str, Any]) -> np.ndarray:
    """The array of a column tagged ``{"kind": "numpy"}``: bytes of a fixed width, viewed as the dtype in ``descr``."""
    values, dtype = column.values(), np.dtype(tag["descr"])
    if column.type != f"fixed_size_binary[{dtype.itemsize}]" or column.null_count:
        raise ValueError(f"expected fixed_size_binary[{dtype.itemsize}] without nulls for {dtype}")
    if dtype.hasobject or dtype.kind == "b" or dtype.subdtype is not None:
        raise ValueError(f"expected a dtype of numbers, times, text or bytes, found {dtype}")
    if dtype.kind == "U":
        points = np.ascontiguousarray(values).view(dtype.newbyteorder("=").str[:1] + "u4")
        points = points if dtype.isnative else points.byteswap()
        if len(points) and int(points.max()) > _LAST_CODE_POINT:
            raise ValueError(f"expected Unicode for {dtype}, found a number over 0x10FFFF")
    return values.view(dtype)


def same_as_range(column: ArrowColumn, bounds: Any) -> range:
    """The range that a tag names instead of the categories. The values of `column` must be the range's numbers."""
    claimed = range(*bounds)
    if column.type != "int64" or column.null_count or len(column) != len(claimed):
        raise ValueError(f"expected {len(claimed)} categories of int64, found {len(column)} of {column.type}")
    if not np.array_equal(column.values(), np.arange(claimed.start, claimed.stop, claimed.step, dtype=np.int64)):
        raise ValueError(f"expected the categories to be {claimed}")
    return claimed


def _of_types(*types: str) -> Any:
    def check(column: ArrowColumn, tag: dict[str, Any]) -> None:
        if column.type not in types:
            raise ValueError(f"expected {' or '.join(types)}")

    return check


def _text(column: ArrowColumn, tag: dict[str, Any]) -> None:
    held = column.categories() if column.type.startswith("dictionary") else column
    if held.type not in _TEXT:
        raise ValueError("expected text")


def _zone(column: ArrowColumn, tag: dict[str, Any]) -> None:
    kind = column.type
    zone = kind[:-1].partition(", ")[2] if kind.startswith("timestamp[") else ""
    if not zone or zone != arrow_zone(tag["tz"]):
        raise ValueError(f"expected a timestamp of the zone {tag['tz']}")


def _interval(column: ArrowColumn, tag: dict[str, Any]) -> None:
    _struct_of(column, {"left", "right"})


def _object_nulls(column: ArrowColumn, tag: dict[str, Any]) -> None:
    _struct_of(column, {"values", "nulls"})
    held, codes = column.child("values"), column.child("nulls")
    if codes.type != "uint8" or codes.null_count:
        raise ValueError(f"expected uint8 codes without nulls, found {codes.type}")
    which, missing = codes.values(), held.mask()
    there = np.zeros(len(which), dtype=bool) if missing is None else missing
    if (len(which) and int(which.max()) > _NULL_CODES) or not np.array_equal(which > 0, there):
        raise ValueError(f"expected codes from 1 to {_NULL_CODES} where values are null, and 0 elsewhere")


def _sparse(column: ArrowColumn, tag: dict[str, Any]) -> None:
    if column.type.startswith("struct<"):
        _struct_of(column, {"values", "stored"})
        stored = column.child("stored")
        if stored.type != "bool" or stored.null_count:
            raise ValueError(f"expected bools without nulls, found {stored.type}")


def _struct_of(column: ArrowColumn, names: set[str]) -> None:
    if not column.type.startswith("struct<") or sorted(column.child_names()) != sorted(names):
        raise ValueError(f"expected a struct of {' and '.join(sorted(names))}")
    if column.null_count:
        raise ValueError(f"expected no nulls but those within the fields, found {column.null_count} of the struct")


def _categorical(column: ArrowColumn, tag: dict[str, Any]) -> None:
    if not column.type.startswith("dictionary"):
        raise ValueError("expected a dictionary")
    categories = tag.get("categories", {})
    if not isinstance(categories, dict):
        raise ValueError(f"expected an object under categories, found {tagged_labels.encode(categories)}")


_CHECKS: dict[str, Any] = {
    "masked": _of_types(*_MASKED),
    "string": _text,
    "string_dtype": _text,
    "labels": _text,
    "categorical": _categorical,
    "datetimetz": _zone,
    "period": _of_types("int64"),
    "interval": _interval,
    "object_nulls": _object_nulls,
    "sparse": _sparse,
}
