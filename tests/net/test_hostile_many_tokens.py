"""Thousands of wrong tokens: memory and descriptors stay, and the right token comes in between them and after them."""

import logging
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, envelope
from tests.helpers.sockets import plain_socket, served
from tests.helpers.usage import descriptors, memory_nbytes

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

URL = "tls://127.0.0.1:0"


def guess(url: str, certificates: "Certificates", number: int) -> None:
    """One wrong token. There is no answer to it."""
    context, plain = certificates.client_context(), plain_socket(url)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with suppress(OSError), context.wrap_socket(plain, server_hostname="localhost") as peer:
        peer.sendall(envelope(b"a wrong token, number %09d" % number, b"T"))
        assert peer.recv(1) == b""


@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_wrong_tokens(
    certificates: "Certificates", token_file: str, count: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "colonnade")
    with cn.listen(URL, **certificates.server.options, token_file=token_file) as listener:
        accepting = Background(listener.accept)
        before = (0, 0)
        for number in range(count):
            if number == count // 5:
                before = (descriptors(), memory_nbytes())
            guess(listener.url, certificates, number)
        assert descriptors() <= before[0] + 2
        assert memory_nbytes() - before[1] < 8 << 20
        assert not accepting.is_done
        right = {"authorities": certificates.authority, "token_file": token_file, "timeout_s": PATIENCE_S}
        with cn.connect(listener.url, **right), accepting.result():
            pass
        served(listener, authorities=certificates.authority, token_file=token_file)


def test_the_right_token_among_wrong_ones(
    certificates: "Certificates", token_file: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "colonnade")
    over = threading.Event()
    with cn.listen(URL, **certificates.server.options, token_file=token_file) as listener:

        def flood() -> None:
            with suppress(ConnectionError):  # the listener is closed
                while not over.is_set():
                    guess(listener.url, certificates, 0)

        guessing = [Background(flood) for _ in range(4)]
        for _ in range(20):
            served(listener, authorities=certificates.authority, token_file=token_file)
        over.set()
    for each in guessing:
        each.result()
