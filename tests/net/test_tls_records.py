"""Records of TLS that arrive together, broken ones behind good ones, and connections that are reset."""

import logging
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, bytes_message
from tests.helpers.sockets import plain_socket, server_socket

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

URL = "tls://127.0.0.1:0"
GOOD = bytes_message("good", b"good")
BROKEN = b"\x17\x03\x03\x00\x20" + bytes(32)


class Records:
    """The standard library's side of TLS over a plain socket. A test sends the records as it likes."""

    def __init__(self, plain: socket.socket, context: ssl.SSLContext, *, is_server: bool) -> None:
        self._incoming, self._outgoing, self.plain = ssl.MemoryBIO(), ssl.MemoryBIO(), plain
        name = None if is_server else "localhost"
        self._session = context.wrap_bio(self._incoming, self._outgoing, server_side=is_server, server_hostname=name)
        while True:
            try:
                self._session.do_handshake()
                break
            except ssl.SSLWantReadError:
                plain.sendall(self._outgoing.read())
                self._incoming.write(plain.recv(1 << 16))
        plain.sendall(self._outgoing.read())

    def record(self, data: bytes) -> bytes:
        """The encrypted bytes of one record."""
        self._session.write(data)
        return self._outgoing.read()

    def reset(self) -> None:
        """End the connection by a reset, without a word of TLS."""
        reset(self.plain)


def reset(plain: socket.socket) -> None:
    """Close a TCP socket so that its peer gets a reset."""
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    plain.close()


@contextmanager
def server_of_records(certificates: "Certificates") -> Iterator[tuple[cn.Connection, Records]]:
    """A connection, and the server that it reached."""
    server, url = server_socket(URL)
    with server:
        connecting = Background(cn.connect, url, authorities=certificates.authority, timeout_s=PATIENCE_S)
        plain, _ = server.accept()
        with plain:
            plain.settimeout(PATIENCE_S)
            records = Records(plain, certificates.server_context(), is_server=True)
            with connecting.result() as connection:
                yield connection, records


def test_what_came_before_a_broken_record_is_received(certificates: "Certificates") -> None:
    with server_of_records(certificates) as (connection, server):
        server.plain.sendall(server.record(GOOD.wire) + BROKEN)
        GOOD.take(connection, PATIENCE_S)
        for _ in range(2):
            with pytest.raises(ConnectionError, match="altered on its way"):
                connection.receive_bytes(timeout_s=PATIENCE_S)


def test_a_message_that_arrived_with_the_end_of_another_is_ready(certificates: "Certificates") -> None:
    """The socket no longer shows it, because its record has been taken from there."""
    first, second = bytes_message("first", bytes(280_100)), bytes_message("second", b"second")
    with server_of_records(certificates) as (connection, server):
        sent = 0
        for cut in (200_000, 200_100):
            server.plain.sendall(server.record(first.wire[sent:cut]))
            sent = cut
            while len(connection.partial()) < cut - 16:
                assert not connection.poll(0.001)
        server.plain.sendall(server.record(first.wire[sent:]) + server.record(second.wire))
        first.take(connection, PATIENCE_S)
        assert cn.wait([connection], timeout_s=PATIENCE_S) == [connection]
        second.take(connection, PATIENCE_S)
        assert cn.wait([connection], timeout_s=0) == []


def test_a_reset_after_messages_is_not_taken_for_a_refusal(certificates: "Certificates") -> None:
    with server_of_records(certificates) as (connection, server):
        server.plain.sendall(server.record(GOOD.wire))
        GOOD.take(connection, PATIENCE_S)
        server.reset()
        with pytest.raises(ConnectionError) as raised:
            while True:
                connection.send_bytes(bytes(1000))
        assert "without a word" not in str(raised.value)


def test_a_reset_in_the_handshake_is_named(certificates: "Certificates") -> None:
    server, url = server_socket(URL)
    with server:
        connecting = Background(cn.connect, url, authorities=certificates.authority, timeout_s=PATIENCE_S)
        plain, _ = server.accept()
        assert plain.recv(5)[0] == 22  # the hello
        reset(plain)
        error = connecting.error()
    assert isinstance(error, ConnectionResetError), repr(error)


def test_a_broken_record_in_the_place_of_a_token_is_named(
    certificates: "Certificates", token_file: str, caplog: pytest.LogCaptureFixture
) -> None:
    options: dict[str, Any] = {**certificates.server.options, "token_file": token_file}
    right: dict[str, Any] = {"authorities": certificates.authority, "token_file": token_file, "timeout_s": PATIENCE_S}
    with (
        caplog.at_level(logging.WARNING, "colonnade"),
        cn.listen(URL, **options) as listener,
    ):
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        with plain_socket(listener.url) as plain:
            Records(plain, certificates.client_context(), is_server=False)
            plain.sendall(BROKEN)
            while plain.recv(1 << 16):
                pass
        with cn.connect(listener.url, **right), accepting.result():
            pass
    (record,) = caplog.records
    assert "a TLS record was altered on its way" in record.getMessage()


def test_a_peer_gets_more_time_if_the_listener_was_busy(certificates: "Certificates") -> None:
    """It waited for the listener's answer, which counts once as no delay of its own."""
    options: dict[str, Any] = {**certificates.server.options, "handshake_timeout_s": 0.4}
    with cn.listen(URL, **options) as listener, plain_socket(listener.url) as plain:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = certificates.client_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        with pytest.raises(ssl.SSLWantReadError):
            client.do_handshake()
        plain.sendall(outgoing.read())
        for pause_s in (0.0, 0.0, 0.5):
            time.sleep(pause_s)
            with pytest.raises(TimeoutError):
                listener.accept(timeout_s=0)
        incoming.write(plain.recv(1 << 16))
        client.do_handshake()
        client.write(GOOD.wire)
        plain.sendall(outgoing.read())
        with listener.accept(timeout_s=PATIENCE_S) as connection:
            GOOD.take(connection, PATIENCE_S)
