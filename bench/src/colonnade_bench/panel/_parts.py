"""Less than the whole of a file: its first chunk, one column, some rows, where an engine can read so little."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine
from colonnade_bench.libraries import Library
from colonnade_bench.measure import touch_all

TIMES = 3
PATIENCE_S = 2.0
"""What takes longer is not tried again, nor what comes after it."""
SHARE = 100
"""One row of so many, from the middle."""


def seconds_of_parts(
    engine: Engine, path: Path, cell: Cell, library: Library, column: str, nrows: int
) -> dict[str, float]:
    """first_chunk_s, column_s, rows_s, as the engine has them: medians of some calls with all values touched."""
    half, count = nrows // 2, max(1, nrows // SHARE)
    calls: dict[str, Callable[[], Any]] = {
        "first_chunk_s": lambda: engine.first_chunk(path, cell),
        "column_s": lambda: engine.part(path, cell, column=column),
        "rows_s": lambda: engine.part(path, cell, rows=slice(half, half + count)),
    }
    out = {}
    for name, call in calls.items():
        try:
            taken = [timed(call, library)]
            while len(taken) < TIMES and sum(taken) < PATIENCE_S:
                taken.append(timed(call, library))
        except Exception:  # it has no such call, or not for such labels: the whole was read all the same
            continue
        out[name] = statistics.median(taken)
        if sum(taken) > PATIENCE_S:
            break
    return out


def timed(call: Callable[[], Any], library: Library) -> float:
    start = time.monotonic()
    touch_all(library.buffers(call()))
    return time.monotonic() - start
