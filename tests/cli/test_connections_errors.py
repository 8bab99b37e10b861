"""`colonnade send` and `recv` with errors: typos, no listener, peers that die, garbage, Ctrl-C."""

import io
import os
import socket
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from colonnade.cli import main
from tests.helpers.commands import Started, bare_listener, connected, free_port, run, wait_until_idle
from tests.helpers.each import each

DATA = {"price": np.arange(1000) / 4, "count": np.arange(1000), "name": np.array(["ash", "elm"] * 500)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    cn.write(DATA, tmp_path / "data.arrows", batch_nbytes=1000)
    return tmp_path / "data.arrows"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A target file with content, in its own folder."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x.npz").write_bytes(b"old")
    return tmp_path / "out" / "x.npz"


@pytest.fixture(params=["tcp", "unix"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "tcp://127.0.0.1:0" if request.param == "tcp" else f"unix:{tmp_path / 'socket'}"


# ---------------------------------------------------------------------------- what goes wrong


@each(
    ("arguments", "status", "hint"),
    [
        (["send", "{path}", "tpc://127.0.0.1:5000"], 2, "found 'tpc://127.0.0.1:5000'; nearest: 'tcp'"),
        (["recv", "unxi://x", "x.npz"], 2, "nearest: 'unix'"),
        (["send", "{path}", "tcp://127.0.0.1"], 2, "port"),
        (["send", "{path}", "tcp://127.0.0.1:port"], 2, "port"),
        (["send", "{path}", "none"], 2, "mkfifo"),
        (["send", "{path}", "{path}"], 2, "colonnade convert"),
        (["send", "tcp://127.0.0.1:5000", "{path}"], 2, "Usage: colonnade send FILE URL"),
        (["recv", "x.npz", "tcp://127.0.0.1:5000"], 2, "Usage: colonnade recv URL FILE"),
        (["send", "{path}", "tcp://192.0.2.1:5000"], 2, "tls://"),
        (["recv", "tcp://0.0.0.0:0", "x.npz"], 2, "tls://"),
        (["recv", "tls://127.0.0.1:0", "x.npz"], 2, "certificate"),
        (["recv", "unix:/" + "x" * 200, "x.npz"], 2, "x" * 200),
        (["recv", "tcp://:0", "x.foo"], 2, "suffix"),
        (["recv", "tcp://:0", "none/x.npz"], 1, "No such file or directory"),
        (["recv", "tcp://:0", "x.npz", "--compression", "zst"], 2, "nearest: 'zstd'"),
        (["recv", "tcp://:0", "-"], 2, "--to"),
        (["recv", "tcp://:0", "x.npz", "--server-name", "x"], 2, "--server-name"),
        (["send", "none.npz", "tcp://127.0.0.1:5000"], 1, "No such file or directory: none.npz"),
        (["send", "{path}", "tcp://127.0.0.1:5000", "--to", "npz"], 1, "npz"),
        (["send", "{path}", "tcp://127.0.0.1:5000", "--compression", "zst"], 2, "nearest: 'zstd'"),
        (["send", "{path}", "tcp://127.0.0.1:5000", "--token-env", "NONE"], 2, "token"),
        (["recv", "unix:socket", "x.npz", "--certificate", "x"], 2, "certificate"),
    ],
)
def test_errors_are_one_line_before_anything_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, hint: str
) -> None:
    monkeypatch.chdir(path.parent)
    found, said = run(*[part.format(path=path) for part in arguments])
    assert hint in said
    assert (found, said.count("\n")) == (status, 1)
    assert os.listdir(path.parent) == [path.name]


@each(
    "arguments",
    [
        ["send", "{path}", "tcp://127.0.0.1:5000", "--timeout", "soon"],
        ["recv", "tcp://:0", "x.npz", "--timeout", "-1"],
        ["recv", "tcp://:0", "x.npz", "--limit", "2 gigabytes"],
        ["send", "{path}", "tcp://127.0.0.1:5000", "--token", "secret"],
        ["recv", "tcp://:0"],
    ],
)
def test_usage(arguments: list[str], path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([part.format(path=path) for part in arguments])
    assert caught.value.code == 2


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("65536", 65536), ("64MiB", 64 << 20), ("2GB", 2 * 10**9)])
def test_sizes(text: str, size: int) -> None:
    from colonnade.cli.parser import parser

    assert parser().parse_args(["recv", "tcp://:0", "x", "--limit", text]).limit == size


