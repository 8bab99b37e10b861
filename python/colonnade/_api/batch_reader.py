"""`open_reader`'s readers: frames one at a time, from a file of batches, from a stream, or from a file of one frame."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import accumulate
from operator import index

from .. import _core
from .._frame.filtered_file import Opened
from .._frame.frame import Frame
from .._frame.part import batch_rows
from .._frame.schema import Schema
from .._io.progress import Callback, Progress, Steps, reporting
from ..errors import UnsupportedError


class Reader:
    """Iterates over the frames of a source. A context manager, returned by `open_reader`.

    Readers of files and bytes of ``arrow``, ``arrows`` and ``parquet`` also have ``len(reader)``, the number of
    batches, and ``reader[i]``.

    Attributes
    ----------
    schema : Schema
        The fields and both axes, without data.
    """

    _closed = False
    # Whether the types are those of all rows, rather than of those that came first.
    settled = True
    # The progress callback for each batch. A source that is read whole reports its own progress.
    _progress: Progress | bool = None
    _drawn: AbstractContextManager[Callback | None] | None = None
    _steps: Steps | None = None

    @property
    def schema(self) -> Schema:
        """The fields and both axes, without data."""
        raise NotImplementedError

    def cores(self) -> Iterator[_core.CoreFrame]:
        """The unread batches, at least one frame (without rows, if there is no batch)."""
        raise NotImplementedError

    def size(self) -> tuple[int | None, int | None]:
        """Bytes and rows of all batches together, each None if it is unknown before reading."""
        return None, None

    def read_all(self) -> Frame:
        """Read one frame.

        From a file or from memory in ``arrow``, ``arrows`` or ``parquet``, or with one value, the frame has all rows.
        Pipes, connections, ``csv``, ``ndjson`` and series of ``msgpack`` can be read only once, so the frame has the
        rows that were not read yet.
        """
        raise NotImplementedError

    def __iter__(self) -> Iterator[Frame]:
        """Iterate over the batches, one frame each."""
        raise NotImplementedError

    def __getitem__(self, i: int) -> Frame:
        """Read only batch `i`, of a file or of bytes in ``arrow``, ``arrows`` or ``parquet``.

        Raises
        ------
        UnsupportedError
            The source can be read only once.
        IndexError
            There is no such batch.
        """
        raise UnsupportedError(
            "arrows: a stream has no random access: its batches come one after the other. Iterate over the reader, or "
            "read from a file or from memory."
        )

    def close(self) -> None:
        """Close the source. Frames that were returned stay valid."""
        self._closed = True
        self._end_progress()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("reader: expected an open reader, found a closed one. Open the source again.")

    def _tell_of(self, batch: Frame | _core.CoreFrame, of: int | None = None) -> None:
        """Report one more batch. `of`: bytes of all batches, if known."""
        if not self._progress:
            return
        if self._steps is None:
            self._drawn = reporting(self._progress, "reading")
            self._steps = Steps(self._drawn.__enter__(), of)
        self._steps.done(batch.nbytes)

    def _end_progress(self) -> None:
        """End the progress report, and remove the bar."""
        self._progress = None
        if self._drawn is not None:
            drawn, self._drawn = self._drawn, None
            drawn.__exit__(None, None, None)


class FileReader(Reader):
    """Batches of a file or of memory: any of them, in any order, any number of times."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._batch_rows = batch_rows(frame._file)
        self._spans = _spans(frame, self._batch_rows)
        self._reported_batches: set[int] = set()

    @property
    def schema(self) -> Schema:
        return self._frame.schema

    def __len__(self) -> int:
        return len(self._spans)

    def __getitem__(self, i: int) -> Frame:
        self._check_open()
        count = len(self._spans)
        try:
            i = index(i)
        except TypeError:
            raise TypeError(f"reader: expected the number of a batch, found {type(i).__name__}.") from None
        if not -count <= i < count:
            raise IndexError(f"reader: expected a batch from 0 to {count - 1}, found {i}.")
        return self._batch(i % count)

    def __iter__(self) -> Iterator[Frame]:
        for i in range(len(self)):
            yield self[i]

    def cores(self) -> Iterator[_core.CoreFrame]:
        self._check_open()
        return self._cores()

    def _cores(self) -> Iterator[_core.CoreFrame]:
        if not self._spans:
            yield from self._frame.slice(0, 0)._load_batches()
        for i in range(len(self._spans)):
            yield self._batch(i)._load()

    def size(self) -> tuple[int | None, int | None]:
        return _nbytes(self._frame), len(self._frame)

    def read_all(self) -> Frame:
        self._check_open()
        return self._frame

    def _batch(self, i: int) -> Frame:
        frame = self._frame if self._batch_rows is None else _batch(self._frame, self._spans[i])
        # A lazy frame reports its own decoding. Each batch is counted once.
        if self._progress and frame is not self._frame and i not in self._reported_batches:
            self._reported_batches.add(i)
            self._tell_of(frame, _nbytes(self._frame))
            if len(self._reported_batches) == len(self._spans):
                if self._steps is not None:
                    self._steps.finish()
                self._end_progress()
        return frame

    def __repr__(self) -> str:
        nrows, ncols = self._frame.shape
        return f"<Reader: {len(self):,} batches, {nrows:,} rows x {ncols:,} columns>"


def frame_batches(frame: Frame) -> Iterator[_core.CoreFrame]:
    """The batches of a frame over a file, one decoded at a time; at least one frame."""
    return FileReader(frame).cores()


def _nbytes(frame: Frame) -> int | None:
    """Decoded bytes, if they are known without decoding."""
    return frame.nbytes if frame._positions is None and frame._rows is None else None


_Span = tuple[int, int, int]  # number of the batch, and which of its rows


def _spans(frame: Frame, counts: list[int] | None) -> Sequence[_Span]:
    """The batches that `frame` shows, with the part of each, of a file whose batches have `counts` rows."""
    file = frame._file
    if counts is None or not isinstance(file, Opened):
        return [(0, 0, len(frame))]
    start, stop = frame._rows or (0, file.nrows)
    spans = []
    for i, (first, count) in enumerate(zip(accumulate(counts, initial=0), counts, strict=False)):
        low, high = max(start - first, 0), min(stop - first, count)
        # Batches without rows belong to a file that is read whole, unless a filter emptied them.
        if low < high or (frame._rows is None and count == 0 and file.keeps_empty_batches):
            spans.append((i, low, high))
    return spans


def _batch(frame: Frame, span: _Span) -> Frame:
    i, low, high = span
    core = frame._batch(i)
    return Frame._make(core if high - low == core.nrows else core.slice(low, high))
