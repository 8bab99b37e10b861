"""Columns of every physical type, the claims that a tag or the labels' meta data can make, and the values of both.

Nothing here reads with Colonnade: pyarrow and numpy say what the values are, pandas what its arrays hold.
"""

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

DAY = dt.datetime(2020, 2, 29, 12)

COLUMNS = {
    "bool": pa.array([True, None, False]),
    "int8": pa.array([1, None, -3], pa.int8()),
    "int32": pa.array([1, None, 3], pa.int32()),
    "int64": pa.array([18000, None, -5]),
    "int64 without nulls": pa.array([1, 2, 3]),
    "uint64": pa.array([2**63, None, 1], pa.uint64()),
    "float16": pa.array(np.array([1.5, 2, 3], np.float16)),
    "float32": pa.array([1.5, None, 3.5], pa.float32()),
    "float64": pa.array([1.5, 2.5, 3.5]),
    "text": pa.array(["a", None, "b\0"]),
    "large text": pa.array(["1", "2", "3"], pa.large_string()),
    "text view": pa.array(["a", None, "b"], pa.string_view()),
    "bytes": pa.array([b"a", None, b"\xff"], pa.binary()),
    "bytes of 8": pa.array([b"12345678", b"abcdefgh", b"\0\0\0\0\0\0\0\1"], pa.binary(8)),
    "bytes of 8 with null": pa.array([b"12345678", None, b"\0\0\0\0\0\0\0\1"], pa.binary(8)),
    "date32": pa.array([dt.date(2020, 1, 1), None, dt.date(1969, 1, 1)]),
    "date64": pa.array([dt.date(2020, 1, 1), None, dt.date(1969, 1, 1)], pa.date64()),
    "time32": pa.array([dt.time(1), None, dt.time(2)], pa.time32("s")),
    "time64": pa.array([dt.time(1), None, dt.time(2)], pa.time64("us")),
    "timestamp s": pa.array([DAY, None, DAY], pa.timestamp("s")),
    "timestamp us": pa.array([DAY, None, DAY], pa.timestamp("us")),
    "timestamp utc": pa.array([DAY, None, DAY], pa.timestamp("us", "UTC")),
    "timestamp zoned": pa.array([DAY, None, DAY], pa.timestamp("ms", "Asia/Tokyo")),
    "duration": pa.array([dt.timedelta(1), None, dt.timedelta(2)], pa.duration("us")),
    "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25")], pa.decimal128(9, 2)),
    "categories of text": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array(["x", "y"])),
    "categories of numbers": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array([7, 3])),
    "categories of times": pa.DictionaryArray.from_arrays(
        pa.array([1, None, 0], pa.int8()), pa.array([DAY, DAY + dt.timedelta(3)], pa.timestamp("us"))
    ),
    "struct of ints": pa.array([{"left": 1, "right": 2}, {"left": 2, "right": 3}, {"left": 5, "right": 9}]),
    "struct turned about": pa.array([{"right": 2, "left": 1}, {"right": 3, "left": 2}, {"right": 9, "left": 5}]),
    "struct against order": pa.array([{"left": 3, "right": 2}, {"left": 2, "right": 3}, {"left": 5, "right": 9}]),
    "struct of nulls": pa.array([{"left": 1, "right": 2}, None, {"left": 5, "right": 9}]),
    "struct of three": pa.array([{"left": 1, "right": 2, "more": 7}] * 3),
    "struct of values": pa.array(
        [{"values": "a", "nulls": 0}, {"values": "b", "nulls": 1}, {"values": None, "nulls": 2}],
        pa.struct([("values", pa.string()), ("nulls", pa.uint8())]),
    ),
    "list": pa.array([[1], None, [2, 3]]),
    "null": pa.nulls(3),
}

_STRING = [
    {"kind": "string", "storage": storage, "na": na} for storage in ("python", "pyarrow") for na in ("nan", "NA")
]

