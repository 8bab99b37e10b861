"""`open_writer` and `open_reader`: chunks of any library in, frames out; files, memory, pipes, sockets, objects."""

import gzip
import io
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.pipes import piped

TABLE = pa.table({"a": list(range(10)), "s": [None if i % 3 == 0 else f"x{i}" for i in range(10)]})
FORMATS = ("arrow", "arrows")


def written(table: pa.Table = TABLE, chunk_rows: int = 4, *, file: bool = False) -> bytes:
    """The bytes that pyarrow writes: batches of `chunk_rows`."""
    out = io.BytesIO()
    with (pa.ipc.new_file if file else pa.ipc.new_stream)(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=chunk_rows)
    return out.getvalue()


STREAM = written()
FILE = written(file=True)
MESSAGES = [found.start() for found in re.finditer(b"\xff\xff\xff\xff", STREAM)]  # schema, three batches, the end


@pytest.fixture
def fd() -> Iterator[Callable[..., int]]:
    opened: list[int] = []

    def make(*pieces: bytes) -> int:
        opened.append(piped(*pieces))
        return opened[-1]

    yield make
    for number in opened:
        os.close(number)


def shapes(reader: Any) -> list[tuple[int, int]]:
    return [frame.shape for frame in reader]


def rows_of(frames: Any) -> list[dict[str, Any]]:
    return [row for frame in frames for row in frame.to_arrow().to_pylist()]


# ---------------------------------------------------------------------------- reading


@pytest.mark.parametrize("data", [STREAM, FILE], ids=["stream", "file"])
def test_any_batch_of_bytes(data: bytes) -> None:
    with cn.open_reader(data) as reader:
        assert len(reader) == 3
        assert shapes(reader) == [(4, 2), (4, 2), (2, 2)]
        assert shapes(reader) == [(4, 2), (4, 2), (2, 2)]  # again
        assert reader[1].to_arrow().to_pylist() == TABLE.slice(4, 4).to_pylist()
        assert reader[-1].to_pandas()["a"].tolist() == [8, 9]
        assert [field.label for field in reader.schema.fields] == ["a", "s"]
        assert reader.read_all().to_arrow().to_pylist() == TABLE.to_pylist()
        with pytest.raises(IndexError, match="from 0 to 2, found 3"):
            reader[3]
        with pytest.raises(TypeError, match="number of a batch"):
            reader["a"]


def test_path(tmp_path: Path) -> None:
    (tmp_path / "x.arrow").write_bytes(STREAM)  # a stream under a file's suffix, as others write it
    with cn.open_reader(tmp_path / "x.arrow") as reader:
        assert len(reader) == 3
    with pytest.raises(cn.DecodeError, match="expected arrow, found the first bytes of arrows"):
        cn.open_reader(tmp_path / "x.arrow", format="arrow")


@each("data", [STREAM, FILE], ids=["stream", "file"])
@each(
    ("rows", "found"),
    [
        (slice(2, 9), [2, 4, 1]),
        (slice(4, 8), [4]),
        (slice(0, 0), []),
        (slice(-3, None), [1, 2]),
        (slice(9, 100), [1]),
    ],
)
def test_columns_and_rows(data: bytes, rows: slice, found: list[int]) -> None:
    with cn.open_reader(data, columns=["s"], rows=rows) as reader:
        assert shapes(reader) == [(n, 1) for n in found]
        assert rows_of(reader) == TABLE.select(["s"]).to_pylist()[rows]
        assert reader.read_all().to_arrow().to_pylist() == TABLE.select(["s"]).to_pylist()[rows]


def test_one_batch_alone_leaves_the_others_untouched() -> None:
    damaged = bytearray(STREAM)
    damaged[damaged.index(b"x4x5x7", MESSAGES[2])] = 0xFF  # no UTF-8, in the second batch
    with cn.open_reader(damaged) as reader:
        assert reader[0].to_arrow().to_pylist() == TABLE.slice(0, 4).to_pylist()
        with pytest.raises(cn.DecodeError):
            reader[1].to_arrow()
    with pytest.raises(cn.DecodeError):
        cn.open_reader(damaged, verify=True)
    with pytest.raises(cn.DecodeError):
        cn.verify(damaged)


