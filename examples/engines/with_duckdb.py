"""DuckDB over a dataset in S3."""

import duckdb
import pandas as pd
from flights import Store, main

import colonnade as cn

QUERY = """
    select carrier, count(arr_delay) as count, avg(arr_delay) as mean
    from flights where month between 6 and 8 group by carrier
"""


def ask(store: Store) -> pd.DataFrame:
    with duckdb.connect() as connection:
        connection.register("flights", cn.dataset(store.url, storage_options=store.options).to_pyarrow())
        return connection.sql(QUERY).df()


if __name__ == "__main__":
    main("DuckDB", ask)
