"""The bytes that a format plug-in reads: a file, or memory."""

import io
import os
from typing import Any, BinaryIO


class ByteSource:
    """The bytes of one source, which a format plug-in reads.

    A pipe, a socket or a decompressing file has already been read to its end.

    Attributes
    ----------
    name : str or None
        The path, or the name of the file object.
    path : str or None
        A path that opens the file; None for memory.
    nbytes : int
        The size in bytes.

    Examples
    --------
    >>> from colonnade.plugins import ByteSource
    >>> source = ByteSource.of_memory(b"ORC...", None)
    >>> source.open().read(3), source.nbytes
    (b'ORC', 6)
    """

    def __init__(
        self, name: str | None, path: str | None, memory: Any, *, mmap: bool = True, least_mapped_nbytes: int = 0
    ) -> None:
        self.name = name
        self.path = path
        self._memory: memoryview | None = None if path is not None else _flat(memory)
        self._files: list[BinaryIO] = []
        self.nbytes: int = len(self.buffer()) if path is None else os.stat(path).st_size
        self._mmap = mmap and self.nbytes >= least_mapped_nbytes

    @classmethod
    def of_memory(cls, memory: Any, name: str | None) -> "ByteSource":
        """Make a source over a C-contiguous buffer, which is not copied."""
        return cls(name, None, memory)

    @classmethod
    def of_path(cls, path: str, name: str | None = None, *, mmap: bool = True) -> "ByteSource":
        """Make a source over a regular file."""
        return cls(name or path, path, None, mmap=mmap)

    def buffer(self) -> memoryview:
        """Return all bytes, read-only. A file is mapped if mapping is allowed, else read. Memory is not copied.

        The map lives as long as the memoryview and the objects that are made from it.
        """
        if self._memory is None:
            assert self.path is not None
            with open(self.path, "rb") as file:
                self._memory = memoryview(_mapped(file) if self._mmap else file.read())
        return self._memory.toreadonly()

    def open(self) -> BinaryIO:
        """Return a new seekable binary file object at the first byte. Colonnade closes it when reading ends."""
        if self.path is not None:
            opened: BinaryIO = open(self.path, "rb")  # noqa: SIM115
        else:
            opened = io.BufferedReader(_MemoryReader(self.buffer()))
        self._files.append(opened)
        return opened

    def close(self) -> None:
        """Close the opened file objects. The memory of `buffer` stays valid."""
        while self._files:
            self._files.pop().close()


class _MemoryReader(io.RawIOBase):
    """Reads a buffer. `io.BytesIO` would copy it first."""

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        with memoryview(target).cast("B") as room:
            part = self._view[self._position : self._position + len(room)]
            room[: len(part)] = part
        self._position += len(part)
        return len(part)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: len(self._view)}[whence]
        if base + offset < 0:
            raise ValueError(f"seek: expected a position of at least 0, found {base + offset}")
        self._position = base + offset
        return self._position


def _flat(memory: Any) -> memoryview:
    view = memoryview(memory)
    return view.cast("B") if view.nbytes else memoryview(b"")  # an empty view cannot be cast


def _mapped(file: BinaryIO) -> Any:
    import mmap

    if os.fstat(file.fileno()).st_size == 0:  # an empty file cannot be mapped
        return b""
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
