"""Streams that stop: without their end mark, between two batches, inside a message; files cut or flipped anywhere."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn
from tests.helpers.arrow_look import batches_of, joined_cells, open_ipc, open_reader
from tests.helpers.pipes import piped
from tests.sweep import arrow as sweep_arrow

_ROWS = [3, 2, 4]


def _table() -> Any:
    text = ["", "a", None, "déjà", "\0", "x", "yz", None, "w"]
    return pa.table(
        {
            "i": np.arange(9),
            "f": np.arange(9) / 4,
            "s": pa.array(text),
            "b": pa.array([True, None, False] * 3),
            "d": pa.array(text).dictionary_encode(),
            "l": pa.array([[1], [], None] * 3, pa.list_(pa.int32())),
        }
    )


def _written(open_writer: Callable[..., Any], **options: Any) -> bytes:
    """Three batches of a table, as pyarrow writes them."""
    table, sink = _table(), pa.BufferOutputStream()
    with open_writer(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for start, nrows in zip((0, 3, 5), _ROWS, strict=True):
            writer.write_table(table.slice(start, nrows))
    return sink.getvalue().to_pybytes()


def _stream(**options: Any) -> bytes:
    return _written(pa.ipc.new_stream, **options)


def _ends(content: bytes) -> list[int]:
    """Where each batch ends, by pyarrow's message reader."""
    source, ends = pa.BufferReader(content), []
    reader = pa.ipc.MessageReader.open_stream(source)
    for message in reader:
        if message.type == "record batch":
            ends.append(source.tell())
    return ends


_WAYS: dict[str, Callable[[bytes, bool], Any]] = {
    "File": lambda content, allowed: open_ipc(content, "arrows", allow_truncated=allowed).load(),
    "Reader": lambda content, allowed: batches_of(open_reader(content, allow_truncated=allowed)),
    "decode": lambda content, allowed: cn.decode(content, "arrows", allow_truncated=allowed).to_pandas(),
    "read a pipe": lambda content, allowed: cn.read(
        piped(content), format="arrows", allow_truncated=allowed
    ).to_pandas(),
    "read_pandas a pipe": lambda content, allowed: cn.read_pandas(
        piped(content), format="arrows", allow_truncated=allowed
    ),
    "open_reader": lambda content, allowed: list(
        cn.open_reader(piped(content), format="arrows", allow_truncated=allowed)
    ),
}
every_way = each("way", list(_WAYS))


@every_way
def test_the_whole_stream(way: str) -> None:
    _WAYS[way](_stream(), False)
    assert sum(_ROWS) == len(cn.decode(_stream()))


@every_way
@each("batches", range(4))
def test_a_stream_without_an_end_mark(way: str, batches: int) -> None:
    content = _stream()
    end = [_after_schema(content), *_ends(content)][batches]
    with pytest.raises(cn.TruncatedError) as raised:
        _WAYS[way](content[:end], False)
    rows = sum(_ROWS[:batches])
    assert re.search(rf"\b{batches} batch.*\b{rows} row", str(raised.value)), str(raised.value)


def _after_schema(content: bytes) -> int:
    source = pa.BufferReader(content)
    pa.ipc.read_message(source)
    return int(source.tell())


@every_way
def test_a_stream_cut_inside_a_message_says_both_counts(way: str) -> None:
    content = _stream()
    for end in _ends(content)[1:]:
        with pytest.raises(cn.TruncatedError, match=r"\d+ byte.*\d+"):
            _WAYS[way](content[: end - 9], False)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_what_came_before_the_cut(compression: str | None) -> None:
    """Every length of a stream: the batches that are whole are there, and no others."""
    content = _stream(compression=compression)
    ends, start = _ends(content), _after_schema(content)
    whole = joined_cells(batches_of(open_reader(content)), 6)
    for length in range(len(content)):
        cut = content[:length]
        if length < start:
            with pytest.raises(cn.DecodeError):
                open_ipc(cut, "arrows", allow_truncated=True).load()
            continue
        batches = sum(end <= length for end in ends)
        opened = open_ipc(cut, "arrows", allow_truncated=True)
        assert (opened.facts()["nbatches"], opened.nrows) == (batches, sum(_ROWS[:batches]))
        assert opened.facts()["truncated"]
        found = joined_cells(batches_of(open_reader(cut, allow_truncated=True)), 6)
        assert found == [column[: sum(_ROWS[:batches])] for column in whole]
        if length % 8 == 0:
            assert joined_cells([opened.load()], 6) == found


