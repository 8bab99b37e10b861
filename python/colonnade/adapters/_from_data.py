"""Whose object is it: the adapter that takes `data`, or that makes a frame for a library."""

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._core import CoreFrame
from .._values.tagged_labels import decode_optional
from ..errors import UnsupportedError

if TYPE_CHECKING:
    from .._values.record_batches import Batches

ACCEPTED = (
    "a pandas or polars DataFrame, a pyarrow Table, RecordBatch or RecordBatchReader, a StaticFrame Frame, an Awkward "
    "Array, a NumPy array, a mapping of 1-D NumPy arrays, an object with __arrow_c_stream__ or __arrow_c_array__, an "
    "iterable of rows (mappings, tuples or dataclasses), or a Frame"
)


def take(data: Any, options: Mapping[str, Any], batch_rows: int | None = None) -> "CoreFrame | Batches":
    """What the adapter of `data` makes of it; rows are transposed in batches of `batch_rows`.

    Raises
    ------
    TypeError
        Nothing takes it; the message names what is taken.
    """
    from ..adapters import find_adapter

    # A plain dict is of no library; its arrays are NumPy's.
    adapter = load_adapter("numpy") if isinstance(data, Mapping) else find_adapter(data)
    if adapter is not None:
        frame: CoreFrame | Batches = adapter.to_frame(data, options=options)
        return frame
    from ._rows import Rows, is_rows

    if is_rows(data):
        from .._values.record_batches import batched

        return batched(list(Rows(batch_rows).batches(data)))
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    raise TypeError(f"data: expected {ACCEPTED}, found {kind}.")


def native_library(source: Any) -> str:
    """The library that a frame or file was written from; what suits its form where it does not say."""
    origin = decode_optional(source.origin)
    if isinstance(origin, dict) and isinstance(origin.get("library"), str):
        return str(origin["library"])
    if hasattr(source, "load_arrow") and not getattr(source, "holds_blocks", False):
        return "pyarrow"
    if getattr(source, "kind", None) == "frame":
        try:
            load_adapter("static_frame")
            return "static_frame"
        except ImportError:
            pass
    return "numpy"


@functools.cache
def load_adapter(library: str) -> Any:
    """The adapter module of a library.

    Raises
    ------
    UnsupportedError
        No adapter of that name is built: a file names its library itself.
    ImportError
        The library is not installed; the message has the line that installs it.
    """
    from .. import adapters

    if library not in adapters.ADAPTERS.values():
        known = ", ".join(dict.fromkeys(adapters.ADAPTERS.values()))
        raise UnsupportedError(
            f"frame: written from {library!r}, for which this version has no adapter (there are: {known}). "
            "Convert it with to_pandas(), to_arrow() or to_numpy()."
        )
    return adapters.load_adapter(library)
