"""The writer that `open_writer` returns: each `write` adds a chunk to one file or stream."""

from contextlib import ExitStack
from typing import Any

from .. import _core
from .._formats.options import Options
from .._formats.text_options import Text
from .._formats.writers import Request, core_options
from .._io.progress import Steps, reporting
from .._io.targets import AnyTarget, released, settle
from ..adapters._rows import Rows, is_rows
from .chunks import chunks_of
from .losses import check_losses
from .store_chunks import open_writer


class Writer:
    """Writes a table in chunks. A context manager, returned by `open_writer`.

    The end of the ``with`` block closes the file. An exception inside discards it.

    Attributes
    ----------
    nbatches, nrows : int
        The numbers of batches and rows that were written so far.
    """

    def __init__(self, where: AnyTarget, options: Options) -> None:
        self._where = where
        self._options = options
        self._open = False
        with ExitStack() as stack:
            stack.enter_context(released(where))
            self._steps = Steps(stack.enter_context(reporting(options.progress, "writing")))
            self._writer = open_writer(where, options)
            self._stack = stack.pop_all()
        self._rows = Rows(options.batch_rows)
        # None: no format of text, or its user was warned.
        self._encoding = core_options(options, Request(where)) if isinstance(options, Text) else None
        self._waiting: _core.CoreFrame | None = None
        self._open = True

    @property
    def nbatches(self) -> int:
        """The number of record batches or row groups so far.

        Chunks are split and joined, so this may differ from the number of calls of `write`.
        """
        return self._writer.nbatches

    @property
    def nrows(self) -> int:
        """The number of rows so far."""
        return self._writer.nrows

    def write(self, data: Any) -> None:
        """Append a chunk.

        Parameters
        ----------
        data
            Anything that `Frame` takes, of any library. The columns, their types and the class of the index must be
            those of the first chunk. Rows and readers of record batches are read as they arrive.

        Raises
        ------
        EncodeError
            The schema differs from the first chunk's; the message shows both. Earlier chunks stay written, and so do
            the batches of this chunk before the wrong one.
        """
        self._check_open()
        for frame in chunks_of(data, self._options, self._rows).frames:
            if not frame.ncols and not frame.nrows and not self._rows.has_columns and is_rows(data):
                self._waiting = frame  # No rows so far, so the columns are not known yet
                continue
            self._waiting = None
            self._check_losses(frame)
            with self._steps.next(frame.nbytes) as step:
                self._writer.write(frame, step)

    def _check_losses(self, frame: _core.CoreFrame) -> None:
        """Warn of a loss once. Automatic row labels continue from chunk to chunk, which is no loss."""
        if self._encoding is None:
            return
        if frame.index.is_auto:
            frame = frame.with_axes(_core.Axis.auto(0, frame.nrows, 1), None)
        if check_losses(frame, self._encoding, self._options):
            self._encoding = None

    def close(self) -> None:
        """Write the end of the format, and rename the file to its target. Closing again does nothing.

        Raises
        ------
        EncodeError
            No chunk was written, so there is no schema. The target is unchanged.
        """
        if not self._open:
            return
        try:
            if self._waiting is not None:
                with self._steps.next(0) as step:
                    self._writer.write(self._waiting, step)
            self._writer.close()
            settle(self._where, self._options.fsync)
        except BaseException:
            self.abort()
            raise
        self._end()

    def abort(self) -> None:
        """Discard the written chunks.

        No file appears, and an old file stays complete. The reader of a pipe gets no end mark.
        """
        if self._open:
            try:
                self._writer.abort()
            finally:
                self._end()

    def __enter__(self) -> "Writer":
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()

    def __repr__(self) -> str:
        return f"<Writer: {self.nrows:,} rows{'' if self._open else ', closed'}>"

    def _end(self) -> None:
        self._open = False
        self._stack.close()

    def _check_open(self) -> None:
        if not self._open:
            raise ValueError("writer: expected an open writer, found a closed one. Open another.")