@pytest.mark.parametrize("command", ["send", "recv"])
def test_nobody_there(command: str, path: Path, out: Path, tmp_path: Path) -> None:
    for url in (f"tcp://127.0.0.1:{free_port()}", f"unix:{tmp_path / 'socket'}"):
        arguments = ["send", path, url] if command == "send" else ["recv", url, out]
        for more in ([], ["--listen" if command == "send" else "--connect"]):
            status, said = run(*arguments, *more, "--timeout", "1")
            assert status == 1
            assert url in said.splitlines()[-1]
            assert "within 1" in said
    assert out.read_bytes() == b"old"
    assert os.listdir(out.parent) == [out.name]


def test_a_port_in_use(out: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        url = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        status, said = run("recv", url, out)
    assert (status, said.count("\n")) == (1, 1)
    assert url in said
    assert "in use" in said


@pytest.mark.parametrize("target", ["x.npz", "x.arrow", "x.arrows"])
@pytest.mark.parametrize("count", [0, 3, 100, 5000, -1])
def test_a_sender_that_dies_leaves_the_old_file(url: str, target: str, count: int, out: Path) -> None:
    out = out.with_name(target)
    out.write_bytes(b"old")
    before = sorted(os.listdir(out.parent))
    data = cn.encode(DATA, "arrows", batch_nbytes=1000)
    with Started("recv", url, out) as receiver:
        with connected(receiver.url()) as peer:
            peer.sendall(data[:count])
        status, said = receiver.ended()
    assert (status, said.count("\n")) == (1, 1)
    assert url.partition(":")[0] in said
    assert out.read_bytes() == b"old"
    assert sorted(os.listdir(out.parent)) == before


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", ""),
        (b"\xff\xff\xff\xff" + b"\xff" * 60, ""),
        (b"\xc1CNB" + bytes(4) + (5).to_bytes(8, "little") + b"hello", "opaque bytes"),
    ],
    ids=["HTTP", "a wild length", "opaque bytes"],
)
def test_garbage(url: str, data: bytes, hint: str, out: Path) -> None:
    with Started("recv", url, out) as receiver, connected(receiver.url()) as peer:
        peer.sendall(data)
        status, said = receiver.ended()
    assert (status, said.count("\n")) == (1, 1)
    assert hint in said
    assert "message 1" in said
    assert out.read_bytes() == b"old"
    assert os.listdir(out.parent) == [out.name]


def test_a_peer_that_falls_silent(url: str, out: Path, path: Path, tmp_path: Path) -> None:
    with Started("recv", url, out, "--timeout", "1") as receiver, connected(receiver.url()) as peer:
        peer.sendall(cn.encode(DATA, "arrows")[:5000])
        status, said = receiver.ended()
    assert (status, said.count("\n")) == (1, 1)
    assert "nothing moved for 1 s" in said
    assert out.read_bytes() == b"old"
    cn.write({"a": np.arange(1 << 21)}, tmp_path / "large.arrows")
    with (
        bare_listener(tmp_path) as (listener, listening),
        Started("send", tmp_path / "large.arrows", listening, "--timeout", "1") as sender,
        listener.accept()[0],
    ):
        status, said = sender.ended()
    assert (status, said.count("\n")) == (1, 1)
    assert f"{listening}: nothing moved for 1 s" in said


