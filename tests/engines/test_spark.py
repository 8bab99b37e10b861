"""The data source of Spark 4."""

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
        found = self.spark.read.format("colonnade").load(str(source))
        found = found if where is None else found.where(in_sql(where))
        found = found if columns is None else found.select(*columns)
        found = found if limit is None else found.limit(limit)
        return plain_rows(found.toArrow())

    def count(self, source: Path, where: str | None = None) -> int:
        found = self.spark.read.format("colonnade").load(str(source))
        return (found if where is None else found.where(in_sql(where))).count()


def test_modes_of_writing(spark: Any, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pd.DataFrame({"n": range(10), "k": ["a", "b"] * 5}))
    target = str(tmp_path / "d")
    frame.write.format("colonnade").option("partitionBy", "k").mode("append").save(target)
    frame.write.format("colonnade").option("partitionBy", "k").mode("append").save(target)
    assert cn.dataset(target).count_rows() == 20
    frame.limit(3).write.format("colonnade").mode("overwrite").save(target)
    assert cn.dataset(target).count_rows() == 3


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
