"""Connects two processes with the standard library's means. Other libraries and raw bytes use these transports.

Buffers and calls have the fastest known sizes. A badly tuned limit would make every contestant look better.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from colonnade_bench.registry import Registry

KIB, MIB = 1 << 10, 1 << 20


class PipeEnd:
    """A pipe's end with the methods of a socket."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def sendall(self, data: Any, /) -> None:
        view = memoryview(data).cast("B")
        sent = os.write(self.fd, view)
        while sent < len(view):
            sent += os.write(self.fd, view[sent:])

    def recv_into(self, buffer: Any, /) -> int:
        return os.readv(self.fd, [buffer])

    def makefile(self, mode: str, buffering: int = -1) -> Any:
        return open(os.dup(self.fd), mode, buffering)

    def fileno(self) -> int:
        return self.fd

    def close(self) -> None:
        os.close(self.fd)


Stream = socket.socket | PipeEnd
"""One end: a socket (encrypted or not), or an object with its methods."""


@dataclass(frozen=True)
class Plan:
    """The settings of one end: its pipe, the folder of files, the certificates, and the listening address."""

    transport: str
    sends: bool
    folder: str
    number: int
    fd: int | None = None
    certificates: Mapping[str, str] | None = None
    host: str = "127.0.0.1"

    @property
    def socket_path(self) -> str:
        return os.path.join(self.folder, f"end-{os.getpid()}-{self.number}.sock")

    @property
    def fifo_path(self) -> str:
        return os.path.join(self.folder, f"end-{os.getpid()}-{self.number}.fifo")

    def make_fifo(self) -> str:
        """Makes a named pipe and returns its path."""
        os.mkfifo(self.fifo_path)
        return self.fifo_path

    def ends(self, end: Any) -> tuple[Any, Any]:
        """Returns (object to receive from, object to send to). A pipe has only one of them."""
        return (None, end) if self.sends else (end, None)


@dataclass(frozen=True)
class Moving:
    """One transport, with the settings that are usually fastest for plain bytes on one machine.

    Attributes
    ----------
    send_nbytes, receive_nbytes : int
        The buffer sizes of a pipe or a socket. 0 keeps the system's default.
    call_nbytes : int
        The bytes of each call.
    variants : tuple of dict
        Other settings that were sometimes fastest. Raw bytes are measured with all of them.
    """

    name: str
    about: str
    send_nbytes: int
    receive_nbytes: int = 0
    call_nbytes: int = MIB
    variants: tuple[Mapping[str, int], ...] = ()

    def tune(self, sock: socket.socket) -> socket.socket:
        """Sets buffer sizes. For TCP they must be set before the connection is made."""
        if self.send_nbytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.send_nbytes)
        if self.receive_nbytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_nbytes)
        if sock.family == socket.AF_INET:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def listen(self, plan: Plan) -> tuple[socket.socket | None, Any]:
        """Returns a listening socket and its address. A pipe has none."""
        if self.name == "pipe":
            return None, None
        if self.name == "fifo":
            return None, plan.make_fifo()
        if self.name == "unix":
            listener = self.tune(socket.socket(socket.AF_UNIX))
            with contextlib.suppress(FileNotFoundError):
                os.unlink(plan.socket_path)
            listener.bind(plan.socket_path)
        else:
            listener = self.tune(socket.socket())
            listener.bind((plan.host, 0))
        listener.listen()
        return listener, listener.getsockname()

    def accept(self, listener: socket.socket | None, plan: Plan) -> Stream:
        """Returns the stream of the serving end."""
        if listener is None:
            return self.fifo_end(plan.fifo_path, plan) if self.name == "fifo" else self.pipe_end(plan)
        with listener:
            sock = self.tune(listener.accept()[0])
        if self.name == "unix":
            os.unlink(plan.socket_path)
        if self.name != "tls":
            return sock
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        paths = plan.certificates or {}
        context.load_cert_chain(paths["certificate"], paths["key"])
        return context.wrap_socket(sock, server_side=True)

    def dial(self, address: Any, plan: Plan) -> Stream:
        """Returns the stream of the dialling end."""
        if self.name == "pipe":
            return self.pipe_end(plan)
        if self.name == "fifo":
            return self.fifo_end(address, plan)
        sock = self.tune(socket.socket(socket.AF_UNIX if self.name == "unix" else socket.AF_INET))
        sock.connect(address if self.name == "unix" else tuple(address))
        if self.name != "tls":
            return sock
        context = ssl.create_default_context(cafile=(plan.certificates or {})["authorities"])
        return context.wrap_socket(sock, server_hostname="localhost")

    def pipe_end(self, plan: Plan) -> PipeEnd:
        """Returns the inherited end of a pipe."""
        if plan.fd is None:
            raise ValueError("bench: this process was given no pipe")
        return self.widened(plan.fd)

    def fifo_end(self, path: str, plan: Plan) -> PipeEnd:
        """Opens the end of a named pipe. The call waits for the other end."""
        return self.widened(os.open(path, os.O_WRONLY if plan.sends else os.O_RDONLY))

    def widened(self, fd: int) -> PipeEnd:
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, self.send_nbytes)
        return PipeEnd(fd)


MOVING: Registry[Moving] = Registry("transport between processes")
for _moving in (
    Moving("pipe", "anonymous pipe", MIB, variants=({"call_nbytes": 256 * KIB},)),
    Moving("fifo", "named pipe", MIB, variants=({"call_nbytes": 256 * KIB},)),
    Moving("unix", "Unix socket", 512 * KIB, variants=({"send_nbytes": 4 * MIB},)),
    Moving(
        "tcp",
        "TCP on loopback",
        512 * KIB,
        variants=({"call_nbytes": 256 * KIB}, {"send_nbytes": MIB, "receive_nbytes": MIB, "call_nbytes": 256 * KIB}),
    ),
    Moving("tls", "TLS over TCP on loopback", 512 * KIB, variants=({"call_nbytes": 256 * KIB},)),
):
    MOVING.add(_moving.name, _moving)


def reading(stream: Stream) -> Any:
    """Returns a file object whose reads are complete, as Arrow's reader requires."""
    return stream.makefile("rb", MIB)


def writing(stream: Stream) -> Any:
    """Returns a file object that writes to the stream."""
    return stream.makefile("wb", MIB)
