"""Resolves `target`: a path, a descriptor, a sink in memory, a connection, or a function that takes the bytes."""

import errno
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from .. import _core
from .connection_io import LinkTarget, check_dialled, url_scheme
from .descriptors import duplicate_descriptor, status_of, write_all
from .paths import path_text
from .raw_connection import Link
from .sources import expand_home, is_plain_socket, is_socket, plain_file
from .store_target import StoreTarget
from .stores import NO_ACCESS, Access, is_store, object_of, path_of_file_url

if TYPE_CHECKING:
    import socket

    from .sources import FilePath

    class Writable(Protocol):
        """A binary file object."""

        def write(self, data: memoryview, /) -> object: ...

    Target: TypeAlias = FilePath | _core.BufferSink | Writable | Link | socket.socket | int
else:
    Target = Any
EXPECTED = "a path, a URL, a BufferSink, a binary file object, a Connection, a socket or a file descriptor"


@dataclass(frozen=True)
class PathTarget:
    """A regular file or a directory, new or existing: written to a temporary file, then renamed."""

    path: str
    name: str
    is_directory: bool


@dataclass(frozen=True)
class StreamTarget:
    """A pipe, socket, device or open file, which is written from its current position."""

    fd: int
    name: str | None = None
    close: bool = False


@dataclass(frozen=True)
class SinkTarget:
    """A `BufferSink`."""

    sink: _core.BufferSink
    name: str | None = None


@dataclass(frozen=True)
class CallTarget:
    """An object whose own method must take the bytes (a compressing file, a TLS socket)."""

    send: Callable[[memoryview], None]
    name: str | None = None


AnyTarget = PathTarget | StreamTarget | SinkTarget | CallTarget | StoreTarget | LinkTarget
WriterT = TypeVar("WriterT")


@dataclass(frozen=True)
class ByTarget(Generic[WriterT]):
    """Constructors of a writer, one for each kind of target."""

    path: Callable[..., WriterT]
    fd: Callable[..., WriterT]
    sink: Callable[..., WriterT]
    call: Callable[..., WriterT]

    def of(self, where: AnyTarget) -> tuple[Callable[..., WriterT], Any]:
        """The constructor for `where`, and its argument."""
        if isinstance(where, PathTarget):
            return self.path, where.path
        if isinstance(where, StreamTarget):
            return self.fd, where.fd
        if isinstance(where, SinkTarget):
            return self.sink, where.sink
        assert isinstance(where, CallTarget | StoreTarget)
        return self.call, where.send


def constructors_of(writer: Any) -> ByTarget[Any]:
    """The constructors of a class of the core that writes chunk by chunk."""
    return ByTarget(writer.to_path, writer.to_fd, writer.to_sink, writer.to_callable)


def as_target(target: Any, access: Access = NO_ACCESS) -> AnyTarget:
    """Resolve `target`. Nothing is requested from a store.

    Raises
    ------
    OSError
        A pipe or device that is not writable.
    UnsupportedError
        A URL of a scheme that cannot be written.
    TypeError
        An object of another type, or immutable bytes.
    """
    if isinstance(target, str) or hasattr(target, "__fspath__"):
        return _from_path(path_text("target", target), access)
    if isinstance(target, _core.BufferSink):
        return SinkTarget(target)
    if isinstance(target, Link):
        return LinkTarget(target)
    if is_socket(target):
        if is_plain_socket(target):
            return StreamTarget(target.fileno())
        return CallTarget(target.sendall)
    if isinstance(target, int) and not isinstance(target, bool):
        status_of(target)
        return StreamTarget(target)
    if hasattr(target, "write") and not isinstance(target, type):
        return _from_file_object(target)
    hint = " Use cn.encode(data, format) for bytes." if isinstance(target, bytes | bytearray | memoryview) else ""
    raise TypeError(f"target: expected {EXPECTED}, found {type(target).__module__}.{type(target).__qualname__}.{hint}")


