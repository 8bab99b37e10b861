"""The contract of sockets: Unix and TCP, connecting and accepting, and Python's own socket objects."""

import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

import pytest

import colonnade as cn
from colonnade.testing.transports import Collected, LiveTransportTests, Peer, SocketPeer, bytes_message, receive_exactly
from tests.helpers.sockets import accepted, connected


class OverUnix(LiveTransportTests):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.made = 0

    def url(self) -> str:
        self.made += 1
        return f"unix:{self.folder}/{self.made}"


class TestUnixConnecting(OverUnix):
    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple[cn.Connection, Peer]]:
        return connected(self.url())


class TestUnixAccepting(OverUnix):
    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple[cn.Connection, Peer]]:
        return accepted(self.url())


class TestTcpConnecting(LiveTransportTests):
    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple[cn.Connection, Peer]]:
        return connected("tcp://127.0.0.1:0")


class TestTcpAccepting(LiveTransportTests):
    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple[cn.Connection, Peer]]:
        return accepted("tcp://127.0.0.1:0")


class TestSocketObject(LiveTransportTests):
    timeout_s: float | None = None

    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        near, far = socket.socketpair()
        with near, closing(SocketPeer(far)) as peer:
            near.settimeout(self.timeout_s)
            connection = cn.connect(near)
            near.close()  # the connection has its own descriptor, and the peer is to see when that goes
            with connection:
                yield connection, peer


class TestSocketObjectWithTimeout(TestSocketObject):
    timeout_s = 0.01


class TestNonBlockingSocketObject(TestSocketObject):
    timeout_s = 0.0


class TestPairOfSocketDescriptors(LiveTransportTests):
    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        near, far = socket.socketpair()
        with closing(SocketPeer(far)) as peer:
            with near:
                connection = cn.connect((near.fileno(), near.fileno()))
            with connection:
                yield connection, peer


class TestLoneSocketDescriptor(LiveTransportTests):
    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        near, far = socket.socketpair()
        with closing(SocketPeer(far)) as peer:
            with near:
                connection = cn.connect(near.fileno())
            with connection:
                yield connection, peer


class Ended(Collected):
    """A connection over a file of a socket leaves the socket open, so somebody must end it."""

    def __init__(self, collected: Collected, near: socket.socket) -> None:
        self._collected, self._near = collected, near

    def result(self) -> bytes:
        with suppress(OSError):
            self._near.shutdown(socket.SHUT_WR)
        return self._collected.result()


def end_both_ways(near: socket.socket) -> None:
    """So that no thread of a failed case is left waiting."""
    with suppress(OSError):
        near.shutdown(socket.SHUT_RDWR)


class FileOfSocket(LiveTransportTests):
    """`socket.makefile`: buffered objects wait for more than they were asked for, unless they are asked rightly."""

    has_timeouts = False
    has_descriptor = False
    buffering = -1

    @pytest.fixture(autouse=True)
    def _sockets(self) -> None:
        self.sockets: dict[cn.Connection, socket.socket] = {}

    def end(self, connection: cn.Connection) -> None:
        connection.finish()
        self.sockets[connection].shutdown(socket.SHUT_WR)

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        with super().sender() as (connection, collected):
            yield connection, Ended(collected, self.sockets[connection])

    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        near, far = socket.socketpair()
        with closing(SocketPeer(far)) as peer, near:
            source = near.makefile("rb", buffering=self.buffering)
            target = near.makefile("wb", buffering=self.buffering)
            with cn.connect((source, target)) as connection:
                self.sockets[connection] = near
                try:
                    yield connection, peer
                finally:
                    end_both_ways(near)


class TestBufferedFileOfSocket(FileOfSocket):
    pass


class TestUnbufferedFileOfSocket(FileOfSocket):
    buffering = 0


@pytest.mark.parametrize("timeout_s", [None, 5.0, 0.0])
def test_the_callers_socket_stays_as_it_was(timeout_s: float | None) -> None:
    """Open, and with its timeout: it works as before once the connection is closed."""
    near, far = socket.socketpair()
    with near, far:
        near.settimeout(timeout_s)
        with cn.connect(near) as connection:
            connection.send_bytes(b"")
            assert len(far.recv(100)) == 16
        assert near.gettimeout() == timeout_s
        assert near.fileno() >= 0
        far.sendall(b"still open")
        assert near.recv(100) == b"still open"


def test_closing_the_connection_keeps_a_socket_that_is_the_callers() -> None:
    """The peer sees the end when the caller closes it too, or when the connection was finished; not before."""
    near, far = socket.socketpair()
    with near, far:
        far.settimeout(30)
        with cn.connect(near) as connection:
            connection.send_bytes(b"last")
        near.sendall(b"from the caller")
        assert receive_exactly(SocketPeer(far), 35) == bytes_message("last", b"last").wire + b"from the caller"
        with cn.connect(near) as connection:
            connection.finish()
        assert far.recv(100) == b""
        far.sendall(b"to the caller")
        assert near.recv(100) == b"to the caller"
