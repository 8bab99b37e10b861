"""Clients of `colonnade serve` that hold connections, guess tokens, read nothing, or speak another TLS."""

import asyncio
import contextlib
import gzip
import hmac
import os
import shlex
import socket
import ssl
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade._serve.guard import Bounds
from colonnade._serve.server import make_server, server_context
from colonnade.serve import asgi
from colonnade.testing.transports import PATIENCE_S, Background
from tests.helpers.certificates import Certificates, make_certificates
from tests.helpers.each import each
from tests.helpers.store_servers import free_port, running
from tests.helpers.usage import descriptors, memory_nbytes, peak_growth
from tests.serve.test_app import ask

pytest.importorskip("uvicorn")

pytestmark = pytest.mark.usefixtures("no_proxy")

MIB = 1 << 20
TOKEN = "very-secret"
GET = b"GET /t.npz HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer very-secret\r\n\r\n"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served")
    cn.write({"x": np.arange(1000)}, made / "t.npz")
    cn.write({"x": np.arange(8 * MIB)}, made / "large.npz")
    return made


class Served:
    """A server in a thread."""

    def __init__(self, folder: Path, bounds: Bounds, token: str | None, context: ssl.SSLContext | None) -> None:
        self.port = free_port()
        self.url = f"{'http' if context is None else 'https'}://127.0.0.1:{self.port}"
        self.server = make_server(asgi(folder, token=token), "127.0.0.1", self.port, context, bounds)

    def connected(self) -> socket.socket:
        """A plain client."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def connections(self) -> int:
        """How many uvicorn has."""
        return len(self.server.server_state.connections)

    def answers(self) -> None:
        """A client that does it right gets the file."""
        with self.connected() as client:
            client.sendall(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            assert received(client).startswith(b"HTTP/1.1 200 OK")


@contextmanager
def serving(
    folder: Path, bounds: Bounds | None = None, *, token: str | None = None, context: ssl.SSLContext | None = None
) -> Iterator[Served]:
    served = Served(folder, bounds or Bounds(), token, context)
    running = Background(served.server.run)
    until(lambda: served.server.started)
    try:
        yield served
    finally:
        served.server.should_exit = served.server.force_exit = True
        running.result()


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


def received(client: socket.socket) -> bytes:
    """All bytes until the server closes."""
    found = b""
    with suppress(ConnectionError):
        while piece := client.recv(1 << 16):
            found += piece
    return found


# --------------------------------------------------------------------------- slow and silent clients
@pytest.mark.parametrize("kind", ["head", "second head", "body", "hello"])
def test_a_request_a_byte_at_a_time(folder: Path, certificates: Certificates, kind: str) -> None:
    """Bytes do not extend the time."""
    pair = certificates.server
    context = server_context(pair.certificate, pair.key) if kind == "hello" else None
    with serving(folder, Bounds(request_s=0.4), context=context) as served, served.connected() as slow:
        if kind in ("second head", "body"):
            slow.sendall(GET if kind == "second head" else GET[:-2] + b"Content-Length: 1000000\r\n\r\n")
        start = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" if kind == "hello" else b"GET /t.npz HTTP/1.1\r\nX: "
        with pytest.raises(OSError):
            for byte in start + b"a" * 400:
                slow.sendall(bytes([byte]))
                time.sleep(0.02)
        if context is None:
            served.answers()


@pytest.mark.parametrize("tls", [False, True])
def test_silent_clients_are_given_up(folder: Path, certificates: Certificates, tls: bool) -> None:
    context = server_context(certificates.server.certificate, certificates.server.key) if tls else None
    with serving(folder, Bounds(request_s=0.2), context=context) as served:
        crowd = [served.connected() for _ in range(20)]
        for client in crowd:
            assert received(client) == b""
            client.close()
        until(lambda: served.connections() == 0)


@pytest.mark.parametrize("words", [b"", GET[:20], GET.replace(b"GET", b"POST")], ids=["silent", "half", "answered"])
def test_a_thousand_connections(folder: Path, words: bytes) -> None:
    """The one that waits longest makes room for the next, so whoever asks is answered."""
    with serving(folder, Bounds(request_s=60, connections=50)) as served:
        crowd: list[socket.socket] = []
        for number in range(1000):
            client = served.connected()
            client.sendall(words)
            if words.endswith(b"\r\n\r\n"):
                assert client.recv(12) == b"HTTP/1.1 405"
            crowd.append(client)
            if len(crowd) > 200:
                crowd.pop(0).close()
            if number % 250 == 249:
                served.answers()
                assert served.connections() <= 50
        for client in crowd:
            client.close()
        served.answers()
        until(lambda: served.connections() == 0)


def test_more_clients_than_descriptors(folder: Path) -> None:
    """Half of the descriptors are for clients, and no attempt to take one in fails."""
    port = free_port()
    serve = [sys.executable, "-m", "colonnade", "serve", str(folder), "--port", str(port)]
    command = ["bash", "-c", f"ulimit -n 128; exec {shlex.join(serve)}"]
    with running(command, port, stderr=(stderr := tempfile.TemporaryFile())), ExitStack() as crowd:
        for _ in range(300):
            crowd.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_S))
        assert cn.read(f"http://127.0.0.1:{port}/t.npz").shape == (1000, 1)
    with stderr:
        stderr.seek(0)
        assert stderr.read() == b""


def test_a_client_that_reads_nothing(folder: Path) -> None:
    """Little of the answer is in memory, and after a time it is given up."""
    with serving(folder, Bounds(silent_s=0.4)) as served, peak_growth() as grown:
        served.answers()
        with served.connected() as client:
            client.sendall(GET.replace(b"t.npz", b"large.npz"))
            assert client.recv(12) == b"HTTP/1.1 200"
            until(lambda: served.connections() == 0)
        served.answers()
    assert grown.nbytes < 24 * MIB


def test_half_open_clients(folder: Path) -> None:
    """They have closed the side that sends."""
    with serving(folder) as served:
        for words in (b"", GET[:20], GET[:-2]):
            with served.connected() as client:
                client.sendall(words)
                client.shutdown(socket.SHUT_WR)
                assert not received(client).startswith(b"HTTP/1.1 200")
        until(lambda: served.connections() == 0)


# --------------------------------------------------------------------------- tokens
def test_ten_thousand_wrong_tokens(folder: Path) -> None:
    app = asgi(folder, token=TOKEN)

    async def guess(token: str) -> int:
        statuses: list[int] = []

        async def send(message: Any) -> None:
            statuses.append(message.get("status", 0))

        headers = [(b"authorization", f"Bearer {token}".encode())]
        scope = {"type": "http", "method": "GET", "path": "/t.npz", "query_string": b"", "headers": headers}
        await app(scope, asyncio.Event().wait, send)
        return statuses[0]

    async def run() -> None:
        assert [await guess(f"wrong {number}") for number in range(2000)] == [401] * 2000
        before = descriptors(), memory_nbytes()
        assert [await guess(f"wrong {number}") for number in range(8000)] == [401] * 8000
        assert descriptors() == before[0]
        assert memory_nbytes() - before[1] < 4 * MIB

    asyncio.run(run())
    assert ask(app, "/t.npz", headers={"Authorization": f"Bearer {TOKEN}"}).status == 200


def test_the_right_token_among_wrong_ones(folder: Path) -> None:
    wrong = GET.replace(b"very-secret\r\n", b"wrong\r\nConnection: close\r\n")
    over = threading.Event()
    with serving(folder, token=TOKEN) as served:

        def flood() -> None:
            while not over.is_set():
                with served.connected() as client:
                    client.sendall(wrong)
                    assert received(client).startswith(b"HTTP/1.1 401")

        guessing = [Background(flood) for _ in range(4)]
        for _ in range(5):
            served.answers()
        over.set()
        for guesser in guessing:
            guesser.result()


def test_tokens_are_compared_in_constant_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert ask(asgi(folder, token=TOKEN), "/t.npz", headers={"Authorization": "Bearer wrong"}).status == 401
    assert compared == [(b"wrong", TOKEN.encode())]


# --------------------------------------------------------------------------- requests that are too large
@each(
    "words",
    [
        b"GET /" + b"a" * 100_000,
        b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000,
        b"GET / HTTP/1.1\r\n" + b"X: a\r\n" * 20_000,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),
        os.urandom(100) + b"\r\n\r\n",
    ],
)
def test_heads_without_end(folder: Path, words: bytes) -> None:
    with serving(folder) as served, served.connected() as client:
        with suppress(ConnectionError):
            client.sendall(words)
        assert not received(client).startswith(b"HTTP/1.1 200")
        served.answers()


def test_bodies_are_not_kept(folder: Path) -> None:
    """One that claims terabytes, and one that would be a gigabyte if it were decoded."""
    bomb = gzip.compress(bytes(64 * MIB))
    head = b"POST /t.npz HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    with serving(folder) as served, peak_growth() as grown:
        for claimed in (1 << 50, len(bomb)):
            with served.connected() as client:
                client.sendall(head % claimed)
                with suppress(ConnectionError):
                    for _ in range(20 if claimed > len(bomb) else 1):
                        client.sendall(bomb)
                assert client.recv(12) == b"HTTP/1.1 405"
        served.answers()
    assert grown.nbytes < 16 * MIB


@each("filters", ["(" * 10_000, "x > " + "9" * 10_000, " and ".join(["(x=1 or x=2)"] * 9 + ["x=1"] * 900)])
def test_filters_without_end(tmp_path: Path, filters: str) -> None:
    cn.write({"x": [1]}, tmp_path / "t.npz")
    assert ask(asgi(tmp_path), "/t.npz", filters=filters).status == 400


# --------------------------------------------------------------------------- TLS
def test_tls(folder: Path, certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old versions, plain HTTP and other authorities; the server goes on."""
    pair = certificates.server
    with serving(folder, context=server_context(pair.certificate, pair.key)) as served:
        old = certificates.client_context()
        old.set_ciphers("DEFAULT:@SECLEVEL=0")
        with warnings.catch_warnings(action="ignore"):
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with served.connected() as client, pytest.raises(ssl.SSLError):
            old.wrap_socket(client, server_hostname="localhost")
        with served.connected() as client:
            client.sendall(GET)
            assert b"HTTP" not in received(client)
        monkeypatch.setenv("SSL_CERT_FILE", certificates.other_authority)
        with pytest.raises(ConnectionError, match="certificate"):
            cn.read(f"{served.url}/t.npz")
        monkeypatch.setenv("SSL_CERT_FILE", certificates.authority)
        assert cn.read(f"{served.url}/large.npz").to_numpy()["x"].sum() == np.arange(8 * MIB).sum()


def test_a_request_within_the_handshake(folder: Path, certificates: Certificates) -> None:
    """The last bytes of the handshake and the request in one segment."""
    pair = certificates.server
    with serving(folder, context=server_context(pair.certificate, pair.key)) as served, served.connected() as plain:
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = certificates.client_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        while True:
            try:
                session.do_handshake()
                break
            except ssl.SSLWantReadError:
                plain.sendall(outgoing.read())
                incoming.write(plain.recv(1 << 16))
        session.write(GET)
        plain.sendall(outgoing.read())
        found = b""
        while len(found) < 12:
            with contextlib.suppress(ssl.SSLWantReadError):
                found += session.read(12)
                continue
            incoming.write(plain.recv(1 << 16))
        assert found.startswith(b"HTTP/1.1 200")
