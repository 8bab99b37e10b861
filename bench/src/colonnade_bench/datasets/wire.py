"""The datasets of messages between processes: a gigabyte of numbers, a mix with text, and small frames."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench.datasets.base import Dataset, convert
from colonnade_bench.datasets.streams import TEXT_LENGTHS, text

SEED = 20260401
DRAWN = 1 << 20  # random numbers of each dtype; drawing a gigabyte of them would take as long as sending it
NUMBER_NBYTES, TEXT_NBYTES = 8, 20  # a text has an offset of eight bytes and twelve letters on average


def block(values: np.ndarray, ncols: int, nrows: int) -> np.ndarray:
    """Returns columns that start at different positions of `values` and repeat them. Nothing here compresses."""
    out = np.empty((ncols, nrows), dtype=values.dtype)
    flat, turned = out.reshape(-1), np.concatenate([values, values])
    for at in range(0, flat.size, len(values)):
        part = flat[at : at + len(values)]
        start = at // len(values) * 7919 % len(values)
        part[:] = turned[start : start + len(part)]
    return out.T


def numbers(nrows: int, ncols: int) -> Any:
    """Returns alternating columns of float64 and int64, one block each, as pandas holds after a join or a copy."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    half = ncols // 2
    floats = pd.DataFrame(block(rng.random(DRAWN), ncols - half, nrows), columns=range(0, ncols, 2), copy=False)
    drawn = rng.integers(-(1 << 62), 1 << 62, DRAWN)
    integers = pd.DataFrame(block(drawn, half, nrows), columns=range(1, ncols, 2), copy=False)
    frame = pd.concat([floats, integers], axis=1)
    frame.columns = [f"c{k}" for k in frame.columns]
    return frame


def mixed(nrows: int, ncols: int) -> Any:
    """Returns a frame of two thirds numbers and one third text."""
    import pandas as pd

    words = text(nrows, ncols // 3).add_prefix("t")
    return pd.concat([numbers(nrows, ncols - ncols // 3), words], axis=1)


def small(nrows: int, ncols: int) -> Any:
    """Returns one uniform block."""
    import pandas as pd

    return pd.DataFrame(np.random.default_rng(SEED).random((nrows, ncols)), columns=[f"c{k}" for k in range(ncols)])


def small_mixed(nrows: int, ncols: int) -> Any:
    """Returns the same number of columns of several dtypes: float64, int64, bool, datetime64 and text."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    kinds: list[Callable[[int], Any]] = [
        lambda k: rng.random(nrows),
        lambda k: rng.integers(0, 1000, nrows),
        lambda k: rng.random(nrows) > 0.5,
        lambda k: np.datetime64("2026-04-01T00:00:00.000000") + rng.integers(0, 10**12, nrows).astype("m8[us]"),
        lambda k: [f"word {value}" for value in rng.integers(0, 1000, nrows)],
    ]
    return pd.DataFrame({f"c{k}": kinds[k % len(kinds)](k) for k in range(ncols)})


class Wire(Dataset):
    """One table with `nrows` rows at size 1."""

    def __init__(self, name: str, about: str, nrows: int, ncols: int, make: Callable[[int, int], Any]) -> None:
        self.name, self.about = name, about
        self.whole, self.ncols, self.make = nrows, ncols, make

    def nrows(self, size: float) -> int:
        return max(1, round(self.whole * size))

    def nbytes(self, size: float) -> int | None:
        """Returns the bytes of the values, if they follow from the shape."""
        return self.nrows(size) * self.ncols * NUMBER_NBYTES if self.make in (numbers, small) else None

    def load(self, library: str, size: float, cache: Path) -> Any:
        # Generating a random table is faster than reading it from a disk.
        return convert(self.make(self.nrows(size), self.ncols), "pandas", library)


GIGABYTE = 10**9
WIRE = [
    Wire("wire-numbers", "1 GB, 16 columns of float64 and int64", GIGABYTE // (16 * NUMBER_NBYTES), 16, numbers),
    Wire(
        "wire-text",
        f"1 GB, 8 columns of numbers and 4 of text ({TEXT_LENGTHS[0]} to {TEXT_LENGTHS[1] - 1} letters)",
        GIGABYTE // (8 * NUMBER_NBYTES + 4 * TEXT_NBYTES),
        12,
        mixed,
    ),
    Wire("wire-64MB", "64 MB, 16 columns of float64 and int64", 500_000, 16, numbers),
    Wire("wire-100MB", "100 MB of the same: a piece of what a relay passes on", 781_250, 16, numbers),
    Wire("wire-1KiB", "1 KiB: 16 rows of 8 float64 columns", 16, 8, small),
    Wire("wire-1KiB-mixed", "about 1 KiB: 16 rows of 8 columns of five dtypes", 16, 8, small_mixed),
]