TAGS: dict[str, Any] = {
    "sparse": {"kind": "sparse", "subtype": "<f8", "fill": 0.0, "index": "integer"},
    "masked": {"kind": "masked"},
    "object": {"kind": "object"},
    "object nan": {"kind": "object", "null": "nan"},
    "object NA": {"kind": "object", "null": "na"},
    "object?": {"kind": "object", "null": "?"},
    "object_nulls": {"kind": "object_nulls"},
    "labels": {"kind": "labels"},
    "string_dtype": {"kind": "string_dtype"},
    **{f"string {tag['storage']} {tag['na']}": tag for tag in _STRING},
    "string?": {"kind": "string", "storage": "?", "na": "nan"},
    "categorical": {"kind": "categorical"},
    "categorical range": {"kind": "categorical", "range": [0, 2, 1]},
    "categorical fitting range": {"kind": "categorical", "range": [7, 1, -4]},
    "categorical freq": {"kind": "categorical", "freq": "D"},
    "categorical period": {"kind": "categorical", "categories": {"kind": "period", "freq": "M"}},
    "categorical string": {"kind": "categorical", "categories": _STRING[0]},
    "categorical numpy": {"kind": "categorical", "categories": {"kind": "numpy", "descr": "<f8"}},
    **{
        f"numpy {descr}": {"kind": "numpy", "descr": descr}
        for descr in (
            "<i8",
            ">i8",
            "<f8",
            "<M8[ns]",
            "<M8[D]",
            "|b1",
            "|S8",
            "|V8",
            "<U2",
            "<c8",
            "<c16",
            "<f4",
            "|O",
            "?",
            "<M8[7D]",
            "|S1",
        )
    },
    **{
        f"zone {zone}": {"kind": "datetimetz", "tz": zone}
        for zone in ("UTC", "Asia/Tokyo", "Europe/Berlin", "No/Where", "+03:00")
    },
    **{f"period {freq}": {"kind": "period", "freq": freq} for freq in ("M", "D", "ns", "W-SUN", "?")},
    **{f"interval {closed}": {"kind": "interval", "closed": closed} for closed in ("left", "both", "?")},
    "interval of periods": {
        "kind": "interval",
        "closed": "left",
        "left": {"kind": "period", "freq": "D"},
        "right": {"kind": "period", "freq": "D"},
    },
    "interval of two kinds": {"kind": "interval", "closed": "left", "left": {"kind": "masked"}},
    **{
        f"arrow {name}": {"kind": "arrow", "type": name}
        for name in (
            "int64",
            "double",
            "string",
            "large_string",
            "binary",
            "timestamp[us]",
            "date32[day]",
            "decimal128(9, 4)",
            "?",
        )
    },
    "arrow json": {
        "kind": "arrow",
        "type": "extension<arrow.json>",
        "metadata": [["ARROW:extension:name", "arrow.json"]],
    },
    "arrow uuid": {
        "kind": "arrow",
        "type": "extension<arrow.uuid>",
        "metadata": [["ARROW:extension:name", "arrow.uuid"], ["ARROW:extension:metadata", ""]],
    },
    "pandas period": {
        "kind": "arrow",
        "type": "x",
        "metadata": [["ARROW:extension:name", "pandas.period"], ["ARROW:extension:metadata", '{"freq": "M"}']],
    },
    "field json": {"kind": "field", "metadata": [["ARROW:extension:name", "arrow.json"]]},
    "field uuid": {
        "kind": "field",
        "metadata": [["ARROW:extension:name", "arrow.uuid"], ["ARROW:extension:metadata", ""]],
    },
    "cells": {"cells": "msgpack", "extensions": 1},
    "missing": {"kind": "missing"},
    "no text": {"kind": 7},
    "list": [1],
    "unknown": {"kind": "?"},
}


def cells(values: Any) -> list[Any]:
    """The cells of a pandas array or NumPy array in one form: those that stand for the same value are equal."""
    return [plain(cell) for cell in values]


def plain(cell: Any) -> Any:
    """One cell; the missing ones are None, times their instant or wall clock in nanoseconds."""
    if cell is None or cell is pd.NA or cell is pd.NaT or (isinstance(cell, float | np.floating) and np.isnan(cell)):
        return None
    if isinstance(cell, np.datetime64 | np.timedelta64):
        if np.isnat(cell):
            return None
        return plain(pd.Timestamp(cell) if isinstance(cell, np.datetime64) else pd.Timedelta(cell))
    if isinstance(cell, pd.Timestamp | dt.datetime):
        return ("time" if cell.tzinfo is None else "instant", pd.Timestamp(cell).as_unit("ns").value)
    if isinstance(cell, dt.date):
        return ("time", pd.Timestamp(cell).as_unit("ns").value)
    if isinstance(cell, pd.Timedelta | dt.timedelta):
        return ("duration", pd.Timedelta(cell).as_unit("ns").value)
    if isinstance(cell, pd.Period):
        return cell.ordinal
    if isinstance(cell, pd.Interval):
        return {"left": plain(cell.left), "right": plain(cell.right)}
    if isinstance(cell, bool | np.bool_):
        return ("bool", bool(cell))
    if isinstance(cell, np.generic):
        return plain(cell.item())
    if isinstance(cell, dict):
        return {key: plain(part) for key, part in cell.items()}
    if isinstance(cell, list | tuple | np.ndarray):
        return [plain(part) for part in cell]
    return cell
