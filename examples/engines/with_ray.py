"""Ray Data over a dataset in S3."""

import pandas as pd
import ray
from flights import COLUMNS, Store, main
from ray.data.aggregate import Count, Mean

import colonnade.ray


def ask(store: Store) -> pd.DataFrame:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        frame = colonnade.ray.read(store.url, storage_options=store.options).select_columns(COLUMNS)
        found = frame.filter(expr="month >= 6 and month <= 8").groupby("carrier")
        counts = Count("arr_delay", ignore_nulls=True, alias_name="count")
        rows = found.aggregate(counts, Mean("arr_delay", alias_name="mean"))
        return rows.to_pandas()
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main("Ray", ask)
