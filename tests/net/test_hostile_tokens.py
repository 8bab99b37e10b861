"""Tokens that are not the right one, and peers that never finish: they get nothing and keep nobody waiting."""

import logging
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, SocketPeer, bytes_message, envelope, receive_exactly
from tests.helpers.sockets import TOKEN, plain_socket, served, server_socket

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

URL = "tls://127.0.0.1:0"
GOOD = bytes_message("good", b"good")
ACCEPTED = envelope(b"", b"A")


def test_the_right_token(certificates: "Certificates", token_file: str) -> None:
    with cn.listen(URL, **certificates.server.options, token_file=token_file) as listener:
        served(listener, authorities=certificates.authority, token_file=token_file)


def test_a_token_from_the_environment(
    certificates: "Certificates", token_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLONNADE_TEST_TOKEN", TOKEN.decode())
    with cn.listen(URL, **certificates.server.options, token_file=token_file) as listener:
        served(listener, authorities=certificates.authority, token_env="COLONNADE_TEST_TOKEN")


@pytest.mark.parametrize(
    "first",
    [
        envelope(b"a token of 24 characterz", b"T"),
        envelope(b"another token of another length", b"T"),
        envelope(TOKEN[:-1], b"T"),
        envelope(TOKEN + b"\n", b"T"),
        envelope(TOKEN, b"B"),
        envelope(b"", b"T"),
        envelope(b"x" * 5000, b"T"),
        b"\xc1CNT" + bytes(4) + struct.pack("<Q", 2**63) + TOKEN,
        GOOD.wire,
        b"GET / HTTP/1.1\r\n\r\n",
        TOKEN,
    ],
    ids=[
        "same length",
        "other length",
        "shorter",
        "longer",
        "other kind",
        "empty",
        "too long",
        "2^63",
        "a message instead",
        "http",
        "bare",
    ],
)
def test_a_wrong_token(
    certificates: "Certificates", token_file: str, first: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """No answer, not even why; the next peer is served."""
    with (
        caplog.at_level(logging.WARNING, "colonnade"),
        cn.listen(URL, **certificates.server.options, token_file=token_file, handshake_timeout_s=1.0) as listener,
    ):
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        context = certificates.client_context()
        with (
            suppress(OSError),
            context.wrap_socket(plain_socket(listener.url), server_hostname="localhost") as refused,
        ):
            refused.sendall(first + GOOD.wire)
            assert refused.recv(100) == b""
        with (
            cn.connect(
                listener.url, authorities=certificates.authority, token_file=token_file, timeout_s=PATIENCE_S
            ) as client,
            accepting.result() as connection,
        ):
            GOOD.send(client)
            GOOD.take(connection, PATIENCE_S)
    (record,) = caplog.records
    assert "127.0.0.1" in record.getMessage()
    assert TOKEN.decode() not in caplog.text


def test_the_token_is_answered_for(certificates: "Certificates", token_file: str) -> None:
    """Byte by byte: the token's envelope, then sixteen bytes of consent."""
    with cn.listen(URL, **certificates.server.options, token_file=token_file) as listener:
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        context = certificates.client_context()
        with context.wrap_socket(plain_socket(listener.url), server_hostname="localhost") as client:
            for byte in envelope(TOKEN, b"T"):
                client.sendall(bytes([byte]))
            assert receive_exactly(SocketPeer(client), 16) == ACCEPTED
            with accepting.result() as connection:
                client.sendall(GOOD.wire)
                GOOD.take(connection, PATIENCE_S)


@pytest.mark.parametrize("answer", [b"", envelope(b"", b"B"), b"HTTP/1.1 200 OK\r\n\r\n", envelope(b"more", b"A")])
def test_a_server_that_does_not_consent(certificates: "Certificates", token_file: str, answer: bytes) -> None:
    server, url = server_socket(URL)
    with server:
        connecting = Background(
            cn.connect, url, authorities=certificates.authority, token_file=token_file, timeout_s=PATIENCE_S
        )
        plain, _ = server.accept()
        with certificates.server_context().wrap_socket(plain, server_side=True) as made:
            made.settimeout(PATIENCE_S)
            assert receive_exactly(SocketPeer(made), 16 + len(TOKEN)) == envelope(TOKEN, b"T")
            made.sendall(answer)
        error = connecting.error()
    assert isinstance(error, (ConnectionError, cn.DecodeError)), repr(error)
    assert url in str(error)


def test_a_client_without_a_token(certificates: "Certificates", token_file: str) -> None:
    """It may connect to TLS, and then is heard by nobody."""
    made = certificates
    with cn.listen(URL, **made.server.options, token_file=token_file, handshake_timeout_s=0.3) as listener:
        accepting = Background(listener.accept, timeout_s=1.5)
        with (
            pytest.raises((ConnectionError, EOFError)),
            cn.connect(listener.url, authorities=made.authority, timeout_s=PATIENCE_S) as client,
        ):
            client.receive_bytes(timeout_s=PATIENCE_S)
        assert isinstance(accepting.error(), TimeoutError)


def test_peers_that_never_finish_keep_nobody_waiting(certificates: "Certificates", token_file: str) -> None:
    """Some say nothing, some half a hello, some half a token: a good one gets in past them."""
    made = certificates
    with cn.listen(URL, **made.server.options, token_file=token_file, handshake_timeout_s=60.0) as listener:
        idle = [plain_socket(listener.url) for _ in range(8)]
        for peer in idle[::2]:
            peer.sendall(b"\x16\x03\x01\x02")
        served(listener, authorities=made.authority, token_file=token_file)
        for peer in idle:
            peer.close()


def test_peers_that_never_finish_are_given_up(certificates: "Certificates", token_file: str) -> None:
    made = certificates
    with cn.listen(URL, **made.server.options, token_file=token_file, handshake_timeout_s=0.2) as listener:
        with plain_socket(listener.url) as idle:
            with pytest.raises(TimeoutError):
                listener.accept(timeout_s=1.0)
            with suppress(ConnectionError):
                while idle.recv(100):
                    pass
        served(listener, authorities=made.authority, token_file=token_file)


@pytest.mark.parametrize("words", [b"", b"\x16"], ids=["silent", "one byte"])
@pytest.mark.parametrize("drives", ["wait", "looks"])
def test_a_room_full_of_peers_that_do_not_go_on(
    certificates: "Certificates", token_file: str, words: bytes, drives: str
) -> None:
    """Their time passes in `wait` and between calls too: all are shown the door, and then the right one comes in."""
    options: dict[str, Any] = {**certificates.server.options, "token_file": token_file, "handshake_timeout_s": 0.5}
    with cn.listen(URL, **options) as listener:
        stop = threading.Event()

        def drive() -> None:
            while not stop.is_set():
                if drives == "wait":
                    assert cn.wait([listener], timeout_s=1.0) == []
                else:
                    with pytest.raises(TimeoutError):
                        listener.accept(timeout_s=0.0)
                    stop.wait(0.05)

        driving = Background(drive)
        crowd = [plain_socket(listener.url) for _ in range(70)]
        for peer in crowd:
            peer.sendall(words)
        for peer in crowd:
            peer.settimeout(PATIENCE_S)
            with suppress(ConnectionError):
                assert peer.recv(1) == b""
            peer.close()
        stop.set()
        driving.result()
        served(listener, authorities=certificates.authority, token_file=token_file)


def test_who_is_turned_away_is_logged_while_accept_waits(
    certificates: "Certificates", token_file: str, caplog: pytest.LogCaptureFixture
) -> None:
    logged = threading.Event()
    handler = logging.Handler()
    handler.emit = lambda record: logged.set()  # type: ignore[method-assign]
    logger = logging.getLogger("colonnade")
    logger.addHandler(handler)
    try:
        with cn.listen(URL, **certificates.server.options, token_file=token_file) as listener:
            accepting = Background(listener.accept, timeout_s=PATIENCE_S)
            with plain_socket(listener.url) as peer:
                peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
                assert logged.wait(PATIENCE_S)
                assert not accepting.is_done
            options: dict[str, Any] = {"authorities": certificates.authority, "token_file": token_file}
            connecting = Background(cn.connect, listener.url, timeout_s=PATIENCE_S, **options)
            with accepting.result(), connecting.result():
                pass
    finally:
        logger.removeHandler(handler)
    assert "is not TLS" in caplog.text
