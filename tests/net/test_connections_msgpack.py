"""Frames as MessagePack over connections: between other messages, in pieces, from MessagePack programs."""

import socket
from collections.abc import Iterator

import msgpack
import numpy as np
import pandas as pd
import pytest

import colonnade as cn

TABLE = pd.DataFrame({"n": np.arange(5), "x": np.arange(5) / 3, "s": ["one", "two", None, "", "five"]})

Ends = tuple[cn.Connection, cn.Connection, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    with ours, theirs, cn.connect(ours) as here, cn.connect(theirs) as there:
        yield here, there, ours


@pytest.mark.parametrize("orient", ["columns", "records", "split"])
def test_frames_between_other_messages(ends: Ends, orient: str) -> None:
    here, there, _ = ends
    here.send(TABLE, "msgpack", orient=orient)
    here.send_bytes(b"opaque")
    here.send(TABLE)
    cn.write(TABLE, here, format="msgpack", orient=orient)
    pd.testing.assert_frame_equal(cn.read_pandas(there), TABLE)
    assert there.receive_bytes() == b"opaque"
    pd.testing.assert_frame_equal(cn.read_pandas(there), TABLE)
    pd.testing.assert_frame_equal(cn.read_pandas(there), TABLE)


def test_another_program_sends_rows(ends: Ends) -> None:
    _, there, theirs = ends
    rows = [{"flight": "UA1", "delay": 3}, {"flight": "B6", "delay": None}]
    for byte in msgpack.packb(rows) + msgpack.packb({"a": [1, 2]}):
        theirs.send(bytes([byte]))
    first, second = there.receive(), there.receive()
    assert list(first.columns) == ["flight", "delay"]
    assert len(first) == 2
    np.testing.assert_array_equal(second["a"].to_numpy(), [1, 2])


def test_another_program_reads_plain_data() -> None:
    raw, far = socket.socketpair()
    with raw, far, cn.connect(raw) as out:
        out.send(TABLE[["n", "s"]], "msgpack", header=False)
        out.finish()
        data = b"".join(iter(lambda: far.recv(4096), b""))
    assert msgpack.unpackb(data) == {"n": list(range(5)), "s": ["one", "two", None, "", "five"]}


def test_a_reader_of_batches_gets_one(ends: Ends) -> None:
    here, there, _ = ends
    here.send(TABLE, "msgpack")
    with cn.open_reader(there) as reader:
        assert [len(batch) for batch in reader] == [len(TABLE)]


def test_what_is_cut_or_over_a_limit_is_refused() -> None:
    for wire, error in (
        (b"\x92\xa3ab", cn.TruncatedError),
        (b"\x91" * 100, cn.LimitError),
        (b"\x92\x01\xc1", cn.DecodeError),
    ):
        ours, theirs = socket.socketpair()
        with ours, theirs, cn.connect(ours) as there:
            theirs.sendall(wire)
            theirs.shutdown(socket.SHUT_WR)
            with pytest.raises(error, match="message 1"):
                there.receive()
