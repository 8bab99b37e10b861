"""`open_reader` of a pipe, a socket or a decompressing file: one batch at a time, nothing else in memory."""

from collections.abc import Callable, Iterator
from typing import Any

from . import _core
from ._batch_reader import Reader
from ._frame import Frame
from ._schema import Schema
from ._select import row_range
from ._sources import AnySource
from .errors import OptionError


class StreamReader(Reader):
    """Batches as they come; each once.

    Parameters
    ----------
    where
        Read no further than the batch that was asked for.
    columns, rows
        As in `open_reader`.
    options
        limits, threads and allow_truncated of the core's reader.
    open_whole
        Opens the source as one lazy frame: the faster way where nothing was read yet.
    opener
        The class of the core that reads the batches, or what stands for it.
    settled
        As of `Reader`.
    """

    def __init__(
        self,
        where: AnySource,
        columns: Any,
        rows: slice | None,
        options: dict[str, Any],
        open_whole: Callable[[], Frame],
        opener: Any = _core.IpcReader,
        settled: bool = True,
    ) -> None:
        self._where = where
        self._opener = opener
        self.settled = settled
        self._asked = columns
        self._options = options
        self._open_whole = open_whole
        self._start, self._stop = from_front(rows)
        self._done_nrows = 0
        self._reader: _core.IpcReader | _core.ConnectionReader | _core.TextReader | None = None
        self._positions: list[int] | None = None
        self._ended = False

    @property
    def schema(self) -> Schema:
        return self._empty().schema

    def __iter__(self) -> Iterator[Frame]:
        while (core := self._next()) is not None:
            yield Frame._make(core)

    def cores(self) -> Iterator[_core.CoreFrame]:
        count = 0
        while (core := self._next()) is not None:
            yield core
            count += 1
        if not count:
            yield self._empty()._load()

    def size(self) -> tuple[int | None, int | None]:
        reader = self._opened()
        if not isinstance(reader, _core.ConnectionReader) or self._start or self._stop is not None:
            return None, None
        reader.schema()  # announces the rows; whoever the message is passed on to shall know them too
        return None, reader.nrows

    def read_all(self) -> Frame:
        self._check_open()
        if self._reader is None and not self._ended:
            self._ended = True
            return self._open_whole()
        return Frame._make(_core.concat_frames(list(self.cores())))

    def close(self) -> None:
        if not self._closed:
            super().close()
            self._reader = None
            self._where.release()

    def __repr__(self) -> str:
        return f"<Reader: a stream, {self._done_nrows:,} rows so far>"

    def _opened(self) -> _core.IpcReader | _core.ConnectionReader | _core.TextReader:
        if self._reader is None:
            self._check_open()
            self._reader = self._where.read_batches(self._opener, **self._options)
            if self._asked is not None:
                self._positions = Frame._make(self._reader.schema())._lookup.positions(self._asked)
        return self._reader

    def _empty(self) -> Frame:
        core = self._opened().schema()
        return Frame._make(core if self._positions is None else core.select(self._positions))

    def _next(self) -> _core.CoreFrame | None:
        """The next batch that has rows which were asked for; None at the end."""
        self._check_open()
        while not self._ended:
            core = self._opened().next_batch()
            if core is None:
                self._ended = True
                break
            first, nrows = self._done_nrows, core.nrows
            self._done_nrows += nrows
            low = max(self._start - first, 0)
            high = nrows if self._stop is None else min(self._stop - first, nrows)
            # What comes after the last row that was asked for is left in the stream.
            self._ended = self._stop is not None and self._done_nrows >= self._stop
            if low < high or (nrows == 0 and self._start == 0):
                part = core if high - low == nrows else core.slice(low, high)
                return part if self._positions is None else part.select(self._positions)
        return None


def from_front(rows: slice | None) -> tuple[int, int | None]:
    """(start, stop) of a slice that can be told without knowing the length."""
    if isinstance(rows, slice):
        for end in (rows.start, rows.stop):
            if isinstance(end, int) and end < 0:
                raise OptionError(
                    f"rows: expected positions from the front of a stream, whose length is not known, found {end}."
                )
        if rows.stop is None:
            row_range(slice(rows.start, None, rows.step), 0)  # for its checks
            return rows.start or 0, None
        return row_range(rows, rows.stop) or (0, rows.stop)
    row_range(rows, 0)
    return 0, None