@each("length", range(5))
def test_hardly_any_bytes(length: int) -> None:
    content = _stream()[:length]
    for allowed in (False, True):
        for way in ("File", "Reader"):
            with pytest.raises(cn.DecodeError):
                _WAYS[way](content, allowed)


def test_every_cut_of_a_stream_is_truncated() -> None:
    content = _stream()
    # The last four bytes say that no metadata follows; without them the end mark is cut, not absent.
    for length in range(1, len(content)):
        for way in ("File", "Reader"):
            with pytest.raises(cn.TruncatedError):
                _WAYS[way](content[:length], False)


def test_what_follows_the_end_mark_is_not_ours() -> None:
    """A stream ends at its mark: the next message of a pipe begins there."""
    content = _stream()
    source = piped(content + b"the next message")
    frame = cn.read(source, format="arrows")
    assert frame.shape == (9, 6)


def test_a_cut_is_reported_by_to_pandas_with_what_came() -> None:
    content = _stream()
    frame = cn.decode(content[: _ends(content)[1]], "arrows", allow_truncated=True)
    wanted = pa.ipc.open_stream(content).read_all().slice(0, 5)
    assert frame.to_arrow().equals(wanted)


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("damage", ["cut", pytest.param("flip", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("format", ["arrow", "arrows"])
def test_damage_at_every_byte(format: str, damage: str, compression: str | None, tmp_path: Path) -> None:
    """Data or a typed error, for every cut and every flipped byte; what is accepted is valid."""
    writer = pa.ipc.new_file if format == "arrow" else pa.ipc.new_stream
    path = tmp_path / "whole"
    path.write_bytes(_written(writer, compression=compression))
    modes = [(format, False), (format, True)] if damage == "cut" else [(format, False)]
    results = sweep_arrow.run({"source": str(path), "damage": damage, "modes": modes})
    assert [result for result in results if "invalid" in result.values()] == []
    if damage == "cut":
        strict = [result for result in results if not result["allow_truncated"]]
        assert len(strict) == path.stat().st_size
        steps = ("load", "arrow", "verify") + (("reader",) if format == "arrows" else ())
        assert [one for one in strict if any(isinstance(one[step], int) for step in steps)] == []


@pytest.mark.parametrize("nbytes", [4, 8, 1000])
def test_zeros_behind_the_data_are_no_end_mark(nbytes: int, tmp_path: Path) -> None:
    """As a file system may leave them after a power failure. Four zeros end the streams of Arrow before 0.15 only."""
    content = _stream()
    cut = content[: _ends(content)[1]]
    path = tmp_path / "zeros.arrows"
    path.write_bytes(cut + b"\0" * nbytes)
    expected = f"at byte {len(cut)}: expected a message of an Arrow stream, found the bytes ["
    with pytest.raises(cn.DecodeError, match=re.escape(expected)):
        cn.read(path)
    with path.open("rb") as stream, pytest.raises(cn.DecodeError, match=re.escape(expected)):
        cn.read(stream, format="arrows")


def test_four_zeros_end_a_stream_of_arrow_before_0_15() -> None:
    stream = _stream(metadata_version=pa.ipc.MetadataVersion.V4, use_legacy_format=True)
    assert stream.endswith(b"\0\0\0\0")
    assert not stream.startswith(b"\xff")
    assert pa.table(cn.decode(stream, format="arrows")).equals(_table())


def test_a_stream_without_one_of_its_batches_is_refused() -> None:
    """Our streams announce the number of rows. Whole or batch by batch from a pipe, the error is the same."""
    content = cn.encode(_table(), "arrows", batch_nbytes=1)
    ends = _ends(content)
    without_last = content[: ends[-2]] + content[ends[-1] :]
    nrows = pa.ipc.open_stream(without_last).read_all().num_rows
    assert 0 < nrows < 9
    for source in (without_last, io.BytesIO(without_last)):
        with pytest.raises(cn.DecodeError, match=f"9 rows were announced, and {nrows} came"):
            cn.read(source, format="arrows")
    with (
        pytest.raises(cn.DecodeError, match=f"byte {ends[-2]}: 9 rows were announced, and {nrows} came"),
        cn.open_reader(piped(without_last), format="arrows") as reader,
    ):
        assert sum(len(frame) for frame in reader) == nrows
