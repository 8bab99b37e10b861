"""`_core.File` and `_core.Reader`: one class for all formats, whose options say which it is."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade import _core
from tests.helpers.pipes import piped

LIMITS = _core.Limits()
DATA = {"a": np.arange(6), "b": np.arange(6) / 2, "s": np.array(list("xyzuvw"))}
OPTIONS: dict[str, Callable[..., _core.ReadOptions]] = {
    "npz": _core.NpzReadOptions,
    "arrow": _core.ArrowReadOptions,
    "arrows": _core.ArrowsReadOptions,
    "parquet": _core.ParquetReadOptions,
}
FACTS = {
    "npz": set(),
    "arrow": {"nbatches", "codec", "truncated", "metadata_version", "big_endian"},
    "arrows": {"nbatches", "codec", "truncated", "metadata_version", "big_endian"},
    "parquet": {"created_by", "format_version", "labels_are_names"},
}
formats = pytest.mark.parametrize("format", OPTIONS)


def content(format: str) -> bytes:
    return cn.encode(DATA, format)


def cells(core: _core.CoreFrame) -> dict[str, list[Any]]:
    frame = cn.Frame._make(core).to_pandas()
    return {name: frame[name].tolist() for name in frame}


@formats
def test_a_file_is_the_same_however_it_comes(format: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content(format))
    options = OPTIONS[format](limits=LIMITS)
    assert isinstance(options, _core.ReadOptions)
    assert (options.format, options.threads >= 1) == (format, True)
    assert options.limits.max_nbytes == LIMITS.max_nbytes
    fd = piped(content(format))
    files = [
        _core.File.open_path(str(path), mmap=True, options=options),
        _core.File.open_path(str(path), mmap=False, options=options),
        _core.File.open_buffer(content(format), options=options),
        _core.File.open_fd(fd, options=options),
    ]
    os.close(fd)
    expected = files[0]
    for file in files:
        assert (file.format, file.kind, file.nrows, file.ncols) == (format, "frame", 6, 3)
        assert file.facts() == expected.facts()
        assert file.members() == expected.members()
        assert (file.file_nbytes, file.nbytes) == (expected.file_nbytes, expected.nbytes)
        assert cells(file.load()) == cells(_core.concat_frames(file.load_arrow())) == cells(expected.load())


@formats
def test_what_one_format_has_is_in_its_facts(format: str) -> None:
    file = _core.File.open_buffer(content(format), options=OPTIONS[format](limits=LIMITS))
    assert set(file.facts()) == FACTS[format]
    rows = file.batch_rows()
    if format == "npz":
        assert (rows, file.batches(), file.holds_blocks) == (None, [], True)
    else:
        assert rows is not None
        assert [batch["nrows"] for batch in file.batches()] == rows == [6]


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ("npz", "batch 1 is out of range: there are none"),
        ("arrow", "batch 1 is out of range: there are 1"),
        ("arrows", "batch 1 is out of range: there are 1"),
        ("parquet", "row group 1 is out of range: there are 1"),
    ],
)
def test_a_batch_past_the_last_is_an_index_error(format: str, words: str) -> None:
    file = _core.File.open_buffer(content(format), options=OPTIONS[format](limits=LIMITS))
    with pytest.raises(IndexError) as caught:
        file.batch(1)
    assert str(caught.value) == words


def test_statistics_are_plain_values() -> None:
    import decimal

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "u": pa.array([2**63, 2**64 - 1], pa.uint64()),
            "d": pa.array([decimal.Decimal(-(10**30)), decimal.Decimal(10**30)], pa.decimal128(38, 0)),
            "b": pa.array([b"\xff", b"\xfe\x00"]),
            "f": pa.array([0.5, -1.5], pa.float32()),
            "t": pa.array(["é", "z"]),
            "o": pa.array([True, False]),
            "n": pa.array([None, None], pa.int64()),
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    file = _core.File.open_buffer(sink.getvalue(), options=_core.ParquetReadOptions(limits=LIMITS))
    found = {chunk["name"]: chunk["statistics"] for chunk in file.members()}
    bounds = {name: (kept["min"], kept["max"]) for name, kept in found.items() if kept is not None}
    assert bounds["u"] == (2**63, 2**64 - 1)
    assert bounds["d"] == (-(10**30), 10**30)
    assert bounds["b"] == (b"\xfe\x00", b"\xff")
    assert bounds["f"] == (-1.5, 0.5)
    assert bounds["t"] == ("z", "é")
    assert bounds["o"] == (False, True)
    assert found["n"]["null_count"] == 2


def test_the_base_of_the_options_cannot_be_made() -> None:
    with pytest.raises(TypeError):
        _core.ReadOptions()


def test_a_file_takes_options_of_reading_alone() -> None:
    with pytest.raises(TypeError):
        _core.File.open_buffer(content("npz"), options=object())  # type: ignore[arg-type]


def stream() -> bytes:
    sink = _core.BufferSink()
    with cn.open_writer(sink, format="arrows", batch_nbytes=1) as writer:
        for start in range(3):
            writer.write({"a": np.arange(start, start + 2)})
    return bytes(memoryview(sink))


def test_a_reader_is_the_same_however_the_bytes_come(tmp_path: Path) -> None:
    path = tmp_path / "x.arrows"
    path.write_bytes(stream())
    options = _core.ArrowsReadOptions(limits=LIMITS)
    fd = piped(stream())
    readers = [
        _core.Reader.open_path(str(path), options=options),
        _core.Reader.open_buffer(stream(), options=options),
        _core.Reader.open_fd(fd, options=options),
        _core.Reader.open_callable(io.BytesIO(stream()).readinto, options=options),
    ]
    for reader in readers:
        assert reader.format == "arrows"
        assert reader.schema().nrows == 0
        values = [int(x) for core in iter(reader.next_batch, None) for x in cells(core)["a"]]
        assert values == [0, 1, 1, 2, 2, 3]
        assert reader.next_batch() is None
    os.close(fd)


def test_a_reader_goes_on_after_an_error_of_its_source() -> None:
    source, fails = io.BytesIO(stream()), [True]

    def read_into(view: memoryview) -> int:
        if source.tell() > 100 and fails:
            raise TimeoutError(fails.pop())
        return source.readinto(view[:50])

    reader = _core.Reader.open_callable(read_into, options=_core.ArrowsReadOptions(limits=LIMITS))
    with pytest.raises(TimeoutError):
        list(iter(reader.next_batch, None))
    assert sum(core.nrows for core in iter(reader.next_batch, None)) == 6


def test_nothing_comes_behind_bytes_that_were_wrong() -> None:
    damaged = bytearray(stream())
    # The first batch's message: its flatbuffer.
    at = damaged.index(b"\xff\xff\xff\xff", 8)
    damaged[at + 8 : at + 16] = b"\xff" * 8
    reader = _core.Reader.open_buffer(bytes(damaged), options=_core.ArrowsReadOptions(limits=LIMITS))
    with pytest.raises(cn.DecodeError):
        reader.next_batch()
    assert reader.next_batch() is None


@pytest.mark.parametrize("format", ["npz", "arrow", "parquet"])
def test_a_format_that_is_read_whole_has_no_reader(format: str) -> None:
    with pytest.raises(cn.UnsupportedError, match=f"^{format}: it is read whole"):
        _core.Reader.open_buffer(content(format), options=OPTIONS[format](limits=LIMITS))


def test_errors_of_the_system_name_the_path(tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "none")
    for open_path in (
        lambda: _core.File.open_path(path, mmap=True, options=_core.NpzReadOptions(limits=LIMITS)),
        lambda: _core.Reader.open_path(path, options=_core.ArrowsReadOptions(limits=LIMITS)),
    ):
        with pytest.raises(FileNotFoundError) as caught:
            open_path()
        assert caught.value.filename == path
