"""Polars frames that must be restored unchanged: every data type, flat and nested, and every shape.

``CASES`` maps a name to a function without arguments that makes a DataFrame. ``REFUSED`` does the same for data that
must be refused, each with a piece of the message. ``assert_identical`` compares two frames to the bit.
"""

import datetime as dt
import decimal
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from . import cases_pyarrow
from ._arrow_cells import cells, same_column

__all__ = ["CASES", "REFUSED", "SERIES", "assert_identical"]

CASES: dict[str, Callable[[], Any]] = {}
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "objects": (lambda: pl.DataFrame({"b": [1, 2], "column a": pl.Series([object(), 1], dtype=pl.Object)}), "column a"),
    # Arrow has no type for it.
    "lists of int128": (lambda: pl.DataFrame({"column a": pl.Series([[1]], dtype=pl.List(pl.Int128))}), "column a"),
}

_LONG = "a text that is too long for a view to hold"
_INTEGERS = [pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64]


def assert_identical(left: Any, right: Any) -> None:
    """Asserts that both are DataFrames of one schema with the same cells to the bit. Chunks may differ."""
    assert isinstance(right, pl.DataFrame), type(right)
    assert left.shape == right.shape, (left.shape, right.shape)
    assert left.columns == right.columns, (left.columns, right.columns)
    for ours, theirs in zip(left.get_columns(), right.get_columns(), strict=True):
        assert ours.dtype == theirs.dtype, (ours.name, ours.dtype, theirs.dtype)
        if isinstance(ours.dtype, pl.Enum):
            assert ours.dtype.categories.to_list() == theirs.dtype.categories.to_list()
        first, second = _arrow(ours), _arrow(theirs)
        assert same_column(first, second), f"{ours.name!r}: {cells(first)[:20]} is not {cells(second)[:20]}"


def _arrow(column: Any) -> Any:
    """The column as a pyarrow array; integers that Arrow lacks as text."""
    return (column.cast(pl.String) if str(column.dtype) in ("Int128", "UInt128") else column).to_arrow()


def is_identical_in_memory(left: Any, right: Any) -> bool:
    """Whether two frames have one schema and export the same Arrow stream to the bit.

    For later results, after `assert_identical` has accepted the first one. False does not prove a difference.
    """
    if type(left) is not type(right) or left.schema != right.schema:
        return False
    for a, b in zip(left.dtypes, right.dtypes, strict=True):
        if isinstance(a, pl.Enum) and a.categories.to_list() != b.categories.to_list():
            return False
    # `DataFrame.to_arrow` would write every category that the process has used.
    tables = [pa.table([_arrow(column) for column in each], names=each.columns) for each in (left, right)]
    return cases_pyarrow.is_identical_in_memory(*tables)


def _integers(kind: Any) -> Any:
    limits = np.iinfo(np.dtype(kind.__name__.lower()))
    return pl.Series([limits.min, limits.max, 0, None, 1], dtype=kind)


def _floats(kind: str) -> Any:
    width = int(kind[1:])
    nan = {4: 0x7FC00123, 8: 0x7FF8000000000123}[width]
    bits = np.array([0, 1 << (8 * width - 1), nan, 7, 1], dtype=f"u{width}").view(kind)
    return pl.Series(bits).scatter(3, None)


