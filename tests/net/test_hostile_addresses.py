"""Addresses that cannot be had, and socket files of others: typed errors that name them."""

import errno
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S
from tests.helpers.each import each
from tests.helpers.sockets import plain_socket, server_socket


def test_a_port_in_use() -> None:
    with cn.listen("tcp://127.0.0.1:0") as listener:
        with pytest.raises(OSError) as raised:
            cn.listen(listener.url)
        assert raised.value.errno == errno.EADDRINUSE
        assert listener.url in str(raised.value)
        with plain_socket(listener.url), listener.accept(timeout_s=PATIENCE_S):
            pass


def test_a_path_too_long() -> None:
    path = "/tmp/" + "x" * 120
    with pytest.raises((cn.OptionError, OSError), match="107") as raised:
        cn.listen(f"unix:{path}")
    assert path in str(raised.value)
    with pytest.raises((cn.OptionError, OSError), match="107"):
        cn.connect(f"unix:{path}")
    assert not os.path.exists(path)


def test_the_longest_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with cn.listen("unix:" + "x" * 107), cn.connect("unix:" + "x" * 107):
        pass


def test_a_socket_file_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with cn.listen(f"unix:{tmp_path}/socket"):
            assert stat.S_IMODE((tmp_path / "socket").stat().st_mode) == 0o600
        assert not (tmp_path / "socket").exists()
    finally:
        os.umask(before)


def test_a_stale_socket_file(tmp_path: Path) -> None:
    """What a process that was killed leaves behind."""
    path = tmp_path / "socket"
    script = f"import colonnade as cn, os; listener = cn.listen('unix:{path}'); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert path.is_socket()
    with pytest.raises(ConnectionRefusedError):
        cn.connect(f"unix:{path}")
    with cn.listen(f"unix:{path}") as listener, cn.connect(f"unix:{path}") as client:
        client.send_bytes(b"here")
        with listener.accept(timeout_s=PATIENCE_S) as connection:
            assert connection.receive_bytes(timeout_s=PATIENCE_S) == b"here"


def test_the_socket_file_of_somebody_who_listens(tmp_path: Path) -> None:
    """His is not taken away, ours or another program's."""
    url = f"unix:{tmp_path}/socket"
    with cn.listen(url) as listener:
        with pytest.raises(OSError) as raised:
            cn.listen(url)
        assert raised.value.errno == errno.EADDRINUSE
        assert f"{tmp_path}/socket" in str(raised.value)
        with plain_socket(url), listener.accept(timeout_s=PATIENCE_S):
            pass
    server, _ = server_socket(url)
    with server:
        with pytest.raises(OSError):
            cn.listen(url)
        with cn.connect(url):
            pass


@pytest.mark.parametrize("kind", ["file", "folder", "link to a file", "pipe"])
def test_what_is_no_socket_is_not_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "socket"
    if kind == "file":
        path.write_bytes(b"precious")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        (tmp_path / "target").write_bytes(b"precious")
        path.symlink_to(tmp_path / "target")
    before = path.lstat()
    with pytest.raises(OSError, match="socket"):
        cn.listen(f"unix:{path}")
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)


def test_a_socket_file_that_was_replaced_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with cn.listen(f"unix:{path}"):
        path.unlink()
        path.write_bytes(b"somebody else's")
    assert path.read_bytes() == b"somebody else's"


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1", "8.8.8.8"])
def test_plain_tcp_beyond_this_machine(host: str) -> None:
    """Neither listening nor connecting: what is sent could be read on its way."""
    for call in (cn.listen, cn.connect):
        with pytest.raises(cn.OptionError, match="tls://") as raised:
            call(f"tcp://{host}:5000")
        assert host.strip("[]") in str(raised.value)


@each(
    "url",
    [
        "tcp://",
        "tcp://localhost",
        "tcp://localhost:99999",
        "tcp://localhost:port",
        "tcp://localhost:1/path",
        "tcp://user:secret@localhost:1",
        "udp://localhost:1",
        "unix:",
        "unix://host/path",
        "x",
    ],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises((cn.ColonnadeError, ValueError, OSError)) as raised:
        cn.listen(url)
    assert "secret" not in str(raised.value)


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ConnectionRefusedError, match=f"tcp://127.0.0.1:{port}"):
        cn.connect(f"tcp://127.0.0.1:{port}", timeout_s=PATIENCE_S)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        cn.connect(f"unix:{tmp_path}/nowhere", timeout_s=PATIENCE_S)
