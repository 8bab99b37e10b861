"""How Dask's workers send pandas DataFrames that have text: as one NPZ file in a buffer, which the receiver maps."""

from __future__ import annotations

from typing import Any

import pandas as pd
from distributed.protocol import dask_deserialize, dask_serialize
from distributed.protocol.pickle import dumps, loads

from ..errors import ColonnadeError


def register_pandas() -> None:
    """Register the functions for ``pandas.DataFrame``."""
    dask_serialize.register(pd.DataFrame)(_serialize)
    dask_deserialize.register(pd.DataFrame)(_deserialize)


def _serialize(frame: pd.DataFrame) -> tuple[dict[str, Any], list[Any]]:
    if any(not _is_plain(dtype) for dtype in frame.dtypes):
        from .. import BufferSink, write

        sink = BufferSink()
        try:
            write(frame, sink, format="npz")
            return {"colonnade": True}, [memoryview(sink)]
        except ColonnadeError:
            pass  # cells that no format holds: pickle does
    buffers: list[Any] = []
    pickled = dumps(frame, buffer_callback=buffers.append)
    return {"colonnade": False}, [pickled, *(buffer.raw() for buffer in buffers)]


def _deserialize(header: dict[str, Any], frames: list[Any]) -> pd.DataFrame:
    if not header["colonnade"]:
        return loads(frames[0], buffers=frames[1:])
    from .. import decode

    (data,) = frames
    return decode(data, "npz").to_pandas()


def _is_plain(dtype: Any) -> bool:
    """Whether pickle sends the column as a buffer."""
    return getattr(dtype, "kind", "O") in "biufcmM" and hasattr(dtype, "itemsize") and not hasattr(dtype, "na_value")
