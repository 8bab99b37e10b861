"""Streams that land while they arrive: the same frame as from a file, wherever the bytes are cut."""

import contextlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from colonnade import _core
from tests.conformance import golden
from tests.helpers.corpora import CORPORA, needs_corpora
from tests.helpers.each import each
from tests.helpers.pipes import piped

ROWS = 40_000
OPTIONS = _core.ConnectOptions(limits=_core.Limits())
PIECES = (None, 1000, 65_537, 3_000_000)


def arrived(data: bytes, piece: int | None = None, private: bool = False) -> cn.Frame:
    got = _core.Connection.over_buffer(data, "memory", OPTIONS, piece).receive(private=private)
    if isinstance(got, _core.CoreFrame):
        return cn.Frame._make(core=got)
    assert isinstance(got, _core.File)
    return cn.Frame._make(file=got)


def numbers() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    return {
        "f8": rng.random(ROWS),
        "i4": rng.integers(0, 99, ROWS, dtype=np.int32),
        "f8 again": rng.random(ROWS),
        "u1": rng.integers(0, 99, ROWS, dtype=np.uint8),
        "b": rng.random(ROWS) < 0.5,
        "f2": rng.random(ROWS).astype(np.float16),
        "c16": rng.random(ROWS) + 1j,
    }


def times() -> dict[str, np.ndarray]:
    t = np.arange(ROWS).astype("M8[us]")
    t[::7] = np.datetime64("NaT")
    whole = np.arange(ROWS).astype("m8[s]")
    late = np.arange(ROWS).astype("M8[ns]")
    late[-1] = np.datetime64("NaT")
    return {"some NaT": t, "none": whole, "the last": late, "days": np.arange(ROWS).astype("M8[D]")}


