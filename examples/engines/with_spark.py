"""Spark over a dataset in S3."""

import os
import sys

import pandas as pd
from flights import Store, main
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from colonnade.spark import ColonnadeDataSource


def ask(store: Store) -> pd.DataFrame:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers need Colonnade too
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.python.filterPushdown.enabled", "true").getOrCreate()
    try:
        spark.dataSource.register(ColonnadeDataSource)
        reader = spark.read.format("colonnade").option("pushFilters", "true")
        for name, value in store.options.items():
            reader = reader.option(f"storage.{name}", value)
        summer = reader.load(store.url).where("month between 6 and 8")
        found = summer.groupBy("carrier").agg(F.count("arr_delay").alias("count"), F.avg("arr_delay").alias("mean"))
        return found.toPandas()
    finally:
        spark.stop()


if __name__ == "__main__":
    main("Spark", ask)
