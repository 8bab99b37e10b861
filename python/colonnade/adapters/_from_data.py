"""Finds the adapter that converts `data`, or the adapter of a library by name."""

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._core import CoreFrame
from .._values.tagged_labels import decode_optional
from ..errors import UnsupportedError

if TYPE_CHECKING:
    from .._values.record_batches import Batches

ACCEPTED = (
    "a pandas or polars DataFrame or Series, a pyarrow Table, RecordBatch or RecordBatchReader, a StaticFrame Frame, "
    "an Awkward Array, a NumPy array, a mapping of columns (1-D arrays, lists, Series or single values), an object "
    "with __arrow_c_stream__ or __arrow_c_array__, an iterable of rows (mappings, tuples or dataclasses), or a Frame"
)


def take(data: Any, options: Mapping[str, Any], batch_rows: int | None = None) -> "CoreFrame | Batches":
    """Converts `data` with its adapter. Rows are transposed in batches of `batch_rows`.

    Raises
    ------
    TypeError
        No adapter accepts the object. The message lists the accepted types.
    """
    from ..adapters import find_adapter, find_plugin

    is_mapping = isinstance(data, Mapping)
    adapter: Any = (None if is_mapping else find_adapter(data)) or find_plugin(data)
    if adapter is None and is_mapping:
        from ._mappings import to_frame

        made: CoreFrame | Batches = to_frame(data, options)
        return made
    if adapter is not None:
        frame: CoreFrame | Batches = adapter.to_frame(data, options=options)
        return frame
    from ._rows import Rows, is_rows

    if is_rows(data):
        from .._values.record_batches import batched

        return batched(list(Rows(batch_rows).batches(data)))
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    advice = " Use cn.read for files." if hasattr(data, "read") else ""
    raise TypeError(f"data: expected {ACCEPTED}, found {kind}.{advice}{_failed_plugins()}")


def _failed_plugins() -> str:
    """One of the plug-ins that failed may know the object."""
    from .._plugins.discovery import ADAPTER_PLUGINS

    failures = ADAPTER_PLUGINS.failures()
    return f" Plug-ins that failed: {' '.join(map(str, failures))}" if failures else ""


def native_library(source: Any) -> str:
    """The library that a frame or file was written from. If it names none, a library that suits its form."""
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
        No adapter has this name. A file may name any library.
    ImportError
        The library is not installed. The message has the command that installs it.
    """
    from .. import adapters

    if library not in adapters.ADAPTERS.values():
        known = ", ".join(dict.fromkeys(adapters.ADAPTERS.values()))
        raise UnsupportedError(
            f"frame: written from {library!r}, for which this version has no adapter (there are: {known}). "
            "Convert it with to_pandas(), to_arrow() or to_numpy()."
        )
    return adapters.load_adapter(library)
