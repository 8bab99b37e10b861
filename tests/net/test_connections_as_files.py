"""Connections and URLs as source and target of the functions that read and write frames."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.connected import FRAME, beside, facing_socket, pair
from tests.helpers.each import each

CHUNKS = [pd.DataFrame({"chunk": np.full(1000, i), "value": np.arange(1000.0)}) for i in range(5)]
WHOLE = pd.concat(CHUNKS, ignore_index=True)
TABLE = pa.table({"a": [1, 2, 3]})


# ---------------------------------------------------------------------------- whole frames


@pytest.mark.parametrize(
    ("read", "wanted"),
    [
        (cn.read, cn.Frame(FRAME)),
        (cn.read_pandas, FRAME),
        (lambda source: cn.read_polars(source).to_arrow()["price"].to_pylist()[3:], [2.5, 3.5, 4.5]),
        (lambda source: cn.read_arrow(source)["price"].to_pylist()[3:], [2.5, 3.5, 4.5]),
    ],
    ids=["read", "read_pandas", "read_polars", "read_arrow"],
)
def test_every_way_of_reading(read: Callable[[Any], Any], wanted: Any) -> None:
    with pair() as (here, there):
        cn.write(FRAME, here)
        found = read(there)
        assert found == wanted if isinstance(wanted, list) else found.equals(wanted)
        here.close()
        with pytest.raises(EOFError):
            read(there)


def test_a_part() -> None:
    with pair() as (here, there):
        for _ in range(2):
            here.send(FRAME)
        found = cn.read(there, columns=["name", "id"], rows=slice(2, 4)).to_pandas()
        pd.testing.assert_frame_equal(found, FRAME[["name", "id"]].iloc[2:4])
        found = cn.read_pandas(there, columns="price", rows=slice(-2, None))
        pd.testing.assert_frame_equal(found, FRAME[["price"]].iloc[-2:])


def test_a_wrong_column_leaves_the_message() -> None:
    with pair() as (here, there):
        here.send(FRAME)
        for options in ({"columns": "prise"}, {"rows": slice(0, 2, 2)}):
            with pytest.raises((cn.ColumnNotFound, cn.OptionError)):
                cn.read(there, **options)
        assert there.poll()
        with cn.open_reader(there) as reader:
            assert reader.read_all().equals(FRAME)


def test_options() -> None:
    with pair() as (here, there):
        cn.write(FRAME, here, compression="zstd", format="arrows")
        told: list[int] = []
        cn.write(FRAME, here, progress=lambda done, total: told.append(done))
        assert told
        assert cn.read(there, verify=True, threads=1).equals(FRAME)
        told.clear()
        assert cn.read(there, progress=lambda done, total: told.append(done)).equals(FRAME)
        for options in ({"limits": cn.Limits()}, {"allow_truncated": True}, {"compression": "zstd"}, {"colunms": 1}):
            with pytest.raises(cn.OptionError):
                cn.read(there, **options)
        with pytest.raises(cn.UnsupportedError, match=r"npz.*arrows"):
            cn.read(there, format="npz")
        with pytest.raises(cn.UnsupportedError, match=r"arrow: .*arrows"):
            cn.write(FRAME, here, format="arrow")
        assert not there.poll()


def convert(source: Any, **options: Any) -> None:
    cn.convert(source, cn.BufferSink(), read_options=options, write_options={"format": "npz"})


def begin(source: Any, **options: Any) -> None:
    with cn.open_reader(source, **options) as reader:
        assert len(reader.schema) == 5


@pytest.mark.parametrize("read", [cn.read, begin, convert])
def test_a_message_says_its_format_itself(read: Callable[..., Any]) -> None:
    with pair() as (here, there):
        here.send(FRAME)
        for format in ("msgpack", "csv", "ndjson"):
            with pytest.raises(cn.OptionError, match=f"format: expected None .* found '{format}'"):
                read(there, format=format)
        assert cn.read(there, format="arrows").equals(FRAME)


@pytest.mark.parametrize("format", ["arrows", "msgpack", "csv", "ndjson"])
def test_threads_are_those_of_the_connection(format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []

    def resolve(threads: int | None, otherwise: int | None = None) -> int:
        asked.append(otherwise if threads is None else threads)
        return asked[-1] or 1

    monkeypatch.setattr("colonnade._formats.writers.resolve_threads", resolve)
    plain = {"a": np.arange(3)}
    with pair(threads=2) as (here, there):
        here.send(plain, format)
        here.send(plain, format, threads=1)
        for _ in range(2):
            assert there.receive().equals(plain)
    assert asked == [2, 1]


def test_threads_of_a_connection_decode_what_came() -> None:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, TABLE.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(TABLE)
    for threads, used in ((None, 3), (1, 1)):
        with facing_socket(threads=3) as (here, theirs):
            theirs.sendall(sink.getvalue())
            frame = cn.read(here, threads=threads)
            assert frame._core is not None or frame._threads == used
            assert frame.to_arrow().equals(TABLE)


@pytest.mark.parametrize(("read", "method"), [(cn.read, "_receive_frame"), (begin, "_batches")])
def test_a_url_counts_silence_and_a_connection_the_whole_call(
    listener: cn.Listener, monkeypatch: pytest.MonkeyPatch, read: Callable[..., Any], method: str
) -> None:
    seen: list[float | None] = []
    plain = getattr(cn.Connection, method)

    def watched(self: Any, timeout_s: float | None = None, *more: Any) -> Any:
        seen.append(timeout_s)
        return plain(self, timeout_s, *more)

    monkeypatch.setattr("colonnade._io.raw_connection.Link." + method, watched)

    def serve() -> None:
        with listener.accept(timeout_s=30) as peer:  # type: ignore[union-attr]
            peer.send(FRAME)

    with beside(serve):
        read(listener.url, timeout_s=20)
    with pair() as (here, there):
        here.send(FRAME)
        read(there, timeout_s=20)
    assert seen == [None, 20]


@pytest.mark.parametrize("look", [cn.inspect, cn.verify, cn.read_arrays, cn.read_bundle])
def test_what_needs_to_look_twice(look: Callable[[Any], Any]) -> None:
    with pair() as (here, there):
        here.send(FRAME)
        with pytest.raises(cn.UnsupportedError, match="once"):
            look(there)
        assert there.receive().equals(FRAME)


# ---------------------------------------------------------------------------- batch by batch


def test_chunks_are_one_message() -> None:
    with pair() as (here, there):
        with cn.open_writer(here) as writer:
            for chunk in CHUNKS:
                writer.write(chunk)
        here.send_bytes(b"next")
        assert there.receive().equals(WHOLE)
        assert there.receive_bytes() == b"next"


def test_batches_come_as_they_are_sent() -> None:
    """The reader has the first batch before the writer has the second."""
    schema = pa.schema([("a", pa.int64())])
    with facing_socket() as (here, theirs), theirs.makefile("wb", buffering=0) as file:
        writer = pa.ipc.new_stream(
            file, schema
        )  # not in a `with`, which would close it, and so write an end mark, twice
        with cn.open_reader(here) as reader:
            batches = iter(reader)
            for i in range(3):
                writer.write_batch(pa.record_batch({"a": [i]}))
                assert next(batches).to_arrow()["a"].to_pylist() == [i]
            writer.close()
            assert next(batches, None) is None
        theirs.shutdown(socket.SHUT_WR)
        assert list(here) == []


@each("read", ["nothing", "schema", "one", "some rows", "all"])
def test_what_was_not_read_is_skipped(read: str) -> None:
    with pair() as (here, there):
        here.send(WHOLE, batch_nbytes=1 << 13)
        here.send_bytes(b"next")
        rows = slice(100, 2100) if read == "some rows" else None
        with cn.open_reader(there, columns=["value"], rows=rows) as reader:
            if read == "nothing":
                pass
            elif read == "schema":
                assert [field.label for field in reader.schema.fields] == ["value"]
            elif read == "one":
                next(iter(reader))
            else:
                found = pd.concat([frame.to_pandas() for frame in reader])
                pd.testing.assert_frame_equal(found, WHOLE[["value"]] if rows is None else WHOLE[["value"]].iloc[rows])
        if read == "nothing":
            assert there.receive().equals(WHOLE)
        assert there.receive_bytes() == b"next"


def test_a_reader_whose_message_was_left() -> None:
    with pair() as (here, there):
        here.send(WHOLE, batch_nbytes=1 << 13)
        here.send_bytes(b"next")
        with cn.open_reader(there) as reader:
            next(iter(reader))
            assert there.receive_bytes() == b"next"
            with pytest.raises(ValueError, match="message 1"):
                next(iter(reader))


def test_bytes_have_no_batches() -> None:
    with pair() as (here, there):
        here.send_bytes(b"...")
        with cn.open_reader(there) as reader, pytest.raises(cn.DecodeError, match="receive_bytes"):
            next(iter(reader))
        assert there.receive_bytes() == b"..."
        here.close()
        with cn.open_reader(there) as reader, pytest.raises(EOFError):
            next(iter(reader))


def test_a_chunk_that_cannot_be_encoded_cuts_the_message() -> None:
    with pair() as (here, there):
        with pytest.raises(cn.EncodeError), cn.open_writer(here, batch_nbytes=1) as writer:
            writer.write(CHUNKS[0])
            writer.write({"other": np.arange(3)})
        with pytest.raises(EOFError):
            there.receive()
        with pytest.raises((OSError, ValueError)):
            here.send_bytes(b"")


def test_a_writer_that_wrote_nothing_breaks_nothing() -> None:
    with pair() as (here, there):
        with pytest.raises(cn.EncodeError), cn.open_writer(here):
            pass
        with pytest.raises(RuntimeError), cn.open_writer(here):
            raise RuntimeError
        here.send_bytes(b"...")
        assert there.receive_bytes() == b"..."


# ---------------------------------------------------------------------------- convert


@pytest.mark.parametrize("suffix", [".npz", ".arrow", ".arrows"])
def test_convert_to_and_from_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"frame{suffix}"
    with pair() as (here, there):
        here.send(FRAME)
        cn.convert(there, path)
        pd.testing.assert_frame_equal(cn.read_pandas(path), FRAME)
        cn.convert(path, here)
        assert cn.read(there).equals(FRAME)


def test_relay() -> None:
    with pair() as (here, one), pair() as (other, there):
        here.send(FRAME)
        here.send(WHOLE, batch_nbytes=1 << 13)
        here.close()
        cn.convert(one, other)
        assert there.receive().equals(FRAME)
        told: list[int] = []
        cn.convert(one, other, read_options={"columns": ["value"]}, progress=lambda done, total: told.append(done))
        assert told
        pd.testing.assert_frame_equal(cn.read_pandas(there), WHOLE[["value"]])
        with pytest.raises(EOFError):
            cn.convert(one, other)
        other.send_bytes(b"nothing was begun")
        assert there.receive_bytes() == b"nothing was begun"


def test_a_relay_passes_on_what_has_come() -> None:
    schema = pa.schema([("a", pa.int64())])
    with (
        facing_socket() as (one, source),
        facing_socket() as (other, target),
        beside(lambda: cn.convert(one, other, write_options={"batch_nbytes": 1})),
        source.makefile("wb", buffering=0) as file,
        target.makefile("rb") as out,
    ):
        writer = pa.ipc.new_stream(file, schema)
        writer.write_batch(pa.record_batch({"a": [0]}))
        writer.write_batch(pa.record_batch({"a": [1]}))
        batches = pa.ipc.open_stream(out)
        assert batches.read_next_batch()["a"].to_pylist() == [0]
        writer.write_batch(pa.record_batch({"a": [2]}))
        writer.close()
        assert [batch["a"].to_pylist() for batch in batches] == [[1], [2]]


def test_a_relay_of_half_a_message_passes_on_half_a_message() -> None:
    with facing_socket() as (one, source), pair() as (other, there):
        source.sendall(cn.encode(WHOLE, "arrows", batch_nbytes=1 << 13)[:40_000])
        source.close()
        with pytest.raises(cn.TruncatedError):
            cn.convert(one, other)
        with pytest.raises(cn.TruncatedError):
            there.receive()


# ---------------------------------------------------------------------------- URLs


@pytest.fixture(params=["tcp", "unix"])
def listener(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    with cn.listen("tcp://:0" if request.param == "tcp" else f"unix:{tmp_path}/socket") as made:
        yield made


def test_urls_pass_one_message(listener: cn.Listener, tmp_path: Path) -> None:
    def serve() -> list[bool]:
        came = []
        with listener.accept() as connection:
            came.append(cn.read(connection).equals(FRAME) and list(connection) == [])
        with listener.accept() as connection:
            came.append(cn.read(connection).equals(WHOLE) and list(connection) == [])
        for _ in range(2):
            with listener.accept() as connection:
                connection.send(FRAME)
        return came

    with beside(serve) as came:
        cn.write(FRAME, listener.url)
        with cn.open_writer(listener.url) as writer:
            for chunk in CHUNKS:
                writer.write(chunk)
        pd.testing.assert_frame_equal(cn.read_pandas(listener.url, columns=["id"]), FRAME[["id"]])
        cn.convert(listener.url, tmp_path / "x.npz")
        pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "x.npz"), FRAME)
    assert came == [[True, True]]


def test_nothing_is_dialled_for_a_wrong_call(listener: cn.Listener) -> None:
    for call in (
        lambda: cn.write(FRAME, listener.url, format="npz"),
        lambda: cn.write(FRAME, listener.url, compresion="zstd"),
        lambda: cn.read(listener.url, allow_truncated=True),
        lambda: cn.inspect(listener.url),
        lambda: cn.write(pd.DataFrame({"o": [object()]}), listener.url),
    ):
        with pytest.raises((cn.UnsupportedError, cn.OptionError, cn.EncodeError)):
            call()
    assert cn.wait([listener], timeout_s=0.1) == []


def test_nobody_listens(tmp_path: Path) -> None:
    with cn.listen("tcp://:0") as listener:
        url = listener.url
    for call in (cn.read, cn.connect, lambda url: cn.write(FRAME, url)):
        with pytest.raises(ConnectionRefusedError, match=url):
            call(url)
        with pytest.raises(FileNotFoundError, match="none"):
            call(f"unix:{tmp_path}/none")
    assert threading.active_count() >= 1
