"""polars over a dataset in S3."""

import pandas as pd
import polars as pl
from flights import Store, main

import colonnade as cn


def ask(store: Store) -> pd.DataFrame:
    query = (
        cn.scan_polars(store.url, storage_options=store.options)
        .filter(pl.col("month").is_between(6, 8))
        .group_by("carrier")
        .agg(pl.col("arr_delay").count().alias("count"), pl.col("arr_delay").mean().alias("mean"))
    )
    return query.collect().to_pandas()


if __name__ == "__main__":
    main("polars", ask)
