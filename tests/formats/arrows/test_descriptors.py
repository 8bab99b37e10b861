"""Streams from descriptors: those that do not wait, those whose peer resets them, and batches of megabytes of nulls."""

import fcntl
import os
import socket
import struct
import termios
import threading
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn
from colonnade.testing.transports import Background
from tests.helpers.pipes import piped


def stream(*tables: pa.Table) -> bytes:
    """A stream that pyarrow writes: each table is one batch."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table)
    return bytes(sink.getvalue())


def test_a_pipe_that_does_not_wait_is_read_as_its_bytes_come() -> None:
    data = stream(pa.table({"a": np.arange(10_000)}))
    source, target = os.pipe()
    os.set_blocking(source, False)
    with open(target, "wb", buffering=0) as file:

        def write_rest() -> None:
            while fcntl.ioctl(source, termios.FIONREAD, bytes(4)) != bytes(4):
                time.sleep(0.001)
            time.sleep(0.01)  # The reader most likely waits now.
            file.write(data[1000:])

        file.write(data[:1000])
        writing = Background(write_rest)
        found = cn.read(source, format="arrows").to_numpy().ravel()
        writing.result()
    os.close(source)
    np.testing.assert_array_equal(found, np.arange(10_000))


def test_a_reset_within_a_stream_is_the_systems_error() -> None:
    data = stream(pa.table({"a": np.arange(10_000)}))
    with socket.create_server(("127.0.0.1", 0)) as server:
        peer = socket.create_connection(server.getsockname())
        ours, _ = server.accept()
    with ours:
        peer.sendall(data[:1000])
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        threading.Timer(0.05, peer.close).start()
        with pytest.raises(ConnectionResetError):
            cn.read(ours.fileno(), format="arrows")


@pytest.mark.parametrize("dtype", ["float64", "int64", "datetime64[ns]"])
def test_nulls_in_batches_of_megabytes_are_missing_in_pandas(dtype: str) -> None:
    nrows = 300_000
    values = np.arange(nrows).astype(dtype)
    batches = [pa.table({"a": pa.array(values, mask=np.arange(nrows) % 7 == i)}) for i in range(3)]
    found = cn.read_pandas(piped(stream(*batches)), format="arrows")
    pd.testing.assert_frame_equal(found, pa.concat_tables(batches).to_pandas())


def test_progress_counts_the_bytes_of_a_pipe() -> None:
    data = stream(pa.table({"a": np.arange(100_000)}))
    source, target = os.pipe()
    counts: list[int] = []
    called = threading.Event()

    def feed() -> None:
        with open(target, "wb", buffering=0) as file:
            at = 0
            while at < len(data) and not called.wait(0.005):
                at += file.write(data[at : at + 2000])
            file.write(data[at:])

    def look(done: int, total: int | None) -> None:
        counts.append(done)
        called.set()

    feeding = Background(feed)
    found = cn.read_pandas(source, format="arrows", progress=look)
    feeding.result()
    os.close(source)
    assert len(found) == 100_000
    assert 1000 <= counts[0] <= len(data)


def test_a_damaged_batch_is_named_by_its_number() -> None:
    data = stream(*(pa.table({"a": np.arange(nrows)}) for nrows in (1001, 1002, 1003, 1004)))
    before, after = struct.pack("<qq", 1003, 0), struct.pack("<qq", 1003, 9999)
    assert data.count(before) == 1
    with cn.open_reader(piped(data.replace(before, after)), format="arrows") as reader:
        batches = iter(reader)
        assert [len(next(batches)) for _ in range(2)] == [1001, 1002]
        with pytest.raises(cn.DecodeError, match=r'"batch 2": .*expected 0 to 1003 nulls, found 9999') as error:
            next(batches)
    assert error.value.offset == headers_of(data)[3]
    with pytest.raises(cn.DecodeError, match=r'"batch 2": .*expected 0 to 1003 nulls, found 9999') as error:
        cn.read(piped(data.replace(before, after)), format="arrows")
    assert error.value.offset == headers_of(data)[3]


def headers_of(data: bytes) -> list[int]:
    """The offsets of the metadata of each message of a stream."""
    starts, at = [], 0
    for message in pa.ipc.MessageReader.open_stream(data):
        starts.append(at + 8)
        nbytes = int.from_bytes(data[at + 4 : at + 8], "little")
        at += 8 + nbytes + (message.body.size if message.body is not None else 0)
    return starts


def test_an_error_in_the_body_of_a_batch_has_the_bodys_offset() -> None:
    """The second of the batches says that its text is longer than its body."""
    data = stream(*(pa.table({"a": ["x" * n] * 9}) for n in (3, 4, 5)))
    before, after = struct.pack("<qq", 40, 36), struct.pack("<qq", 40, 9999)
    assert data.count(before) == 1
    header = headers_of(data)[2]
    body = header + int.from_bytes(data[header - 4 : header], "little")
    with cn.open_reader(piped(data.replace(before, after)), format="arrows") as reader:
        batches = iter(reader)
        assert len(next(batches)) == 9
        with pytest.raises(cn.DecodeError, match=r'^arrow: "a": at byte [0-9]+: buffer 2') as error:
            next(batches)
    assert error.value.offset == body
