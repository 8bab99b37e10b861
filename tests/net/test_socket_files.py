"""The file of a listening Unix socket: its mode under any umask, and other listeners in its folder."""

import fcntl
import os
import stat
import time
from pathlib import Path

import colonnade as cn
from colonnade.testing.transports import PATIENCE_S
from tests.helpers.alarms import alarms
from tests.helpers.sockets import plain_socket


def test_a_umask_that_takes_everything_leaves_the_owner_his_socket(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    before = os.umask(0o777)
    try:
        listener = cn.listen(f"unix:{path}")
    finally:
        os.umask(before)
    with listener, plain_socket(listener.url), listener.accept(timeout_s=PATIENCE_S):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_listener_waits_while_another_makes_its_file_in_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    folder = os.open(tmp_path, os.O_RDONLY)
    found: list[bool] = []

    def release() -> None:
        found.append(path.exists())
        fcntl.flock(folder, fcntl.LOCK_UN)

    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with alarms(release), cn.listen(f"unix:{path}"):
            while not found:
                time.sleep(0.001)
            assert not found[0]
            assert path.is_socket()
    finally:
        os.close(folder)


def test_a_lock_of_the_folder_that_is_never_released_keeps_no_listener_out(tmp_path: Path) -> None:
    """Any user who may read the folder can hold the lock. It costs a listener a second."""
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with cn.listen(f"unix:{tmp_path}/socket") as listener, plain_socket(listener.url):
            listener.accept(timeout_s=PATIENCE_S).close()
    finally:
        os.close(folder)


def test_a_peer_of_a_unix_socket_is_named_by_its_process(tmp_path: Path) -> None:
    with (
        cn.listen(f"unix:{tmp_path}/socket") as listener,
        plain_socket(listener.url),
        listener.accept(timeout_s=PATIENCE_S) as connection,
    ):
        assert connection.peer == f"{listener.url} (process {os.getpid()})"
