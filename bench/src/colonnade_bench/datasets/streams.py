"""The datasets of streams of record batches: the 1 GiB sweep over chunk sizes, and two of other shapes.

The sweep repeats Wes McKinney's article on Arrow's stream format (16 columns of float64, 1,024 MB). pyarrow writes the
stream of each chunk size once, and every engine reads the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench.datasets.base import Dataset, convert

SEED = 20170103
KIB, MIB = 1 << 10, 1 << 20
TEXT_LENGTHS = (4, 21)  # random, 12 on average
CHUNKS = (16 * KIB, 64 * KIB, 256 * KIB, MIB, 4 * MIB, 16 * MIB)


def label(nbytes: int) -> str:
    """Formats a size in words.

    >>> label(16 << 10), label(4 << 20), label(1 << 30)
    ('16KiB', '4MiB', '1GiB')
    """
    for unit, name in ((1 << 30, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if nbytes >= unit and nbytes % unit == 0:
            return f"{nbytes // unit}{name}"
    return f"{nbytes}B"


@dataclass(frozen=True)
class Kind:
    """One table of the sweep."""

    name: str
    about: str
    ncols: int
    nbytes: int
    value_nbytes: int
    chunks: tuple[int, ...]
    make: Callable[[int, int], Any]

    @property
    def row_nbytes(self) -> int:
        return self.ncols * self.value_nbytes


def floats(nrows: int, ncols: int) -> Any:
    """Returns random float64 columns in one pandas block."""
    import pandas as pd

    values = np.random.default_rng(SEED).random((ncols, nrows))
    return pd.DataFrame(values.T, columns=[f"c{k}" for k in range(ncols)], copy=False)


def text(nrows: int, ncols: int) -> Any:
    """Returns random lower-case words, as pandas' text columns."""
    import pyarrow as pa

    rng = np.random.default_rng(SEED)
    columns = {}
    for k in range(ncols):
        offsets = np.zeros(nrows + 1, dtype=np.int64)
        np.cumsum(rng.integers(*TEXT_LENGTHS, nrows), out=offsets[1:])
        letters = rng.integers(97, 123, int(offsets[-1]), dtype=np.uint8)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
        columns[f"c{k}"] = pa.Array.from_buffers(pa.large_string(), nrows, buffers)
    return pa.table(columns).to_pandas()


KINDS = {
    "floats": Kind("floats", "16 x float64", 16, 1 << 30, 8, CHUNKS, floats),
    "wide": Kind("wide", "1,000 x float64", 1000, 64 * MIB, 8, (64 * KIB, MIB, 16 * MIB), floats),
    # large_utf8 stores an offset of eight bytes for each text
    "text": Kind("text", "16 x text of 4 to 20 letters", 16, 128 * MIB, 20, (64 * KIB, MIB, 16 * MIB), text),
}


class Stream(Dataset):
    """One table in chunks of one size."""

    libraries = ("pandas", "polars")

    def __init__(self, kind: Kind, chunk_nbytes: int) -> None:
        self.kind, self.chunk_nbytes = kind, chunk_nbytes
        self.name = f"stream-{kind.name}-{label(chunk_nbytes)}"
        self.about = f"{label(kind.nbytes)} of {kind.about} in chunks of {label(chunk_nbytes)}"
        self.chunk_rows = max(1, chunk_nbytes // kind.row_nbytes)

    def nrows(self, size: float) -> int:
        return max(1, round(self.kind.nbytes * size) // self.kind.row_nbytes)

    def nbatches(self, size: float) -> int:
        return -(-self.nrows(size) // self.chunk_rows)

    def frame_nbytes(self, size: float) -> int:
        return self.nrows(size) * self.kind.row_nbytes

    def load(self, library: str, size: float, cache: Path) -> Any:
        # Generating a random table is faster than reading it from a disk.
        return convert(self.kind.make(self.nrows(size), self.kind.ncols), "pandas", library)


STREAMS = [Stream(kind, chunk) for kind in KINDS.values() for chunk in kind.chunks]
