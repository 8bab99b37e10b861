"""Parquet chunk by chunk: `open_writer`, `open_reader`, `convert`; Ctrl-C and exceptions in the middle."""

import io
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")
pytest.importorskip("polars")

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers.children import child
from tests.helpers.pipes import piped
from tests.helpers.ways import exactly

CHUNKS = [
    pd.DataFrame(
        {"a": np.arange(3) + 3 * i, "s": [f"x{i}", None, "y"], "c": pd.Categorical(["u", "v", None])},
        index=pd.Index(np.arange(3) + 10 * i, name="id"),
    )
    for i in range(10)
]
WHOLE = pd.concat(CHUNKS)


def group_rows(data: Any) -> list[int]:
    metadata = pq.ParquetFile(pa.BufferReader(data) if isinstance(data, bytes) else data).metadata
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ten chunks in six row groups."""
    made = tmp_path / "x.parquet"
    with cn.open_writer(made, row_group_size=5) as writer:
        for chunk in CHUNKS:
            writer.write(chunk)
    return made


# ---------------------------------------------------------------------------- writing


def test_ten_chunks_are_one_table(path: Path) -> None:
    assert group_rows(path) == [5] * 6
    pd.testing.assert_frame_equal(cn.read(path, verify=True).to_pandas(), WHOLE)
    pd.testing.assert_frame_equal(pd.read_parquet(path), WHOLE)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_row_groups_are_as_large_as_asked() -> None:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format="parquet", row_group_size=5) as writer:
        for i in range(10):
            writer.write({"a": np.arange(3) + 3 * i})
    assert cn.read(sink)["a"].to_numpy().tolist() == list(range(30))
    assert group_rows(bytes(memoryview(sink))) == [5] * 6


@pytest.mark.parametrize("make", [pa.large_string, pa.string_view, pa.large_binary])
def test_a_row_group_has_at_most_8_mib_of_a_column(make: Any) -> None:
    cells = [f"{k:07d}".encode() * 8192 for k in range(300)]  # 56 KiB each, 16.4 MiB together
    text = pa.array(cells if make is pa.large_binary else [cell.decode() for cell in cells], make())
    table = pa.table({"a": np.arange(300), "text": text})
    content = bytes(cn.encode(table, "parquet"))
    assert group_rows(content) == [128, 128, 44]
    assert pq.read_table(io.BytesIO(content))["text"].cast(text.type).combine_chunks() == text
    assert group_rows(bytes(cn.encode(table, "parquet", row_group_size=1000))) == [300]


@pytest.mark.parametrize("rows", [None, 1, 4, 100])
def test_chunks_of_every_library(rows: int | None) -> None:
    sink = cn.BufferSink()
    chunk = {"a": np.arange(3), "b": np.linspace(0, 1, 3)}
    with cn.open_writer(sink, format="parquet", row_group_size=rows) as writer:
        for data in (
            pa.table(chunk),
            pa.RecordBatch.from_pydict(chunk),
            pl.DataFrame(chunk),
            pa.RecordBatchReader.from_batches(pa.table(chunk).schema, pa.table(chunk).to_batches()),
        ):
            writer.write(data)
        assert writer.nrows == 12
    assert pq.read_table(io.BytesIO(memoryview(sink))).to_pydict() == {k: v.tolist() * 4 for k, v in chunk.items()}


def test_row_labels_go_on_from_chunk_to_chunk() -> None:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format="parquet") as writer:
        for i in range(3):
            writer.write(pd.DataFrame({"a": [i, i]}))
    for found in (cn.read(sink).to_pandas(), pd.read_parquet(io.BytesIO(memoryview(sink)))):
        assert found.index.equals(pd.RangeIndex(6))
        assert found["a"].tolist() == [0, 0, 1, 1, 2, 2]


def test_large_chunks_are_row_groups_and_small_ones_wait() -> None:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format="parquet") as writer:
        for rows in (600_000, 600_000, 10, 20, 600_000):
            writer.write(pd.DataFrame({"a": np.arange(rows, dtype=np.int8)}))
    file = pq.ParquetFile(io.BytesIO(memoryview(sink)))
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert groups == [600_000, 600_000, 600_030]
    found = cn.read(sink).to_pandas()
    assert found.index.equals(pd.RangeIndex(1_800_030))
    assert file.read().column("a").to_numpy().tolist() == found["a"].tolist()


def test_chunks_without_rows_add_none(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with cn.open_writer(path, row_group_size=2) as writer:
        for chunk in (CHUNKS[0][:0], CHUNKS[0], CHUNKS[1][:0], CHUNKS[1], CHUNKS[2][:0]):
            writer.write(chunk)
    pd.testing.assert_frame_equal(cn.read(path).to_pandas(), WHOLE[:6])
    with cn.open_writer(path) as writer:
        writer.write(CHUNKS[0][:0])
    assert cn.read(path).shape == (0, 3)
    assert pq.ParquetFile(path).metadata.num_row_groups == 0


def test_chunks_into_pipes_and_objects() -> None:
    class Written:
        def __init__(self) -> None:
            self.data = b""

        def write(self, data: memoryview) -> int:
            count = max(1, len(data) // 2)  # as a socket does that takes less than it is given
            self.data += data[:count]
            return count

    made = []
    for target in (Written(), io.BytesIO()):
        with cn.open_writer(target, format="parquet", row_group_size=5) as writer:
            for chunk in CHUNKS:
                writer.write(chunk)
        made.append(bytes(memoryview(target.getbuffer() if isinstance(target, io.BytesIO) else target.data)))
    assert made[0] == made[1]
    pd.testing.assert_frame_equal(cn.read(made[0]).to_pandas(), WHOLE)


@pytest.mark.parametrize(
    ("other", "parts"),
    [
        (pd.DataFrame({"b": [1]}), ["[a]", "[b]"]),
        (pd.DataFrame({"a": [1], "b": [1]}), ["[a]", "[a, b]"]),
        (pd.DataFrame({"a": [1.5]}), ['"a"', "<i8", "<f8"]),
        (pd.DataFrame({"a": ["x"]}), ['"a"', "<i8", "utf8"]),
    ],
)
def test_a_chunk_that_does_not_fit_is_refused_and_the_next_goes_on(other: Any, parts: list[str]) -> None:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format="parquet") as writer:
        writer.write(pd.DataFrame({"a": [1, 2]}))
        with pytest.raises(cn.EncodeError, match="first chunk") as raised:
            writer.write(other)
        assert all(part in str(raised.value) for part in parts), raised.value
        with pytest.raises(TypeError):
            writer.write(3)
        writer.write(pd.DataFrame({"a": [3]}))
        assert writer.nrows == 3
    assert cn.read(sink)["a"].to_numpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize("written", [1, 4, 10])
def test_an_exception_in_the_middle_leaves_the_old_file(path: Path, written: int) -> None:
    before = path.read_bytes()

    def write() -> None:
        with cn.open_writer(path, row_group_size=2) as writer:
            for chunk in CHUNKS[:written]:
                writer.write(chunk)
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        write()
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_chunks_that_break_off_leave_the_old_file(path: Path) -> None:
    """A producer that fails within one `write`."""
    before = path.read_bytes()
    schema = pa.schema([("a", pa.int64())])

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"a": [1, 2, 3]}, schema=schema)
        raise RuntimeError("enough")

    with pytest.raises(Exception, match="enough"):
        cn.write(pa.RecordBatchReader.from_batches(schema, batches()), path, row_group_size=1)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_abort_and_forgetting_leave_nothing(tmp_path: Path) -> None:
    writer = cn.open_writer(tmp_path / "x.parquet")
    writer.write(CHUNKS[0])
    writer.abort()
    assert list(tmp_path.iterdir()) == []
    writer = cn.open_writer(tmp_path / "x.parquet", row_group_size=1)
    writer.write(CHUNKS[0])
    del writer
    assert list(tmp_path.iterdir()) == []


def test_nothing_written_and_writing_after_the_end(tmp_path: Path) -> None:
    with pytest.raises(cn.EncodeError, match="parquet: nothing was written"), cn.open_writer(tmp_path / "x.parquet"):
        pass
    assert list(tmp_path.iterdir()) == []
    writer = cn.open_writer(tmp_path / "x.parquet")
    writer.write(CHUNKS[0])
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="expected an open writer, found a closed one"):
        writer.write(CHUNKS[1])
    pd.testing.assert_frame_equal(cn.read(tmp_path / "x.parquet").to_pandas(), CHUNKS[0])


def test_what_progress_raises_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int | None) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cn.write({"a": np.arange(100_000)}, tmp_path / "x.parquet", progress=stop)
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------- reading


def test_any_row_group(path: Path) -> None:
    with cn.open_reader(path) as reader:
        assert len(reader) == 6
        assert [field.label for field in reader.schema.fields] == ["a", "s", "c"]
        for _ in range(2):
            found = [frame.to_pandas() for frame in reader]
            pd.testing.assert_frame_equal(pd.concat(found), WHOLE)
            assert [len(frame) for frame in found] == [5] * 6
        pd.testing.assert_frame_equal(reader[4].to_pandas(), WHOLE[20:25])
        pd.testing.assert_frame_equal(reader[-1].to_pandas(), WHOLE[25:])
        pd.testing.assert_frame_equal(reader.read_all().to_pandas(), WHOLE)
        with pytest.raises(IndexError, match="from 0 to 5, found 6"):
            reader[6]
        with pytest.raises(TypeError, match="number of a batch"):
            reader["a"]
    with pytest.raises(ValueError, match="found a closed one"):
        next(iter(reader))


@each(
    ("rows", "found"),
    [
        (slice(2, 12), [3, 5, 2]),
        (slice(5, 10), [5]),
        (slice(0, 0), []),
        (slice(-3, None), [3]),
        (slice(28, 100), [2]),
    ],
)
def test_columns_and_rows(path: Path, rows: slice, found: list[int]) -> None:
    with cn.open_reader(path, columns=["s"], rows=rows) as reader:
        assert [frame.shape for frame in reader] == [(n, 1) for n in found]
        pd.testing.assert_frame_equal(reader.read_all().to_pandas(), WHOLE[["s"]][rows])
        for i, frame in enumerate(reader):
            pd.testing.assert_frame_equal(reader[i].to_pandas(), frame.to_pandas())


@each("least", [0, 7, 17, 29, 30])
def test_row_groups_of_which_a_filter_leaves_nothing_are_passed_by(path: Path, least: int) -> None:
    wanted = WHOLE[WHOLE["a"] >= least]
    with cn.open_reader(path, columns=["a", "c"], filters=[("a", ">=", least)]) as reader:
        found = [frame.to_pandas() for frame in reader]
        assert all(len(frame) for frame in found)
        assert len(found) == len(reader) == -(-len(wanted) // 5)
        pd.testing.assert_frame_equal(reader.read_all().to_pandas(), wanted[["a", "c"]])
    if found:
        pd.testing.assert_frame_equal(pd.concat(found), wanted[["a", "c"]])


def test_one_row_group_alone_leaves_the_others_untouched(path: Path) -> None:
    data = bytearray(path.read_bytes())
    page = pq.ParquetFile(path).metadata.row_group(3).column(0).data_page_offset
    data[page : page + 20] = b"\xff" * 20
    with cn.open_reader(data) as reader:
        pd.testing.assert_frame_equal(reader[2].to_pandas(), WHOLE[10:15])
        with pytest.raises(cn.DecodeError, match="row group 3"):
            reader[3].to_pandas()
    with pytest.raises(cn.DecodeError):
        cn.open_reader(data, verify=True)


def test_a_reader_is_data(path: Path) -> None:
    sink = cn.BufferSink()
    with cn.open_reader(path, columns=["a"], rows=slice(2, 20)) as reader:
        cn.write(reader, sink, format="parquet", row_group_size=9)
    assert group_rows(bytes(memoryview(sink))) == [9, 9]
    pd.testing.assert_frame_equal(cn.read(sink).to_pandas(), WHOLE[["a"]][2:20])


# ---------------------------------------------------------------------------- converting


@each("other", ["npz", "arrow", "arrows", "msgpack", "csv", "json", "ndjson", "yaml"])
def test_convert_there_and_back(path: Path, other: str, tmp_path: Path) -> None:
    cn.convert(path, tmp_path / f"y.{other}", write_options=exactly(other))
    pd.testing.assert_frame_equal(cn.read(tmp_path / f"y.{other}", format=other).to_pandas(), WHOLE)
    cn.convert(tmp_path / f"y.{other}", tmp_path / "z.parquet", write_options={"row_group_size": 4})
    pd.testing.assert_frame_equal(cn.read(tmp_path / "z.parquet").to_pandas(), WHOLE)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "z.parquet"), WHOLE)
    assert group_rows(tmp_path / "z.parquet") == [4] * 7 + [2]


def test_convert_a_part_with_options(path: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    cn.convert(
        path,
        tmp_path / "y.parquet",
        read_options={"columns": ["s", "a"], "filters": [("a", "<", 12)]},
        write_options=cn.ParquetOptions(compression="zstd", compression_level=3),
        progress=lambda *seen: told.append(seen),
    )
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "y.parquet"), WHOLE[["s", "a"]][:12])
    assert told


def test_convert_onto_itself(path: Path) -> None:
    cn.convert(path, path, write_options={"row_group_size": 30})
    assert group_rows(path) == [30]
    pd.testing.assert_frame_equal(cn.read(path).to_pandas(), WHOLE)


def test_convert_that_fails_leaves_the_target(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(cn.DecodeError):
        cn.convert(before[:-9], path)
    damaged = bytearray(before)
    page = pq.ParquetFile(path).metadata.row_group(5).column(0).data_page_offset
    damaged[page : page + 20] = b"\xff" * 20  # found when the others are written
    with pytest.raises(cn.DecodeError, match="row group 5"):
        cn.convert(damaged, path)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_stream_of_batches_is_converted_as_it_comes(tmp_path: Path) -> None:
    stream = cn.encode(WHOLE, "arrows", batch_nbytes=64)
    cn.convert(piped(stream), tmp_path / "x.parquet")
    pd.testing.assert_frame_equal(cn.read(tmp_path / "x.parquet").to_pandas(), WHOLE)


# ---------------------------------------------------------------------------- Ctrl-C


@pytest.mark.parametrize("how", ["write", "open_writer"])
def test_writing_is_interrupted(how: str, tmp_path: Path) -> None:
    target = tmp_path / "x.parquet"
    cn.write({"a": np.arange(3)}, target)
    before = target.read_bytes()
    script = """
        path, how = sys.argv[1:]
        data = {"x": np.random.default_rng(0).standard_normal(20_000_000)}
        cn.encode({"x": np.arange(3)}, "parquet")  # imports what it needs
        say("ready")
        if how == "write":
            cn.write(data, path, threads=1, compression="zstd", compression_level=19)
        else:
            with cn.open_writer(path, threads=1, compression="zstd", compression_level=19) as writer:
                for _ in range(100):
                    writer.write(data)
        say("written to the end")
        """
    with child(script, target, how) as made:
        assert made.line() == "ready"
        made.process.send_signal(signal.SIGINT)
        status, output, errors = made.end()
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    assert (status, output) == (-signal.SIGINT, "")
    assert target.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("threads", [1, 2])
def test_reading_is_interrupted(threads: int) -> None:
    script = """
        threads = int(sys.argv[1])
        words = [f"word {i % 1000}" for i in range(100_000)]
        sink = cn.BufferSink()
        with cn.open_writer(sink, format="parquet", compression="brotli", compression_level=1) as writer:
            chunk = {"s": np.array(words), "x": np.random.default_rng(0).integers(0, 99, 100_000)}
            for _ in range(120):
                writer.write(chunk)
        say(hears_signals(lambda: cn.read(sink, threads=threads).to_arrow()))
        """
    with child(script, threads) as made:
        assert made.end() == (0, "True\n", "")


def test_a_read_that_was_stopped_can_be_made_again() -> None:
    data = cn.encode({"x": np.arange(3_000_000)}, "parquet", row_group_size=100_000)
    frame = cn.read(data)
    seen = threading.Event()

    def stop(done: int, total: int | None) -> None:
        seen.set()
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cn.read(data, progress=stop).to_numpy()
    assert seen.is_set()
    np.testing.assert_array_equal(frame.to_numpy()["x"], np.arange(3_000_000))
