"""The channels that a connection accepts, its options, and listeners."""

import io
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.connected import FRAME, beside
from tests.helpers.each import each

MESSAGES = [b"first", b"", bytes(100_000)]


def send_all(connection: cn.Connection) -> None:
    for message in MESSAGES:
        connection.send_bytes(message)
    connection.send(FRAME)


def assert_all_came(connection: cn.Connection) -> None:
    *messages, frame = connection
    assert messages == MESSAGES
    assert isinstance(frame, cn.Frame)
    assert frame.equals(FRAME)


def encoded() -> bytes:
    sink = cn.BufferSink()
    with cn.connect((None, sink)) as connection:
        send_all(connection)
    return bytes(memoryview(sink))


# ---------------------------------------------------------------------------- pairs


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ours, theirs = os.pipe()
    with ExitStack() as stack:
        for fd in (ours, theirs):
            stack.callback(_close_quietly, fd)
        yield ours, theirs


def _close_quietly(fd: int) -> None:
    with suppress(OSError):
        os.close(fd)


def sent_through(target: Any, fd: int) -> None:
    with cn.connect(target) as connection:
        os.close(fd)
        send_all(connection)


@pytest.mark.parametrize("receiver", ["pair", "alone", "buffered", "raw"])
@pytest.mark.parametrize("sender", ["pair", "alone", "buffered", "raw"])
def test_pipes(pipe: tuple[int, int], sender: str, receiver: str) -> None:
    def end(fd: int, mode: str, kind: str) -> Any:
        if kind in ("pair", "alone"):
            return fd
        return stack.enter_context(open(fd, mode, buffering=0 if kind == "raw" else -1, closefd=False))

    with ExitStack() as stack:
        source, target = end(pipe[0], "rb", receiver), end(pipe[1], "wb", sender)
        target = (None, target) if sender == "pair" else target
        with (
            beside(lambda: sent_through(target, pipe[1])),
            cn.connect((source, None) if receiver == "pair" else source) as connection,
        ):
            assert_all_came(connection)


@each("kind", [bytes, bytearray, memoryview, io.BytesIO, "sink", "file", "path"])
def test_bytes_and_files_are_sources(kind: Any, tmp_path: Path) -> None:
    path = tmp_path / "messages"
    path.write_bytes(encoded())
    with ExitStack() as stack:
        if kind == "path":
            source: Any = path
        elif kind == "file":
            source = stack.enter_context(open(path, "rb"))
        elif kind == "sink":
            source = cn.BufferSink()
            source.write(encoded())
        else:
            source = kind(encoded())
        with cn.connect((source, None)) as connection:
            assert cn.wait([connection]) == [connection]
            assert connection.poll()
            assert_all_came(connection)


def test_files_are_targets(tmp_path: Path) -> None:
    path = tmp_path / "messages"
    path.write_bytes(b"what was there" * 100_000)
    with cn.connect((None, path)) as connection:
        send_all(connection)
    assert path.read_bytes() == encoded()
    buffer = io.BytesIO()
    with cn.connect((None, buffer)) as connection:
        send_all(connection)
    assert buffer.getvalue() == encoded()


def test_two_fifos_opened_by_both(tmp_path: Path) -> None:
    there, back = tmp_path / "there", tmp_path / "back"
    os.mkfifo(there)
    os.mkfifo(back)

    def echo() -> None:
        with cn.connect((str(there), back), timeout_s=30) as connection:
            connection.send(connection.receive())

    with beside(echo), cn.connect((back, there), timeout_s=30) as connection:
        connection.send(FRAME)
        assert connection.receive().equals(FRAME)
        with pytest.raises(EOFError):
            connection.receive()


