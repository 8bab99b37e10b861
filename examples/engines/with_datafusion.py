"""DataFusion over a dataset in S3."""

import datafusion
import pandas as pd
from flights import Store, main

import colonnade as cn

QUERY = """
    select carrier, count(arr_delay) as count, avg(arr_delay) as mean
    from flights where month between 6 and 8 group by carrier
"""


def ask(store: Store) -> pd.DataFrame:
    context = datafusion.SessionContext()
    context.register_dataset("flights", cn.dataset(store.url, storage_options=store.options).to_pyarrow())
    return context.sql(QUERY).to_pandas()


if __name__ == "__main__":
    main("DataFusion", ask)
