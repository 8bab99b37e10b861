"""Defines a dataset: a name, and a way to make it as an object of a library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench import pandas_to_objects
from colonnade_bench.libraries import LIBRARIES


class Dataset:
    """One DataFrame to measure.

    Attributes
    ----------
    name, about : str
    libraries : tuple of str
        In-memory types in which it is available.
    base : str
        The library of the object that `build` makes.
    """

    name = ""
    about = ""
    base = "pandas"
    libraries: tuple[str, ...] = ("pandas",)

    def build(self, cache: Path) -> Any:
        """Makes the whole dataset as an object of ``self.base``. `cache` is a directory that outlives the process."""
        raise NotImplementedError

    def forget(self, cache: Path) -> None:
        """Deletes the stored data after the measurement. Only large data that is quick to make again implements it."""

    def member_count(self) -> int:
        """Returns the number of members of its NPZ archive, if the dataset knows it."""
        raise NotImplementedError

    def load(self, library: str, size: float, cache: Path) -> Any:
        """Returns the first `size` of the rows as an object of `library`."""
        data = self.build(cache)
        if size != 1.0:
            nrows = data.shape[0]
            data = LIBRARIES[self.base].head(data, max(1, round(nrows * size)))
        return convert(data, self.base, library)


def convert(data: Any, source: str, target: str) -> Any:
    """Converts `data` to an object of another library, not timed.

    It changes values that the library cannot hold. The dataset's description names such changes.
    """
    if source == target:
        return data
    if target == "colonnade":
        import colonnade as cn

        return cn.Frame(data)
    pairs = {
        ("static-frame", "pandas"): static_frame_to_pandas,
        ("static-frame", "polars"): static_frame_to_polars,
        ("pandas", "static-frame"): pandas_to_static_frame,
        ("pandas", "polars"): pandas_to_polars,
        ("pandas", "pyarrow"): pandas_to_pyarrow,
        ("pandas", "lists"): pandas_to_objects.to_lists,
        ("pandas", "maps"): pandas_to_objects.to_maps,
    }
    return pairs[source, target](data)


def static_frame_to_pandas(frame: Any) -> Any:
    """Does the same as `Frame.to_pandas` in milliseconds instead of seconds.

    Uniform data becomes one block, other data one block a column. Column labels get pandas' text dtype, as in a frame
    that pandas made.
    """
    import pandas as pd

    index = pd.Index(np.array(frame.index.values), name=frame.index.name)
    columns = pd.Index(frame.columns.values.tolist(), name=frame.columns.name)
    blocks = frame._blocks._blocks
    if len(blocks) == 1 and blocks[0].ndim == 2:
        return pd.DataFrame(blocks[0].copy(), index=index, columns=columns, copy=False)
    arrays = {k: np.array(array) for k, array in enumerate(frame._blocks.axis_values(0))}
    out = pd.DataFrame(arrays, index=index, copy=False)
    out.columns = columns
    return out


def static_frame_to_polars(frame: Any) -> Any:
    """Converts the frame with the index as its first column, named ``index``."""
    import polars as pl

    arrays = {"index": np.array(frame.index.values)}
    for label, array in zip(frame.columns.values.tolist(), frame._blocks.axis_values(0), strict=True):
        arrays[str(label)] = np.ascontiguousarray(array)
    return pl.DataFrame(arrays)


def pandas_to_polars(frame: Any) -> Any:
    import polars as pl

    return pl.from_pandas(frame)


def pandas_to_pyarrow(frame: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_pandas(frame)


def pandas_to_static_frame(frame: Any) -> Any:
    """Converts to types that StaticFrame's NPZ can hold.

    Text becomes fixed-width Unicode with empty text for nulls, and time zones are dropped. This loses information.
    """
    import pandas as pd
    import static_frame as sf

    def items() -> Any:
        for label, column in frame.items():
            if isinstance(column.dtype, pd.DatetimeTZDtype):
                yield label, column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
            elif column.dtype.kind in "biufcMm" and isinstance(column.dtype, np.dtype):
                yield label, column.to_numpy()
            else:
                yield label, column.fillna("").to_numpy(dtype=object).astype(str)

    return sf.Frame.from_items(items())
