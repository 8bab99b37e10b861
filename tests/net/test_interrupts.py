"""Ctrl-C in real processes: whatever they wait in, they leave it by KeyboardInterrupt, at once."""

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import colonnade as cn
from tests.helpers.children import child
from tests.helpers.each import each

if TYPE_CHECKING:
    from tests.helpers.certificates import Certificates

WAITS = {
    "receive from a pipe": """
        source, target = os.pipe()
        connection = cn.connect((source, None))
        say("ready")
        connection.receive()
    """,
    "receive within a message": """
        here, there = socket.socketpair()
        connection = cn.connect(here)
        there.sendall(cn.encode({"x": np.arange(100_000)}, "arrows")[:100_000])
        say("ready")
        connection.receive()
    """,
    "receive with a timeout": """
        here, there = socket.socketpair()
        connection = cn.connect(here)
        say("ready")
        connection.receive(timeout_s=300)
    """,
    "receive_bytes": """
        here, there = socket.socketpair()
        connection = cn.connect(here)
        there.sendall(b"\\xc1CNB" + bytes(4) + (1 << 20).to_bytes(8, "little") + bytes(1000))
        say("ready")
        connection.receive_bytes()
    """,
    "iteration": """
        here, there = socket.socketpair()
        say("ready")
        for message in cn.connect(here):
            pass
    """,
    "open_reader": """
        here, there = socket.socketpair()
        connection = cn.connect(here)
        there.sendall(cn.encode({"x": np.arange(100_000)}, "arrows", batch_nbytes=65536)[:100_000])
        with cn.open_reader(connection) as reader:
            next(iter(reader))
            say("ready")
            for batch in reader:
                pass
    """,
    "a Python file object": """
        here, there = socket.socketpair()
        connection = cn.connect((here.makefile("rb"), None))
        say("ready")
        connection.receive()
    """,
    "send to a pipe": """
        source, target = os.pipe()
        connection = cn.connect((None, target))
        say("ready")
        connection.send({"x": np.zeros(4_000_000)})
    """,
    "send_bytes to a socket": """
        here, there = socket.socketpair()
        connection = cn.connect(here)
        say("ready")
        connection.send_bytes(bytes(32_000_000))
    """,
    "poll": """
        here, there = socket.socketpair()
        connection = cn.connect(here)
        say("ready")
        connection.poll(None)
    """,
    "wait": """
        pairs = [socket.socketpair() for _ in range(10)]
        connections = [cn.connect(here) for here, _ in pairs]
        say("ready")
        cn.wait(connections)
    """,
    "accept": """
        listener = cn.listen("tcp://127.0.0.1:0")
        say("ready")
        listener.accept()
    """,
    "accept on a Unix socket": """
        listener = cn.listen("unix:" + sys.argv[1] + "/socket")
        say("ready")
        listener.accept()
    """,
    "connect, where nobody accepts": """
        server = socket.socket(socket.AF_UNIX)
        server.bind(sys.argv[1] + "/socket")
        server.listen(0)
        say("ready")
        several = [cn.connect("unix:" + sys.argv[1] + "/socket") for _ in range(100)]
    """,
    "opening a named pipe": """
        os.mkfifo(sys.argv[1] + "/pipe")
        say("ready")
        cn.connect((sys.argv[1] + "/pipe", None)).receive()
    """,
    "read of an address": """
        server = socket.create_server(("127.0.0.1", 0))
        say("ready")
        cn.read(f"tcp://127.0.0.1:{server.getsockname()[1]}")
    """,
    "asyncio": """
        import asyncio
        here, there = socket.socketpair()
        connection = cn.connect(here)
        say("ready")
        asyncio.run(connection.areceive())
    """,
}


@each("name", list(WAITS))
def test_interrupted_in(name: str, tmp_path: Path) -> None:
    with child(WAITS[name], tmp_path) as made:
        assert made.line() == "ready"
        made.until_asleep()
        made.process.send_signal(signal.SIGINT)
        status, output, errors = made.end()
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    assert status == -signal.SIGINT
    assert output == ""


def test_interrupted_in_a_handshake_that_does_not_come(certificates: "Certificates") -> None:
    script = """
        server = socket.create_server(("127.0.0.1", 0))
        say("ready")
        cn.connect(f"tls://127.0.0.1:{server.getsockname()[1]}", authorities=sys.argv[1])
    """
    with child(script, certificates.authority) as made:
        assert made.line() == "ready"
        made.until_asleep()
        made.process.send_signal(signal.SIGINT)
        status, _, errors = made.end()
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    assert status == -signal.SIGINT


def test_a_socket_file_goes_with_an_interrupt(tmp_path: Path) -> None:
    script = """
        with cn.listen("unix:" + sys.argv[1] + "/socket") as listener:
            say("ready")
            listener.accept()
    """
    with child(script, tmp_path) as made:
        assert made.line() == "ready"
        assert (tmp_path / "socket").is_socket()
        made.until_asleep()
        made.process.send_signal(signal.SIGINT)
        made.end()
    assert not (tmp_path / "socket").exists()


def test_nothing_is_lost_by_an_interrupt() -> None:
    """Whoever catches it goes on with the same message."""
    script = """
        here, there = socket.socketpair()
        connection = cn.connect(here)
        data = cn.encode({"x": np.arange(10_000)}, "arrows")
        there.sendall(data[:40_000])
        say("ready")
        try:
            connection.receive()
        except KeyboardInterrupt:
            say(connection.status())
        there.sendall(data[40_000:])
        frame = connection.receive(timeout_s=30)
        say(int(frame.to_numpy()["x"].sum()))
    """
    with child(script) as made:
        assert made.line() == "ready"
        made.until_asleep()
        made.process.send_signal(signal.SIGINT)
        assert made.line() == "waiting"
        assert made.line() == str(sum(range(10_000)))
        assert made.end()[0] == 0


def test_an_interrupted_send_is_told_to_the_peer() -> None:
    """Half a message went out: the receiver gets an error, never the half."""
    script = """
        connection = cn.connect(sys.argv[1])
        say("ready")
        try:
            connection.send({"x": np.zeros(4_000_000)})
        except KeyboardInterrupt:
            say("interrupted")
            try:
                connection.send_bytes(b"more")
            except (OSError, ValueError):
                say("refused")
        sys.stdin.read()
    """
    with (
        cn.listen("tcp://127.0.0.1:0") as listener,
        child(script, listener.url) as made,
        listener.accept(timeout_s=60) as connection,
    ):
        assert made.line() == "ready"
        made.until_asleep()
        made.process.send_signal(signal.SIGINT)
        assert made.line() == "interrupted"
        assert made.line() == "refused"
        with pytest.raises((cn.TruncatedError, ConnectionError), match="message 1"):
            connection.receive(timeout_s=60)