def test_a_limit(url: str, out: Path, tmp_path: Path) -> None:
    cn.write({"a": np.arange(1 << 17)}, tmp_path / "large.arrows")
    with Started("recv", url, out, "--limit", "64KiB") as receiver:
        run("send", tmp_path / "large.arrows", receiver.url())  # it may have sent all bytes before it was refused
        status, said = receiver.ended()
    assert (status, said.count("\n")) == (1, 1)
    assert "65,536" in said or "65536" in said
    assert out.read_bytes() == b"old"


def test_a_receiver_that_dies(path: Path, tmp_path: Path) -> None:
    """Before the first byte, in the middle, and with all of a small message in the socket's buffer, unread."""
    cn.write({"a": np.arange(1 << 22)}, tmp_path / "large.arrows")
    for source, count in ((path, 0), (path, 100), (tmp_path / "large.arrows", 0), (tmp_path / "large.arrows", 1 << 20)):
        with bare_listener(tmp_path) as (listener, url), Started("send", source, url) as sender:
            peer, _ = listener.accept()
            taken = 0
            while taken < count:
                taken += len(peer.recv(count - taken))
            if source == path:
                peer.recv(1, socket.MSG_PEEK)  # until something is there, so that it stays unread
            peer.close()
            status, said = sender.ended()
        (tmp_path / "bare").unlink()
        assert (status, said.count("\n")) == (1, 1)
        assert url in said
        assert "Errno" not in said


def test_nobody_reads_what_is_received(url: str, path: Path) -> None:
    """stdout goes away: quiet for the receiver, an error for the sender."""
    with Started("recv", url, "-", "--to", "arrows") as receiver:
        listening = receiver.url()
        assert receiver.process.stdout is not None
        receiver.process.stdout.close()
        receiver.process.stdout = io.BytesIO()
        run("send", path, listening)
        assert receiver.process.stderr is not None
        assert receiver.process.stderr.read() == b""
        assert receiver.process.wait() == 141


# ---------------------------------------------------------------------------- Ctrl-C


def test_interrupt_of_a_receiver_that_waits(url: str, out: Path, tmp_path: Path) -> None:
    with Started("recv", url, out) as receiver:
        receiver.url()
        assert receiver.interrupted() == (130, "colonnade: interrupted\n")
    assert os.listdir(out.parent) == [out.name]
    assert not (tmp_path / "socket").exists()


@pytest.mark.parametrize("target", ["x.npz", "x.arrow"])
def test_interrupt_in_the_middle_of_a_message(url: str, target: str, out: Path) -> None:
    out = out.with_name(target)
    out.write_bytes(b"old")
    before = sorted(os.listdir(out.parent))
    data = cn.encode(DATA, "arrows", batch_nbytes=1000)
    with Started("recv", url, out) as receiver, connected(receiver.url()) as peer:
        peer.sendall(data[: len(data) // 2])
        wait_until_idle(receiver)
        assert receiver.interrupted() == (130, "colonnade: interrupted\n")
    assert out.read_bytes() == b"old"
    assert sorted(os.listdir(out.parent)) == before


def test_interrupt_of_a_sender_that_waits_for_a_listener(path: Path, tmp_path: Path) -> None:
    with Started("send", path, f"unix:{tmp_path / 'socket'}") as sender:
        wait_until_idle(sender)
        assert sender.interrupted() == (130, "colonnade: interrupted\n")


def test_interrupt_of_a_sender_whose_peer_stalls(path: Path, tmp_path: Path) -> None:
    """Once with the message half sent, once with all of it sent and the peer not closing."""
    cn.write({"a": np.arange(1 << 21)}, tmp_path / "large.arrows")
    for source in (path, tmp_path / "large.arrows"):
        with bare_listener(tmp_path) as (listener, url), Started("send", source, url) as sender:
            peer, _ = listener.accept()
            with peer:
                wait_until_idle(sender)
                assert sender.interrupted() == (130, "colonnade: interrupted\n")
        (tmp_path / "bare").unlink()
