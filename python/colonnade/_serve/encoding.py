"""Rows as chunks of bytes, while they are read."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from threading import Event
from typing import Any

from .._api.read_write import encode
from .._api.readers_writers import open_writer
from .._dataset.dataset import Dataset
from .._frame.frame import Frame
from .requests import Query

CHUNK_NBYTES = 1 << 20
_BATCH_NBYTES = 1 << 20
# A series of MessagePack values would be several frames for its reader.
_STREAMED = ("arrows", "arrow", "parquet", "csv", "ndjson")


class _Collected:
    """A file whose bytes are taken out in chunks."""

    def __init__(self) -> None:
        self._file = BytesIO()

    def write(self, data: memoryview) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        """Nothing waits."""

    def taken(self, least: int = 1) -> bytes:
        """The bytes so far, if there are enough."""
        if self._file.tell() < least:
            return b""
        found = self._file.getvalue()  # not a copy
        self._file = BytesIO()
        return found


class Gone(Exception):
    """The client has gone away, so the rest is not needed."""


def asked_rows(rows: Dataset | Frame, query: Query, is_gone: Event) -> Iterator[Frame]:
    """The frames that a query asks for, at least one. `Gone` from the frame after `is_gone` is set.

    Raises
    ------
    ColumnNotFound, OptionError
        A column is not there, or the filter is none. Raised before the first frame.
    """
    if isinstance(rows, Frame):
        chosen = rows if query.filters is None else _filtered(rows, query.filters)
        chosen = chosen if query.columns is None else chosen.select(query.columns)
        return iter([chosen if query.limit is None else chosen.head(query.limit)])
    files = rows if query.filters is None else rows.filter(query.filters)
    files = files if query.columns is None else files.select(query.columns)
    return _frames(files, query.limit, is_gone)


def chunks(frames: Iterator[Frame], format: str) -> Iterator[bytes]:
    """The encoded frames. Formats that are written chunk by chunk are never in memory as a whole."""
    if format not in _STREAMED:
        yield encode(_joined(frames), format)
        return
    file = _Collected()
    options: Any = {"on_loss": "ignore"} if format in ("csv", "ndjson") else {}
    with open_writer(file, format=format, **options) as writer:
        # A batch of Parquet is a row group, and one of an Arrow file has an entry in its footer: these stay large.
        for batch in _batches(frames) if format in ("arrows", "csv", "ndjson") else frames:
            writer.write(batch)
            if data := file.taken(CHUNK_NBYTES):
                yield data
    yield file.taken()


def _batches(frames: Iterator[Frame]) -> Iterator[Frame]:
    """The frames in batches of about a megabyte, so that the first bytes are sent soon and few wait."""
    for frame in frames:
        loaded = Frame._make(frame._load())
        step = max(1, len(loaded) * _BATCH_NBYTES // max(1, loaded.nbytes))
        for start in range(0, max(1, len(loaded)), step):
            yield loaded if step >= len(loaded) else loaded.slice(start, start + step)


def _frames(files: Dataset, limit: int | None, is_gone: Event) -> Iterator[Frame]:
    found = False
    left = limit
    for frame in _scanned(files, is_gone) if limit != 0 else ():
        if is_gone.is_set():
            raise Gone
        part = frame if left is None else frame.head(left)
        found = True
        yield part
        if left is not None:
            left -= len(part)
            if left <= 0:
                return
    if not found:
        yield files.head(0)


def _scanned(files: Dataset, is_gone: Event) -> Iterator[Frame]:
    """The frames of each part: a part in which no row is kept yields none, and is_gone is looked at after it too."""
    for i in range(len(files.parts)):
        if is_gone.is_set():
            raise Gone
        yield from files.only(i).scan()


def _filtered(frame: Frame, filters: str) -> Frame:
    from .._frame.filtering import filtered_core
    from .._values.conditions import conjunctions

    return Frame._make(filtered_core(frame._load(), conjunctions(filters), (0, 0)))


def _joined(frames: Iterator[Frame]) -> Frame:
    from .. import _core

    return Frame._make(_core.concat_frames([frame._load() for frame in frames]))
