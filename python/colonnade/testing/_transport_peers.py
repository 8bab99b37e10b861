"""The other end of a transport in plain Python: what a test makes it do, it does, byte for byte."""

import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Protocol

from ._background import PATIENCE_S, Background


class Peer(Protocol):
    """The far end of a connection under test, moved by hand."""

    def send(self, data: bytes) -> None:
        """All of it; waits as long as it must."""

    def receive(self, at_most: int) -> bytes:
        """At least one byte; none at the end of input."""

    def finish(self) -> None:
        """Nothing more will be sent: the connection sees the end of its input."""

    def close(self) -> None:
        """Both ways. A second time does nothing."""


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
        # TLS has its own end of input. `unwrap` sends it first, and then would wait for the other side's.
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
    """The ends of one or two pipes. They are closed with it."""

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
        # One thread may finish what another closes; a number closed twice may be somebody else's by then.
        with self._lock:
            fd = getattr(self, name)
            setattr(self, name, None)
        if fd is not None:
            os.close(fd)


class Trickle:
    """A middleman: a thread that carries what one peer receives to another, cut and merged anew.

    It takes what there is up to the next size of `sizes` (over again when they run out) and hands it on. `before`,
    where given, is called before each piece with the count of bytes carried so far, and may wait. At the end of input
    it finishes the target; where `nbytes` is given, it closes both peers after so many.
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
        self.source, self.target, self.nbytes, self.before = source, target, nbytes, before
        self.sizes = list(sizes)
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
        """Wait until it is through: how many bytes it carried."""
        carried: int = self._work.result()
        return carried


def receive_all(peer: Peer, sizes: Iterable[int] = (1 << 16,)) -> bytes:
    """What comes up to the end of input, in pieces of at most these sizes, over and over."""
    out, turn, sizes = bytearray(), 0, list(sizes)
    while piece := peer.receive(sizes[turn % len(sizes)]):
        out += piece
        turn += 1
    return bytes(out)


def receive_exactly(peer: Peer, nbytes: int) -> bytes:
    """So many bytes; fewer only at the end of input."""
    out = bytearray()
    while len(out) < nbytes and (piece := peer.receive(nbytes - len(out))):
        out += piece
    return bytes(out)
