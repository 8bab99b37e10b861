"""Frames that polars makes: its own types, and those it shares with Arrow."""

from __future__ import annotations

import datetime as dt
import decimal
from typing import Any


def polars_flat() -> Any:
    """Text, categories, enums, decimals, times: a null in each."""
    import polars as pl

    return pl.DataFrame(
        {
            "i": pl.Series([1, None, -3], dtype=pl.Int16),
            "f": pl.Series([1.5, None, -0.0], dtype=pl.Float32),
            "b": pl.Series([True, None, False]),
            "s": pl.Series(["", None, "a text that is too long for a view"]),
            "raw": pl.Series([b"", None, b"\xff\0"]),
            "date": pl.Series([dt.date(2020, 2, 29), None, dt.date(1969, 12, 31)]),
            "time": pl.Series([dt.time(23, 59, 59, 999999), None, dt.time(0)]),
            "at": pl.Series([0, None, -1], dtype=pl.Int64).cast(pl.Datetime("ms", "Europe/Berlin")),
            "for": pl.Series([0, None, -1], dtype=pl.Int64).cast(pl.Duration("us")),
            "decimal": pl.Series([decimal.Decimal("1.50"), None, decimal.Decimal("-99.99")], dtype=pl.Decimal(6, 2)),
            "category": pl.Series(["x", None, "y"], dtype=pl.Categorical),
            "enum": pl.Series(["low", None, "high"], dtype=pl.Enum(["low", "mid", "high"])),
        }
    )


def polars_nested() -> Any:
    """Lists, arrays and structs, one inside the other."""
    import polars as pl

    return pl.DataFrame(
        {
            "list": pl.Series([[1, None], [], None], dtype=pl.List(pl.Int32)),
            "array": pl.Series([[1, 2], [3, None], None], dtype=pl.Array(pl.Int16, 2)),
            "struct": pl.Series([{"x": 1, "y": ["a"]}, {"x": None, "y": None}, None]),
            "enums": pl.Series([["b", "a"], [], [None]], dtype=pl.List(pl.Enum(["a", "b"]))),
        }
    )
