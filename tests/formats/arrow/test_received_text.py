"""Text and nulls of streams that another program writes to a pipe: the frame that the same bytes in memory give."""

import json
import struct
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from colonnade import _core
from tests.helpers.pipes import piped

ROWS = 30_000
OPTIONS = _core.ConnectOptions(limits=_core.Limits())
PIECES = (None, 1009, 65_537, 3_000_000)


def arrived(data: bytes, piece: int | None = None) -> cn.Frame:
    got = _core.Connection.over_buffer(data, "memory", OPTIONS, piece).receive()
    if isinstance(got, _core.CoreFrame):
        return cn.Frame._make(core=got)
    assert isinstance(got, _core.File)
    return cn.Frame._make(file=got)


def stream(batches: list[pa.RecordBatch], **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batches[0].schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def cut(table: pa.Table, rows: int) -> list[pa.RecordBatch]:
    """Batches of `rows` rows, with empty ones between them."""
    out = [[table.to_batches()[0].slice(0, 0)]]
    for start in range(0, table.num_rows, rows):
        out.append(table.slice(start, rows).combine_chunks().to_batches())
        if start % 3 == 0:
            out.append(out[0])
    return [batch for some in out for batch in some]


def table(nrows: int = ROWS) -> pa.Table:
    texts = [None if i % 7 == 3 else "é" * (i % 5) + f"row {i}" for i in range(nrows)]
    data = [None if i % 11 == 0 else bytes([i % 256]) * (i % 90) for i in range(nrows)]
    return pa.table(
        {
            "utf8": pa.array(texts, pa.string()),
            "x": pa.array(np.arange(nrows) / 8),
            "binary": pa.array(data, pa.binary()),
            "large utf8": pa.array(texts, pa.large_string()),
            "i": pa.array([None if i % 13 == 5 else i for i in range(nrows)], pa.int32()),
            "large binary": pa.array(data, pa.large_binary()),
            "all null": pa.array([None] * nrows, pa.string()),
            "no null": pa.array([str(i) for i in range(nrows)]),
            "empty": pa.array([""] * nrows),
            "b": pa.array([None, True, False] * (nrows // 3) + [True] * (nrows % 3)),
            "d": pa.array(texts).dictionary_encode(),
        }
    )


def views(nrows: int = ROWS) -> pa.Table:
    texts = [None if i % 7 == 3 else "long enough for a view " * (i % 3) + str(i) for i in range(nrows)]
    return pa.table(
        {
            "text": pa.array(texts),
            "view": pa.array(texts, pa.string_view()),
            "bytes view": pa.array([t and t.encode() for t in texts], pa.binary_view()),
            "after": pa.array(texts, pa.large_string()),
        }
    )


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("rows", [1, 17, 900, 7_000, ROWS])
@pytest.mark.parametrize("make", [table, views])
def test_text_is_what_memory_gives(make: Any, rows: int, compression: str | None) -> None:
    data = stream(cut(make(min(ROWS, rows * 40)), rows), compression=compression)
    want = cn.decode(data, "arrows")
    for piece in PIECES:
        got = arrived(data, piece)
        assert got.identical(want), piece
        assert got.to_arrow().equals(want.to_arrow())
    pd.testing.assert_frame_equal(cn.read_pandas(piped(data)), want.to_pandas())
    assert cn.read(piped(data)).identical(want)


@pytest.mark.parametrize("make", [table, views])
def test_no_rows_and_no_batches(make: Any) -> None:
    empty = make(1).to_batches()[0].slice(0, 0)
    sink = pa.BufferOutputStream()
    pa.ipc.new_stream(sink, empty.schema).close()
    for data in (stream([empty]), stream([empty] * 3), sink.getvalue().to_pybytes()):
        assert arrived(data).identical(cn.decode(data, "arrows"))
        pd.testing.assert_frame_equal(cn.read_pandas(piped(data)), cn.decode(data, "arrows").to_pandas())


@pytest.mark.parametrize("announced", [False, True])
def test_text_of_row_labels_and_of_our_writer(announced: bool) -> None:
    frame = table().to_pandas().set_index(["utf8", "no null"])
    data = cn.encode(frame, "arrows", batch_nbytes=100_000)
    if not announced:
        sink = cn.BufferSink()
        with cn.open_writer(sink, format="arrows") as writer:
            for start in range(0, ROWS, 9_000):
                writer.write(frame.iloc[start : start + 9_000])
        data = bytes(sink)
    want = cn.decode(data, "arrows")
    for piece in PIECES:
        assert arrived(data, piece).identical(want)
    pd.testing.assert_frame_equal(cn.read_pandas(piped(data)), want.to_pandas())


def unsliced(starts: list[int], nrows: int) -> bytes:
    """Batches of text whose offsets do not start at 0 and end before their bytes do. pyarrow's writer cuts both, so the
    offsets are changed in a finished stream."""
    text = [f"{i:08}" for i in range(nrows)]
    out = stream([pa.record_batch({"s": pa.array(text), "x": pa.array(np.arange(nrows * 1.0))}) for _ in starts])
    offsets = np.arange(0, nrows * 8 + 1, 8, dtype="<i4")
    at = 0
    whole = bytearray(out)
    for start in starts:
        at = out.index(offsets.tobytes(), at)
        moved = np.minimum(offsets + start, offsets[-1] - start).astype("<i4")
        moved = np.maximum.accumulate(np.maximum(moved, start))
        whole[at : at + len(moved) * 4] = moved.tobytes()
        at += len(moved) * 4
    return bytes(whole)


@pytest.mark.parametrize("nrows", [40, 20_000])
def test_offsets_that_do_not_begin_at_zero(nrows: int) -> None:
    data = unsliced([0, 8, 24, 0, 80], nrows)
    want = pa.ipc.open_stream(data).read_all()
    for piece in PIECES:
        got = arrived(data, piece)
        assert got.identical(cn.decode(data, "arrows"))
        assert got.to_arrow().combine_chunks().equals(want.combine_chunks())
    pd.testing.assert_frame_equal(cn.read_pandas(piped(data)), want.to_pandas())


def failure(call: Any) -> tuple[type, str]:
    with pytest.raises(cn.ColonnadeError) as caught:
        call()
    return type(caught.value), str(caught.value)


HOSTILE = {
    "negative": lambda n: -1,
    "past the end": lambda n: n * 8 + 1,
    "far": lambda n: 2**31 - 1,
    "back": lambda n: 0,
}


@pytest.mark.parametrize("nbatches", [1, 3])
@pytest.mark.parametrize("nrows", [40, 20_000])
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("row", [0, 17, -1])
def test_hostile_offsets_are_refused_as_from_memory(nbatches: int, nrows: int, kind: str, row: int) -> None:
    data = bytearray(unsliced([0] * nbatches, nrows))
    offsets = np.arange(0, nrows * 8 + 1, 8, dtype="<i4")
    at = bytes(data).index(offsets.tobytes()) + (row % (nrows + 1)) * 4
    value = HOSTILE[kind](nrows)
    if value == offsets[row]:
        return
    data[at : at + 4] = struct.pack("<i", value)
    said, message = failure(lambda: cn.decode(bytes(data), "arrows").to_pandas())
    for piece in (None, 65_537):
        got, found = failure(lambda piece=piece: arrived(bytes(data), piece).to_pandas())
        assert got is said
        assert found == f"memory: message 1: {message}"
    assert failure(lambda: cn.read_pandas(piped(bytes(data)), format="arrows")) == (said, message)


@pytest.mark.parametrize("nrows", [40, 20_000])
def test_text_that_is_not_utf8_is_refused_with_its_row(nrows: int) -> None:
    data = bytearray(unsliced([0, 8, 0], nrows))
    at = bytes(data).rindex(b"00000017")
    data[at + 3] = 0xFF
    said, message = failure(lambda: cn.decode(bytes(data), "arrows").to_pandas())
    assert "row 17" in message
    got, found = failure(lambda: arrived(bytes(data), 65_537).to_pandas())
    assert got is said
    assert found == f"memory: message 1: {message}"


@pytest.mark.parametrize("compression", [None, "zstd"])
@pytest.mark.parametrize("rows", [400, 20_000])
def test_cut_streams_of_text_are_truncated(rows: int, compression: str | None) -> None:
    data = stream(cut(table(), rows), compression=compression)
    for end in [*range(1, 20), *range(20, len(data), len(data) // 40), len(data) - 1]:
        with pytest.raises(cn.TruncatedError):
            cn.read_pandas(piped(data[:end]), format="arrows")
        with pytest.raises(cn.TruncatedError):
            arrived(data[:end], 65_537)


def test_text_is_bounded() -> None:
    text = pa.array(["x" * 100] * 20_000)
    data = stream([pa.record_batch({"s": text})] * 5)
    for name in ("max_nbytes", "max_stream_nbytes"):
        with pytest.raises(cn.LimitError):
            cn.read_pandas(piped(data), format="arrows", limits=cn.Limits(**{name: 5_000_000}))
    # The columns of one body are received together.
    data = stream([pa.record_batch({f"s{i}": text for i in range(4)})])
    with pytest.raises(cn.LimitError, match="max_stream_nbytes"):
        cn.read_pandas(piped(data), format="arrows", limits=cn.Limits(max_stream_nbytes=5_000_000))
    cn.read_pandas(piped(data), format="arrows", limits=cn.Limits(max_stream_nbytes=9_000_000))
    data = stream([pa.record_batch({"s": text})] * 5, compression="zstd")
    with pytest.raises(cn.LimitError):
        cn.read_pandas(piped(data), format="arrows", limits=cn.Limits(max_nbytes=5_000_000))
    with pytest.raises(cn.LimitError, match="max_unbacked_nbytes"):
        limits = cn.Limits(max_unbacked_nbytes=1000, max_expansion=2)
        cn.read_pandas(piped(data), format="arrows", limits=limits)


NULLS = {
    "f2": pa.float16(),
    "f4": pa.float32(),
    "f8": pa.float64(),
    "i1": pa.int8(),
    "i4": pa.int32(),
    "i8": pa.int64(),
    "u8": pa.uint64(),
    "t ms": pa.timestamp("ms"),
    "t ns": pa.timestamp("ns"),
    "zoned": pa.timestamp("us", "Europe/Berlin"),
    "d s": pa.duration("s"),
    "date": pa.date32(),
}


@pytest.mark.parametrize("compression", [None, "zstd"])
@pytest.mark.parametrize("rows", [30, 2_000, ROWS])
@pytest.mark.parametrize("late", [False, True])
def test_nulls_of_numbers_become_nan_as_from_a_file(rows: int, late: bool, compression: str | None) -> None:
    nrows = min(ROWS, rows * 30)
    missing = np.arange(nrows) >= nrows - 2 if late else np.arange(nrows) % 3 == 1
    made = {name: pa.array(np.arange(nrows) % 100).cast(pa.int8()) for name in ("none",)}
    for name, kind in NULLS.items():
        values = pa.array(np.arange(nrows) % 100, mask=missing)
        if pa.types.is_temporal(kind):
            width = pa.int32() if kind.bit_width == 32 else pa.int64()
            made[name] = values.cast(width).cast(kind)
        else:
            made[name] = values.cast(pa.float32()).cast(kind) if name == "f2" else values.cast(kind)
        made[f"{name} full"] = made[name].fill_null(made[name][0])
    data = stream(cut(pa.table(made), rows), compression=compression)
    want = cn.decode(data, "arrows").to_pandas()
    got = cn.read_pandas(piped(data), format="arrows")
    pd.testing.assert_frame_equal(got, want)
    for column in ("f8", "i8", "t ns"):
        got.loc[0, column] = got.loc[2, column]
    with cn.connect(piped(data)) as connection:
        pd.testing.assert_frame_equal(cn.read_pandas(connection), want)
    assert arrived(data).identical(cn.decode(data, "arrows"))
    backend = cn.read_pandas(piped(data), format="arrows", dtype_backend="pyarrow")
    pd.testing.assert_frame_equal(backend, cn.decode(data, "arrows").to_pandas(dtype_backend="pyarrow"))


@pytest.mark.parametrize("nrows", [30, ROWS])
@pytest.mark.parametrize("kind", ["i1", "i4", "i8", "u8", "f8", "t ns"])
def test_row_labels_with_nulls_are_those_of_a_file(kind: str, nrows: int) -> None:
    values = pa.array(np.arange(nrows) % 100, mask=np.arange(nrows) % 3 == 1)
    values = values.cast(NULLS[kind])
    numpy_type = str(np.dtype(NULLS[kind].to_pandas_dtype()))
    entries = [
        {"name": name, "field_name": name, "pandas_type": numpy_type, "numpy_type": numpy_type, "metadata": None}
        for name in ("k", "y")
    ]
    meta = {"index_columns": ["k"], "column_indexes": [], "columns": entries, "pandas_version": "2.0.0"}
    made = pa.table({"k": values, "y": values}).replace_schema_metadata({"pandas": json.dumps(meta)})
    data = stream(cut(made, nrows // 2))
    pd.testing.assert_frame_equal(cn.read_pandas(piped(data), format="arrows"), cn.decode(data, "arrows").to_pandas())
