"""Measures, in a separate process, how long it takes to read only some columns from a file."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import settle, touch_all
from colonnade_bench.panel import tables

REPETITIONS = 7


def columns_s(frame: Any, cell: Cell, names: list[str], folder: Path) -> float | None:
    """Returns the median seconds to read columns one after another from the page cache to pandas, every value touched.

    Returns None if the engine cannot read a single column.
    """
    engine, library = ENGINES[cell.engine], LIBRARIES["pandas"]
    path = folder / f"columns.{cell.format}"
    engine.write(frame, path, cell)
    taken = []
    try:
        for _ in range(REPETITIONS + 1):  # the first repetition is a rehearsal
            engine.forget()
            settle()
            start = time.perf_counter()
            for name in names:
                touch_all(library.buffers(engine.part(path, cell, column=name)))
            taken.append(time.perf_counter() - start)
    except NotImplementedError:
        return None
    return statistics.median(taken[1:])


def main() -> int:
    parent = Parent()
    task = parent.task()
    frame = next(iter(tables.load(Path(task["tables"])).values()))
    with tempfile.TemporaryDirectory(prefix="columns-", dir=task["directory"]) as folder:
        seconds = columns_s(frame, Cell.from_json(task["cell"]), task["columns"], Path(folder))
    parent.say(seconds=seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
