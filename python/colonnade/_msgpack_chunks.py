"""MessagePack chunk by chunk: frames one behind the other, each a value of its own, to the end of the file or pipe."""

import os
from collections.abc import Iterator
from typing import Any

from . import _core
from ._batch_reader import Reader
from ._frame import Frame
from ._http_source import HttpSource
from ._link_ends import LinkTarget
from ._mounts import on_network
from ._msgpack_files import reading, writing
from ._options_msgpack import MsgpackOptions
from ._schema import Schema
from ._sources import AnySource, BufferSource, PathSource
from ._stream_reader import from_front
from ._streams import CallSource, StreamSource, behind
from ._targets import AnyTarget, ByTarget, opened_by
from ._threads import resolve_threads
from .errors import UnsupportedError

_WRITERS: ByTarget[_core.MsgpackWriter] = opened_by(_core.MsgpackWriter)


def open_series_writer(where: AnyTarget, made: MsgpackOptions) -> _core.MsgpackWriter:
    """The core's writer for this kind of target."""
    if isinstance(where, LinkTarget):
        raise UnsupportedError(
            "msgpack: over a connection every frame is a message of its own, which the peer takes one by one. Send "
            'each with connection.send(frame, format="msgpack"), or the chunks as one message with format="arrows".'
        )
    to, place = _WRITERS.of(where)
    return to(place, writing(made))


def series_reader(where: AnySource, made: MsgpackOptions, columns: Any, rows: slice | None) -> Reader | None:
    """The reader of frames one behind the other; None of a file or memory that holds one value, which needs none."""
    options = _core.MsgpackReadOptions(
        limits=made.limits or _core.Limits(), threads=resolve_threads(made.threads), **reading(made)
    )
    if isinstance(where, PathSource):
        mmap = not on_network(where.device) if made.mmap is None else made.mmap
        if where.is_directory or not _core.msgpack_is_series_path(where.path, options, mmap=mmap):
            return None
        where = StreamSource(os.open(where.path, os.O_RDONLY | os.O_CLOEXEC), where.name, close=True)
    elif isinstance(where, BufferSource):
        if not _core.msgpack_is_series(where.buffer, options):
            return None
        where = CallSource(_fill(where.buffer), where.name)
    return SeriesReader(where, options, columns, rows)


class SeriesReader(Reader):
    """Frames as they come; each once.

    Parameters
    ----------
    where
        Read to its end, a little further than the frame that was asked for.
    options
        Those of the core's reader.
    columns, rows
        As in `open_reader`.
    """

    def __init__(self, where: AnySource, options: _core.MsgpackReadOptions, columns: Any, rows: slice | None) -> None:
        assert isinstance(where, StreamSource | CallSource | HttpSource)
        self._where = where
        self._options = options
        self._asked = columns
        self._start, self._stop = from_front(rows)
        self._done_nrows = 0
        self._reader: _core.MsgpackReader | None = None
        self._ended = False

    @property
    def schema(self) -> Schema:
        """Of the first frame: those of other programs may have others."""
        return self._selected(self._opened().schema()).schema

    def __iter__(self) -> Iterator[Frame]:
        while (frame := self._next()) is not None:
            yield frame

    def cores(self) -> Iterator[_core.CoreFrame]:
        count = 0
        while (frame := self._next()) is not None:
            yield frame._load()
            count += 1
        if not count:
            yield self._selected(self._opened().schema())._load()

    def read_all(self) -> Frame:
        self._check_open()
        return Frame._make(_core.concat_frames(list(self.cores())))

    def __getitem__(self, i: int) -> Frame:
        raise UnsupportedError(
            "msgpack: where frames stand one behind the other, nothing says where one begins before those in front of "
            "it were read. Iterate over the reader."
        )

    def close(self) -> None:
        if not self._closed:
            super().close()
            self._reader = None
            self._where.release()

    def __repr__(self) -> str:
        return f"<Reader: a series, {self._done_nrows:,} rows so far>"

    def _opened(self) -> _core.MsgpackReader:
        if self._reader is None:
            self._check_open()
            where = self._where
            if isinstance(where, StreamSource):
                self._reader = _core.MsgpackReader.open_fd(where.fd, self._options, head=where._taken or None)
            elif isinstance(where, CallSource):
                read_into = behind(where._taken, where.read_into)
                self._reader = _core.MsgpackReader.open_callable(read_into, self._options)
            else:
                self._reader = _core.MsgpackReader.open_http(where._opened(), self._options)
        return self._reader

    def _selected(self, core: _core.CoreFrame) -> Frame:
        """The columns that were asked for, by their labels: other programs put them in any order."""
        frame = Frame._make(core)
        return frame if self._asked is None else frame.select(self._asked)

    def _next(self) -> Frame | None:
        """The next frame that has rows which were asked for; None at the end."""
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
            self._ended = self._stop is not None and self._done_nrows >= self._stop
            if low < high or (nrows == 0 and self._start == 0):
                return self._selected(core if high - low == nrows else core.slice(low, high))
        return None


def _fill(buffer: Any) -> Any:
    """What fills a view from memory, front to back."""
    bytes_ = memoryview(buffer).cast("B")
    at = 0

    def fill(view: memoryview) -> int:
        nonlocal at
        count = min(view.nbytes, bytes_.nbytes - at)
        view[:count] = bytes_[at : at + count]
        at += count
        return count

    return fill
