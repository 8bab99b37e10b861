"""Anything that hands itself over as Arrow capsules: DuckDB's relations, ibis' tables, nanoarrow's streams...

There is no way back into these: such a frame comes back as pyarrow gives a foreign one.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from .._core import CoreFrame, import_arrow
from .._values.record_batches import Batches, batched
from ._arrow_streams import read_lazily

LIBRARY = "arrow"
WRITABLE = False
LAYOUT = "arrow"


def to_frame(obj: Any, *, options: Mapping[str, Any] | None = None) -> CoreFrame | Batches:
    """The record batches of an object with ``__arrow_c_stream__`` (a table) or ``__arrow_c_array__`` (one batch).

    Parameters
    ----------
    obj
        A stream is read to its end; one that can be read only once is then empty.
    options
        None are known.

    Returns
    -------
    CoreFrame or Batches
        Arrow's layout over the producer's own memory; nothing is copied.

    Raises
    ------
    TypeError
        An array or stream that is no table: its type is not a struct.
    DecodeError
        Buffers that do not fit each other.
    """
    return batched(import_arrow(obj))


def to_frames(obj: Any, *, options: Mapping[str, Any] | None = None) -> Iterator[CoreFrame] | None:
    """The batches of a stream, each had from its producer when it is asked for; None of an object without a stream."""
    return read_lazily(obj) if hasattr(obj, "__arrow_c_stream__") else None
