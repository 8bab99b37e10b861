"""How Dask's workers send pandas DataFrames that have text: as one NPZ file in a buffer, which the receiver maps."""

from __future__ import annotations

from typing import Any

import pandas as pd
from distributed.protocol import dask_deserialize, dask_serialize

# Imported when it is registered, not while a task waits for its first frame.
from .._api.read_into import read_pandas
from .._api.read_write import write
from .._core import BufferSink
from ..errors import ColonnadeError


def register_pandas() -> None:
    """Register the functions for ``pandas.DataFrame``."""
    dask_serialize.register(pd.DataFrame)(_serialize)
    dask_deserialize.register(pd.DataFrame)(_deserialize)


def _serialize(frame: pd.DataFrame) -> tuple[dict[str, Any], list[Any]]:
    """Raises NotImplementedError for frames that Dask had better send in its own way, and then does."""
    # A subclass has more than its columns. Pickle sends a frame of numbers without a copy.
    if type(frame) is not pd.DataFrame or all(_is_plain(dtype) for dtype in frame.dtypes):
        raise NotImplementedError
    sink = BufferSink()
    try:
        write(frame, sink, format="npz")
    except ColonnadeError:  # cells that no format holds
        raise NotImplementedError from None
    return {}, [memoryview(sink)]


def _deserialize(_: dict[str, Any], frames: list[Any]) -> pd.DataFrame:
    (data,) = frames
    return read_pandas(data, format="npz")


def _is_plain(dtype: Any) -> bool:
    """Whether pickle sends the column as a buffer."""
    return getattr(dtype, "kind", "O") in "biufcmM" and hasattr(dtype, "itemsize") and not hasattr(dtype, "na_value")
