"""Readers of sources that can be read only once: selects the requested rows from the batches."""

from collections.abc import Iterator
from operator import index
from typing import Any

from .. import _core
from .._frame.frame import Frame
from .._frame.schema import Schema
from .._frame.select import row_range
from .._io.sources import AnySource
from .._values.conditions import Condition
from ..errors import OptionError
from .batch_reader import Reader


class FrontReader(Reader):
    """Batches in order, each once. A subclass opens `where` and selects the columns.

    Parameters
    ----------
    where
        Released when the reader is closed.
    rows
        As in `open_reader`.
    conditions
        Conditions on the rows, of which `rows` counts those that are kept.
    """

    def __init__(self, where: AnySource, rows: slice | None, conditions: list[list[Condition]] | None = None) -> None:
        self._where = where
        self._conditions = conditions
        self._read_nrows = 0
        self._start, self._stop = from_front(rows)
        self._done_nrows = 0
        self._reader: Any = None
        self._ended = False

    @property
    def schema(self) -> Schema:
        return self._empty().schema

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self._next()) is not None:
            yield frame

    def cores(self) -> Iterator[_core.CoreFrame]:
        count = 0
        while (frame := self._next()) is not None:
            yield frame._load()
            count += 1
        if not count:
            yield self._empty()._load()

    def read_all(self) -> Frame:
        self._check_open()
        return Frame._make(_core.concat_frames(list(self.cores())))

    def close(self) -> None:
        if not self._closed:
            super().close()
            self._tell()
            self._reader = None
            self._where.release()

    def _tell(self) -> None:
        """Warn of dropped rows. Does nothing by default."""

    def _opened(self) -> Any:
        """The core's reader; opened at the first call."""
        raise NotImplementedError

    def _selected(self, core: _core.CoreFrame) -> Frame:
        """The requested columns."""
        raise NotImplementedError

    def _empty(self) -> Frame:
        return self._selected(self._opened().schema())

    def _next(self) -> Frame | None:
        """The next batch with requested rows; None at the end."""
        self._check_open()
        while not self._ended:
            core = self._opened().next_batch()
            if core is None:
                self._ended = True
                self._tell()
                self._end_progress()
                break
            self._tell_of(core)
            is_empty = core.nrows == 0
            core = self._kept(core)
            first, nrows = self._done_nrows, core.nrows
            self._done_nrows += nrows
            low = max(self._start - first, 0)
            high = nrows if self._stop is None else min(self._stop - first, nrows)
            # Bytes after the last requested row stay in the stream.
            self._ended = self._stop is not None and self._done_nrows >= self._stop
            if low < high or (is_empty and self._start == 0):
                return self._selected(core if high - low == nrows else core.slice(low, high))
        return None

    def _kept(self, core: _core.CoreFrame) -> _core.CoreFrame:
        """The rows of a batch that meet the conditions."""
        before = self._read_nrows, self._done_nrows
        self._read_nrows += core.nrows
        if self._conditions is None:
            return core
        from .._frame.filtering import filtered_core

        return filtered_core(core, self._conditions, before)


def from_front(rows: slice | None) -> tuple[int, int | None]:
    """(start, stop) of a slice that does not depend on the length."""
    if isinstance(rows, slice):
        # NumPy's integers are no `int`.
        rows = slice(*(index(end) if hasattr(end, "__index__") else end for end in (rows.start, rows.stop, rows.step)))
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