def prepare_folder(where: AnyTarget, mkdir: bool) -> None:
    """Check that the folder of a path is there, or make it if `mkdir` is set.

    Raises
    ------
    FileNotFoundError
        The folder does not exist; the error names it.
    """
    folder = os.path.dirname(where.path) if isinstance(where, PathTarget) else ""
    if not folder or os.path.isdir(folder):
        return
    if mkdir:
        os.makedirs(folder, exist_ok=True)
    elif not os.path.lexists(folder):
        raise FileNotFoundError(errno.ENOENT, "No such folder (mkdir would make it)", folder)


@contextmanager
def released(where: AnyTarget) -> Iterator[None]:
    """Close the descriptor at the end if the target owns it."""
    try:
        yield
    finally:
        release(where)


def release(where: AnyTarget) -> None:
    """Close the descriptor or connection if the target owns it. Drop an upload that was not completed."""
    if isinstance(where, StreamTarget) and where.close:
        os.close(where.fd)
    elif isinstance(where, LinkTarget):
        where.release()
    elif isinstance(where, StoreTarget):
        where.discard()


def settle(where: AnyTarget, fsync: bool) -> None:
    """Complete an upload, or sync an open file if `fsync` is set. A renamed file was synced before the rename."""
    if isinstance(where, StoreTarget):
        where.commit()
    if fsync and isinstance(where, StreamTarget) and stat.S_ISREG(os.fstat(where.fd).st_mode):
        os.fsync(where.fd)


def _from_path(path: str, access: Access) -> PathTarget | StreamTarget | LinkTarget | StoreTarget:
    if is_store(path, access):
        return StoreTarget(object_of(path, access))
    path = expand_home(path_of_file_url(path))
    scheme = url_scheme(path)
    if scheme is not None:
        check_dialled(path, scheme)
        return LinkTarget(None, path)
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return PathTarget(path, path, False)
    fd = duplicate_descriptor(path)
    if fd is not None and not stat.S_ISDIR(mode):
        # Opening the path again would write at the start, and replacing the file would lose what the shell wrote to it.
        return StreamTarget(fd, path)
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return PathTarget(path, path, stat.S_ISDIR(mode))
    return StreamTarget(os.open(path, os.O_WRONLY | os.O_CLOEXEC), path, close=True)


def _from_file_object(file: Any) -> StreamTarget | CallTarget:
    if isinstance(file, io.TextIOBase):
        raise TypeError("target: expected a binary file object, found one in text mode. Open it with mode 'wb'.")
    name = getattr(file, "name", None)
    name = str.__str__(name) if isinstance(name, str) else None
    plain = plain_file(file)
    if plain is not None and plain.writable():
        file.flush()
        if plain.seekable():
            # A buffered reader has read ahead. Seek the descriptor to the position that the caller sees.
            file.seek(file.tell())
        return StreamTarget(plain.fileno(), name)
    return CallTarget(writer_of(file), name)


def writer_of(file: Any) -> Callable[[memoryview], None]:
    """A function that writes all bytes to a binary file object."""

    def send(data: memoryview) -> None:
        left = data
        while left.nbytes:
            count = file.write(left)
            if count is None and isinstance(file, io.RawIOBase):
                raise BlockingIOError(errno.EAGAIN, "the file object takes nothing now, and does not wait", 0)
            # Raw files may write only a part. A method that returns None has written everything.
            if not isinstance(count, int) or count >= left.nbytes:
                return
            if count <= 0:
                raise OSError(errno.EIO, f"the file object took {count} of {left.nbytes} bytes")
            left = left[count:]

    return send


def send_all(where: StreamTarget | SinkTarget | CallTarget | StoreTarget, data: memoryview) -> None:
    """Write all of `data` to a target."""
    if isinstance(where, StreamTarget):
        write_all(where.fd, data)
    elif isinstance(where, SinkTarget):
        where.sink.write(data)
    else:
        where.send(data)