@pytest.mark.parametrize("format", ["arrows", None])
def test_pipe_is_read_batch_by_batch(fd: Callable[..., int], format: str | None) -> None:
    with cn.open_reader(fd(STREAM), format=format) as reader:
        assert [field.label for field in reader.schema.fields] == ["a", "s"]
        assert shapes(reader) == [(4, 2), (4, 2), (2, 2)]
        assert shapes(reader) == []  # each once
        with pytest.raises(cn.UnsupportedError, match="no random access"):
            reader[0]
        with pytest.raises(TypeError):
            len(reader)


def test_batches_come_before_the_stream_ends() -> None:
    """The reader reads no more than it needs, because the writer may wait for it."""
    ours, theirs = os.pipe()
    os.write(theirs, STREAM[: MESSAGES[2]])
    with open(ours, "rb", buffering=0) as source, cn.open_reader(source) as reader:
        batches = iter(reader)
        assert next(batches).to_arrow().to_pylist() == TABLE.slice(0, 4).to_pylist()
        os.write(theirs, STREAM[MESSAGES[2] :])
        os.close(theirs)
        assert shapes(batches) == [(4, 2), (2, 2)]


def test_pipe_in_small_pieces(fd: Callable[..., int]) -> None:
    pieces = [STREAM[i : i + 7] for i in range(0, len(STREAM), 7)]
    with cn.open_reader(fd(*pieces)) as reader:
        assert rows_of(reader) == TABLE.to_pylist()


@pytest.mark.parametrize("after", [0, 1, 3])
def test_read_all_of_a_pipe_is_what_is_left(fd: Callable[..., int], after: int) -> None:
    with cn.open_reader(fd(STREAM)) as reader:
        batches = iter(reader)
        for _ in range(after):
            next(batches)
        assert reader.read_all().to_arrow().to_pylist() == TABLE.to_pylist()[4 * after :]


@pytest.mark.parametrize("rows", [slice(2, 9), slice(3), slice(5, None), slice(None), slice(4, 4), slice(20, 30)])
def test_rows_of_a_pipe(fd: Callable[..., int], rows: slice) -> None:
    with cn.open_reader(fd(STREAM), columns="a", rows=rows) as reader:
        assert rows_of(reader) == TABLE.select(["a"]).to_pylist()[rows]
    with cn.open_reader(fd(STREAM), rows=rows) as reader:
        assert len(reader.read_all()) == len(range(10)[rows])


def test_rows_of_a_pipe_count_from_the_front(fd: Callable[..., int]) -> None:
    with pytest.raises(cn.OptionError, match=r"from the front of a stream.*found -3"):
        cn.open_reader(fd(STREAM), rows=slice(-3, None))
    with pytest.raises(cn.OptionError, match="step of 1"):
        cn.open_reader(fd(STREAM), rows=slice(0, 4, 2))
    with pytest.raises(TypeError, match="slice of positions"):
        cn.open_reader(fd(STREAM), rows=3)


def test_unknown_column_of_a_pipe(fd: Callable[..., int]) -> None:
    with cn.open_reader(fd(STREAM), columns=["aa"]) as reader, pytest.raises(cn.ColumnNotFound, match="nearest: 'a'"):
        next(iter(reader))


@pytest.mark.parametrize("timeout", [None, 10.0], ids=["blocking", "timeout"])
@pytest.mark.parametrize("format", ["arrows", None])
def test_socket(timeout: float | None, format: str | None) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(timeout)
        sender = threading.Thread(target=lambda: (theirs.sendall(STREAM), theirs.shutdown(socket.SHUT_WR)), daemon=True)
        sender.start()
        with cn.open_reader(ours, format=format) as reader:
            assert rows_of(reader) == TABLE.to_pylist()
        sender.join(10)


def test_socket_that_stays_silent() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(0.01)
        theirs.sendall(STREAM[:-200])
        with cn.open_reader(ours, format="arrows") as reader, pytest.raises(TimeoutError):
            list(reader)


