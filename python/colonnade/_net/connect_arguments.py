"""Arguments of `connect` other than URLs: sockets, descriptors, file objects, and pairs of them."""

import fcntl
import io
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .. import _core
from .._io.descriptors import read_into, write_all
from .._io.fifos import open_pair
from .._io.sources import is_socket, plain_file
from .._io.streams import ReadInto, behind, read_into_of
from .._io.targets import writer_of
from ..errors import OptionError

if TYPE_CHECKING:
    import socket

EXPECTED = "a URL, a socket, a pair (source, target), a file descriptor or a binary file object"
Write = Callable[[memoryview], object]


@dataclass
class Endpoints:
    """The ends of a connection: descriptors or functions; or memory to receive from."""

    receive: int | ReadInto | memoryview | None
    send: int | Write | None
    peer: str
    opened: list[int] = field(default_factory=list)

    def connected(self, options: _core.ConnectOptions) -> _core.Connection:
        """The core's connection, which duplicates descriptors. Descriptors that were opened here are closed."""
        try:
            receive, send = self.receive, self.send
            if isinstance(receive, memoryview):
                if send is None:
                    return _core.Connection.over_buffer(receive, self.peer, options)
                receive = behind(receive, lambda _: 0)
            if not callable(receive) and not callable(send):
                return _core.Connection.over_fd(receive, send, self.peer, options)
            return _core.Connection.over_callables(
                _Descriptor(receive).read_into if isinstance(receive, int) else receive,
                _Descriptor(send).write if isinstance(send, int) else send,
                self.peer,
                options,
            )
        finally:
            for fd in self.opened:
                os.close(fd)


def endpoints_of(where: Any, timeout_s: float | None) -> Endpoints:
    """Resolve `where`.

    Raises
    ------
    OptionError
        The object cannot carry messages, or its direction is not known.
    TypeError
        The object has another type.
    """
    if is_socket(where):
        return _of_socket(where)
    if isinstance(where, tuple):
        return _of_pair(where, timeout_s)
    if isinstance(where, int) and not isinstance(where, bool):
        return _of_descriptor(where, f"descriptor {where}")
    if hasattr(where, "read") or hasattr(where, "write"):
        return _of_file_object(where)
    raise TypeError(f"where: expected {EXPECTED}, found {type(where).__module__}.{type(where).__qualname__}.")


def _of_socket(sock: "socket.socket") -> Endpoints:
    if sock.type != _socket_module().SOCK_STREAM:
        raise OptionError(f"where: expected a connected socket of type SOCK_STREAM, found {sock!r}.")
    peer = _peer_of(sock)
    # The descriptor of a TLS socket carries encrypted bytes.
    if type(sock) is _socket_module().socket:
        return Endpoints(sock.fileno(), sock.fileno(), peer)
    return Endpoints(sock.recv_into, sock.sendall, peer)


def _peer_of(sock: "socket.socket") -> str:
    try:
        address = sock.getpeername()
    except OSError:
        address = None  # the peer has disconnected, but its bytes may still be readable
    if isinstance(address, tuple):
        host = f"[{address[0]}]" if ":" in address[0] else address[0]
        return f"tcp://{host}:{address[1]}"
    return f"unix:{os.fsdecode(address)}" if address else f"socket {sock.fileno()}"


