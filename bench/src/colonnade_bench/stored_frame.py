"""Stores pandas DataFrames for measuring processes, and restores them with the same blocks in memory.

The values are an Arrow file of Colonnade, so reading them back runs no code. Engines see how pandas groups columns into
blocks: a frame of one block converts faster than the same values in a block a column. A second file therefore lists the
columns of each block, and the order of its values in memory. Text and other Arrow columns come back as one chunk.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

Layout = list[dict[str, Any]]


def save(frame: Any, path: Path) -> None:
    """Writes `frame` to `path`, and its layout to a second file with the suffix ``.json``.

    Several processes may store the same frame at the same time.

    Raises
    ------
    EncodeError
        A column of objects that no file can hold without running code when it is read. The message names the column.
    """
    import colonnade as cn

    blocks = path.with_suffix(".json")
    for place, write in (
        (blocks, lambda part: part.write_text(json.dumps(layout(frame)))),
        (path, lambda part: cn.write(frame, part, format="arrow")),
    ):
        part = place.with_name(f"{place.name}.{os.getpid()}")
        try:
            write(part)
            part.replace(place)
        finally:
            part.unlink(missing_ok=True)


def load(path: Path) -> Any:
    """Reads a frame that `save` stored, into memory of its own."""
    import colonnade as cn

    blocks: Layout = json.loads(path.with_suffix(".json").read_text())
    return with_layout(cn.read(path, format="arrow", mmap=False).to_pandas(), blocks)


def layout(frame: Any) -> Layout:
    """Returns the columns of each block of a DataFrame, and whether its values are in column order or in row order.

    Examples
    --------
    >>> import pandas as pd
    >>> layout(pd.DataFrame([[1, 2], [3, 4]]))
    [{'columns': [0, 1], 'order': 'C'}]
    """
    return [
        {"columns": block.mgr_locs.as_array.tolist(), "order": order_of(block.values)} for block in frame._mgr.blocks
    ]


def order_of(values: Any) -> str:
    """Returns ``F`` if the block holds row after row, as a DataFrame of a two-dimensional array does, else ``C``."""
    flags = getattr(values, "_ndarray", values)
    flags = flags.flags if isinstance(flags, np.ndarray) else None
    return "F" if flags is not None and flags.f_contiguous and not flags.c_contiguous else "C"


def with_layout(frame: Any, blocks: Layout) -> Any:
    """Returns the values of `frame` in these blocks. pandas 2 makes one block a dtype."""
    try:
        from pandas.api.internals import create_dataframe_from_blocks
    except ImportError:
        return frame.copy()
    made = []
    for block in blocks:
        positions = np.array(block["columns"], dtype=np.intp)
        made.append((gathered(frame, positions, block["order"]), positions))
    out = create_dataframe_from_blocks(made, frame.index, frame.columns)
    out.attrs = frame.attrs
    return out


def gathered(frame: Any, positions: Any, order: str) -> Any:
    """Returns the values of some columns of one dtype as one block."""
    manager = frame._mgr
    numbers, rows = manager.blknos[positions], manager.blklocs[positions]
    first = manager.blocks[numbers[0]].values if len(positions) else np.empty((0, len(frame)))
    backing = getattr(first, "_ndarray", first)  # times hold an array of integers
    if not isinstance(backing, np.ndarray) or backing.ndim != 2:
        return first  # an extension array, which is one column
    out = np.empty((len(positions), len(frame)), dtype=backing.dtype, order="F" if order == "F" else "C")
    for number in np.unique(numbers):
        source, here = manager.blocks[number].values, numbers == number
        out[here] = getattr(source, "_ndarray", source)[rows[here]]
    return out if isinstance(first, np.ndarray) else first._from_backing_data(out)
