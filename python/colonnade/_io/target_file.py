"""A target as a seekable binary file object, which takes effect only when it is complete."""

import io
from typing import BinaryIO, cast

from .atomic_file import AtomicFile
from .connection_io import LinkTarget
from .targets import AnyTarget, PathTarget, send_all


class _Memory(io.BytesIO):
    """Memory that a library may close without losing what it wrote."""

    def close(self) -> None:
        """Do nothing."""


class TargetFile:
    """What a plug-in writes: a temporary file for a path, memory for any other target.

    Attributes
    ----------
    file : binary file object
        Seekable. Closing it only flushes.
    """

    def __init__(self, where: AnyTarget) -> None:
        assert not isinstance(where, LinkTarget)
        self._where = where
        self._atomic = AtomicFile(where.path) if isinstance(where, PathTarget) else None
        self._memory = None if self._atomic is not None else _Memory()
        self.file = cast(BinaryIO, self._memory if self._atomic is None else io.BufferedRandom(self._atomic))

    @property
    def nbytes(self) -> int:
        """Bytes written so far, to the end of the file."""
        self.file.flush()
        return self.file.seek(0, io.SEEK_END)

    def commit(self, fsync: bool) -> None:
        """Give the file its name, or send the bytes."""
        self.file.flush()
        if self._atomic is not None:
            self._atomic.commit(fsync)
            return
        assert self._memory is not None
        assert not isinstance(self._where, LinkTarget | PathTarget)
        with self._memory.getbuffer() as view:
            send_all(self._where, view)

    def discard(self) -> None:
        """Leave the target as it was."""
        if self._atomic is not None:
            self._atomic.discard()
