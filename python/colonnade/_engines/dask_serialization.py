"""How Dask's workers send pandas DataFrames that have text: as one NPZ file in a buffer, which the receiver maps."""

from __future__ import annotations

from typing import Any

import pandas as pd
from distributed.protocol import dask_deserialize, dask_serialize
from distributed.protocol.serialize import pickle_dumps, pickle_loads

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
    # A subclass has more than its columns.
    if type(frame) is pd.DataFrame and any(not _is_plain(dtype) for dtype in frame.dtypes):
        sink = BufferSink()
        try:
            write(frame, sink, format="npz")
            return {"colonnade": True}, [memoryview(sink)]
        except ColonnadeError:
            pass  # cells that no format holds: pickle does
    header, frames = pickle_dumps(frame)
    return {**header, "colonnade": False}, frames


def _deserialize(header: dict[str, Any], frames: list[Any]) -> pd.DataFrame:
    if not header["colonnade"]:
        return pickle_loads(header, frames)
    (data,) = frames
    return read_pandas(data, format="npz")


def _is_plain(dtype: Any) -> bool:
    """Whether pickle sends the column as a buffer."""
    return getattr(dtype, "kind", "O") in "biufcmM" and hasattr(dtype, "itemsize") and not hasattr(dtype, "na_value")
