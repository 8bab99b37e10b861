"""Resolves `source`: a path, bytes in memory, or a stream that is read from front to back."""

import io
import os
import stat
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeGuard

from .. import _core
from .connection_io import LinkSource, check_dialled, url_scheme
from .descriptors import status_of
from .detection import MAGIC_NBYTES
from .http_source import SCHEMES, HttpSource
from .json_detection import MOST_NBYTES, detect_json
from .network_filesystems import on_network
from .paths import path_text
from .raw_connection import Link
from .store_source import StoreSource
from .stores import NO_ACCESS, Access, is_store, object_of, path_of_file_url
from .streams import CallSource, StreamSource, bytes_of, read_into_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from typing_extensions import Buffer

    class Readable(Protocol):
        """A binary file object."""

        def read(self, size: int, /) -> Buffer | None: ...

    FilePath: TypeAlias = str | os.PathLike[str] | os.PathLike[bytes]
    OneSource: TypeAlias = FilePath | Buffer | _core.BufferSink | Readable | Link | socket.socket | int
    Source: TypeAlias = OneSource | Sequence[OneSource]
else:
    Source = Any
EXPECTED = "a path, a URL, bytes, a BufferSink, a binary file object, a Connection, a socket or a file descriptor"


@dataclass(frozen=True)
class PathSource:
    """A regular file or a directory. `name` is used in messages and for the suffix."""

    path: str
    name: str
    device: int
    is_directory: bool
    # Keeps a descriptor open, because the path may refer to it.
    owner: object = field(default=None, repr=False, compare=False)

    is_stream = False

    def head(self) -> bytes | None:
        """The first bytes; None of a directory."""
        if self.is_directory:
            return None
        with open(self.path, "rb", buffering=0) as file:
            return file.read(MAGIC_NBYTES)

    def json_or_lines(self) -> str:
        """``"json"`` or ``"ndjson"``; empty if the bytes are neither."""
        with open(self.path, "rb", buffering=0) as file:
            return detect_json(file.read, os.fstat(file.fileno()).st_size)

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        """Open the source with `opener`, a class of the core."""
        mapped = not on_network(self.device) if mmap is None else mmap
        return opener.open_path(self.path, mmap=mapped, **options)

    def read_batches(self, opener: Any, **options: Any) -> Any:
        """The reader of `opener` that holds one batch at a time."""
        return opener.open_path(self.path, **options)

    def release(self) -> None:
        """Do nothing: the source owns no descriptor."""


@dataclass(frozen=True)
class BufferSource:
    """Bytes in memory; the buffer is kept alive, not copied."""

    buffer: Any
    name: str | None = None

    is_stream = False

    def head(self) -> bytes:
        with memoryview(self.buffer) as view:
            return bytes(view.cast("B")[:MAGIC_NBYTES]) if view.nbytes else b""

    def json_or_lines(self) -> str:
        with memoryview(self.buffer) as view, view.cast("B") as whole, io.BytesIO(whole[:MOST_NBYTES]) as file:
            return detect_json(file.read, whole.nbytes)

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        return opener.open_buffer(self.buffer, **options)

    def read_batches(self, opener: Any, **options: Any) -> Any:
        """The reader of `opener` that holds one batch at a time."""
        return opener.open_buffer(self.buffer, **options)

    def release(self) -> None:
        """Do nothing: the source owns no descriptor."""


AnySource = PathSource | BufferSource | StreamSource | CallSource | LinkSource | HttpSource | StoreSource


def as_source(source: Any, access: Access = NO_ACCESS, timeout_s: float | None = None) -> AnySource:
    """Resolve `source`. No bytes of a stream are consumed, and nothing is requested from a store.

    Raises
    ------
    OSError
        The path does not exist, or is not readable.
    UnsupportedError
        A URL of a scheme that cannot be read.
    TypeError
        An object of another type.
    """
    if isinstance(source, str | bytes) or hasattr(source, "__fspath__"):
        if isinstance(source, bytes):
            # Bytes are data, not a path: a path of bytes goes through os.fsdecode.
            return BufferSource(source)
        return _from_path(path_text("source", source), access, timeout_s)
    if isinstance(source, _core.BufferSink | bytearray | memoryview):
        return BufferSource(source)
    if isinstance(source, Link):
        return LinkSource(source)
    if is_socket(source):
        return _from_socket(source)
    if isinstance(source, int) and not isinstance(source, bool):
        return _from_descriptor(source)
    if hasattr(source, "read") and not isinstance(source, type):
        return _from_file_object(source)
    try:
        with memoryview(source) as view:
            is_number = view.ndim == 0  # as NumPy's scalars are
    except TypeError:
        is_number = True
    if is_number:
        raise TypeError(f"source: expected {EXPECTED}, found {type(source).__module__}.{type(source).__qualname__}.")
    return BufferSource(source)


