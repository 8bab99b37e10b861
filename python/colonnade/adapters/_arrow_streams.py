"""Arrow's capsule interface: an object that exports frames, and a reader that imports a stream lazily."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import _core
from .._core import CoreFrame


class Exported:
    """Exports frames through the capsule interface. A library can read the object any number of times."""

    __slots__ = ("_frames", "_metadata", "_storage")

    def __init__(self, frames: Iterable[CoreFrame], metadata: bool = True, storage: Sequence[int] = ()) -> None:
        self._frames = list(frames)
        self._metadata = metadata
        self._storage = storage  # Positions of the fields that are exported without extension types.

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _core.export_arrow_stream(self._frames, self._metadata, self._storage)

    def __arrow_c_schema__(self) -> object:
        return _core.export_arrow_schema(self._frames[0])


def read_lazily(obj: Any) -> Iterator[CoreFrame]:
    """Yields the batches of an object with ``__arrow_c_stream__``. Each step fetches one batch from the producer.

    It yields at least one frame: a stream without batches gives a frame without rows.
    """
    stream = _core.ArrowStream.open(obj)
    frame = stream.next_batch()
    if frame is None:
        yield stream.schema()
    while frame is not None:
        yield frame
        frame = stream.next_batch()
