"""Frames and arrays that NumPy alone makes."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
import zoneinfo
from collections.abc import Callable

import numpy as np


def mapping() -> dict[str, np.ndarray]:
    """Columns by name, as `np.savez` takes them."""
    return {
        "a": np.arange(4),
        "b": np.array([0.5, -0.0, np.inf, np.nan]),
        "c": np.array(["", "é", "\U0001f600", "abc"]),
    }


def mixed_cells() -> dict[str, np.ndarray]:
    """Object columns whose cells are of several kinds: one MessagePack value each."""
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    plain = [None, True, -1, 2**64 - 1, 0.1, "é", b"\0\xff", [1, [None, "x" * 40]], {"b": 1, "a": {}}, {1: (2, ())}]
    other = [
        2**64,
        -(2**63) - 1,
        complex(-0.0, 2.5),
        dt.date(2020, 2, 29),
        dt.time(1, 2, 3, 4),
        dt.datetime(2020, 1, 2, 3, 4, 5),
        dt.datetime(2020, 1, 2, tzinfo=dt.UTC),
        dt.datetime(2020, 10, 25, 2, 30, tzinfo=berlin, fold=1),
        dt.timedelta(-1, 2, 3),
        [decimal.Decimal("-1.10"), uuid.UUID(int=258), np.int16(-2), np.datetime64(5, "D"), np.float32(0.5)],
    ]
    columns = {"plain": plain, "other": other}
    arrays = {}
    for name, cells in columns.items():
        arrays[name] = np.empty(len(cells), dtype=object)
        for row, cell in enumerate(cells):
            arrays[name][row] = cell
    return arrays


def compressible() -> dict[str, np.ndarray]:
    """Members that shrink, one that does not (it is stored), and one too small to."""
    noise = (np.arange(100, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(0x5DEECE66D)
    return {
        "count": np.arange(100),
        "zero": np.zeros(100),
        "flag": np.arange(100) % 7 == 0,
        "noise": noise,
        "word": np.array(["north", "south"])[np.arange(100) % 2],
    }


def filterable() -> dict[str, np.ndarray]:
    """A column for each filter of NPZ, long enough to be filtered."""
    rows = np.arange(560)
    return {
        "shuffle": rows * 0.5,
        "delta": (rows * 60_000_000 + 1_577_836_800_000_000).astype("<M8[us]"),
        "delta_shuffle": rows.astype(">i8") * 1001,
        "few": rows % 7 / 4,
        "many": rows % 300 * 1.25,
        "none": rows // 90,
    }


LONE: dict[str, Callable[[], np.ndarray]] = {
    "c_order": lambda: np.arange(12, dtype="<i4").reshape(3, 4),
    "f_order": lambda: np.asfortranarray(np.arange(12, dtype="<i4").reshape(3, 4)),
    "one_dimension": lambda: np.array([1.5, -0.0, np.inf, 1e-308]),
    "big_endian": lambda: np.array([[1, -2], [3, 2**40]], dtype=">i8"),
    "bool": lambda: np.array([True, False, True]),
    "unicode": lambda: np.array(["", "é", "\U0001f600"]),
    "months": lambda: np.array(["2012-03", "NaT", "2012-04"], dtype="<M8[M]"),
    "no_rows": lambda: np.empty((0, 3)),
    "structured": lambda: np.array([(1, 2.5, b"x"), (2, -1.0, b"yz")], dtype=[("a", "<i4"), ("b", ">f8"), ("c", "S3")]),
}
"""One array, one file: what `np.save` writes, byte for byte."""
