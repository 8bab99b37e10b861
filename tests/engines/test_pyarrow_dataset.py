"""Datasets as `pyarrow.dataset.Dataset`, in pyarrow, DuckDB, DataFusion and polars."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pyarrow as pa
import pyarrow.compute as pc

import colonnade as cn
from colonnade._engines.arrow_expression import conditions_of
from colonnade.testing.sources import SourceContract, in_sql, plain_rows
from tests.helpers.each import each

field = pc.field


class TestDuckDB(SourceContract):
    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect() as connection:
            connection.register("trips", cn.dataset(source).to_pyarrow())
            sql = f"select {', '.join(columns or ['*'])} from trips"
            sql += f" where {in_sql(where)}" if where else ""
            sql += f" limit {limit}" if limit is not None else ""
            return plain_rows(connection.sql(sql).to_arrow_table())

    def count(self, source: Path, where: str | None = None) -> int:
        duckdb = pytest.importorskip("duckdb")
        with duckdb.connect() as connection:
            connection.register("trips", cn.dataset(source).to_pyarrow())
            sql = "select count(*) from trips" + (f" where {in_sql(where)}" if where else "")
            (row,) = connection.sql(sql).fetchall()
            return row[0]


class TestDataFusion(SourceContract):
    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        datafusion = pytest.importorskip("datafusion")
        context = datafusion.SessionContext()
        context.register_dataset("trips", cn.dataset(source).to_pyarrow())
        sql = f"select {', '.join(columns or ['*'])} from trips"
        sql += f" where {in_sql(where)}" if where else ""
        sql += f" limit {limit}" if limit is not None else ""
        return plain_rows(context.sql(sql).to_arrow_table())


class TestPolars(SourceContract):
    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        pl = pytest.importorskip("polars")
        query = pl.scan_pyarrow_dataset(cn.dataset(source).to_pyarrow())
        query = query if where is None else query.filter(pl.sql_expr(where.replace("==", "=")))
        query = query if columns is None else query.select(columns)
        query = query if limit is None else query.head(limit)
        return plain_rows(query.collect().to_arrow())


TABLE = pa.table(
    {
        "i": pa.array([1, 2, None, 4], pa.int64()),
        "f": pa.array([1.5, float("nan"), None, -2.0]),
        "s": pa.array(["a", 'q"u\\o\n', None, "ü"]),
        "d": pa.array([dt.date(2024, 1, 1), None, dt.date(2025, 1, 1), dt.date(1969, 1, 1)]),
        "t": pa.array([dt.datetime(2024, 1, 1, 12), None, dt.datetime(2025, 1, 1), dt.datetime(1969, 1, 1)]),
        "b": pa.array([True, False, None, True]),
    }
)


@each(
    ("expression", "conditions"),
    [
        (field("i") > 1, [[("i", ">", 1)]]),
        (pc.scalar(1) < field("i"), [[("i", ">", 1)]]),
        (field("f") > 1, [[("f", ">", 1.0)]]),
        (field("f") < 1.25, [[("f", "<", 1.25)]]),
        (field("f") < 0.1 + 0.2, [[("f", "<", 0.1 + 0.2)]]),
        (field("f") <= -1e300, [[("f", "<=", -1e300)]]),
        (field("f") != 1, None),
        (field("s") == 'q"u\\o\n', [[("s", "==", 'q"u\\o\n')]]),
        (field("d") >= dt.date(2024, 1, 1), [[("d", ">=", np.datetime64("2024-01-01"))]]),
        (field("t") < dt.datetime(2024, 6, 1), [[("t", "<", np.datetime64("2024-06-01", "us"))]]),
        (field("b") == True, [[("b", "==", True)]]),  # noqa: E712
        (field("b"), [[("b", "==", True)]]),
        (~field("b"), None),
        (field("i").isin([1, 4]), [[("i", "in", [1, 4])]]),
        (field("i").isin(list(range(40))), None),
        (field("s").isin(["a", "ü"]), [[("s", "in", ["a", 'a",\n  "ü', "ü"])]]),
        (field("s").isin(['a",\n  "ü']), [[("s", "in", ["a", 'a",\n  "ü', "ü"])]]),
        (field("s").isin(['a"']), None),
        (field("i").is_null(), [[("i", "is", None)]]),
        (field("f").is_null(nan_is_null=True), None),
        (field("i").is_valid(), [[("i", "is not", None)]]),
        (~field("i").is_null(), [[("i", "is not", None)]]),
        ((field("i") > 1) & (field("s") == "a"), [[("i", ">", 1), ("s", "==", "a")]]),
        ((field("i") > 1) & (field("i").cast("int32") == 2), [[("i", ">", 1)]]),
        ((field("i") > 1) | (field("i").cast("int32") == 2), None),
        ((field("i") == 1) | (field("i") == 4), [[("i", "==", 1)], [("i", "==", 4)]]),
        (field("i") + 1 > 2, None),
        (field("i") == field("f"), None),
        (pc.starts_with(field("s"), "a"), None),
        (field("i") == pa.scalar(None, pa.int64()), None),
    ],
)
def test_expressions_are_told_where_they_mean_the_same(expression: Any, conditions: Any, tmp_path: Path) -> None:
    assert conditions_of(expression, TABLE.schema) == conditions
    cn.write(TABLE, tmp_path / "f.parquet", row_group_size=1)
    found = cn.dataset(tmp_path / "f.parquet").to_pyarrow().to_table(filter=expression)
    assert str(found.to_pylist()) == str(TABLE.filter(expression).to_pylist())  # NaN equals NaN as text


@each("name", ["a b", "(a > 5)", "true", "and", "5", 'x"'])
def test_names_that_make_the_text_ambiguous_are_not_told(name: str) -> None:
    schema = pa.schema([(name, pa.int64()), ("i", pa.int64())])
    assert conditions_of(field("i") > 1, schema) is None


def test_the_methods_of_a_dataset(tmp_path: Path) -> None:
    cn.write(TABLE, tmp_path / "f.parquet", row_group_size=2)
    found = cn.dataset(tmp_path / "f.parquet").to_pyarrow()
    assert isinstance(found, pa.dataset.Dataset)
    assert found.schema.names == TABLE.schema.names
    assert found.count_rows() == 4
    assert found.count_rows(filter=field("i") > 1) == 2
    assert found.head(3).num_rows == 3
    assert found.to_table(columns={"twice": field("i") * 2}).to_pydict() == {"twice": [2, 4, None, 8]}
    assert [batch.num_rows for batch in found.to_batches(batch_size=1)] == [1, 1, 1, 1]
    assert sum(fragment.count_rows() for fragment in found.get_fragments()) == 4
    kept = found.filter(field("i") > 1)
    assert kept.count_rows() == 2
    assert kept.filter(field("i") < 3).to_table()["i"].to_pylist() == [2]
    assert sum(fragment.count_rows() for fragment in kept.get_fragments()) == 2
    assert found.take([3, 0])["i"].to_pylist() == [4, 1]
    assert found.sort_by([("i", "descending")]).to_table()["i"].to_pylist() == [4, 2, 1, None]
    with pytest.raises(cn.UnsupportedError, match="Cast the table that to_table returns"):
        found.replace_schema(TABLE.schema)


def test_extensions_are_what_they_are_stored_in(tmp_path: Path) -> None:
    table = pa.table({"u": pa.array([b"0" * 16, None], pa.uuid())})
    cn.write(table, tmp_path / "f.arrow")
    found = cn.dataset(tmp_path / "f.arrow").to_pyarrow()
    assert found.schema.field("u").type == pa.binary(16)
    assert found.to_table()["u"].to_pylist() == [b"0" * 16, None]


def test_row_labels_are_columns(tmp_path: Path) -> None:
    import pandas as pd

    cn.write(pd.DataFrame({"x": [1, 2]}, index=pd.Index(["a", "b"], name="k")), tmp_path / "f.parquet")
    found = cn.dataset(tmp_path / "f.parquet").to_pyarrow()
    assert found.to_table(filter=field("k") == "b").to_pylist() == [{"x": 2, "k": "b"}]
    assert found.to_table(columns=["k"]).to_pydict() == {"k": ["a", "b"]}
