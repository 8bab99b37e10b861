"""Arrow's capsule interface, both ways: frames as an object that every such library reads, and a stream read lazily."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .. import _core
from .._core import CoreFrame


class Exported:
    """Frames as an object that any library with the capsule interface takes. Can be read any number of times."""

    __slots__ = ("_frames", "_metadata", "_storage")

    def __init__(self, frames: Iterable[CoreFrame], metadata: bool = True, storage: Sequence[int] = ()) -> None:
        self._frames = list(frames)
        self._metadata = metadata
        self._storage = storage  # positions of the fields whose extension types are left out

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _core.export_arrow_stream(self._frames, self._metadata, self._storage)

    def __arrow_c_schema__(self) -> object:
        return _core.export_arrow_schema(self._frames[0])


def read_lazily(obj: Any) -> Iterator[CoreFrame]:
    """The batches of an object with ``__arrow_c_stream__``, each had from its producer when it is asked for.

    At least one frame: of no rows where the stream has no batch.
    """
    stream = _core.ArrowStream.open(obj)
    frame = stream.next_batch()
    if frame is None:
        yield stream.schema()
    while frame is not None:
        yield frame
        frame = stream.next_batch()
