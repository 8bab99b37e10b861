"""The other end of a transport in plain Python. A test controls it byte for byte."""

import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Protocol

from ._background import PATIENCE_S, Background


class Peer(Protocol):
    """The far end of a connection under test, which the test controls."""

    def send(self, data: bytes) -> None:
        """Sends all of `data`; waits without a limit."""

    def receive(self, at_most: int) -> bytes:
        """Receives at least one byte; no bytes at the end of input."""

    def finish(self) -> None:
        """Ends sending, so that the connection sees the end of its input."""

    def close(self) -> None:
        """Closes both directions. A second call has no effect."""


class SocketPeer:
    """A `socket.socket`, or an `ssl.SSLSocket`."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        sock.settimeout(PATIENCE_S)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self, at_most: int) -> bytes:
        return self.socket.recv(at_most)

    def finish(self) -> None:
        if not isinstance(self.socket, ssl.SSLSocket):
            self.socket.shutdown(socket.SHUT_WR)
            return
        # TLS has its own end of input. `unwrap` sends it and then would wait for the other side's end of input.
        self.socket.settimeout(0)
        try:
            self.socket.unwrap()
        except ssl.SSLWantReadError:
            pass
        finally:
            self.socket.settimeout(PATIENCE_S)

    def close(self) -> None:
        if isinstance(self.socket, ssl.SSLSocket):
            with suppress(OSError, ValueError):
                self.finish()
        self.socket.close()


class DescriptorPeer:
    """Owns the ends of one or two pipes. `close` closes them."""

    def __init__(self, receive_fd: int | None, send_fd: int | None) -> None:
        self.receive_fd = receive_fd
        self.send_fd = send_fd
        self._lock = threading.Lock()

    def send(self, data: bytes) -> None:
        assert self.send_fd is not None
        view = memoryview(data)
        while view:
            view = view[os.write(self.send_fd, view) :]

    def receive(self, at_most: int) -> bytes:
        assert self.receive_fd is not None
        return os.read(self.receive_fd, at_most)

    def finish(self) -> None:
        self._close("send_fd")

    def close(self) -> None:
        self._close("send_fd")
        self._close("receive_fd")

    def _close(self, name: str) -> None:
        # Two threads may finish and close at once. After a first close, another file may have the same descriptor
        # number.
        with self._lock:
            fd = getattr(self, name)
            setattr(self, name, None)
        if fd is not None:
            os.close(fd)


class Trickle:
    """A thread that copies bytes from one peer to another, in pieces of other sizes.

    It reads the available bytes up to the next size of `sizes` (which repeat) and sends them on. `before`, if given, is
    called before each piece with the number of bytes copied so far, and may wait. At the end of input it finishes the
    target. If `nbytes` is given, it closes both peers after that number of bytes.
    """

    def __init__(
        self,
        source: Peer,
        target: Peer,
        sizes: Iterable[int],
        *,
        nbytes: int | None = None,
        before: Callable[[int], object] | None = None,
    ) -> None:
        self.source: Peer = source
        self.target: Peer = target
        self.nbytes: int | None = nbytes
        self.before: Callable[[int], object] | None = before
        self.sizes: list[int] = list(sizes)
        self._work = Background(self._carry)

    def _carry(self) -> int:
        carried = turn = 0
        while self.nbytes is None or carried < self.nbytes:
            size = self.sizes[turn % len(self.sizes)]
            if self.nbytes is not None:
                size = min(size, self.nbytes - carried)
            turn += 1
            piece = self.source.receive(size)
            if not piece:
                self.target.finish()
                return carried
            if self.before is not None:
                self.before(carried)
            self.target.send(piece)
            carried += len(piece)
        self.target.close()
        self.source.close()
        return carried

    def result(self) -> int:
        """Waits for the end, and returns the number of bytes copied."""
        carried: int = self._work.result()
        return carried


def receive_all(peer: Peer, sizes: Iterable[int] = (1 << 16,)) -> bytes:
    """All bytes to the end of input, read in pieces of at most these sizes, which repeat."""
    out, turn, sizes = bytearray(), 0, list(sizes)
    while piece := peer.receive(sizes[turn % len(sizes)]):
        out += piece
        turn += 1
    return bytes(out)


def receive_exactly(peer: Peer, nbytes: int) -> bytes:
    """Receives `nbytes` bytes; fewer only at the end of input."""
    out = bytearray()
    while len(out) < nbytes and (piece := peer.receive(nbytes - len(out))):
        out += piece
    return bytes(out)