def test_a_fifo_that_nobody_reads(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(TimeoutError, match="fifo"):
        cn.connect((None, fifo), timeout_s=0.05)
    with cn.connect((fifo, None), timeout_s=0.05) as connection:
        assert not connection.poll()
        with pytest.raises(TimeoutError):
            connection.receive()
    with pytest.raises(FileNotFoundError):
        cn.connect((tmp_path / "none", None))


def test_sockets_stay_the_callers(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with cn.connect(ours) as here, cn.connect(theirs.fileno()) as there:
            here.send_bytes(b"...")
            assert there.receive_bytes() == b"..."
        ours.sendall(b"mine again")
        assert theirs.recv(100) == b"mine again"


@pytest.mark.parametrize("timeout_s", [0.0, 5.0])
def test_sockets_with_a_timeout_of_their_own(timeout_s: float) -> None:
    """Such a descriptor does not wait; the connection does, until its time limit."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(timeout_s)
        theirs.settimeout(timeout_s)
        with cn.connect(ours) as here, cn.connect(theirs) as there, beside(lambda: here.send_bytes(bytes(1 << 22))):
            assert len(there.receive_bytes()) == 1 << 22


def test_a_socket_file_goes_both_ways() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, ours.makefile("rwb") as file, cn.connect(file) as here, cn.connect(theirs) as there:
        here.send(FRAME)
        there.send(there.receive())
        assert here.receive().equals(FRAME)


# ---------------------------------------------------------------------------- what cannot be


@each("where", [None, True, 3.5, pytest.param(object(), id="object"), ["tcp://:1"], b"tcp://:1"])
def test_what_is_nothing_to_connect_over(where: Any) -> None:
    with pytest.raises(TypeError, match="where: expected"):
        cn.connect(where)


@each("where", ["localhost:5000", "/run/fifo", Path("/run/fifo"), (None, None), (1,), (0, 1, 2), ()])
def test_what_says_too_little(where: Any) -> None:
    with pytest.raises(cn.OptionError, match="pair"):
        cn.connect(where)


def test_what_does_not_say_the_direction(tmp_path: Path) -> None:
    with open(tmp_path / "x", "w+b") as file:
        for where in (file, file.fileno(), io.BytesIO()):
            with pytest.raises(cn.OptionError, match=r"\(source, None\)"):
                cn.connect(where)
    ours, theirs = os.pipe()
    with open(ours, "rb"), open(theirs, "wb"):
        with pytest.raises(cn.OptionError, match="writing"):
            cn.connect((None, ours))
        with pytest.raises(cn.OptionError, match="reading"):
            cn.connect((theirs, None))
    with pytest.raises(OSError):
        cn.connect(theirs)


def test_what_carries_no_messages(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock, pytest.raises(cn.OptionError, match="SOCK_STREAM"):
        cn.connect(sock)
    for url in ("http://localhost/x", "ftp://localhost/x"):
        with pytest.raises(cn.UnsupportedError, match=url):
            cn.connect(url)
        with pytest.raises(cn.UnsupportedError, match=url):
            cn.listen(url)
    with open(tmp_path / "x", "w") as file, pytest.raises(TypeError, match="mode 'wb'"):
        cn.connect((None, file))
    for pair in ((FRAME, None), (None, b"")):
        with pytest.raises(TypeError, match=r"where: expected a (source|target)"):
            cn.connect(pair)


def test_one_direction_alone() -> None:
    ours, theirs = os.pipe()
    with open(ours, "rb", buffering=0) as source, open(theirs, "wb", buffering=0) as target:
        with cn.connect(source) as here, pytest.raises((OSError, ValueError)):
            here.send_bytes(b"")
        with cn.connect(target) as there, pytest.raises((OSError, ValueError, EOFError)):
            there.receive()


# ---------------------------------------------------------------------------- options


def test_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection fails, but an error in the token is reported before."""
    path = tmp_path / "token"
    for content, problem in [(b"x" * 15, "found 15"), (b"x" * 15 + b"\n", "found 15"), (b"x" * 5000, "found more")]:
        path.write_bytes(content)
        with pytest.raises(cn.OptionError, match=rf"{path}.*16 to 4,096 bytes, {problem}"):
            cn.connect("tls://localhost:1", token_file=path)
    with pytest.raises(FileNotFoundError):
        cn.connect("tls://localhost:1", token_file=tmp_path / "none")
    monkeypatch.setenv("CN_TEST_TOKEN", "short")
    with pytest.raises(cn.OptionError, match="CN_TEST_TOKEN"):
        cn.connect("tls://localhost:1", token_env="CN_TEST_TOKEN")
    with pytest.raises(cn.OptionError, match="CN_NONE"):
        cn.listen("tls://localhost:1", token_env="CN_NONE")
    with pytest.raises(cn.OptionError, match="found both"):
        cn.connect("tls://localhost:1", token_env="CN_TEST_TOKEN", token_file=path)
    with pytest.raises(TypeError, match="token"):
        cn.connect("tls://localhost:1", token="0123456789abcdef")  # type: ignore[call-arg]


def test_tls_options_belong_to_tls(tmp_path: Path) -> None:
    for where in ("tcp://127.0.0.1:1", socket.socketpair()[0]):
        for name in ("certificate", "key", "authorities", "token_env", "server_name"):
            with pytest.raises(cn.OptionError, match=name):
                cn.connect(where, **{name: "x"})


def test_other_options() -> None:
    with pytest.raises(cn.OptionError, match="limits"):
        cn.connect("tcp://127.0.0.1:1", limits=100)  # type: ignore[arg-type]
    with pytest.raises(cn.OptionError, match="threads"):
        cn.connect("tcp://127.0.0.1:1", threads=0)
    with pytest.raises(TypeError, match="url"):
        cn.listen(5000)  # type: ignore[arg-type]


@pytest.mark.parametrize("url", ["tcp://192.0.2.1:5000", "tcp://[2001:db8::1]:5000"])
def test_beyond_this_machine_is_tls(url: str) -> None:
    for call in (cn.connect, cn.listen, cn.read, lambda url: cn.write(FRAME, url)):
        with pytest.raises(cn.OptionError, match="tls://"):
            call(url)


# ---------------------------------------------------------------------------- listeners


@pytest.fixture(params=["tcp", "unix"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "tcp://:0" if request.param == "tcp" else f"unix:{tmp_path}/socket"


def test_listener(url: str) -> None:
    with cn.listen(url) as listener:
        assert listener.url in repr(listener)
        with cn.connect(listener.url) as here, listener.accept(timeout_s=10) as there:
            here.send(FRAME)
            there.send(there.receive())
            assert here.receive().equals(FRAME)
        with pytest.raises(TimeoutError, match=listener.url):
            listener.accept(timeout_s=0)
    assert listener.closed
    with pytest.raises((OSError, ValueError)):
        listener.accept()
    with pytest.raises(OSError):
        cn.connect(listener.url, timeout_s=5)


def test_unix_sockets_are_this_users(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with cn.listen(f"unix:{path}"):
        assert path.stat().st_mode & 0o777 == 0o600
    assert not path.exists()


def test_iteration_ends_when_the_listener_closes(url: str) -> None:
    with cn.listen(url) as listener:

        def visit() -> None:
            for number in range(3):
                cn.write({"number": np.array([number])}, listener.url)
            threading.Timer(0.1, listener.close).start()

        with beside(visit):
            seen = []
            for connection in listener:
                with connection:
                    seen += [frame["number"].to_numpy()[0] for frame in connection if isinstance(frame, cn.Frame)]
    assert seen == [0, 1, 2]


def test_who_is_turned_away_is_logged(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING, "colonnade"),
        cn.listen(url, max_peers=1) as listener,
        cn.connect(listener.url),
        listener.accept(timeout_s=10),
        cn.connect(listener.url) as late,
    ):
        with pytest.raises(TimeoutError):
            listener.accept(timeout_s=0.2)
        with pytest.raises((EOFError, ConnectionError)):
            late.receive(timeout_s=10)
    assert any("turned away" in record.message and record.name == "colonnade" for record in caplog.records)