SERIES: dict[str, Callable[[], Any]] = {
    "null": lambda: pl.Series([None] * 5, dtype=pl.Null),
    "boolean": lambda: pl.Series([True, False, False, None, True]),
    **{kind.__name__.lower(): partial(_integers, kind) for kind in _INTEGERS},
    "float32": partial(_floats, "f4"),
    "float64": partial(_floats, "f8"),
    "string": lambda: pl.Series(["", "é\0ü", "\U0001f600", None, _LONG]),
    "binary": lambda: pl.Series([b"", b"\xff\0\xfe", b"twelve bytes", None, _LONG.encode()]),
    "date": lambda: pl.Series(
        [dt.date(1969, 12, 31), dt.date(2020, 2, 29), dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]
    ),
    "time": lambda: pl.Series([dt.time(0), dt.time(23, 59, 59, 999999), dt.time(12), None, dt.time(1, 2, 3)]),
    **{
        f"datetime {unit}": partial(
            lambda unit: pl.Series([0, 2**62, -(2**62), None, -1], dtype=pl.Int64).cast(pl.Datetime(unit)), unit
        )
        for unit in ("ms", "us", "ns")
    },
    **{
        f"datetime in {zone}": partial(
            lambda zone: pl.Series([0, 1_603_585_800_000_000, -1, None, 1], dtype=pl.Int64).cast(
                pl.Datetime("us", zone)
            ),
            zone,
        )
        for zone in ("UTC", "Europe/Berlin")
    },
    **{
        f"duration {unit}": partial(
            lambda unit: pl.Series([0, 2**62, -(2**62), None, -1], dtype=pl.Int64).cast(pl.Duration(unit)), unit
        )
        for unit in ("ms", "us", "ns")
    },
    "decimal": lambda: pl.Series(
        [decimal.Decimal(text) if text else None for text in ("1.50", "-99.99", "0.00", "", "0.01")]
    ),
    "decimal of 38 digits": lambda: pl.Series(
        [decimal.Decimal("9" * 38), None, decimal.Decimal("-1")] + [decimal.Decimal(0)] * 2, dtype=pl.Decimal(38, 0)
    ),
    **{
        name: partial(lambda name: pl.Series([2**127 - 1, 0, None, 1, 10**38], dtype=getattr(pl, name)), name)
        for name in ("Int128", "UInt128")
        if hasattr(pl, name)
    },
    "categorical": lambda: pl.Series(["x", "y", "x", None, "z"], dtype=pl.Categorical),
    "enum": lambda: pl.Series(["low", "high", "low", None, "mid"], dtype=pl.Enum(["low", "mid", "high", "never"])),
    "list": lambda: pl.Series([[1, None], [], [3, 4, 5], None, [6]], dtype=pl.List(pl.Int32)),
    "list of strings": lambda: pl.Series([["a", None], [], [_LONG], None, [""]], dtype=pl.List(pl.String)),
    "list of lists": lambda: pl.Series([[[1], []], [], [None, [2]], None, [[3]]], dtype=pl.List(pl.List(pl.Int8))),
    "list of structs": lambda: pl.Series([[{"x": 1}], [], [{"x": None}, None], None, [{"x": 2}]]),
    "list of categoricals": lambda: pl.Series([["a", "b"], [], ["a"], None, [None]], dtype=pl.List(pl.Categorical)),
    "list of enums": lambda: pl.Series([["b", "a"], [], ["a"], None, [None]], dtype=pl.List(pl.Enum(["a", "b", "c"]))),
    "array": lambda: pl.Series([[1, 2], [3, None], [5, 6], None, [7, 8]], dtype=pl.Array(pl.Int16, 2)),
    "array of two dimensions": lambda: pl.Series(
        [[[1, 2], [3, 4]], None, [[5, 6], None], [[0, 0], [0, 0]], [[7, 8], [9, 9]]], dtype=pl.Array(pl.Int16, (2, 2))
    ),
    "struct": lambda: pl.Series(
        [{"x": 1, "y": "a"}, {"x": None, "y": _LONG}, {"x": 3, "y": None}, None, {"x": 5, "y": ""}]
    ),
    "struct of nested fields": lambda: pl.Series(
        [
            {"l": [1], "s": {"z": 1.5}},
            {"l": None, "s": None},
            None,
            {"l": [], "s": {"z": None}},
            {"l": [2], "s": {"z": 0.0}},
        ]
    ),
    "struct of an enum": lambda: pl.Series(
        [{"e": "a"}, {"e": "b"}, {"e": None}, None, {"e": "a"}], dtype=pl.Struct({"e": pl.Enum(["b", "a"])})
    ),
}
"""Five cells of each data type, one null."""

for _name, _make in SERIES.items():
    CASES[_name] = partial(lambda make: pl.DataFrame({"a": make()}), _make)
    CASES[f"{_name}: a slice"] = partial(lambda make: pl.DataFrame({"a": make()})[1:4], _make)
    CASES[f"{_name}: no rows"] = partial(lambda make: pl.DataFrame({"a": make()})[:0], _make)
    if _name != "null":
        CASES[f"{_name}: no nulls"] = partial(lambda make: pl.DataFrame({"a": make().drop_nulls()}), _make)


def _case(make: Callable[[], Any]) -> Callable[[], Any]:
    CASES[make.__name__.replace("_", " ").strip()] = make
    return make


@_case
def all_types_side_by_side() -> Any:
    return pl.DataFrame({name: make() for name, make in SERIES.items()})


@_case
def many_chunks() -> Any:
    whole = all_types_side_by_side()
    return pl.concat([whole, whole[1:3], whole[:0], whole[3:]], rechunk=False)


@_case
def chunks_that_differ_by_column() -> Any:
    first = pl.Series("a", [1, 2, 3]).append(pl.Series([4]))
    second = pl.Series("b", ["x"]).append(pl.Series(["y", None, _LONG]))
    return pl.DataFrame([first, second])


@_case
def no_columns() -> Any:
    return pl.DataFrame()


@_case
def no_rows() -> Any:
    return pl.DataFrame(schema={"a": pl.Int64, "s": pl.String, "l": pl.List(pl.Int8), "e": pl.Enum(["x"])})


@_case
def one_cell() -> Any:
    return pl.DataFrame({"x": [7]})


@_case
def one_thousand_columns() -> Any:
    return pl.DataFrame({f"c{i}": pl.Series([i, i + 1], dtype=pl.Int64 if i % 2 else pl.Float32) for i in range(1000)})


@_case
def names_that_are_odd() -> Any:
    names = ["", " ", "é ü", "\U0001f600", "__index_level_0__", "colonnade", "a.b", "line\nbreak", "0"]
    return pl.DataFrame({name: [number] for number, name in enumerate(names)})


@_case
def an_enum_without_rows_or_categories() -> Any:
    return pl.DataFrame({"e": pl.Series([None, None], dtype=pl.Enum([]))})


@_case
def categories_of_another_name() -> Any:
    fruit = pl.Categories("fruit", "trade")
    return pl.DataFrame({"c": pl.Series(["apple", None, "pear"], dtype=pl.Categorical(fruit))})


@_case
def long_enough_for_many_batches() -> Any:
    n = 40_000
    numbers = np.arange(n)
    text = [f"text number {i % 97}" if i % 11 else None for i in range(n)]
    return pl.DataFrame(
        {
            "i": numbers,
            "f": numbers * 0.5,
            "b": numbers % 3 == 0,
            "s": text,
            "c": pl.Series(text, dtype=pl.Categorical),
            "l": pl.from_arrow(cases_pyarrow.long_lists(pa.LargeListArray, numbers)),
        }
    )
