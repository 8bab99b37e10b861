"""Frames as an object with Arrow's capsule interface: what every library that reads Arrow takes."""

from collections.abc import Iterable

from .._core import CoreFrame, export_arrow_schema, export_arrow_stream


class Exported:
    """Frames as an object that any library with the capsule interface takes. Can be read any number of times."""

    __slots__ = ("_frames",)

    def __init__(self, frames: Iterable[CoreFrame]) -> None:
        self._frames = list(frames)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return export_arrow_stream(self._frames)

    def __arrow_c_schema__(self) -> object:
        return export_arrow_schema(self._frames[0])
