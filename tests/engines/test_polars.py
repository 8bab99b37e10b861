"""Datasets in queries of polars."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("polars")
pytest.importorskip("pandas")

import polars as pl

import colonnade as cn
import colonnade.polars
from colonnade._engines.polars_predicate import conditions_of
from colonnade.testing.sources import SourceContract, plain_rows
from tests.helpers.each import each


class TestPolars(SourceContract):
    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        query = cn.scan_polars(source)
        query = query if where is None else query.filter(pl.sql_expr(where.replace("==", "=")))
        query = query if columns is None else query.select(columns)
        query = query if limit is None else query.head(limit)
        return plain_rows(query.collect().to_arrow())

    def count(self, source: Path, where: str | None = None) -> int:
        query = cn.scan_polars(source)
        query = query if where is None else query.filter(pl.sql_expr(where.replace("==", "=")))
        return query.select(pl.len()).collect().item()


FRAME = pl.DataFrame(
    {
        "i": [1, 2, None, 4],
        "f": [1.5, float("nan"), None, -2.0],
        "s": ["a", "b", None, "ü"],
        "d": [dt.date(2024, 1, 1), None, dt.date(2025, 1, 1), dt.date(1969, 1, 1)],
        "t": [dt.datetime(2024, 1, 1, 12), None, dt.datetime(2025, 1, 1), dt.datetime(1969, 1, 1)],
        "b": [True, False, None, True],
        "u": pl.Series([1, 2, 3, 255], dtype=pl.UInt8),
    }
)


@each(
    ("predicate", "conditions"),
    [
        (pl.col("i") > 1, [[("i", ">", 1)]]),
        (pl.col("i") == None, None),  # noqa: E711
        (pl.col("i") > 1, [[("i", ">", 1)]]),
        (pl.col("f") < 2, [[("f", "<", 2)]]),
        (pl.col("f") > 1, None),
        (pl.col("f") != 1, None),
        (pl.col("s") == "ü", [[("s", "==", "ü")]]),
        (pl.col("s") < "b", [[("s", "<", "b")]]),
        (pl.col("d") >= dt.date(2024, 1, 1), [[("d", ">=", np.datetime64("2024-01-01"))]]),
        (pl.col("t") < dt.datetime(2024, 6, 1), [[("t", "<", np.datetime64("2024-06-01", "us"))]]),
        (pl.col("d") < dt.datetime(2024, 6, 1), None),
        (pl.col("b"), None),
        (pl.col("b") == True, [[("b", "==", True)]]),  # noqa: E712
        (pl.col("i").is_in([1, 4]), [[("i", "in", [1, 4])]]),
        (pl.col("s").is_in(["a", "ü"]), [[("s", "in", ["a", "ü"])]]),
        (pl.col("i").is_in([1, None]), None),
        (pl.col("i").is_null(), [[("i", "is", None)]]),
        (~pl.col("i").is_null(), [[("i", "is not", None)]]),
        (pl.col("i").is_between(1, 3, closed="left"), [[("i", ">=", 1), ("i", "<", 3)]]),
        ((pl.col("i") > 1) & (pl.col("i") % 2 == 0), [[("i", ">", 1)]]),
        ((pl.col("i") > 1) | (pl.col("i") % 2 == 0), None),
        ((pl.col("i") == 1) | (pl.col("s") == "b"), [[("i", "==", 1)], [("s", "==", "b")]]),
        (pl.col("s").str.starts_with("a"), None),
        (pl.col("i").map_elements(lambda i: True, return_dtype=pl.Boolean), None),
        (pl.col("u") > 254, [[("u", ">", 254)]]),
    ],
)
def test_predicates_are_told_where_they_mean_the_same(predicate: Any, conditions: Any, tmp_path: Path) -> None:
    assert conditions_of(predicate, FRAME.schema) == conditions
    FRAME.write_parquet(tmp_path / "f.parquet", row_group_size=1)
    assert cn.scan_polars(tmp_path / "f.parquet").filter(predicate).collect().equals(FRAME.filter(predicate))


@each("format", ["npz", "arrow", "arrows", "parquet", "msgpack"])
def test_every_format_is_a_table(format: str, tmp_path: Path) -> None:
    cn.write(FRAME, tmp_path / f"f.{format}")
    query = cn.scan_polars(tmp_path / f"f.{format}")
    assert query.collect_schema() == FRAME.schema
    assert query.collect().equals(FRAME)


def test_a_query_is_written_batch_by_batch(tmp_path: Path) -> None:
    query = pl.LazyFrame({"n": range(100), "k": ["a", "b"] * 50}).filter(pl.col("n") >= 10)
    colonnade.polars.sink(query, tmp_path / "d", partition_by="k", chunk_rows=7)
    found = cn.dataset(tmp_path / "d")
    assert found.keys == ["k"]
    assert sorted(found.read()["n"].to_numpy().tolist()) == list(range(10, 100))


def test_a_query_without_rows(tmp_path: Path) -> None:
    colonnade.polars.sink(pl.LazyFrame({"n": [1]}).filter(pl.col("n") > 1), tmp_path / "d")
    assert cn.dataset(tmp_path / "d").to_polars().schema == {"n": pl.Int64}


def test_a_frame_is_no_query(tmp_path: Path) -> None:
    with pytest.raises(cn.OptionError, match=r"expected a polars LazyFrame, found DataFrame. Pass frame.lazy\(\)"):
        colonnade.polars.sink(FRAME, tmp_path / "d")  # type: ignore[arg-type]
