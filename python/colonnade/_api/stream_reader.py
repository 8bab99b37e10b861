"""`open_reader` of a pipe, a socket or a decompressing file. Only one batch is in memory."""

from collections.abc import Callable
from typing import Any

from .. import _core
from .._formats.arrow_truncated import TruncatedStream
from .._formats.text_files import warn_of_losses
from .._frame.field_paths import Chosen
from .._frame.frame import Frame
from .._io.sources import AnySource
from .._values.conditions import Condition
from .sequential_reader import FrontReader


class StreamReader(FrontReader):
    """Batches in order, each once.

    Parameters
    ----------
    where
        Read no further than the requested batch.
    columns, rows
        As in `open_reader`.
    conditions
        As in `FrontReader`.
    options
        Keywords of the opener: the core's options of reading.
    open_whole
        Opens the source as one lazy frame, which is faster if nothing was read yet.
    opener
        The class of the core that reads the batches, or a substitute.
    settled
        As of `Reader`.
    lenient
        A missing end mark is the end, with a warning.
    """

    def __init__(
        self,
        where: AnySource,
        columns: Any,
        rows: slice | None,
        options: dict[str, Any],
        open_whole: Callable[[], Frame],
        opener: Any = _core.Reader,
        settled: bool = True,
        lenient: bool = False,
        conditions: list[list[Condition]] | None = None,
    ) -> None:
        super().__init__(where, rows, conditions)
        self._opener = opener
        self.settled = settled
        self._lenient = lenient
        self._columns = columns
        self._options = options
        self._open_whole = open_whole
        self._chosen: Chosen | None = None
        self._has_warned = False

    def size(self) -> tuple[int | None, int | None]:
        reader = self._opened()
        is_part = self._start or self._stop is not None or self._conditions is not None
        if not isinstance(reader, _core.ConnectionReader) or is_part:
            return None, None
        reader.schema()  # The schema announces the number of rows, which a forwarded message announces too.
        return None, reader.nrows

    def read_all(self) -> Frame:
        self._check_open()
        if self._reader is None and not self._ended:
            self._ended = True
            return self._open_whole()
        return super().read_all()

    def _tell(self) -> None:
        if isinstance(self._reader, _core.Reader) and not self._has_warned:
            self._has_warned = True
            warn_of_losses(self._reader, getattr(self._where, "name", None))

    def __repr__(self) -> str:
        return f"<Reader: a stream, {self._done_nrows:,} rows so far>"

    def _opened(self) -> _core.Reader | _core.ConnectionReader | TruncatedStream:
        if self._reader is None:
            self._check_open()
            self._reader = self._where.read_batches(self._opener, **self._options)
            if self._lenient:
                self._reader = TruncatedStream(self._reader)
        reader: _core.Reader | _core.ConnectionReader | TruncatedStream = self._reader
        if self._columns is not None and self._chosen is None:  # An unknown column stays an error in later calls.
            self._chosen = Frame._make(reader.schema())._lookup.chosen(self._columns)
        return reader

    def _selected(self, core: _core.CoreFrame) -> Frame:
        frame = Frame._make(core)
        return frame if self._chosen is None else frame._selected(self._chosen)
