"""Peers that send a byte at a time, that are gone without a word, and that read nothing."""

import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, Background, bytes_message
from tests.helpers.sockets import plain_socket, served
from tests.helpers.usage import peak_growth

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

URL = "tls://127.0.0.1:0"
MIB = 1 << 20
GOOD = bytes_message("good", b"good")


def drip(peer: socket.socket, data: bytes) -> None:
    """A byte at a time. Slow enough to last many times as long as a listener allows."""
    with closing(peer):
        for byte in data:
            peer.sendall(bytes([byte]))
            time.sleep(0.02)


@pytest.mark.parametrize("what", ["hello", "token"])
def test_a_handshake_a_byte_at_a_time(certificates: "Certificates", token_file: str, what: str) -> None:
    """Bytes do not extend the time: the slow one is shown the door, and others come in before and after it."""
    made = certificates
    right = {"authorities": made.authority, "token_file": token_file}
    with cn.listen(URL, **made.server.options, token_file=token_file, handshake_timeout_s=0.4) as listener:

        def slow() -> None:
            if what == "hello":
                drip(plain_socket(listener.url), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500))
            else:
                peer = made.client_context().wrap_socket(plain_socket(listener.url), server_hostname="localhost")
                drip(peer, b"\xc1CNT" + bytes(4) + struct.pack("<Q", 4000) + bytes(4000))

        dripping = [Background(slow) for _ in range(3)]
        served(listener, **right)
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        for each in dripping:
            assert isinstance(each.error(), OSError)
        with cn.connect(listener.url, timeout_s=PATIENCE_S, **right), accepting.result():
            pass


@pytest.fixture(params=["unix", "tcp", "tls"])
def ends(
    request: pytest.FixtureRequest, tmp_path: Path, certificates: "Certificates"
) -> Iterator[tuple[cn.Connection, socket.socket]]:
    """A connection of a listener, and the plain socket of its peer."""
    url = f"unix:{tmp_path}/socket" if request.param == "unix" else f"{request.param}://127.0.0.1:0"
    options = certificates.server.options if request.param == "tls" else {}
    with cn.listen(url, **options) as listener:
        accepting = Background(listener.accept, timeout_s=PATIENCE_S)
        peer = plain_socket(listener.url)
        if request.param == "tls":
            peer = certificates.client_context().wrap_socket(peer, server_hostname="localhost")
        with peer, accepting.result() as connection:
            yield connection, peer


def test_a_message_a_byte_at_a_time(ends: tuple[cn.Connection, socket.socket]) -> None:
    """`timeout_s` of a call is for all of it, however the bytes come. Nothing of them is lost."""
    connection, peer = ends
    message = bytes_message("slow", bytes(50))
    dripping = Background(lambda: [(peer.sendall(bytes([byte])), time.sleep(0.01)) for byte in message.wire])
    with pytest.raises(TimeoutError, match="message 1"):
        connection.receive_bytes(timeout_s=0.1)
    message.take(connection, PATIENCE_S)
    dripping.result()


def test_a_peer_that_reads_nothing(ends: tuple[cn.Connection, socket.socket]) -> None:
    """The sender waits for it with its own memory only, and not for longer than it wants."""
    connection, _ = ends
    frame = cn.Frame({"x": np.ones(12_500_000)})
    with peak_growth() as grown, pytest.raises(TimeoutError, match="message 1"):
        connection.send(frame, timeout_s=0.3)
    assert grown.nbytes < 16 * MIB


def test_a_peer_whose_machine_is_gone() -> None:
    """It sends no end, so the system asks after a minute. Otherwise it would hold a place of the listener forever."""
    with (
        cn.listen("tcp://127.0.0.1:0") as listener,
        cn.connect(listener.url) as near,
        listener.accept(timeout_s=PATIENCE_S) as far,
    ):
        for connection in (near, far):
            with socket.socket(fileno=os.dup(connection._descriptor() or -1)) as found:
                assert found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
                if hasattr(socket, "TCP_KEEPIDLE"):
                    assert found.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_a_bomb(codec: str) -> None:
    """A quarter of a gigabyte from some kilobytes: refused by its size before it has memory."""
    wire = cn.encode({"x": np.zeros(32 * MIB)}, "arrows", compression=codec)
    assert len(wire) < 2 * MIB
    near, far = socket.socketpair()
    with near, far, cn.connect(near, limits=cn.Limits(max_nbytes=16 * MIB)) as connection:
        sending = Background(far.sendall, wire)
        with peak_growth() as grown, pytest.raises(cn.LimitError, match="message 1"):
            connection.receive(timeout_s=PATIENCE_S)
        assert grown.nbytes < 32 * MIB
        near.close()
        connection.close()
        sending.error()