class Readable:
    """An object that has only `read`, which returns fewer bytes than requested."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def read(self, nbytes: int = -1) -> bytes:
        return self._file.read(min(nbytes, 5) if nbytes > 0 else nbytes)


@pytest.mark.parametrize(
    "make",
    [
        lambda data: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(data))),
        lambda data: io.BufferedReader(io.BytesIO(data)),  # type: ignore[arg-type]
        io.BytesIO,
        Readable,
    ],
    ids=["gzip", "BufferedReader", "BytesIO", "read alone"],
)
def test_file_objects(make: Callable[[bytes], Any]) -> None:
    for data in (STREAM, FILE):
        with cn.open_reader(make(data)) as reader:
            assert rows_of(reader) == TABLE.to_pylist()
        assert cn.read(make(data)).to_arrow().to_pylist() == TABLE.to_pylist()


def test_object_in_text_mode() -> None:
    class Text:
        def read(self, nbytes: int = -1) -> str:
            return "x" * 8

    with pytest.raises(TypeError, match="reads text"):
        cn.open_reader(Text())


def test_file_format_from_a_pipe(fd: Callable[..., int]) -> None:
    with cn.open_reader(fd(FILE)) as reader:  # its footer is at the end, so it is read whole
        assert len(reader) == 3


@pytest.mark.parametrize("format", ["npz", "npy"])
def test_other_formats_are_one_chunk(fd: Callable[..., int], format: str) -> None:
    data = cn.encode(np.eye(3), format)
    for source in (data, fd(data)):
        with cn.open_reader(source) as reader:
            assert shapes(reader) == [(3, 3)]
            assert reader.read_all().equals(np.eye(3))


def test_no_batches(fd: Callable[..., int]) -> None:
    empty = written(TABLE.slice(0, 0))
    for source in (empty, fd(empty)):
        with cn.open_reader(source) as reader:
            assert [field.label for field in reader.schema.fields] == ["a", "s"]
            assert sum(len(frame) for frame in reader) == 0


def test_closed_reader(fd: Callable[..., int]) -> None:
    for source in (STREAM, fd(STREAM)):
        reader = cn.open_reader(source)
        reader.close()
        reader.close()
        with pytest.raises(ValueError, match="open reader"):
            reader.read_all()


def test_typo_consumes_nothing(fd: Callable[..., int]) -> None:
    source = fd(STREAM)
    with pytest.raises(cn.OptionError, match="unknown option 'allow_truncate'"):
        cn.open_reader(source, allow_truncate=True)
    assert rows_of(cn.open_reader(source)) == TABLE.to_pylist()


# ---------------------------------------------------------------------------- truncation

END_MARK = 8


@pytest.mark.parametrize("kind", ["bytes", "pipe", "reader of a pipe"])
@pytest.mark.parametrize(
    ("data", "nbatches", "nrows"),
    [
        (STREAM[:-END_MARK], 3, 10),
        (STREAM[: -END_MARK - 8], 2, 8),
        (STREAM[: MESSAGES[3] - 10], 1, 4),
    ],
    ids=["between two messages", "in the last body", "in the second body"],
)
def test_truncated(fd: Callable[..., int], kind: str, data: bytes, nbatches: int, nrows: int) -> None:
    def result(**options: Any) -> list[dict[str, Any]]:
        if kind == "reader of a pipe":
            return rows_of(cn.open_reader(fd(data), **options))
        return rows_of([cn.read(data if kind == "bytes" else fd(data), **options)])

    with pytest.raises(cn.TruncatedError, match=f"{nbatches} batch.*{nrows} rows"):
        result()
    assert result(allow_truncated=True) == TABLE.to_pylist()[:nrows]


def test_truncated_before_the_schema_is_complete() -> None:
    with pytest.raises(cn.TruncatedError):
        cn.read(STREAM[:100], allow_truncated=True)


def test_truncated_batches_come_before_the_error(fd: Callable[..., int]) -> None:
    received = []
    with cn.open_reader(fd(STREAM[:-END_MARK])) as reader, pytest.raises(cn.TruncatedError):
        for frame in reader:
            received.append(len(frame))
    assert received == [4, 4, 2]


def test_truncated_says_so_when_inspected() -> None:
    assert cn.inspect(STREAM[:-END_MARK], allow_truncated=True).arrow.truncated
    assert not cn.inspect(STREAM).arrow.truncated


# ---------------------------------------------------------------------------- inspection


@pytest.mark.parametrize(("data", "format", "layout"), [(STREAM, "arrows", "stream"), (FILE, "arrow", "file")])
def test_inspect(data: bytes, format: str, layout: str) -> None:
    info = cn.inspect(data)
    assert (info.format, info.layout, info.shape) == (format, layout, (10, 2))
    assert info.arrow.batches == [4, 4, 2]
    assert (info.arrow.metadata_version, info.arrow.big_endian, info.arrow.dictionaries) == (5, False, 0)
    assert info.to_dict()["arrow"]["batches"] == [4, 4, 2]
    assert "3 of 2 to 4 rows" in repr(info)


def test_inspect_counts_dictionaries() -> None:
    table = pa.table({"c": pa.array(["x", "y", "x"]).dictionary_encode()})
    info = cn.inspect(written(table))
    assert info.arrow.dictionaries == 1
    assert "1 dictionaries" in repr(info)


# ---------------------------------------------------------------------------- writing


@pytest.mark.parametrize("format", FORMATS)
def test_chunks_of_every_library(format: str) -> None:
    sink = cn.BufferSink()
    chunk = {"a": np.arange(3), "b": np.linspace(0, 1, 3)}
    with cn.open_writer(sink, format=format) as writer:
        for data in (
            pa.table(chunk),
            pa.RecordBatch.from_pydict(chunk),
            pl.DataFrame(chunk),
            pa.RecordBatchReader.from_batches(pa.table(chunk).schema, pa.table(chunk).to_batches()),
        ):
            writer.write(data)
        assert writer.nrows == 12
    back = (pa.ipc.open_file if format == "arrow" else pa.ipc.open_stream)(memoryview(sink)).read_all()
    assert back.to_pydict() == {name: values.tolist() * 4 for name, values in chunk.items()}


@pytest.mark.parametrize("format", FORMATS)
def test_mappings_of_arrays(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"x.{format}"
    with cn.open_writer(path) as writer:
        for start in range(0, 12, 4):
            writer.write({"a": np.arange(start, start + 4), "b": np.arange(4) % 2 == 0})
            assert not path.exists()  # only what is complete has its name
    assert cn.read(path).equals({"a": np.arange(12), "b": np.arange(12) % 2 == 0})


def test_dataframes_with_labels(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"x": np.arange(6.0), "c": pd.Categorical(list("abcabc")), "s": ["a", None, "c"] * 2},
        index=pd.date_range("2020-01-01", periods=6, name="day"),
    )
    with cn.open_writer(tmp_path / "x.arrow") as writer:
        for start in range(0, 6, 2):
            writer.write(frame.iloc[start : start + 2])
    back = cn.read(tmp_path / "x.arrow").to_pandas()
    pd.testing.assert_frame_equal(back, frame, check_freq=False)
    pd.testing.assert_frame_equal(pd.read_feather(tmp_path / "x.arrow"), frame, check_freq=False)


def test_chunks_are_cut_and_joined() -> None:
    def batches(nbytes: int, chunk_rows: int) -> list[int]:
        sink = cn.BufferSink()
        with cn.open_writer(sink, format="arrows", batch_nbytes=nbytes) as writer:
            for start in range(0, 1000, chunk_rows):
                writer.write({"a": np.arange(start, start + chunk_rows)})
        assert cn.read(sink)["a"].to_numpy().tolist() == list(range(1000))
        counts: list[int] = cn.inspect(sink).arrow.batches
        return counts

    assert batches(1 << 20, 1000) == [1000]
    assert len(batches(800, 1000)) >= 8  # one chunk, many batches
    assert len(batches(1 << 20, 10)) < 10  # many chunks, few batches


@pytest.mark.parametrize(
    ("other", "parts"),
    [
        ({"a": np.arange(3.0)}, ["int64", "<f8|double"]),
        ({"b": np.arange(3)}, ["'?a", "'?b"]),
        ({"a": np.arange(3), "b": np.arange(3)}, [r"\[a\]", r"\[a, b\]"]),
    ],
    ids=["type", "name", "number"],
)
def test_chunk_of_another_schema_shows_both(tmp_path: Path, other: Any, parts: list[str]) -> None:
    path = tmp_path / "x.arrows"
    path.write_bytes(b"old")
    with pytest.raises(cn.EncodeError) as caught, cn.open_writer(path) as writer:
        writer.write({"a": np.arange(3)})
        writer.write(other)
    for part in parts:
        assert re.search(part, str(caught.value)), str(caught.value)
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["x.arrows"]


def test_exception_discards_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    with pytest.raises(KeyError), cn.open_writer(path) as writer:
        writer.write({"a": np.arange(3)})
        raise KeyError("stop")
    assert list(tmp_path.iterdir()) == []
    cn.write({"old": np.arange(2)}, path)
    with pytest.raises(KeyError), cn.open_writer(path) as writer:
        writer.write({"a": np.arange(3)})
        raise KeyError("stop")
    assert list(tmp_path.iterdir()) == [path]
    assert cn.read(path).equals({"old": np.arange(2)})


def test_exception_leaves_a_sink_as_it_was() -> None:
    sink = cn.BufferSink()
    sink.write(b"before")
    with pytest.raises(KeyError), cn.open_writer(sink, format="arrows") as writer:
        writer.write({"a": np.arange(3)})
        raise KeyError("stop")
    assert bytes(memoryview(sink)) == b"before"


def test_exception_leaves_a_stream_without_its_end_mark() -> None:
    ours, theirs = os.pipe()
    with (
        pytest.raises(KeyError),
        open(theirs, "wb", buffering=0) as file,
        cn.open_writer(file, format="arrows") as writer,
    ):
        writer.write({"a": np.arange(3)})
        raise KeyError("stop")
    with open(ours, "rb") as source, pytest.raises(cn.TruncatedError):
        cn.read(source, format="arrows").to_numpy()


def test_nothing_written(tmp_path: Path) -> None:
    with pytest.raises(cn.EncodeError), cn.open_writer(tmp_path / "x.arrow"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_closed_writer(tmp_path: Path) -> None:
    writer = cn.open_writer(tmp_path / "x.arrows")
    writer.write({"a": np.arange(3)})
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="open writer"):
        writer.write({"a": np.arange(3)})
    with pytest.raises(ValueError, match="open writer"):
        writer.__enter__()
    assert len(cn.read(tmp_path / "x.arrows")) == 3


def test_dropped_writer_leaves_nothing(tmp_path: Path) -> None:
    writer = cn.open_writer(tmp_path / "x.arrows")
    writer.write({"a": np.arange(3)})
    del writer
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["npz", "npy"])
def test_formats_without_chunks(tmp_path: Path, format: str) -> None:
    with pytest.raises(cn.UnsupportedError, match=rf"^{format}: .*arrow, arrows"):
        cn.open_writer(tmp_path / f"x.{format}")
    assert list(tmp_path.iterdir()) == []


def test_format_must_be_known() -> None:
    with pytest.raises(cn.OptionError, match="no name to tell it from"):
        cn.open_writer(cn.BufferSink())
    with pytest.raises(cn.OptionError, match="unknown option 'compresion'; nearest: 'compression'"):
        cn.open_writer(cn.BufferSink(), format="arrows", compresion="lz4")


@pytest.mark.parametrize("format", FORMATS)
def test_targets(tmp_path: Path, format: str) -> None:
    def filled(target: Any) -> None:
        with cn.open_writer(target, format=format) as writer:
            writer.write(TABLE.slice(0, 4))
            writer.write(TABLE.slice(4))

    def is_table(source: Any) -> bool:
        return bool(cn.read(source).to_arrow().to_pylist() == TABLE.to_pylist())

    with gzip.open(tmp_path / "x.gz", "wb") as packed:
        filled(packed)
    with gzip.open(tmp_path / "x.gz", "rb") as packed:
        assert is_table(packed)
    memory = io.BytesIO()
    filled(memory)
    assert is_table(memory.getvalue())
    with open(tmp_path / "plain", "wb") as file:
        file.write(b"header: ")
        filled(file)
    with open(tmp_path / "plain", "rb") as file:
        assert file.read(8) == b"header: "
        assert is_table(file)
    number = os.open(tmp_path / "number", os.O_WRONLY | os.O_CREAT)
    filled(number)
    os.close(number)
    assert is_table(tmp_path / "number")


@pytest.mark.parametrize("format", FORMATS)
def test_sink_grows(format: str) -> None:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format=format) as writer:
        for start in range(0, 1_000_000, 100_000):
            writer.write({"a": np.arange(start, start + 100_000)})
    assert np.array_equal(cn.read(sink)["a"].to_numpy(), np.arange(1_000_000))


@pytest.mark.parametrize("format", FORMATS)
def test_object_that_refuses_bytes(format: str) -> None:
    class Full:
        def write(self, data: memoryview) -> int:
            raise TimeoutError("slow")

    with pytest.raises(TimeoutError, match="slow"):
        cn.write(TABLE, Full(), format=format)


@pytest.mark.parametrize("format", FORMATS)
def test_row_labels_go_on_from_chunk_to_chunk(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"x.{format}"
    with cn.open_writer(path) as writer:
        for i in range(3):
            writer.write(pd.DataFrame({"a": [i, i]}))
    assert cn.read(path).to_pandas().index.equals(pd.RangeIndex(6))
    if format == "arrow":
        assert pd.read_feather(path).index.equals(pd.RangeIndex(6))
        # Chunks stay batches in a file, and the index of each is known.
        assert [list(frame.to_pandas().index) for frame in cn.open_reader(path)] == [[0, 1], [2, 3], [4, 5]]


def test_categories_may_grow(tmp_path: Path) -> None:
    for name in ("x.arrow", "x.arrows"):
        with cn.open_writer(tmp_path / name, batch_nbytes=1) as writer:
            for i in range(3):
                writer.write(pd.DataFrame({"c": pd.Categorical(list("abc")[: i + 1])}))
        assert cn.read(tmp_path / name).to_pandas()["c"].tolist() == list("aababc")
    assert pa.ipc.open_file(tmp_path / "x.arrow").read_all()["c"].to_pylist() == list("aababc")
    assert pa.ipc.open_stream(tmp_path / "x.arrows").read_all()["c"].to_pylist() == list("aababc")


@pytest.mark.parametrize("timeout", [None, 10.0], ids=["blocking", "timeout"])
def test_socket_as_target(timeout: float | None) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.settimeout(timeout)

        def send() -> None:
            try:
                with cn.open_writer(theirs, format="arrows") as writer:
                    for start in range(0, 10, 2):
                        writer.write(TABLE.slice(start, 2))
            finally:
                theirs.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        assert rows_of(cn.open_reader(ours, format="arrows")) == TABLE.to_pylist()
        sender.join(10)


def test_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "fifo.arrows"
    os.mkfifo(path)
    writer = threading.Thread(target=cn.write, args=(TABLE, path), daemon=True)
    writer.start()
    with cn.open_reader(path) as reader:
        assert rows_of(reader) == TABLE.to_pylist()
    writer.join(10)
    assert [found.name for found in tmp_path.iterdir()] == ["fifo.arrows"]


def test_progress_counts_all_chunks() -> None:
    seen: list[tuple[int, int | None]] = []
    with cn.open_writer(cn.BufferSink(), format="arrows", progress=lambda *told: seen.append(told)) as writer:
        for _ in range(3):
            writer.write({"a": np.arange(1000)})
    done = [nbytes for nbytes, _ in seen]
    assert done == sorted(done)
    assert done[-1] >= 24_000  # labels count too


# ---------------------------------------------------------------------------- whole writes of what streams


class Watched:
    """Record batches that are created on request; records how many were requested before the writer took them."""

    def __init__(self, count: int) -> None:
        self.alive = 0
        self.most = 0
        self._count = count

    def batches(self) -> Iterator[pa.RecordBatch]:
        import weakref

        for i in range(self._count):
            values = np.full(1000, i)
            self.alive += 1
            self.most = max(self.most, self.alive)
            weakref.finalize(values, self._gone)
            batch = pa.RecordBatch.from_arrays([pa.array(values)], names=["a"])
            del values
            yield batch
            del batch

    def _gone(self) -> None:
        self.alive -= 1


@pytest.mark.parametrize("format", FORMATS)
def test_reader_of_batches_is_never_whole_in_memory(tmp_path: Path, format: str) -> None:
    watched = Watched(50)
    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), watched.batches())
    cn.write(reader, tmp_path / f"x.{format}", batch_nbytes=8000)
    assert watched.most < 10
    assert cn.read(tmp_path / f"x.{format}")["a"].to_numpy().tolist() == np.repeat(np.arange(50), 1000).tolist()


def test_chunked_table_keeps_its_rows() -> None:
    chunked = pa.concat_tables([TABLE, TABLE, TABLE])
    for format in FORMATS:
        assert cn.decode(cn.encode(chunked, format)).to_arrow().equals(chunked.combine_chunks())


def test_open_reader_is_data(fd: Callable[..., int]) -> None:
    for source in (STREAM, FILE, fd(STREAM)):
        sink = cn.BufferSink()
        with cn.open_reader(source, columns=["a"]) as reader:
            cn.write(reader, sink, format="arrow")
        assert cn.read(sink).to_arrow().to_pylist() == TABLE.select(["a"]).to_pylist()
    with cn.open_reader(fd(STREAM)) as reader:
        assert cn.decode(cn.encode(reader, "npz")).to_arrow().to_pylist() == TABLE.to_pylist()


def test_part_of_a_file_is_written_batch_by_batch() -> None:
    part = cn.read(STREAM, columns=["s"], rows=slice(3, 9))
    assert cn.decode(cn.encode(part, "arrows")).to_arrow().to_pylist() == TABLE.select(["s"]).to_pylist()[3:9]


# ---------------------------------------------------------------------------- convert


@each("to", ["npz", "arrow", "arrows"])
@each("source", ["npz", "arrow", "arrows"])
def test_convert_any_to_any(tmp_path: Path, source: str, to: str) -> None:
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5], "s": ["a", None, "c"]}, index=pd.Index([7, 8, 9], name="id"))
    cn.write(frame, tmp_path / f"in.{source}")
    cn.convert(tmp_path / f"in.{source}", tmp_path / f"out.{to}")
    pd.testing.assert_frame_equal(cn.read(tmp_path / f"out.{to}", format=to).to_pandas(), frame)


@pytest.mark.parametrize("to", ["npz", "npy", "arrow", "arrows"])
def test_convert_an_array(tmp_path: Path, to: str) -> None:
    array = np.arange(6.0).reshape(3, 2)
    np.save(tmp_path / "in.npy", array)
    cn.convert(tmp_path / "in.npy", tmp_path / f"middle.{to}")
    cn.convert(tmp_path / f"middle.{to}", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), array)


def test_convert_from_a_pipe_with_options(tmp_path: Path, fd: Callable[..., int]) -> None:
    told: list[tuple[int, int | None]] = []
    cn.convert(
        fd(STREAM),
        tmp_path / "x.feather",
        read_options={"columns": ["s", "a"], "rows": slice(2, 9)},
        write_options=cn.ArrowOptions(compression="zstd", compression_level=3),
        progress=lambda *seen: told.append(seen),
    )
    assert pd.read_feather(tmp_path / "x.feather")["a"].tolist() == list(range(2, 9))
    assert told


def test_convert_onto_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.arrows"
    path.write_bytes(STREAM)
    cn.convert(path, path)
    assert cn.read(path).to_arrow().to_pylist() == TABLE.to_pylist()


def test_convert_that_fails_leaves_the_target(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    path.write_bytes(FILE)
    with pytest.raises(cn.TruncatedError):
        cn.convert(STREAM[:-END_MARK], path)
    assert path.read_bytes() == FILE
    assert list(tmp_path.iterdir()) == [path]
    cn.convert(STREAM[:-END_MARK], path, read_options={"allow_truncated": True})
    assert len(cn.read(path)) == 10


# ---------------------------------------------------------------------------- by name and by bytes


def test_feather_v1_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "old.feather").write_bytes(b"FEA1" + bytes(60) + b"FEA1")
    for format in (None, "arrow"):
        with pytest.raises(cn.UnsupportedError, match=r"Feather V1.*pandas\.read_feather.*write it again"):
            cn.read(tmp_path / "old.feather", format=format)


def test_stream_without_a_mark_is_known_by_its_name(tmp_path: Path) -> None:
    """Before Arrow 0.15 a message began with its length."""
    out = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(use_legacy_format=True, metadata_version=pa.ipc.MetadataVersion.V4)
    with pa.ipc.new_stream(out, TABLE.schema, options=options) as writer:
        writer.write_table(TABLE)
    (tmp_path / "old.arrows").write_bytes(out.getvalue())
    assert cn.read(tmp_path / "old.arrows").to_arrow().to_pylist() == TABLE.to_pylist()
    assert len(cn.read(out.getvalue(), format="arrows")) == 10
    assert cn.inspect(out.getvalue(), format="arrows").arrow.metadata_version == 4
    with pytest.raises(cn.DecodeError, match="pass format= where you know it"):
        cn.read(out.getvalue())


def test_four_bytes_of_ff_are_not_yet_a_stream() -> None:
    for tail in (bytes(4), b"\xff" * 4, b""):
        with pytest.raises(cn.DecodeError, match="known format"):
            cn.read(b"\xff" * 4 + tail)


def test_directory_is_no_arrow(tmp_path: Path) -> None:
    with pytest.raises(cn.DecodeError, match="expected a file, found a directory"):
        cn.read(tmp_path, format="arrow")
    for find in (cn.read_bundle, cn.read_arrays):
        with pytest.raises(cn.DecodeError, match="found an Arrow stream"):
            find(STREAM)
