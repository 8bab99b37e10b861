"""Data as chunks, which `write`, `open_writer` and `convert` write one record batch at a time.

Frames over files with batches, open readers, producers of record batches and rows are read lazily.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._frame.frame import Frame, frame_from, frame_of
from .._frame.part import batch_rows
from .._values.option_checks import Common
from ..adapters import find_adapter, find_plugin
from ..adapters._rows import Rows, is_rows
from .batch_reader import Reader, frame_batches


class Scanned(ABC):
    """Data that is read frame by frame: a dataset."""

    @abstractmethod
    def scan(self) -> Iterator[Frame]:
        """The frames in order, each read when it is asked for."""

    @abstractmethod
    def head(self, n: int = 5) -> Frame:
        """The first rows."""

    @abstractmethod
    def read(self) -> Frame:
        """All rows in memory."""


@dataclass(frozen=True)
class Chunks:
    """At least one frame, all of one schema. `nbytes` and `nrows` are those of all frames together, if known."""

    frames: Iterable[_core.CoreFrame]
    nbytes: int | None = None
    nrows: int | None = None


def chunks_of(data: Any, settings: Common, rows: Rows | None = None) -> Chunks:
    """The chunks of anything that `Frame` takes, of an open reader or of a dataset. `rows`: the types of earlier rows.

    Raises
    ------
    TypeError, EncodeError
        As `Frame` does; of what is read lazily, when it is read.
    """
    if isinstance(data, Reader):
        return Chunks(data.cores())
    if isinstance(data, Scanned):
        return Chunks(_scanned(data))
    adapter: Any = None if isinstance(data, Frame | dict) else find_adapter(data) or find_plugin(data)
    if adapter is None:
        if is_rows(data):
            return Chunks((rows or Rows(settings.batch_rows)).batches(data))
        frame = whole_frame(data, settings)
    else:
        options = {"densify_sparse": settings.densify_sparse, "borrow": True}
        if hasattr(adapter, "to_frames"):  # a producer of record batches
            lazy: Iterator[_core.CoreFrame] | None = adapter.to_frames(data, options=options)
            if lazy is not None:
                return Chunks(lazy)
        core = adapter.to_frame(data, options=options)
        if isinstance(core, _core.CoreFrame):
            return Chunks((core,), core.nbytes, core.nrows)
        frame = frame_of(core)
    if frame._core is None and batch_rows(frame._file) is not None:
        return Chunks(frame_batches(frame), nrows=len(frame))
    cores = frame._load_batches()
    return Chunks(cores, sum(core.nbytes for core in cores), len(frame))


def _scanned(data: Scanned) -> Iterator[_core.CoreFrame]:
    """The frames, at least one."""
    found = False
    for frame in data.scan():
        found = True
        yield frame._load()
        del frame  # not in memory with the next one
    if not found:
        yield data.head(0)._load()


def whole_frame(data: Any, options: Common) -> Frame:
    """The data as one frame, for a format that is written whole."""
    if isinstance(data, Reader):
        return data.read_all()
    if isinstance(data, Scanned):
        return data.read()
    return frame_from(data, densify_sparse=options.densify_sparse, borrow=True, batch_rows=options.batch_rows)