def everything() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    some = rng.random(ROWS) < 0.3
    frame = pd.DataFrame(numbers() | times())
    frame["text"] = [f"row {i}" if not missing else None for i, missing in enumerate(some)]
    frame["Int64"] = pd.array(np.where(some, 1, 2), dtype="Int64")
    frame.loc[5, "Int64"] = pd.NA
    frame["categories"] = pd.Categorical.from_codes(rng.integers(-1, 3, ROWS), ["a", "b", "c"])
    frame["zoned"] = pd.date_range("2026-01-01", periods=ROWS, freq="min", tz="Europe/Berlin")
    frame["boolean"] = pd.array([True, None] * (ROWS // 2), dtype="boolean")
    frame["bytes"] = pd.array([b"\0x"] * ROWS, dtype=pd.ArrowDtype(pa.binary()))
    frame["decimal"] = pd.array([None] * ROWS, dtype=pd.ArrowDtype(pa.decimal128(9, 2)))
    return frame


FRAMES = {
    "numbers": lambda: numbers(),
    "times": lambda: times(),
    "everything": everything,
    "row labels": lambda: everything().set_index(["f8", "none", "text"]),
    "text alone": lambda: pd.DataFrame({"s": [f"{i:06}" for i in range(ROWS)]}),
    "wide": lambda: pd.DataFrame(np.arange(3_000 * 40.0).reshape(40, 3_000)),
    "tall block": lambda: pd.DataFrame(np.arange(ROWS * 4.0).reshape(ROWS, 4)),
    "no columns": lambda: pd.DataFrame(index=range(ROWS)),
    "no rows": lambda: everything().iloc[:0],
}


@each("compression", [None, "lz4", "zstd"])
@each("name", list(FRAMES))
def test_what_lands_is_what_a_file_gives(name: str, compression: str | None) -> None:
    frame = cn.Frame(FRAMES[name]())
    data = cn.encode(frame, "arrows", compression=compression, batch_nbytes=300_000)
    want = cn.decode(data, "arrows")
    for piece in PIECES:
        assert arrived(data, piece).identical(want), piece
    assert frame.identical(arrived(data))


@each("name", list(FRAMES))
def test_pandas_gets_it_writable_and_equal(name: str) -> None:
    given = FRAMES[name]()
    if isinstance(given, dict):
        given = pd.DataFrame(given)
    got = arrived(cn.encode(given, "arrows", batch_nbytes=300_000), private=True).to_pandas()
    pd.testing.assert_frame_equal(got, given)
    if len(got) and "f8" in got.columns:
        got.loc[got.index[0], "f8"] = -1.0
        assert got["f8"].iloc[0] == -1.0


def foreign(table: pa.Table, rows: int, **options: object) -> bytes:
    """As pyarrow writes it, which announces no rows."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue().to_pybytes()


@each("compression", [None, "lz4", "zstd"])
@each("rows", [1, 13, 700, 5000])
def test_rows_that_nobody_announces_fill_growing_blocks(rows: int, compression: str | None) -> None:
    frame = everything().drop(columns="c16").head(rows * 40)
    data = foreign(pa.Table.from_pandas(frame), rows, compression=compression)
    want = cn.decode(data, "arrows")
    for piece in PIECES:
        assert arrived(data, piece).identical(want), piece
    pd.testing.assert_frame_equal(cn.read_pandas(piped(data)), want.to_pandas())


def test_a_wide_frame_grows() -> None:
    kinds = ("f4", "f8", "i2", "i8")
    table = pa.table({f"{kind}{i}": np.arange(900).astype(kind) for kind in kinds for i in range(200)})
    data = foreign(table, 50)
    assert arrived(data, 65_537).to_arrow().equals(table)
    assert arrived(foreign(table.slice(0, 0), 50)).to_arrow().equals(table.slice(0, 0))


@pytest.mark.parametrize("legacy", [False, True])
def test_a_pipe_is_read_up_to_the_end_mark(legacy: bool) -> None:
    table = pa.table({"a": np.arange(ROWS), "s": [f"{i}" for i in range(ROWS)]})
    for data in (foreign(table, 3000, use_legacy_format=legacy), foreign(table, 10, use_legacy_format=legacy)):
        source = piped(data, b"the next message")
        got = cn.read_pandas(source, format="arrows")
        pd.testing.assert_frame_equal(got, cn.decode(data, "arrows").to_pandas())
        got.loc[0, "a"] = -1
        with open(source, "rb") as rest:
            assert rest.read() == b"the next message"


def test_rows_that_nobody_announces_are_bounded() -> None:
    data = foreign(pa.table({"a": np.arange(200_000.0)}), 10_000)
    with pytest.raises(cn.LimitError, match="limit of 500000"):
        cn.read_pandas(piped(data), limits=cn.Limits(max_nbytes=500_000))
    options = _core.ConnectOptions(limits=_core.Limits(max_nbytes=500_000))
    with pytest.raises(cn.LimitError, match="limit of 500000"):
        _core.Connection.over_buffer(data, "memory", options).receive()


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_a_stream_of_unknown_length_arrives(compression: str | None) -> None:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format="arrows", compression=compression) as writer:
        for start in range(0, ROWS, 10_000):
            writer.write(everything().iloc[start : start + 10_000])
    for piece in PIECES:
        assert arrived(bytes(sink), piece).identical(cn.decode(sink, "arrows"))


def test_nulls_that_come_late_make_a_column_of_arrow() -> None:
    # Our own metadata says of these that they are blocks; polars' and pyarrow's columns say nothing.
    table = pa.table({"a": pa.array([*range(ROWS), None]), "b": pa.array(np.arange(ROWS + 1.0))})
    data = cn.encode(table, "arrows", batch_nbytes=100_000)
    for piece in PIECES:
        assert arrived(data, piece).to_arrow().equals(table)


def announced(schema: pa.Schema, nrows: int, batches: list[pa.RecordBatch]) -> bytes:
    """A stream whose schema message announces `nrows`, whatever comes."""
    text = str(nrows).encode()
    whole = cn.encode(pa.Table.from_batches(batches, schema), "arrows")
    rows = str(sum(batch.num_rows for batch in batches)).encode()
    assert len(text) == len(rows), "the same length, so that it can be replaced where it stands"
    at = whole.index(b"colonnade.nrows")
    place = whole.rindex(rows, 0, at) if rows in whole[:at] else whole.index(rows, at)
    return whole[:place] + text + whole[place + len(text) :]


@pytest.mark.parametrize("told", [20_001, 99_999, 19_999, 10_000])
def test_another_number_of_rows_than_announced_is_refused(told: int) -> None:
    batch = pa.record_batch({"x": np.arange(20_000.0)})
    data = announced(batch.schema, told, [batch])
    with pytest.raises(cn.DecodeError, match="announced"):
        arrived(data)


def test_an_announcement_over_the_limit_is_refused() -> None:
    batch = pa.record_batch({"x": np.arange(20_000.0)})
    data = announced(batch.schema, 99_999, [batch])
    options = _core.ConnectOptions(limits=_core.Limits(max_nbytes=500_000))
    with pytest.raises(cn.LimitError, match="99999 rows are announced"):
        _core.Connection.over_buffer(data, "memory", options).receive()


@pytest.mark.parametrize("name", ["everything", "numbers"])
def test_every_cut_is_truncated_and_nothing_crashes(name: str) -> None:
    data = cn.encode(FRAMES[name](), "arrows", batch_nbytes=300_000)
    for end in [*range(1, 400), *range(400, len(data) - 1, len(data) // 150), len(data) - 1]:
        with pytest.raises(cn.TruncatedError, match="message 1"):
            arrived(data[:end])


def test_flipped_bytes_are_refused_or_read_but_never_crash() -> None:
    data = bytearray(cn.encode(everything().head(3000), "arrows", batch_nbytes=100_000))
    rng = np.random.default_rng(3)
    for place in rng.integers(0, len(data), 1500):
        bit = 1 << int(rng.integers(0, 8))
        data[place] ^= bit
        with contextlib.suppress(cn.ColonnadeError, OSError, MemoryError):
            arrived(bytes(data))._load()
        data[place] ^= bit


@each("entry", list(golden.entries("arrows")))
def test_golden_streams_arrive(entry: str) -> None:
    data = golden.path_of("arrows", golden.entries("arrows")[entry]).read_bytes()
    want = cn.decode(data, "arrows")
    for piece in (None, 1, 7):
        assert arrived(data, piece).identical(want)


@needs_corpora
def test_streams_of_other_writers_arrive() -> None:
    assert CORPORA is not None
    for path in (CORPORA / "arrow-testing" / "arrow-ipc-stream" / "integration").rglob("*.stream"):
        data = path.read_bytes()
        if not data.startswith(b"\xff\xff\xff\xff") or "interval" in path.name:
            continue  # written before 0.15, which a connection refuses; months, which pyarrow cannot show
        assert arrived(data, 777).identical(cn.decode(data, "arrows")), path.name
