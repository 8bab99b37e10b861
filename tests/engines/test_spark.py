"""The data source of Spark 4."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark.sql.datasource")

import pandas as pd
from pyspark.sql import SparkSession

import colonnade as cn
from colonnade.spark import ColonnadeDataSource
from colonnade.testing.sources import SourceContract, in_sql, plain_rows, trips

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module")
def spark() -> Any:
    os.environ["PYSPARK_PYTHON"] = sys.executable  # Spark's workers: by default the first python3 of PATH
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.python.filterPushdown.enabled", "true")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    session.dataSource.register(ColonnadeDataSource)
    yield session
    session.stop()


class TestSpark(SourceContract):
    @pytest.fixture(autouse=True)
    def session(self, spark: Any) -> None:
        self.spark = spark

    def rows(
        self, source: Path, columns: list[str] | None = None, where: str | None = None, limit: int | None = None
    ) -> list[dict[str, Any]]:
        found = self.spark.read.format("colonnade").option("pushFilters", "true").load(str(source))
        found = found if where is None else found.where(in_sql(where))
        found = found if columns is None else found.select(*columns)
        found = found if limit is None else found.limit(limit)
        return plain_rows(found.toArrow())

    def count(self, source: Path, where: str | None = None) -> int:
        found = self.spark.read.format("colonnade").load(str(source))
        return (found if where is None else found.where(in_sql(where))).count()


def test_two_queries_on_what_one_load_returns(spark: Any, tmp_path: Path) -> None:
    cn.write_dataset(trips(), tmp_path / "d", partition_by="year")
    found = spark.read.format("colonnade").load(str(tmp_path / "d"))
    assert found.where("year = 2024").count() == 25
    assert found.count() == 40
    assert found.where("year = 1999").count() == 0


def test_filters_as_an_option(spark: Any, tmp_path: Path) -> None:
    cn.write_dataset(trips(), tmp_path / "d", partition_by="year")
    assert spark.read.format("colonnade").option("filters", "year == 2024").load(str(tmp_path / "d")).count() == 25


def test_columns_are_taken_by_their_names(spark: Any, tmp_path: Path) -> None:
    cn.write({"a": [1], "b": [2]}, tmp_path / "t.parquet")
    found = spark.read.format("colonnade").schema("b long, a long").load(str(tmp_path / "t.parquet"))
    assert found.toArrow().to_pylist() == [{"b": 2, "a": 1}]


def test_types_that_spark_lacks(spark: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "u": pd.array([2**32 - 1], "uint32"),
            "c": pd.Categorical(["x"]),
            "t": pd.to_datetime(["2024-01-31T12:00:00"]).as_unit("ns"),
        }
    )
    cn.write(frame, tmp_path / "t.parquet")
    (row,) = spark.read.format("colonnade").load(str(tmp_path / "t.parquet")).toArrow().to_pylist()
    assert (row["u"], row["c"], str(row["t"])) == (2**32 - 1, "x", "2024-01-31 12:00:00")


def test_modes_of_writing(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pd.DataFrame({"n": range(10), "k": ["a", "b"] * 5}))
    target = str(tmp_path / "d")
    frame.write.format("colonnade").option("partitionBy", "k").mode("append").save(target)
    frame.write.format("colonnade").option("partitionBy", "k").mode("append").save(target)
    assert cn.dataset(target).count_rows() == 20
    frame.limit(3).write.format("colonnade").mode("overwrite").save(target)
    assert cn.dataset(target).count_rows() == 3
    frame.where("n > 100").write.format("colonnade").mode("overwrite").save(target)
    assert cn.dataset(target).count_rows() == 0


def test_a_task_that_fails_leaves_nothing_visible(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql.functions import udf

    @udf("long")
    def broken(n: int) -> int:
        return 1 // (n - 7)

    frame = spark.range(10, numPartitions=2).select(broken("id").alias("n"))
    with pytest.raises(Exception, match=r"ZeroDivisionError|division"):
        frame.write.format("colonnade").mode("append").save(str(tmp_path / "d"))
    with pytest.raises(FileNotFoundError):
        cn.dataset(tmp_path / "d")


def test_options_are_told(spark: Any, tmp_path: Path) -> None:
    cn.write(trips(), tmp_path / "t.npz")
    found = spark.read.format("colonnade").option("format", "npz").load(str(tmp_path / "t.npz"))
    assert found.count() == 40
    with pytest.raises(Exception, match="unknown option"):
        spark.read.format("colonnade").option("formta", "npz").load(str(tmp_path / "t.npz")).count()
