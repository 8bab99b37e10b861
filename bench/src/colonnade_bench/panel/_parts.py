"""Reads parts of a file: its first chunk, one column, some rows, if the engine supports it."""

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

TIMES = 7
PATIENCE_S = 2.0
"""A call that takes longer is not repeated, and later parts are skipped."""
SHARE = 100
"""Reads one of this many rows, from the middle."""


def seconds_of_parts(
    engine: Engine, path: Path, cell: Cell, library: Library, column: str, nrows: int
) -> dict[str, float]:
    """Returns first_chunk_s, column_s and rows_s of the calls that the engine has.

    Each is the median of some calls with all values touched.
    """
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
        except Exception:  # the engine lacks this call, or refuses such labels; the whole file was read before
            continue
        out[name] = statistics.median(taken)
        if sum(taken) > PATIENCE_S:
            break
    return out


def timed(call: Callable[[], Any], library: Library) -> float:
    start = time.monotonic()
    touch_all(library.buffers(call()))
    return time.monotonic() - start
