"""CSV and NDJSON from pipes: a chunk is returned as soon as its last record arrives."""

import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

HEADS = {"csv": b"a,b\n", "ndjson": b""}
LINES = {"csv": b"%d,x\n", "ndjson": b'{"a": %d, "b": "x"}\n'}
OPENED: dict[str, Callable[[int], Any]] = {
    "descriptor": lambda fd: fd,
    "unbuffered": lambda fd: os.fdopen(fd, "rb", buffering=0),
    "buffered": lambda fd: os.fdopen(fd, "rb"),
    "a large buffer": lambda fd: os.fdopen(fd, "rb", buffering=1 << 20),
}


@each("format", list(HEADS))
@each("opened", list(OPENED))
def test_chunks_come_while_the_pipe_is_open(format: str, opened: str) -> None:
    reading, writing = os.pipe()
    source = OPENED[opened](reading)
    found: queue.Queue[int] = queue.Queue()

    def read() -> None:
        with cn.open_reader(source, format=format, chunk_rows=64) as reader:
            for part in reader:
                found.put(len(part))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    os.write(writing, HEADS[format])
    for turn in range(2):
        for i in range(64):
            os.write(writing, LINES[format] % i)
        assert found.get(timeout=60) == 64, turn
    os.write(writing, LINES[format] % 0)
    os.close(writing)
    assert found.get(timeout=60) == 1
    thread.join(timeout=60)


@pytest.mark.parametrize("buffering", [-1, 0])
def test_a_file_object_lives_as_long_as_it_is_read(buffering: int, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a\n1\n2\n")
    # No other reference to the file object exists, so it would be closed before the first chunk.
    with cn.open_reader(open(path, "rb", buffering=buffering), format="csv") as reader:
        assert [len(part) for part in reader] == [2]
