"""Sources that can be read only once: descriptors, and objects with a method that returns the bytes.

Detection consumes the first bytes, so they are buffered and precede the rest.
"""

import errno
import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import index
from typing import Any

from .. import _core
from .descriptors import read_into
from .detection import MAGIC_NBYTES
from .json_detection import detect_json

_SCRATCH_NBYTES = 1 << 20
ReadInto = Callable[[memoryview], int]


@dataclass
class StreamSource:
    """A pipe, socket or device."""

    fd: int
    name: str | None = None
    close: bool = False
    # Keeps the descriptor open.
    owner: object = field(default=None, repr=False, compare=False)
    _peeked: bytes = field(default=b"", init=False)

    is_stream = True

    def head(self) -> bytes:
        """The first bytes. Waits for them."""
        self._peeked = self._peeked or _first(self._read_into)
        return self._peeked

    def json_or_lines(self) -> str:
        """``"json"`` or ``"ndjson"``; empty if the bytes are neither. Waits for the bytes that decide."""
        found, self._peeked = _detect_json(self._peeked, self._read_into)
        return found

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        """Open all bytes up to the end with `opener`, a class of the core."""
        try:
            return opener.open_fd(self.fd, head=self._peeked or None, **options)
        finally:
            self.release()

    def collected(self, limits: _core.Limits) -> _core.BufferSink:
        """All the bytes up to the end."""
        try:
            return collect(self._peeked, self._read_into, limits)
        finally:
            self.release()

    def read_batches(self, opener: Any, **options: Any) -> Any:
        """A reader of `opener`, which takes no more bytes than the requested batches have."""
        return opener.open_fd(self.fd, head=self._peeked or None, **options)

    def release(self) -> None:
        """Close the descriptor if this source owns it."""
        if self.close:
            self.close = False
            os.close(self.fd)

    def __del__(self) -> None:
        self.release()

    def _read_into(self, view: memoryview) -> int:
        return read_into(self.fd, view)


@dataclass
class CallSource:
    """An object whose method fills a view: a TLS socket, a socket with a timeout, a decompressing file."""

    read_into: ReadInto
    name: str | None = None
    _peeked: bytes = field(default=b"", init=False)

    is_stream = True

    def head(self) -> bytes:
        self._peeked = self._peeked or _first(self.read_into)
        return self._peeked

    def json_or_lines(self) -> str:
        found, self._peeked = _detect_json(self._peeked, self.read_into)
        return found

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        limits = options["options"].limits if "options" in options else options["limits"]
        return opener.open_buffer(self.collected(limits), **options)

    def collected(self, limits: _core.Limits) -> _core.BufferSink:
        return collect(self._peeked, self.read_into, limits)

    def read_batches(self, opener: Any, **options: Any) -> Any:
        return opener.open_callable(behind(self._peeked, self.read_into), **options)

    def release(self) -> None:
        """Do nothing: the source owns no descriptor."""


def read_into_of(file: Any) -> ReadInto:
    """The function that reads the available bytes of a binary file object into a view."""
    # A buffered file's own `readinto` waits until the whole view is full; a stream's next message may come much later.
    method = getattr(file, "readinto1", None) or getattr(file, "readinto", None)

    if method is not None and isinstance(file, io.BufferedReader | io.BufferedRandom):
        method = _as_it_comes(file)

    def fill(view: memoryview) -> int:
        count = method(view) if method is not None else _copied(file.read(view.nbytes), view)
        if count is None:
            raise BlockingIOError("source: expected a file object that waits for its bytes, found one that does not.")
        return _checked(count, view.nbytes)

    return fill


def _as_it_comes(file: "io.BufferedReader | io.BufferedRandom") -> ReadInto:
    """`readinto1` that returns as soon as bytes are available.

    CPython's own waits where some bytes are held and the view has room for more than the file holds. Bytes are held
    behind a view that was filled, never behind another.
    """
    may_hold = True

    def fill(view: memoryview) -> int:
        nonlocal may_hold
        part = view[: len(file.peek(1))] if may_hold else view
        count = file.readinto1(part) if part.nbytes else 0
        may_hold = count == part.nbytes and count > 0
        return count

    return fill


def collect(peeked: bytes, read_into: ReadInto, limits: _core.Limits) -> _core.BufferSink:
    """Read all bytes of a stream into memory that grows without copying."""
    sink = _core.BufferSink()
    sink.write(peeked)
    limit = _core.StreamLimit(limits)
    with memoryview(bytearray(_SCRATCH_NBYTES)) as scratch:
        while count := read_into(scratch):
            sink.write(scratch[:count])
            limit.check(len(sink))
    return sink


def _copied(data: Any, view: memoryview) -> int | None:
    if data is None:
        return None
    if isinstance(data, str):
        raise TypeError("source: expected a binary file object, found one that reads text. Open it with mode 'rb'.")
    with bytes_of(data) as read:
        # More than was asked for would be lost, for nothing keeps it.
        count = _checked(read.nbytes, view.nbytes)
        view[:count] = read
    return count


def bytes_of(data: Any) -> memoryview:
    """What the `read` of a file object returned, as bytes.

    Raises
    ------
    TypeError
        It is something else.
    """
    try:
        with memoryview(data) as read:
            return read.cast("B")
    except TypeError:
        raise TypeError(
            f"source: expected a file object whose read() returns bytes, found {type(data).__qualname__}. "
            "Pass one that reads bytes, or the bytes themselves."
        ) from None


def _checked(count: Any, room: int) -> int:
    """The number of bytes that a file object says it has read, where `room` bytes had a place.

    Raises
    ------
    TypeError
        It is no number.
    OSError
        It is negative, or larger than `room`.
    """
    try:
        number = index(count)
    except TypeError:
        raise TypeError(
            "source: expected a file object whose readinto() returns a number of bytes, found "
            f"{type(count).__qualname__}. Pass one that counts the bytes that it reads."
        ) from None
    if not 0 <= number <= room:
        raise OSError(
            errno.EIO, f"source: expected a file object that reads 0 to {room:,} bytes when asked, found {number:,}"
        )
    return number


def _first(read_into: ReadInto) -> bytes:
    peeked = bytearray(MAGIC_NBYTES)
    filled = 0
    with memoryview(peeked) as view:
        while filled < MAGIC_NBYTES and (count := read_into(view[filled:])):
            filled += count
    return bytes(peeked[:filled])


def _detect_json(peeked: bytes, read_into: ReadInto) -> tuple[str, bytes]:
    """Detect JSON or NDJSON from the peeked bytes and those that follow. Returns the format and all peeked bytes."""
    read = behind(peeked, read_into)
    read_ahead = bytearray()

    def more(nbytes: int) -> bytes:
        room = bytearray(nbytes)
        with memoryview(room) as view:
            count = read(view)
        read_ahead.extend(room[:count])
        return bytes(room[:count])

    return detect_json(more), bytes(read_ahead)


def behind(peeked: bytes | memoryview, read_into: ReadInto) -> ReadInto:
    """A function that returns `peeked` first, then the bytes of `read_into`."""
    left = memoryview(peeked)

    def fill(view: memoryview) -> int:
        nonlocal left
        if not left.nbytes:
            return read_into(view)
        count = min(left.nbytes, view.nbytes)
        view[:count] = left[:count]
        left = left[count:]
        return count

    return fill