def expand_home(path: str) -> str:
    """The path with ``~`` or ``~user`` at its start replaced by that home folder, as pandas and polars do."""
    return os.path.expanduser(path) if path.startswith("~") else path


def _from_path(
    path: str, access: Access, timeout_s: float | None
) -> PathSource | StreamSource | LinkSource | HttpSource | StoreSource:
    if is_store(path, access):
        return StoreSource(object_of(path, access, timeout_s))
    path = expand_home(path_of_file_url(path))
    scheme = url_scheme(path)
    if scheme in SCHEMES:
        return HttpSource(path)
    if scheme is not None:
        check_dialled(path, scheme)
        return LinkSource(None, path)
    status = os.stat(path)
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        return PathSource(path, path, status.st_dev, stat.S_ISDIR(status.st_mode))
    return StreamSource(os.open(path, os.O_RDONLY | os.O_CLOEXEC), path, close=True)


def _from_descriptor(fd: int, name: str | None = None) -> PathSource | StreamSource:
    """A regular file at its start becomes a path under /proc, so that it can be mapped; otherwise a stream."""
    status = status_of(fd)
    by_number = f"/proc/self/fd/{fd}"
    if stat.S_ISREG(status.st_mode) and os.lseek(fd, 0, os.SEEK_CUR) == 0 and os.access(by_number, os.R_OK):
        return PathSource(by_number, name or f"descriptor {fd}", status.st_dev, False)
    return StreamSource(fd, name)


def is_socket(obj: Any) -> "TypeGuard[socket.socket]":
    """Whether `obj` is a socket. Without an imported `socket` module no object is one."""
    module = sys.modules.get("socket")
    return module is not None and isinstance(obj, module.socket)


def is_plain_socket(sock: "socket.socket") -> bool:
    """Whether the descriptor's bytes are the socket's, and a read waits for them.

    A TLS socket buffers decrypted bytes, and the descriptor of a socket with a timeout is non-blocking.
    """
    return type(sock) is sys.modules["socket"].socket and sock.gettimeout() is None


def _from_socket(sock: "socket.socket") -> StreamSource | CallSource:
    return StreamSource(sock.fileno(), owner=sock) if is_plain_socket(sock) else CallSource(sock.recv_into)


def _from_file_object(file: Any) -> AnySource:
    if isinstance(file, io.TextIOBase):
        raise TypeError("source: expected a binary file object, found one in text mode. Open it with mode 'rb'.")
    name = getattr(file, "name", None)
    name = str.__str__(name) if isinstance(name, str) else None
    plain = plain_file(file)
    if plain is not None:
        fd = plain.fileno()
        regular = stat.S_ISREG(os.fstat(fd).st_mode)
        # A file is equivalent to its path only at its start, and a stream to its descriptor only if it is unbuffered.
        if regular and file.tell() == 0 and plain.readable():
            source = _from_descriptor_at_start(fd, name)
            if source is not None:
                return replace(source, owner=file)
        elif not regular and plain is file:
            return StreamSource(fd, name, owner=file)
    if isinstance(file, io.BytesIO):
        return BufferSource(bytes_of(file.read()), name)
    return CallSource(read_into_of(file), name)


def _from_descriptor_at_start(fd: int, name: str | None) -> PathSource | None:
    by_number = f"/proc/self/fd/{fd}"
    if not os.access(by_number, os.R_OK):
        return None
    return PathSource(by_number, name or f"descriptor {fd}", os.fstat(fd).st_dev, False)


def plain_file(file: Any) -> io.FileIO | None:
    """The raw file under `file`, if its bytes are those of the descriptor.

    A `fileno` is not sufficient: gzip.GzipFile has one too, but decompresses the bytes.
    """
    inner = getattr(file, "file", file) if type(file).__module__ == "tempfile" else file
    if isinstance(inner, io.BufferedReader | io.BufferedWriter | io.BufferedRandom):
        inner = inner.raw
    return inner if type(inner) is io.FileIO else None
