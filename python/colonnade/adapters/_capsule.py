"""Objects that export Arrow capsules: DuckDB's relations, ibis' tables, nanoarrow's streams...

The adapter cannot build these objects again. Such a frame is read as a pyarrow object.
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
        The adapter reads a stream to its end. A stream that can be read only once is then empty.
    options
        None are known.

    Returns
    -------
    CoreFrame or Batches
        Columns in Arrow's layout over the producer's own memory, without a copy.

    Raises
    ------
    TypeError
        The type of the array or stream is not a struct, so it is not a table.
    DecodeError
        Buffers that do not fit each other.
    """
    return batched(import_arrow(obj))


def to_frames(obj: Any, *, options: Mapping[str, Any] | None = None) -> Iterator[CoreFrame] | None:
    """The batches of a stream, fetched from the producer one at a time; None for an object without a stream."""
    return read_lazily(obj) if hasattr(obj, "__arrow_c_stream__") else None
