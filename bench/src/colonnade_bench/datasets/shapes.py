"""Six shapes of data that a panel measures, because the winner of one table may lose another.

Each is small enough for many repetitions (20 to 60 MB in memory) and is made from a fixed seed.
"""

from __future__ import annotations

from typing import Any

from colonnade_bench.datasets.events import events
from colonnade_bench.datasets.everyday import long_text, mixed, orders
from colonnade_bench.datasets.parquet import Kept, taxi


class Events(Kept):
    """Jagged events as a DataFrame of Arrow columns, which pandas needs for lists of records."""

    arrow_backed = True

    def frame(self, size: float, cache: Any) -> Any:
        import pandas as pd

        return events(self.nrows(size)).to_pandas(types_mapper=pd.ArrowDtype)


SHAPES: list[Kept] = [
    Kept("orders", "300,000 orders: ids, text, nulls, times, a category", 300_000, orders),
    Kept("taxi", "300,000 trips by taxi: 19 columns, mostly numbers", 300_000, taxi),
    Kept("wide", "10,000 rows of 200 columns of five types", 10_000, mixed),
    Kept("long-text", "15,000 texts of 2 KB", 15_000, long_text),
    Events("jagged", "100,000 jagged events: lists of records, as in particle physics", 100_000),
]
