"""Messages: they arrive in order, from and to any Arrow program; bytes that are no message raise an error."""

import contextlib
import io
import socket
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.connected import FRAME, beside, facing_socket, pair
from tests.helpers.each import each


def arrow_bytes(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, **options)
    return sink.getvalue()


TABLE = pa.table({"a": pa.array([1, None, 3]), "s": ["x", "y", None], "l": [[1], None, [2, 3]]})


# ---------------------------------------------------------------------------- both kinds, both ways


def test_messages_arrive_in_order_both_ways() -> None:
    with pair() as (here, there):
        for sender, receiver in ((here, there), (there, here)):
            sender.send(FRAME)
            sender.send_bytes(b"first")
            sender.send({"a": np.arange(3)})
            sender.send_bytes(b"")
            pd.testing.assert_frame_equal(receiver.receive().to_pandas(), FRAME)
            assert receiver.receive_bytes() == b"first"
            assert receiver.receive()["a"].to_numpy().tolist() == [0, 1, 2]
            assert receiver.receive_bytes() == b""


def test_iteration_ends_with_the_input() -> None:
    with pair() as (here, there):
        here.send_bytes(b"one")
        here.send(FRAME)
        here.send_bytes(memoryview(b"two"))
        here.close()
        first, frame, last = there
        assert (first, last) == (b"one", b"two")
        assert isinstance(frame, cn.Frame)
        assert frame.equals(FRAME)
        assert there.status() == "end of input"
        with pytest.raises(EOFError, match="after 3 messages"):
            there.receive()
        with pytest.raises(EOFError):
            there.receive_bytes()
        assert list(there) == []


def test_finish_ends_one_direction() -> None:
    with pair() as (here, there):
        here.finish()
        with pytest.raises(EOFError):
            there.receive()
        there.send_bytes(b"still")
        assert here.receive_bytes() == b"still"


@pytest.mark.parametrize("data", [bytearray(b"abc"), memoryview(b"abc"), np.frombuffer(b"abc", np.uint8)])
def test_bytes_of_any_kind(data: Any) -> None:
    with pair() as (here, there):
        here.send_bytes(data)
        assert there.receive_bytes() == b"abc"
        with pytest.raises(TypeError):
            here.send_bytes("text")


def test_a_large_frame_goes_out_while_it_comes_in() -> None:
    """Ten times the capacity of the socket: neither end can finish before the other."""
    frame = pd.DataFrame({f"c{i}": np.random.default_rng(i).random(1 << 18) for i in range(4)})
    with pair() as (here, there), beside(lambda: here.send(frame)):
        pd.testing.assert_frame_equal(cn.read_pandas(there), frame)


# ---------------------------------------------------------------------------- the wrong kind


def test_a_message_of_the_other_kind_stays() -> None:
    with pair() as (here, there):
        here.send(FRAME)
        here.send_bytes(b"...")
        for _ in range(2):
            with pytest.raises(cn.DecodeError, match=r"message 1: expected opaque bytes, found a frame.*receive\(\)"):
                there.receive_bytes()
        assert there.poll()
        assert there.status() == "ok"
        assert there.receive().equals(FRAME)
        with pytest.raises(cn.DecodeError, match=r"message 2: expected a frame, found opaque bytes.*receive_bytes\(\)"):
            there.receive()
        with pytest.raises(cn.DecodeError, match="message 2"):
            cn.read(there)
        assert there.receive_bytes() == b"..."
        assert not there.poll()


# ---------------------------------------------------------------------------- memory


def test_frames_do_not_share_what_may_be_written() -> None:
    with pair() as (here, there):
        here.send(FRAME[["id", "price"]])
        frame = there.receive()
        first = frame.to_pandas()
        first.loc[:, "id"] = 0
        first.iloc[0, 1] = 99.0
        pd.testing.assert_frame_equal(frame.to_pandas(), FRAME[["id", "price"]])


def test_what_read_pandas_gives_may_be_written() -> None:
    with pair() as (here, there):
        here.send(FRAME)
        here.send(FRAME)
        for columns in (None, ["id", "price", "price"]):
            found = cn.read_pandas(there, columns=columns)
            wanted = FRAME if columns is None else FRAME[columns]
            pd.testing.assert_frame_equal(found, wanted)
            found.iloc[0, 1] = 7.0
            wanted = wanted.copy()
            wanted.iloc[0, 1] = 7.0
            pd.testing.assert_frame_equal(found, wanted)


# ---------------------------------------------------------------------------- any Arrow program is a peer


@pytest.mark.parametrize("chunks", [None, 1, 2])
def test_pyarrow_writes_and_we_receive(chunks: int | None) -> None:
    with facing_socket() as (here, theirs):
        theirs.sendall(arrow_bytes(TABLE, max_chunksize=chunks) * 2)
        assert here.receive().to_arrow().equals(TABLE)
        assert here.receive().to_arrow().equals(TABLE)
        theirs.close()
        assert list(here) == []


@pytest.mark.parametrize("options", [{}, {"compression": "zstd"}, {"compression": "lz4", "batch_nbytes": 64}])
def test_we_send_and_pyarrow_reads(options: dict[str, Any]) -> None:
    with facing_socket() as (here, theirs):
        for _ in range(2):
            here.send(FRAME, **options)
        here.close()
        with theirs.makefile("rb") as file:
            for _ in range(2):
                pd.testing.assert_frame_equal(pa.ipc.open_stream(file).read_all().to_pandas(), FRAME)
            assert file.read() == b""


