"""Takes the data of a question from a path or a DataFrame. Large data is sampled as random blocks of rows.

The head of a file seldom resembles the rest, because files are sorted or begin with older rows. Single random rows
would destroy the patterns that codecs use. Blocks avoid both problems: the frame is cut into one equal stretch for each
block, and each block is taken at a random place of its stretch. Text keeps its full length.
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
"""A file larger than this many samples is not read as a whole."""


@dataclass(frozen=True)
class Sample:
    """The measured data, and the data that it represents.

    Attributes
    ----------
    frame : pandas.DataFrame
        The whole data, or the sample.
    nrows, ncols, nbytes : int
        The shape of the whole data, and its bytes of values and labels in memory.
    sample_nbytes : int
    nblocks : int
        Blocks of rows in the sample. 0 if it is the whole.
    """

    frame: Any
    nrows: int
    ncols: int
    nbytes: int
    sample_nbytes: int
    nblocks: int = 0

    @property
    def scale(self) -> float:
        """The bytes of the whole divided by the bytes of the sample. Costs and sizes are multiplied by it."""
        return self.nbytes / self.sample_nbytes if self.sample_nbytes else 1.0

    @property
    def note(self) -> str:
        """Describes the omitted rows in a sentence. Empty if the sample is the whole."""
        if not self.nblocks:
            return ""
        rows = f"{len(self.frame):,} of {self.nrows:,} rows ({len(self.frame) / self.nrows:.1%})"
        return (
            f"Sampled: {rows}, in {self.nblocks} random blocks from all over the data; times and sizes are scaled up."
        )


def take(data: Any, most_nbytes: int, seed: int = SEED) -> Sample:
    """Takes at most about `most_nbytes` of `data`: a path, a URL, or a frame of any library that `cn.Frame` accepts.

    Raises
    ------
    ValueError
        A frame without rows or columns, which leaves nothing to measure.
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
    """Samples blocks of a file that may be larger than memory. Estimates the size of the whole from them."""
    nrows, ncols = opened.shape
    want = max(1, int(nrows * most_nbytes / opened.nbytes))
    part = rows_of_file(opened, want, seed=seed)
    nbytes = LIBRARIES["pandas"].nbytes(part)
    return Sample(
        part, nrows, ncols, round(nbytes * nrows / len(part)), nbytes, len(block_starts(nrows, want, seed=seed))
    )


def opened_of(data: Any) -> Any:
    """Returns an object with a shape: a pandas DataFrame unchanged, everything else as a `cn.Frame`."""
    import colonnade as cn

    if isinstance(data, str | os.PathLike):
        return cn.read(data)
    return data if is_pandas(data) or isinstance(data, cn.Frame) else cn.Frame(data)


def is_pandas(data: Any) -> bool:
    import pandas as pd

    return isinstance(data, pd.DataFrame)


def as_pandas(data: Any) -> Any:
    """Converts any data to a pandas DataFrame."""
    opened = opened_of(data)
    return opened if is_pandas(opened) else opened.to_pandas()


def rows_of_file(opened: Any, nrows: int, *, block_rows: int = BLOCK_ROWS, seed: int = SEED) -> Any:
    """Takes the same rows as `sample_rows` from a `cn.Frame`. It reads only the blocks, one after another."""
    import pandas as pd

    import colonnade as cn

    if nrows >= len(opened):
        return opened.to_pandas()
    size = rows_of_block(nrows, block_rows)
    starts = block_starts(len(opened), nrows, block_rows=block_rows, seed=seed)
    parts = [opened.slice(start, min(start + size, len(opened))).to_pandas() for start in starts]
    part = pd.concat(parts)
    part.attrs = parts[0].attrs
    # The text of a slice refers to the buffers of the whole file, and its size would include them. Encoding copies only
    # the slice.
    part = cn.decode(cn.encode(part, "arrows")).to_pandas()
    return with_range(part, parts[0].index) if isinstance(parts[0].index, pd.RangeIndex) else part


def sample_rows(frame: Any, nrows: int, *, block_rows: int = BLOCK_ROWS, seed: int = SEED) -> Any:
    """Takes about `nrows` rows of a pandas DataFrame as random blocks, in order, with their labels."""
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
    """Keeps the index a range, because some formats support no other labels."""
    import pandas as pd

    step = index.step
    part.index = pd.RangeIndex(0, step * len(part), step, name=index.name)
    return part


def block_starts(nrows: int, want: int, *, block_rows: int = BLOCK_ROWS, seed: int = SEED) -> list[int]:
    """Returns the first rows of the blocks: one in each equal stretch, so that every part of the frame is covered.

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
    """Returns the rows of a block.

    Samples have at least eight blocks, because many small ones cover more than two large ones.
    """
    return max(1, min(block_rows, want // 8))
