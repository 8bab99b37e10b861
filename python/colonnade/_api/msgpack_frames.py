"""MessagePack chunk by chunk: a series of frames, each a separate value, up to the end of the file or pipe."""

import os
from typing import Any

from .. import _core
from .._formats.options import Options
from .._formats.registry import FORMATS
from .._frame.frame import Frame
from .._frame.schema import Schema
from .._io.connection_io import LinkSource
from .._io.http_source import HttpSource
from .._io.network_filesystems import on_network
from .._io.sources import AnySource, BufferSource, PathSource
from .._io.store_source import StoreSource
from .._io.streams import CallSource, StreamSource
from .._values.conditions import Condition
from ..errors import UnsupportedError
from .batch_reader import Reader
from .open_source import check_beginning
from .sequential_reader import FrontReader


def series_reader(where: AnySource, format: str, settings: Options, columns: Any, rows: slice | None) -> Reader | None:
    """The reader of a series of frames; None if a file or memory holds one value."""
    options = FORMATS[format].read_options(settings, where.name)
    if isinstance(where, PathSource):
        mmap = not on_network(where.device) if settings.mmap is None else settings.mmap
        if where.is_directory or not _core.is_series_path(where.path, options, mmap=mmap):
            return None
        where = StreamSource(os.open(where.path, os.O_RDONLY | os.O_CLOEXEC), where.name, close=True)
    elif isinstance(where, BufferSource) and not _core.is_series(where.buffer, options):
        return None
    return SeriesReader(where, options, columns, rows, settings.conditions)


def open_series(
    where: AnySource, format: str, options: Options, columns: Any = None, rows: slice | None = None
) -> tuple[AnySource, Reader | None]:
    """The source, and its reader if it is a series; for functions that otherwise open one value.

    Whether another value follows the first is known only from all bytes, so streams are read into memory.
    """
    if FORMATS[format].reads != "series":
        return where, None
    if isinstance(where, StreamSource | CallSource):
        check_beginning(where, format, options)
        where = BufferSource(where.collected(options.limits or _core.Limits()), where.name)
    return where, None if isinstance(where, HttpSource | StoreSource) else series_reader(
        where, format, options, columns, rows
    )


class SeriesReader(FrontReader):
    """Frames as they come; each once.

    Parameters
    ----------
    where
        Read to its end. Reading is a little ahead of the requested frame.
    options
        Options of the core's reader.
    columns, rows
        As in `open_reader`.
    conditions
        As in `FrontReader`.
    """

    def __init__(
        self,
        where: AnySource,
        options: _core.ReadOptions,
        columns: Any,
        rows: slice | None,
        conditions: list[list[Condition]] | None = None,
    ) -> None:
        super().__init__(where, rows, conditions)
        self._options = options
        self._columns = columns

    @property
    def schema(self) -> Schema:
        """The schema of the first frame. Frames of other programs may differ."""
        return super().schema

    def __getitem__(self, i: int) -> Frame:
        raise UnsupportedError(
            "msgpack: a series of frames has no index, so a frame is found only by reading those before it. "
            "Iterate over the reader."
        )

    def __repr__(self) -> str:
        return f"<Reader: a series, {self._done_nrows:,} rows so far>"

    def _opened(self) -> _core.Reader:
        if self._reader is None:
            self._check_open()
            assert not isinstance(self._where, LinkSource)
            self._reader = self._where.read_batches(_core.Reader, options=self._options)
        reader: _core.Reader = self._reader
        return reader

    def _selected(self, core: _core.CoreFrame) -> Frame:
        """The requested columns, by label, because other programs may change their order between frames."""
        frame = Frame._make(core)
        return frame if self._columns is None else frame.select(self._columns)
