"""`open_reader` over a format plug-in that reads chunk by chunk."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from .. import _core
from .._formats.plugin_files import cores_of, source_of
from .._frame.axes import Labels
from .._frame.frame import Frame
from .._io.sources import AnySource
from .._plugins.calls import reading
from .._plugins.contract import FormatPlugin
from .._plugins.discovery import Loaded
from .._values.option_checks import Common
from ..errors import UnsupportedError
from .sequential_reader import FrontReader


class PluginReader(FrontReader):
    """Chunks in order, each once.

    Parameters
    ----------
    loaded, where, options
        The plug-in, the source, and options of the plug-in's class.
    columns, rows
        As in `open_reader`.
    """

    def __init__(
        self, loaded: Loaded[FormatPlugin], where: AnySource, options: Common, columns: Any, rows: slice | None
    ) -> None:
        super().__init__(where, rows, options.conditions)
        self._loaded = loaded
        self._options = options
        self._columns = columns

    def close(self) -> None:
        if not self._closed and self._reader is not None:
            self._reader.close()
        super().close()

    def __getitem__(self, i: int) -> Frame:
        raise UnsupportedError(
            f"{self._loaded}: its chunks come one after the other. Iterate over the reader, or use cn.read."
        )

    def __repr__(self) -> str:
        return f"<Reader: chunks of {self._loaded}, {self._done_nrows:,} rows so far>"

    def _opened(self) -> PluginChunks:
        if self._reader is None:
            self._check_open()
            self._reader = PluginChunks(self._loaded, self._where, self._options)
        reader: PluginChunks = self._reader
        return reader

    def _selected(self, core: _core.CoreFrame) -> Frame:
        frame = Frame._make(core)
        return frame if self._columns is None else frame.select(self._columns)


class PluginChunks:
    """The chunks that ``read_chunks`` yields, as frames of the core. One chunk is read ahead for the schema."""

    def __init__(self, loaded: Loaded[FormatPlugin], where: AnySource, options: Common) -> None:
        self._loaded = loaded
        self._stack = ExitStack()
        self._source = self._stack.enter_context(source_of(loaded, where, options))
        with reading(loaded, "read_chunks", self._source.name):
            chunks = loaded.plugin.read_chunks(self._source, options)
        if not hasattr(chunks, "__iter__"):
            self.close()
            raise loaded.error(f"read_chunks() returned {type(chunks).__qualname__}: expected an iterable of frames")
        self._chunks: Iterator[Any] = iter(chunks)
        self._ready: deque[_core.CoreFrame] = deque()
        self._first: _core.CoreFrame | None = None
        self._nrows = 0

    def schema(self) -> _core.CoreFrame:
        """A frame without rows.

        Raises
        ------
        PluginError
            There is no chunk.
        """
        self._fill()
        if self._first is None:
            raise self._loaded.error("read_chunks() yielded no frame: expected at least one, without rows if need be")
        return self._first

    def next_batch(self) -> _core.CoreFrame | None:
        """The next chunk; None at the end."""
        self.schema()
        self._fill()
        return self._ready.popleft() if self._ready else None

    def close(self) -> None:
        """Close the source."""
        self._stack.close()

    def _fill(self) -> None:
        if self._ready:
            return
        with reading(self._loaded, "read_chunks", self._source.name):
            found = next(self._chunks, self)
        if found is self:
            self.close()
            return
        for core in cores_of(self._loaded, "read_chunks", found):
            if self._first is None:
                self._first = core.slice(0, 0)
            elif _schema(core) != _schema(self._first):
                raise self._loaded.error(
                    f"read_chunks() yielded the columns {_schema(core)!r:.200}: expected those of the first chunk, "
                    f"{_schema(self._first)!r:.200}"
                )
            self._ready.append(_counted_on(core, self._nrows))
            self._nrows += core.nrows


def _schema(core: _core.CoreFrame) -> list[tuple[Any, str]]:
    return list(zip(Labels(core.columns), core.dtypes(), strict=True))


def _counted_on(core: _core.CoreFrame, start: int) -> _core.CoreFrame:
    """The chunk with automatic row labels that go on from the chunk before."""
    index = core.index
    if not index.is_auto or not start or index.range != (0, core.nrows, 1):
        return core
    return core.with_axes(_core.Axis.auto(start, start + core.nrows, 1, index.cls, index.name, index.meta), None)
