"""The data of a question: a path or a DataFrame, and where it is too large, random blocks of rows from all over it.

The head of a file is seldom like the rest (it is sorted, or older), and single random rows would destroy what codecs
live on. Blocks keep both: the frame is cut into as many equal stretches as blocks are wanted, and from each stretch one
block is taken at a random place. Every text comes as it is, whatever its length.
"""

from __future__ import annotations

import itertools
import os
import random
from dataclasses import dataclass
from typing import Any

from colonnade_bench.libraries import LIBRARIES

BLOCK_ROWS = 4096
SEED = 20261122
HELD_MULTIPLE = 16
"""A file of more than so many samples is not read as a whole."""


@dataclass(frozen=True)
class Sample:
    """What is measured, and what it stands for.

    Attributes
    ----------
    frame : pandas.DataFrame
        The whole, or the sample.
    nrows, ncols, nbytes : int
        Of the whole; bytes are those of values and labels in memory.
    sample_nbytes : int
    nblocks : int
        Blocks of rows that were taken; 0 where nothing was left out.
    """

    frame: Any
    nrows: int
    ncols: int
    nbytes: int
    sample_nbytes: int
    nblocks: int = 0

    @property
    def scale(self) -> float:
        """Bytes of the whole for each byte of the sample: by it, costs and sizes are multiplied."""
        return self.nbytes / self.sample_nbytes if self.sample_nbytes else 1.0

    @property
    def note(self) -> str:
        """What was left out, as a sentence; empty where nothing was."""
        if not self.nblocks:
            return ""
        rows = f"{len(self.frame):,} of {self.nrows:,} rows ({len(self.frame) / self.nrows:.1%})"
        return (
            f"Sampled: {rows}, in {self.nblocks} random blocks from all over the data; times and sizes are scaled up."
        )


def take(data: Any, most_nbytes: int, seed: int = SEED) -> Sample:
    """`data` (a path, a URL, or a frame of any library that `cn.Frame` takes), at most about `most_nbytes` of it.

    Raises
    ------
    ValueError
        A frame without rows or columns: there is nothing to measure.
    """
    opened = opened_of(data)
    nrows, ncols = opened.shape
    if not nrows or not ncols:
        raise ValueError(f"advise: {nrows} rows x {ncols} columns: there is nothing to measure")
    if not is_pandas(opened) and opened.nbytes > HELD_MULTIPLE * most_nbytes:
        return _of_file(opened, most_nbytes, seed)
    frame = as_pandas(opened)
    nbytes = LIBRARIES["pandas"].nbytes(frame)
    if nbytes <= most_nbytes:
        return Sample(frame, nrows, ncols, nbytes, nbytes)
    want = max(1, int(nrows * most_nbytes / nbytes))
    starts = block_starts(nrows, want, seed=seed)
    part = sample_rows(frame, want, seed=seed)
    return Sample(part, nrows, ncols, nbytes, LIBRARIES["pandas"].nbytes(part), len(starts))


def _of_file(opened: Any, most_nbytes: int, seed: int) -> Sample:
    """Blocks of a file that may be larger than memory. The size of the whole is reckoned from them."""
    nrows, ncols = opened.shape
    want = max(1, int(nrows * most_nbytes / opened.nbytes))
    part = rows_of_file(opened, want, seed=seed)
    nbytes = LIBRARIES["pandas"].nbytes(part)
    return Sample(
        part, nrows, ncols, round(nbytes * nrows / len(part)), nbytes, len(block_starts(nrows, want, seed=seed))
    )


def opened_of(data: Any) -> Any:
    """What was given as something that has a shape: a pandas DataFrame as it is, all else as a `cn.Frame`."""
    import colonnade as cn

    if isinstance(data, str | os.PathLike):
        return cn.read(data)
    return data if is_pandas(data) or isinstance(data, cn.Frame) else cn.Frame(data)


def is_pandas(data: Any) -> bool:
    import pandas as pd

    return isinstance(data, pd.DataFrame)


def as_pandas(data: Any) -> Any:
    """A pandas DataFrame of what was given."""
    opened = opened_of(data)
    return opened if is_pandas(opened) else opened.to_pandas()


def rows_of_file(opened: Any, nrows: int, *, block_rows: int = BLOCK_ROWS, seed: int = SEED) -> Any:
    """The same rows as `sample_rows` would take, of a `cn.Frame`: each block is read by itself, and nothing else is."""
    import pandas as pd

    import colonnade as cn

    if nrows >= len(opened):
        return opened.to_pandas()
    size = rows_of_block(nrows, block_rows)
    starts = block_starts(len(opened), nrows, block_rows=block_rows, seed=seed)
    parts = [opened.slice(start, min(start + size, len(opened))).to_pandas() for start in starts]
    part = pd.concat(parts)
    part.attrs = parts[0].attrs
    # The text of a slice is a window on that of the whole file, and would count and weigh as such: it is written anew.
    part = cn.decode(cn.encode(part, "arrows")).to_pandas()
    return with_range(part, parts[0].index) if isinstance(parts[0].index, pd.RangeIndex) else part


def sample_rows(frame: Any, nrows: int, *, block_rows: int = BLOCK_ROWS, seed: int = SEED) -> Any:
    """About `nrows` rows of a pandas DataFrame as random blocks, in their order, with their labels."""
    import numpy as np
    import pandas as pd

    if nrows >= len(frame):
        return frame
    starts = block_starts(len(frame), nrows, block_rows=block_rows, seed=seed)
    size = rows_of_block(nrows, block_rows)
    places = np.concatenate([np.arange(start, min(start + size, len(frame))) for start in starts])
    part = frame.take(places)
    return with_range(part, frame.index) if isinstance(frame.index, pd.RangeIndex) else part


def with_range(part: Any, index: Any) -> Any:
    """A range stays one: some formats hold no other labels."""
    import pandas as pd

    step = index.step
    part.index = pd.RangeIndex(0, step * len(part), step, name=index.name)
    return part


def block_starts(nrows: int, want: int, *, block_rows: int = BLOCK_ROWS, seed: int = SEED) -> list[int]:
    """First rows of the blocks: one in each of as many equal stretches, so that no part of the frame is left out.

    Examples
    --------
    >>> starts = block_starts(1_000_000, 100_000, block_rows=10_000)
    >>> [start // 100_000 for start in starts]
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    size = rows_of_block(want, block_rows)
    count = max(1, min(round(want / size), nrows // size))
    edges = [nrows * k // count for k in range(count + 1)]
    order = random.Random(seed)
    return [order.randint(low, max(low, high - size)) for low, high in itertools.pairwise(edges)]


def rows_of_block(want: int, block_rows: int) -> int:
    """Blocks are smaller where few rows are wanted: eight of them at least cover more than two would."""
    return max(1, min(block_rows, want // 8))