def test_rows_and_chunks_are_one_message() -> None:
    with pair() as (here, there):
        here.send({"id": i, "square": i * i} for i in range(1000))
        here.send(pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(max_chunksize=1)))
        assert there.receive()["square"].to_numpy().tolist() == [i * i for i in range(1000)]
        assert there.receive().to_arrow().equals(TABLE)


def test_pieces_of_one_byte() -> None:
    data = arrow_bytes(TABLE)
    with facing_socket() as (here, theirs):
        for byte in data[:-1]:
            theirs.sendall(bytes([byte]))
            assert not here.poll()
        assert here.status() == "waiting"
        theirs.sendall(data[-1:])
        assert here.poll()
        assert here.receive().to_arrow().equals(TABLE)


def test_partial_is_what_has_come() -> None:
    with facing_socket() as (here, theirs):
        data = arrow_bytes(TABLE)
        assert (here.partial(), here.status()) == (b"", "ok")
        theirs.sendall(data[:13])
        assert not here.poll(0.05)
        assert here.partial()
        assert data[:13].endswith(here.partial())  # complete pieces are consumed
        with pytest.raises(TimeoutError, match="message 1"):
            here.receive(timeout_s=0.01)
        theirs.sendall(data[13:])
        assert here.receive().to_arrow().equals(TABLE)
        assert here.partial() == b""


# ---------------------------------------------------------------------------- what is no message


@each("cut", [1, 4, 8, 100, -8, -1])
def test_a_message_that_breaks_off(cut: int) -> None:
    with facing_socket() as (here, theirs):
        theirs.sendall(arrow_bytes(TABLE) + arrow_bytes(TABLE)[:cut])
        theirs.close()
        assert here.receive().to_arrow().equals(TABLE)
        with pytest.raises(cn.TruncatedError, match="message 2"):
            list(here)
        assert isinstance(here.status(), cn.TruncatedError)


@pytest.mark.parametrize(
    "garbage", [b"GET / HTTP/1.1\r\n\r\n", bytes(64), b"\xc1CX" + bytes(61), b"ARROW1\0\0" + bytes(56)]
)
def test_garbage_names_peer_and_message(garbage: bytes) -> None:
    with facing_socket() as (here, theirs):
        theirs.sendall(arrow_bytes(TABLE) + garbage)
        here.receive()
        with pytest.raises(cn.DecodeError, match="message 2") as caught:
            here.receive()
        assert here.peer in str(caught.value)
        assert isinstance(here.status(), cn.DecodeError)
        here.send_bytes(b"our side goes on")


def test_more_than_the_limits() -> None:
    with facing_socket(limits=cn.Limits(max_nbytes=1000)) as (here, theirs):
        theirs.sendall(b"\xc1CNB" + bytes(4) + (1 << 62).to_bytes(8, "little"))
        with pytest.raises(cn.LimitError, match="message 1"):
            here.receive_bytes()


def test_what_cannot_be_encoded_is_not_sent() -> None:
    with pair() as (here, there):
        with pytest.raises(cn.EncodeError):
            here.send(pd.DataFrame({"o": [object()]}))
        here.send_bytes(b"after")
        assert there.receive_bytes() == b"after"


def test_rows_that_fail_on_the_way_end_the_sending_side() -> None:
    def rows() -> Any:
        yield {"a": 1}
        yield {"a": 2}
        raise RuntimeError("the source broke")

    with pair() as (here, there):
        with pytest.raises(RuntimeError, match="the source broke"):
            here.send(rows(), batch_rows=1, batch_nbytes=1)
        with contextlib.suppress(ConnectionError, ValueError):
            here.finish()
        with pytest.raises(EOFError):
            there.receive()


@pytest.mark.parametrize("format", ["npz", "npy", "arrow"])
def test_other_formats_go_as_bytes(format: str) -> None:
    with pair() as (here, there):
        with pytest.raises(cn.UnsupportedError, match=rf"{format}: .*\(arrows, msgpack, csv, ndjson\).*send_bytes"):
            here.send(FRAME, format)
        with pytest.raises(cn.OptionError, match="known"):
            here.send(FRAME, "arows")
        with pytest.raises(cn.OptionError, match="compresion"):
            here.send(FRAME, compresion="zstd")
        here.send_bytes(cn.encode({"a": np.arange(3)}, "npz"))
        assert cn.decode(there.receive_bytes()).shape == (3, 1)


def test_closed() -> None:
    with pair() as (here, there):
        assert here.peer in repr(here)
        assert not here.closed
        here.send_bytes(b"last")
        here.close()
        here.close()
        assert here.closed
        assert "1 sent, 0 received, closed" in repr(here)
        for call in (here.receive, here.poll, lambda: here.send_bytes(b""), lambda: here.send(FRAME)):
            with pytest.raises(OSError, match="closed"):
                call()
        assert there.receive_bytes() == b"last"


def test_a_peer_that_is_gone() -> None:
    ours, theirs = socket.socketpair()
    with ours, cn.connect(ours) as here:
        theirs.close()
        with pytest.raises(ConnectionError):
            for _ in range(100):
                here.send_bytes(bytes(1 << 16))
