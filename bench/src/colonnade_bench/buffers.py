"""Lists every value buffer and label array of an object, as input for the compiled toucher.

*Usable* means opening plus one pass over these buffers. One rule holds for every engine: take the arrays that the
object's own library would read, without arithmetic, copies or conversions. For object arrays only the references are
touched, not the objects. This favours the engines that make objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def of_static_frame(frame: Any) -> list[np.ndarray]:
    """Returns the blocks and labels of a StaticFrame Frame."""
    out = list(frame._blocks._blocks)
    for axis in (frame.index, frame.columns):
        if axis.depth == 1:
            out.append(axis.values)
        else:
            out.extend(axis.values_at_depth(depth) for depth in range(axis.depth))
    return out


def of_pandas(frame: Any) -> list[Any]:
    """Returns the blocks and labels of a pandas DataFrame."""
    out: list[Any] = []
    for block in frame._mgr.blocks:
        values = block.values
        if type(values) is np.ndarray:
            out.append(values)
        else:
            out.extend(of_pandas_array(values))
    for index in (frame.index, frame.columns):
        out.extend(of_pandas_index(index))
    return out


def of_pandas_index(index: Any) -> list[Any]:
    """Returns the label arrays of a pandas Index. A RangeIndex has none."""
    import pandas as pd

    if isinstance(index, pd.RangeIndex):
        return []
    if isinstance(index, pd.MultiIndex):
        parts = [*index.codes]
        for level in index.levels:
            parts.extend(of_pandas_index(level))
        return parts
    return of_pandas_array(index._values)


def of_pandas_array(values: Any) -> list[Any]:
    """Returns the buffers of a NumPy or extension array."""
    if isinstance(values, np.ndarray):
        return [values]
    if hasattr(values, "_pa_array"):
        return of_arrow(values._pa_array.chunks)
    if hasattr(values, "_mask"):
        return [values._data, values._mask]
    if hasattr(values, "_codes"):
        return [values._codes, *of_pandas_index(values.categories)]
    if hasattr(values, "_left"):
        return [*of_pandas_array(values._left), *of_pandas_array(values._right)]
    if hasattr(values, "_ndarray"):
        return [values._ndarray]
    raise TypeError(f"bench: no rule for the buffers of {type(values).__name__}; add one to colonnade_bench/buffers.py")


def of_arrow(arrays: Sequence[Any]) -> list[Any]:
    """Returns the buffers of pyarrow arrays as bytes.

    pyarrow reports signed bytes, which the toucher does not accept.
    """
    found = [buffer for array in arrays for buffer in array.buffers()]
    found += [buffer for array in arrays if hasattr(array, "dictionary") for buffer in array.dictionary.buffers()]
    return [np.frombuffer(buffer, dtype=np.uint8) for buffer in found if buffer is not None and buffer.size]


def of_polars(frame: Any) -> list[Any]:
    """Returns the buffers of a polars DataFrame, through Arrow's zero-copy export in polars' newest layout."""
    import polars as pl

    table = frame.to_arrow(compat_level=pl.CompatLevel.newest())
    return [buffer for column in table.columns for buffer in of_arrow(column.chunks)]


def of_awkward(data: Any) -> list[Any]:
    """Returns the buffers of an Awkward Array, from its own export. Packed arrays are not copied."""
    import awkward as ak

    return [np.asarray(values) for values in ak.to_buffers(data)[2].values() if values.nbytes]


def nbytes(buffers: Sequence[Any]) -> int:
    """Returns the total size of a list of buffers."""
    return sum(b.nbytes if isinstance(b, np.ndarray) else memoryview(b).nbytes for b in buffers)
