"""The contract of TLS: ours against the standard library's, and over Python's own TLS sockets."""

import socket
import ssl
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

import colonnade as cn
from colonnade.testing.transports import Background, Collected, LiveTransportTests, Peer, SocketPeer, bytes_message
from tests.helpers.sockets import accepted, connected

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates


class OverTls(LiveTransportTests):
    certificates: "Certificates"

    @pytest.fixture(autouse=True)
    def _certificates(self, certificates: "Certificates") -> None:
        self.certificates = certificates


class TestTlsConnecting(OverTls):
    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple[cn.Connection, Peer]]:
        made = self.certificates
        return connected("tls://127.0.0.1:0", made.server_context(), authorities=made.authority)

    def test_an_end_that_nobody_announced(self) -> None:
        """Whoever cuts the line cannot make it look like the end of input."""
        first = bytes_message("first", b"first")
        with self.open() as (connection, peer):
            peer.send(first.wire)
            self.take(connection, first)
            assert isinstance(peer, SocketPeer)
            peer.socket.shutdown(socket.SHUT_RDWR)  # of TCP, below TLS
            with pytest.raises((cn.TruncatedError, ConnectionError)) as raised:
                connection.receive(timeout_s=self.patience_s)
            assert connection.peer in str(raised.value)
            assert connection.status() != "end of input"


class TestTlsAccepting(OverTls):
    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple[cn.Connection, Peer]]:
        made = self.certificates
        return accepted("tls://127.0.0.1:0", made.client_context(), **made.server.options)


class TestTlsAcceptingCertificates(OverTls):
    def open(self, *, receives: bool = True) -> AbstractContextManager[tuple[cn.Connection, Peer]]:
        made = self.certificates
        return accepted(
            "tls://127.0.0.1:0",
            made.client_context(made.client),
            **made.server.options,
            authorities=made.authority,
        )


class Ended(Collected):
    """A connection over the caller's TLS socket leaves it open, so somebody must end it."""

    def __init__(self, collected: Collected, transport: "TestTlsSocketObject", connection: cn.Connection) -> None:
        self._collected, self._transport, self._connection = collected, transport, connection

    def result(self) -> bytes:
        with suppress(OSError, ValueError):
            SocketPeer(self._transport.sockets[self._connection]).finish()
        return self._collected.result()


class TestTlsSocketObject(OverTls):
    """An `ssl.SSLSocket` is a socket whose descriptor must not be used: plain bytes would go under the TLS."""

    has_timeouts = False
    has_descriptor = False
    is_two_way = False  # one thread at a time: Python's TLS sockets do not lock

    @pytest.fixture(autouse=True)
    def _sockets(self) -> None:
        self.sockets: dict[cn.Connection, socket.socket] = {}

    def end(self, connection: cn.Connection) -> None:
        connection.finish()
        with suppress(OSError, ValueError):  # a second time
            SocketPeer(self.sockets[connection]).finish()

    @contextmanager
    def sender(self) -> Iterator[tuple[cn.Connection, Collected]]:
        with super().sender() as (connection, collected):
            yield connection, Ended(collected, self, connection)

    @contextmanager
    def open(self, *, receives: bool = True) -> Iterator[tuple[cn.Connection, Peer]]:
        near, far = socket.socketpair()
        shaking = Background(self.certificates.server_context().wrap_socket, far, server_side=True)
        ours = self.certificates.client_context().wrap_socket(near, server_hostname="localhost")
        with closing(SocketPeer(shaking.result())) as peer, ours, cn.connect(ours) as connection:
            self.sockets[connection] = ours
            try:
                yield connection, peer
            finally:
                with suppress(OSError):
                    ours.shutdown(socket.SHUT_RDWR)


def test_versions_below_1_2_are_refused(certificates: "Certificates") -> None:
    context = certificates.client_context()
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with warnings.catch_warnings(action="ignore"):
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with cn.listen("tls://127.0.0.1:0", **certificates.server.options) as listener:
        accepting = Background(listener.accept, timeout_s=0.5)
        host, port = listener.url.removeprefix("tls://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as plain, pytest.raises(ssl.SSLError):
            context.wrap_socket(plain, server_hostname="localhost")
        assert isinstance(accepting.error(), TimeoutError)