def _of_descriptor(fd: int, name: str) -> Endpoints:
    mode = os.fstat(fd).st_mode
    if stat.S_ISSOCK(mode):
        return Endpoints(fd, fd, name)
    access = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
    if access == os.O_RDWR and (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise _undirected(name)
    return Endpoints(None if access == os.O_WRONLY else fd, None if access == os.O_RDONLY else fd, name)


def _of_file_object(file: Any) -> Endpoints:
    reads, writes = _can(file, "readable", "read"), _can(file, "writable", "write")
    if reads and writes and _can(file, "seekable", "seek"):
        raise _undirected(_name_of(file))
    return Endpoints(_source(file) if reads else None, _target(file) if writes else None, _name_of(file))


def _of_pair(pair: tuple[Any, ...], timeout_s: float | None) -> Endpoints:
    if len(pair) != 2 or (pair[0] is None and pair[1] is None):
        raise OptionError(
            f"where: expected a pair (source, target), of which one may be None, found a tuple of {len(pair)}."
        )
    source, target = pair
    # Check everything that needs no open file first.
    receive = None if source is None or _is_path(source) else _source(source)
    send = None if target is None or _is_path(target) else _target(target)
    paths = [os.fsdecode(end) if _is_path(end) else None for end in pair]
    opened = open_pair(paths[0], paths[1], timeout_s)
    return Endpoints(
        receive if opened[0] is None else opened[0],
        send if opened[1] is None else opened[1],
        " and ".join(dict.fromkeys(_name_of(end) for end in pair if end is not None)),
        [fd for fd in opened if fd is not None],
    )


def _source(end: Any) -> int | ReadInto | memoryview:
    if is_socket(end):
        ends = _of_socket(end)
        assert ends.receive is not None
        return ends.receive
    if isinstance(end, int) and not isinstance(end, bool):
        return _directed(end, os.O_WRONLY, "reading")
    if isinstance(end, io.TextIOBase):
        raise TypeError("where: expected a binary file object, found one in text mode. Open it with mode 'rb'.")
    if hasattr(end, "read"):
        plain = plain_file(end)
        # The next byte of a file is that of its descriptor only if the file is unbuffered.
        return end.fileno() if plain is not None and plain is end else read_into_of(end)
    try:
        view = memoryview(end)
    except TypeError:
        raise TypeError(
            f"where: expected a source (a path, bytes, a binary file object, a socket or a descriptor), "
            f"found {type(end).__name__}."
        ) from None
    return view.cast("B") if view.nbytes else memoryview(b"")


def _target(end: Any) -> int | Write:
    if is_socket(end):
        ends = _of_socket(end)
        assert ends.send is not None
        return ends.send
    if isinstance(end, int) and not isinstance(end, bool):
        return _directed(end, os.O_RDONLY, "writing")
    if isinstance(end, io.TextIOBase):
        raise TypeError("where: expected a binary file object, found one in text mode. Open it with mode 'wb'.")
    if not hasattr(end, "write"):
        raise TypeError(
            "where: expected a target (a path, a BufferSink, a binary file object, a socket or a descriptor), "
            f"found {type(end).__name__}."
        )
    plain = plain_file(end)
    if plain is not None and plain.writable():
        end.flush()
        return plain.fileno()
    return _flushing(end)


def _flushing(file: Any) -> Write:
    """Write and flush, because a message in a buffer would not arrive."""
    write, flush = writer_of(file), getattr(file, "flush", None)
    if not callable(flush):
        return write

    def send(data: memoryview) -> None:
        write(data)
        flush()

    return send


def _directed(fd: int, wrong: int, what: str) -> int:
    if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == wrong:
        raise OptionError(f"where: expected a descriptor that is open for {what}, found descriptor {fd}, which is not.")
    return fd


def _can(file: Any, says: str, method: str) -> bool:
    predicate = getattr(file, says, None)
    return bool(predicate()) if callable(predicate) else hasattr(file, method)


def _undirected(name: str) -> OptionError:
    return OptionError(
        f"where: {name} is open for reading and for writing, which does not say the direction. "
        "Pass a pair: (source, None) to receive, (None, target) to send."
    )


def _is_path(end: Any) -> bool:
    return isinstance(end, str) or hasattr(end, "__fspath__")


def _name_of(end: Any) -> str:
    if _is_path(end):
        return repr(os.fsdecode(end))
    if is_socket(end):
        return _peer_of(end)
    if isinstance(end, int):
        return f"descriptor {end}"
    name = getattr(end, "name", None)
    if isinstance(name, str | int):
        return repr(name) if isinstance(name, str) else f"descriptor {name}"
    return type(end).__name__


def _socket_module() -> Any:
    import socket

    return socket


class _Descriptor:
    """A descriptor as blocking functions, for a pair with a Python object."""

    def __init__(self, fd: int) -> None:
        self._fd = os.dup(fd)

    def read_into(self, view: memoryview) -> int:
        return read_into(self._fd, view)

    def write(self, view: memoryview) -> None:
        write_all(self._fd, view)

    def __del__(self) -> None:
        if hasattr(self, "_fd"):
            os.close(self._fd)
