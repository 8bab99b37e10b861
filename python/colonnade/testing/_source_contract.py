"""What each engine must answer of a dataset, and how pandas answers it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn


def trips() -> pd.DataFrame:
    """Rows of two years with numbers, text, dates and nulls."""
    count = 40
    rng = np.random.default_rng(7)
    days = pd.date_range("2024-01-01", periods=count).date
    frame = pd.DataFrame(
        {
            "n": np.arange(count),
            "fare": np.round(rng.random(count) * 30, 2),
            "city": pd.array([["Utrecht", "Den Haag", None, 'a"b'][i % 4] for i in range(count)], "str"),
            "day": pd.array([d if i % 5 else None for i, d in enumerate(days)], pd.ArrowDtype(pa.date32())),
            "paid": np.arange(count) % 3 == 0,
            "year": np.where(np.arange(count) < 15, 2023, 2024),
        }
    )
    return frame


CONDITIONS = [
    None,
    "n > 30",
    "n >= 3 and n < 9",
    "year == 2024 and n < 20",
    "city == 'Utrecht'",
    "city != 'Utrecht'",
    "n == 1 or n == 38",
    "fare > 15.5",
    "fare <= 3",
    "n in (1, 5, 99)",
    "city in ('Utrecht', 'Den Haag') and year == 2023",
    "n > 1000",
]
"""Conditions with ``==``, ``and`` and ``or``, as Python and pandas write them."""


class SourceContract:
    """What an engine must answer. Subclasses define `rows`, and `count` if the engine counts by itself."""

    supports: frozenset[str] = frozenset({"nulls", "arithmetic"})
    """Features of the engine's own language: ``nulls`` (``city is null``), ``arithmetic`` (``n % 2 == 0``)."""

    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        """The rows that the engine finds, in any order."""
        raise NotImplementedError

    def count(self, source: Path, where: str | None = None) -> int:
        """The number of rows."""
        return len(self.rows(source, ["n"], where))

    # ------------------------------------------------------------------ the tests

    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        """A dataset of two keys in five parts."""
        cn.write_dataset(trips(), tmp_path / "trips", partition_by="year", rows_per_part=10)
        return tmp_path / "trips"

    @pytest.mark.parametrize("where", CONDITIONS)
    def test_conditions(self, source: Path, where: str | None) -> None:
        assert _sorted(self.rows(source, where=where)) == _sorted(_expected(where))

    @pytest.mark.parametrize("where", CONDITIONS)
    def test_a_condition_comes_before_the_projection(self, source: Path, where: str | None) -> None:
        found = self.rows(source, ["city"], where)
        assert sorted(map(str, found)) == sorted(map(str, _expected(where, ["city"])))

    def test_a_condition_on_a_key_that_is_not_asked_for(self, source: Path) -> None:
        assert len(self.rows(source, ["n"], "year == 2023")) == 15

    @pytest.mark.parametrize("where", CONDITIONS)
    def test_counts(self, source: Path, where: str | None) -> None:
        assert self.count(source, where) == len(_expected(where))

    @pytest.mark.parametrize("limit", [0, 1, 12, 1000])
    def test_a_limit_is_of_the_rows_that_are_kept(self, source: Path, limit: int) -> None:
        expected = _expected("n >= 7")
        found = self.rows(source, where="n >= 7", limit=limit)
        assert len(found) == min(limit, len(expected))
        assert all(row in expected for row in found)

    def test_a_condition_that_no_format_has(self, source: Path) -> None:
        if "arithmetic" not in self.supports:
            pytest.skip("the engine's filters have no arithmetic")
        found = self.rows(source, ["n"], "n % 2 == 0 and year == 2024")
        assert sorted(row["n"] for row in found) == list(range(16, 40, 2))

    def test_nulls(self, source: Path) -> None:
        if "nulls" not in self.supports:
            pytest.skip("the engine's filters have no nulls")
        assert sorted(row["n"] for row in self.rows(source, ["n"], "city is null")) == list(range(2, 40, 4))
        assert len(self.rows(source, ["n"], "day is not null")) == 32

    def test_columns_in_another_order(self, source: Path) -> None:
        found = self.rows(source, ["year", "n"], "n == 20")
        assert found == [{"year": 2024, "n": 20}]

    def test_parts_that_cannot_match_are_not_opened(self, source: Path) -> None:
        for path in (source / "year=2023").iterdir():
            path.write_bytes(b"not Parquet")
        # The columns are those of the first part, which is read for them.
        first = next(iter(cn.dataset(source).parts))
        cn.write(trips().drop(columns="year").iloc[:1], first.source, format="parquet")
        assert len(self.rows(source, ["n"], "year == 2024")) == 25

    def test_a_damaged_part_is_an_error(self, source: Path) -> None:
        last = cn.dataset(source).parts[-1].source
        Path(last).write_bytes(Path(last).read_bytes()[:200])
        with pytest.raises(Exception, match="part-"):  # each engine wraps errors in its own
            self.rows(source)

    def test_a_part_of_another_schema_is_an_error(self, source: Path) -> None:
        last = cn.dataset(source).parts[-1].source
        cn.write({"n": ["text"]}, last, format="parquet")
        with pytest.raises(Exception, match=r"expected|is not there"):
            self.rows(source)


def in_sql(where: str) -> str:
    """A condition of `CONDITIONS` as SQL."""
    return where.replace("==", "=").replace("!=", "<>")


def _expected(where: str | None, columns: list[str] | None = None) -> list[dict[str, Any]]:
    frame = trips()
    if where is not None:
        frame = frame.query(where.replace("!= 'Utrecht'", "!= 'Utrecht' and city == city"))
    chosen = frame if columns is None else frame[columns]
    return [{name: _plain(value) for name, value in row.items()} for row in chosen.to_dict("records")]


def _plain(value: Any) -> Any:
    """A value as Python has it; None for null."""
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    return None if value is None or value != value else value


def plain_rows(table: Any) -> list[dict[str, Any]]:
    """The rows of a pyarrow Table as `SourceContract.rows` returns them."""
    return [{name: _plain(value) for name, value in row.items()} for row in table.to_pylist()]


def _sorted(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By number, each row with its columns in one order: keys come last in a file's own order."""
    return [dict(sorted(row.items())) for row in sorted(rows, key=lambda row: row["n"])]
