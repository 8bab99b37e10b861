"""Connections between real processes: killed and stopped peers, pipelines, forks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S, samples
from tests.helpers.children import child


@pytest.fixture(params=["unix", "tcp"])
def listener(request: pytest.FixtureRequest, tmp_path: Path) -> cn.Listener:
    url = f"unix:{tmp_path}/socket" if request.param == "unix" else "tcp://127.0.0.1:0"
    with cn.listen(url) as made:
        yield made


# --------------------------------------------------------------------------- killed peers
def test_a_peer_killed_inside_a_message(listener: cn.Listener) -> None:
    script = """
        connection = cn.connect(sys.argv[1])
        connection.send_bytes(b"whole")
        say("sending")
        connection.send({"x": np.zeros(8_000_000)})
    """
    with child(script, listener.url) as made, listener.accept(timeout_s=PATIENCE_S) as connection:
        assert made.line() == "sending"
        made.until_asleep()
        made.process.kill()
        assert connection.receive_bytes(timeout_s=PATIENCE_S) == b"whole"
        with pytest.raises((cn.TruncatedError, ConnectionResetError), match="message 2") as raised:
            connection.receive(timeout_s=PATIENCE_S)
        assert connection.peer in str(raised.value)


def test_a_peer_killed_between_messages(listener: cn.Listener) -> None:
    script = """
        connection = cn.connect(sys.argv[1])
        connection.send({"x": np.arange(1000)})
        say("sent")
        time.sleep(600)
    """
    with child(script, listener.url) as made, listener.accept(timeout_s=PATIENCE_S) as connection:
        assert made.line() == "sent"
        made.process.kill()
        assert len(connection.receive(timeout_s=PATIENCE_S)) == 1000
        assert list(connection) == []


def test_a_reader_killed_while_we_send(listener: cn.Listener) -> None:
    script = """
        connection = cn.connect(sys.argv[1])
        say("ready")
        time.sleep(600)
    """
    with child(script, listener.url) as made, listener.accept(timeout_s=PATIENCE_S) as connection:
        assert made.line() == "ready"
        with pytest.raises(TimeoutError):
            connection.send({"x": np.zeros(4_000_000)}, timeout_s=0.1)
        made.process.kill()
        made.process.wait()
    with child(script, listener.url) as made, listener.accept(timeout_s=PATIENCE_S) as connection:
        assert made.line() == "ready"
        made.process.kill()
        made.process.wait()
        with pytest.raises(ConnectionError, match="message 1"):
            connection.send({"x": np.zeros(4_000_000)}, timeout_s=PATIENCE_S)


def test_a_stopped_peer_is_a_timeout_and_goes_on(listener: cn.Listener) -> None:
    script = """
        connection = cn.connect(sys.argv[1])
        for message in connection:
            connection.send_bytes(message)
    """
    with child(script, listener.url) as made, listener.accept(timeout_s=PATIENCE_S) as connection:
        connection.send_bytes(b"first")
        assert connection.receive_bytes(timeout_s=PATIENCE_S) == b"first"
        made.process.send_signal(signal.SIGSTOP)
        connection.send_bytes(b"second")
        with pytest.raises(TimeoutError):
            connection.receive_bytes(timeout_s=0.1)
        made.process.send_signal(signal.SIGCONT)
        assert connection.receive_bytes(timeout_s=PATIENCE_S) == b"second"


# --------------------------------------------------------------------------- processes of our own
def test_every_kind_of_message_between_processes(listener: cn.Listener) -> None:
    script = """
        connection = cn.connect(sys.argv[1])
        for message in connection:
            if isinstance(message, cn.Frame):
                connection.send(message)
            else:
                connection.send_bytes(message)
    """
    with child(script, listener.url) as made:
        with listener.accept(timeout_s=PATIENCE_S) as connection:
            for message in samples():
                message.send(connection, PATIENCE_S)
                message.take(connection, PATIENCE_S)
        assert made.end()[0] == 0


def test_a_shell_pipeline_of_processes() -> None:
    """Descriptors 0 and 1: one sends, one doubles, one adds up."""
    sender = 'c = cn.connect((None, 1))\nfor i in range(5): c.send({"x": np.arange(1000) + i})\n'
    doubler = 'c = cn.connect((0, 1))\nfor f in c: c.send({"x": f.to_numpy()["x"] * 2})\n'
    adder = 'print(sum(int(f.to_numpy()["x"].sum()) for f in cn.connect((0, None))))\n'
    first, second = os.pipe(), os.pipe()
    processes = []
    for code, source, target in ((sender, None, first[1]), (doubler, first[0], second[1]), (adder, second[0], None)):
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", f"import colonnade as cn, numpy as np\n{code}"],
                stdin=source,
                stdout=subprocess.PIPE if target is None else target,
            )
        )
    for fd in (*first, *second):
        os.close(fd)
    output, _ = processes[-1].communicate(timeout=60)
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert int(output) == sum(2 * (x + i) for i in range(5) for x in range(1000))


def test_forked_children_send_and_the_parent_receives() -> None:
    """In a process without threads, as fork wants it."""
    script = """
        source, target = os.pipe()
        children = []
        for number in range(4):
            child = os.fork()
            if child == 0:
                os.close(source)
                with cn.connect((None, target)) as connection:
                    # Less than a pipe takes in one piece, so that the messages of four writers stay whole.
                    for turn in range(10):
                        connection.send_bytes(f"{number} {turn}".encode())
                os._exit(0)
            children.append(child)
        os.close(target)
        with cn.connect((source, None)) as connection:
            found = sorted(connection)
        assert found == sorted(f"{n} {t}".encode() for n in range(4) for t in range(10)), found
        assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
        say("fine")
    """
    with child(script) as made:
        status, output, errors = made.end()
        assert (status, output) == (0, "fine\n"), errors


def test_a_forked_child_does_not_end_its_parents_listener(tmp_path: Path) -> None:
    """Its copies close with it; the socket file stays, and the parent goes on accepting."""
    script = """
        with cn.listen("unix:" + sys.argv[1] + "/socket") as listener:
            with cn.connect(listener.url) as client, listener.accept() as connection:
                child = os.fork()
                if child == 0:
                    connection.close()
                    listener.close()
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
                client.send_bytes(b"still here")
                assert connection.receive_bytes(timeout_s=30) == b"still here"
            with cn.connect(listener.url), listener.accept(timeout_s=30):
                say("fine")
    """
    with child(script, tmp_path) as made:
        status, output, errors = made.end()
        assert (status, output) == (0, "fine\n"), errors


def test_what_is_ours_does_not_leak_into_other_programs() -> None:
    """Descriptors are closed on exec: else a peer would never see the end."""
    script = """
        import subprocess
        listener = cn.listen("tcp://127.0.0.1:0")
        client = cn.connect(listener.url)
        connection = listener.accept()
        source, target = os.pipe()
        piped = cn.connect((source, target))
        helper = subprocess.Popen(["sleep", "600"], close_fds=False)
        connection.close()
        client.close()
        listener.close()
        piped.close()
        folder = f"/proc/{helper.pid}/fd/"
        kinds = [os.readlink(folder + fd) for fd in os.listdir(folder) if int(fd) > 2]
        helper.kill()
        helper.wait()
        assert not [kind for kind in kinds if kind.startswith(("socket:", "pipe:"))], kinds
        say("fine")
    """
    with child(script) as made:
        status, output, errors = made.end()
        assert (status, output) == (0, "fine\n"), errors
