"""Certificates that do not hold: a typed error on one side, a line in the log on the other, and the others go on."""

import logging
import socket
import ssl
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, bytes_message
from tests.helpers.sockets import plain_socket, served, server_socket

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

URL = "tls://127.0.0.1:0"
GOOD = bytes_message("good", b"good")


# --------------------------------------------------------------------------- connecting to a server that does not hold
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("expired", "expired"),
        ("not_yet", "valid"),
        ("wrong_name", "name"),
        ("unknown", "(?i)issuer|unknown|authorit"),
        ("self_signed", "(?i)issuer|unknown|authorit"),
    ],
)
def test_a_server_whose_certificate_does_not_hold(certificates: "Certificates", name: str, word: str) -> None:
    server, url = server_socket(URL)
    context = certificates.server_context(pair=getattr(certificates, name))
    with server:
        connecting = Background(cn.connect, url, authorities=certificates.authority, timeout_s=PATIENCE_S)
        plain, _ = server.accept()
        with plain, suppress(OSError):
            plain.settimeout(PATIENCE_S)
            context.wrap_socket(plain, server_side=True).recv(1)
        error = connecting.error()
    assert isinstance(error, ConnectionError), repr(error)
    assert url in str(error)
    with pytest.raises(ConnectionError, match=word):
        raise error


def test_a_server_of_an_old_version(certificates: "Certificates") -> None:
    """Nothing below TLS 1.2, though the server offers nothing newer."""
    server, url = server_socket(URL)
    context = certificates.server_context()
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with warnings.catch_warnings(action="ignore"):
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with server:
        connecting = Background(cn.connect, url, authorities=certificates.authority, timeout_s=PATIENCE_S)
        plain, _ = server.accept()
        with plain, pytest.raises(ssl.SSLError):
            plain.settimeout(PATIENCE_S)
            context.wrap_socket(plain, server_side=True)
        error = connecting.error()
    assert isinstance(error, ConnectionError), repr(error)


def test_our_own_server_without_a_certificate_that_holds(certificates: "Certificates") -> None:
    """The client is refused by itself; the listener goes on."""
    with cn.listen(URL, **certificates.server.options) as listener:
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        with pytest.raises(ConnectionError, match=r"tls://127\.0\.0\.1"):
            cn.connect(listener.url, authorities=certificates.other_authority, timeout_s=PATIENCE_S)
        with cn.connect(listener.url, authorities=certificates.authority, timeout_s=PATIENCE_S):
            accepting.result().close()


def test_the_name_may_be_said(certificates: "Certificates") -> None:
    with cn.listen(URL, **certificates.wrong_name.options) as listener:
        with pytest.raises(ConnectionError):
            connecting = Background(cn.connect, listener.url, authorities=certificates.authority, timeout_s=PATIENCE_S)
            with suppress(TimeoutError):
                listener.accept(timeout_s=0.5)
            connecting.result()
        served(listener, authorities=certificates.authority, server_name="elsewhere.example")


def test_the_system_does_not_know_the_authority(certificates: "Certificates") -> None:
    with cn.listen(URL, **certificates.server.options) as listener:
        accepting = Background(listener.accept, timeout_s=0.5)
        with pytest.raises((ConnectionError, cn.OptionError)):
            cn.connect(listener.url, timeout_s=PATIENCE_S)
        assert isinstance(accepting.error(), TimeoutError)


def test_a_server_that_speaks_no_tls(certificates: "Certificates") -> None:
    server, url = server_socket(URL)
    with server:
        connecting = Background(cn.connect, url, authorities=certificates.authority, timeout_s=PATIENCE_S)
        plain, _ = server.accept()
        with plain:
            plain.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            assert isinstance(connecting.error(), ConnectionError)


def test_a_server_that_says_nothing(certificates: "Certificates") -> None:
    server, url = server_socket(URL)
    with server, pytest.raises(TimeoutError, match=url):
        cn.connect(url, authorities=certificates.authority, timeout_s=0.2)


# --------------------------------------------------------------------------- clients that do not satisfy
@pytest.mark.parametrize("name", [None, "unknown_client", "expired_client"])
def test_a_client_whose_certificate_does_not_hold(
    certificates: "Certificates", name: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    made = certificates
    pair = getattr(made, name) if name else None
    with (
        caplog.at_level(logging.WARNING, "colonnade"),
        cn.listen(URL, **made.server.options, authorities=made.authority) as listener,
    ):
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        # In TLS 1.3 a client only learns with its first read that it is not wanted.
        with pytest.raises(OSError):
            refused = made.client_context(pair).wrap_socket(plain_socket(listener.url), server_hostname="localhost")
            refused.sendall(GOOD.wire)
            assert refused.recv(100) == b""
            raise ConnectionAbortedError
        with (
            cn.connect(listener.url, authorities=made.authority, **made.client.options, timeout_s=PATIENCE_S) as client,
            accepting.result() as connection,
        ):
            GOOD.send(client)
            GOOD.take(connection, PATIENCE_S)
    (record,) = caplog.records
    assert "turned away" in record.getMessage()
    assert "127.0.0.1" in record.getMessage()


def test_our_own_client_without_a_certificate(certificates: "Certificates") -> None:
    made = certificates
    with cn.listen(URL, **made.server.options, authorities=made.authority) as listener:
        accepting = Background(listener.accept, timeout_s=1.0)
        with (
            pytest.raises(ConnectionError) as raised,
            cn.connect(listener.url, authorities=made.authority, timeout_s=PATIENCE_S) as client,
        ):
            client.receive_bytes(timeout_s=PATIENCE_S)
        assert listener.url in str(raised.value)
        assert isinstance(accepting.error(), TimeoutError)
        served(listener, authorities=made.authority, **made.client.options)


def test_tls_sockets_end_to_end(certificates: "Certificates") -> None:
    """The encrypted bytes on the wire hold nothing of what was sent."""
    secret = b"a secret that must not be seen " * 20
    server, url = server_socket(URL)
    with server, cn.listen(URL, **certificates.server.options) as listener:
        seen = bytearray()
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        connecting = Background(
            cn.connect, url, authorities=certificates.authority, server_name="localhost", timeout_s=PATIENCE_S
        )
        near, _ = server.accept()
        far = plain_socket(listener.url)
        pumps = [Background(_pump, near, far, seen), Background(_pump, far, near, seen)]
        with connecting.result() as client, accepting.result() as connection:
            client.send_bytes(secret)
            assert connection.receive_bytes(timeout_s=PATIENCE_S) == secret
        for pump in pumps:
            pump.result()
        assert len(seen) > len(secret)
        assert b"secret" not in seen


def _pump(source: socket.socket, target: socket.socket, seen: bytearray) -> None:
    with suppress(OSError, ssl.SSLError):
        while piece := source.recv(4096):
            seen += piece
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
