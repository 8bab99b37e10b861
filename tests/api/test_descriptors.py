"""Descriptors that do not wait, those of Python objects, and those that a path names."""

import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

DATA = {"a": np.arange(3)}


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Both ends, neither of which waits."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    yield ends
    for end in ends:
        os.close(end)


def later(work: object) -> threading.Timer:
    timer = threading.Timer(0.2, work)  # type: ignore[arg-type]
    timer.start()
    return timer


def test_a_python_object_beside_a_descriptor_sends(pipe: tuple[int, int]) -> None:
    receive, send = pipe
    with cn.connect((io.BytesIO(), send)) as connection:
        connection.send_bytes(b"hello")
        connection.send(DATA)
    with cn.connect((os.fdopen(os.dup(receive), "rb", closefd=True), io.BytesIO())) as connection:
        assert bytes(connection.receive_bytes()) == b"hello"
        assert connection.receive().shape == (3, 1)


def test_a_fifo_beside_a_python_object_waits_for_its_first_writer(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)

    def write() -> None:
        with open(path, "wb") as file:
            cn.write(DATA, file, format="arrows")

    with cn.connect((path, io.BytesIO())) as connection:
        timer = later(write)
        assert connection.receive().shape == (3, 1)
        timer.join()
        with pytest.raises(EOFError):
            connection.receive()


def test_a_format_is_found_out_of_a_descriptor_that_does_not_wait(pipe: tuple[int, int]) -> None:
    receive, send = pipe
    data = bytes(cn.encode(DATA, "arrows"))
    os.write(send, data[:5])
    timer = later(lambda: os.write(send, data[5:]))
    assert cn.read(receive).shape == (3, 1)
    timer.join()


@pytest.mark.parametrize("format", ["npy", "npz", "arrows", "ndjson", "msgpack"])
def test_a_descriptor_that_does_not_wait_takes_everything(format: str, pipe: tuple[int, int]) -> None:
    receive, send = pipe
    data, whole, found = np.zeros((300, 300)), threading.Event(), bytearray()

    def read() -> None:
        while True:
            is_all = whole.is_set()
            try:
                found.extend(os.read(receive, 1 << 16))
            except BlockingIOError:
                if is_all:
                    break
                whole.wait(0.001)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        cn.write(data, send, format=format)
    finally:
        whole.set()
        reader.join()
    assert bytes(found) == bytes(cn.encode(data, format))


@each("folder", ["/proc/self/fd", "/dev/fd"])
@each("format", ["npz", "npy", "ndjson", "arrows"])
def test_a_path_that_names_a_descriptor_writes_there(folder: str, format: str, tmp_path: Path) -> None:
    """The file's earlier content stays, and so does content that is written after it."""
    path = tmp_path / "log"
    path.write_bytes(b"precious\n")
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        cn.write(np.arange(6.0).reshape(3, 2), f"{folder}/{fd}", format=format)
        os.write(fd, b"tail")
    finally:
        os.close(fd)
    assert path.read_bytes() == b"precious\n" + bytes(cn.encode(np.arange(6.0).reshape(3, 2), format)) + b"tail"


def test_a_link_to_a_descriptor_writes_there(tmp_path: Path) -> None:
    link = tmp_path / "link"
    fd = os.memfd_create("frame")
    try:
        link.symlink_to(f"/proc/self/fd/{fd}")
        with cn.open_writer(link, format="arrows") as writer:
            writer.write(DATA)
        assert os.fstat(fd).st_size > 0
        os.lseek(fd, 0, os.SEEK_SET)
        assert cn.read(fd).shape == (3, 1)
    finally:
        os.close(fd)
