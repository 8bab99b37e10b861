"""Finds engines that keep memory: a suspicion from the measured repetitions, then a trial that proves or clears it.

Memory that grows over a few repetitions may be a pool or a cache, which stops growing. The trial therefore repeats one
round trip 40 times in a fresh process, frees all that can be freed after each, and fits a line to the memory that is
still held. It is a leak only if the whole interval of the slope is above a bound. Without a trial no leak is reported.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.intervals import Interval
from colonnade_bench.panel import point
from colonnade_bench.panel.growth import student

REPETITIONS = 40
WARM_UP = 10
"""The first repetitions fill pools and caches, and are left out of the line."""
LEAST_SHARE = 0.01
LEAST_NBYTES = 4 << 10
"""A leak is at least this share of the data and at least so many bytes a repetition, for certain."""
SUSPICIOUS_NBYTES = 256 << 10
"""Growth below it is no suspicion: the kernel's quick count of a process's memory is off by as much."""


# ---------------------------------------------------------------- the suspicion


def suspects(records: Iterable[Mapping[str, Any]]) -> list[Cell]:
    """Returns the engine's rows that held more memory after each of the last repetitions of a process."""
    processes: dict[tuple[Cell, int], list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        if record["kind"] == "panel":
            processes[Cell.from_json(record["cell"]), record.get("process", 0)].append(record)
    return list(dict.fromkeys(row_of(cell) for (cell, _), found in processes.items() if grows(found)))


def row_of(cell: Cell) -> Cell:
    """Returns the cell whose round trips in memory are measured for this one."""
    return replace(cell, transport="memory", size=1.0, options=())


def grows(samples: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a side of the process held more after each of the last two repetitions."""
    last = sorted(samples, key=lambda sample: sample["round"])[-3:]
    least = max(SUSPICIOUS_NBYTES, LEAST_SHARE * (last[-1].get("frame_nbytes") or 0))
    for side in ("write", "read"):
        held = [sample[side].get("held_nbytes") for sample in last]
        if len(held) == 3 and None not in held and all(after - before > least for before, after in pairwise(held)):
            return True
    return False


# ---------------------------------------------------------------- the trial


def trial(cell: Cell, place: point.Place, over: Callable[[], bool]) -> dict[str, Any] | None:
    """Runs the trial. Returns its record without the kind, or None if the time was up before its end.

    Raises
    ------
    EndError
        The process failed.
    """
    held: list[int] = []
    frame_nbytes = 0
    for words in point.leak(cell, place):
        held.append(words["held_nbytes"])
        frame_nbytes = words["frame_nbytes"]
        if len(held) == REPETITIONS:
            return {"held_nbytes": held, "frame_nbytes": frame_nbytes}
        if over():
            break
    return None


def verdict(record: Mapping[str, Any]) -> Interval | None:
    """Returns the bytes that are held more after each repetition, with their interval. None if it is no leak."""
    held = record.get("held_nbytes") or []
    if len(held) < REPETITIONS:
        return None
    found = slope(held[WARM_UP:])
    least = max(LEAST_NBYTES, LEAST_SHARE * record["frame_nbytes"])
    return found if found.low > least else None


def slope(held: Sequence[float]) -> Interval:
    """Fits a line by least squares. Returns its slope and a 95 % interval.

    The interval is the wider of two: that of the line, and that of the mean increase from one repetition to the next. A
    pool that grows by a large step once fits a rising line well, but after nearly all repetitions nothing was added.

    Examples
    --------
    >>> slope([0, 10, 20, 30, 40])
    Interval(value=10.0, low=10.0, high=10.0)
    >>> slope([0] * 10 + [100] * 10).low < 0
    True
    """
    held = [float(each) for each in held]
    n = len(held)
    centre, level = (n - 1) / 2, math.fsum(held) / n
    spread = math.fsum((k - centre) ** 2 for k in range(n))
    rise = math.fsum((k - centre) * (each - level) for k, each in enumerate(held)) / spread
    left = math.fsum((each - level - rise * (k - centre)) ** 2 for k, each in enumerate(held))
    of_line = student(n - 2) * math.sqrt(left / (n - 2) / spread)
    steps = [after - before for before, after in pairwise(held)]
    of_steps = student(n - 2) * statistics.stdev(steps) / math.sqrt(len(steps))
    middle = statistics.mean(steps)
    return Interval(rise, min(rise - of_line, middle - of_steps), max(rise + of_line, middle + of_steps))


def proven(records: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Cell, Interval]]:
    """Yields the engine's rows that leak, from the records of trials."""
    for record in records:
        if record["kind"] == "leak" and (found := verdict(record)) is not None:
            yield Cell.from_json(record["cell"]), found
