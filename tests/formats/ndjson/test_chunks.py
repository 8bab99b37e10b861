"""Chunks of rows: each has as many rows as was asked for, and their errors are those of the whole input."""

import io
import json

import pytest

import colonnade as cn
from tests.helpers.dripping import Dripping
from tests.helpers.each import each

pa = pytest.importorskip("pyarrow")


@each("chunk_rows", [1, 2, 7])
@each("lengths", {"all long": [200_000] * 15, "one long": [1_200_000] + [1000] * 200})
def test_chunks_of_long_lines_have_as_many_rows_as_asked_for(chunk_rows: int, lengths: list[int]) -> None:
    rows = [{"i": i, "s": chr(ord("a") + i % 26) * length} for i, length in enumerate(lengths)]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    with cn.open_reader(Dripping(content, 70_000), format="ndjson", chunk_rows=chunk_rows) as reader:
        chunks = [chunk.to_arrow().to_pylist() for chunk in reader]
    assert [len(chunk) for chunk in chunks[:-1]] == [chunk_rows] * (len(chunks) - 1)
    assert [row for chunk in chunks for row in chunk] == rows


def test_the_limit_of_a_stream_counts_the_rows_that_wait_and_not_those_that_were_given() -> None:
    rows = [{"i": i, "s": "x" * 1000} for i in range(200)]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    limits = cn.Limits(max_stream_nbytes=50_000)
    with cn.open_reader(Dripping(content, 5000), format="ndjson", chunk_rows=10, limits=limits) as reader:
        assert [chunk.shape[0] for chunk in reader] == [10] * 20
    with (
        cn.open_reader(Dripping(content, 5000), format="ndjson", chunk_rows=100, limits=limits) as reader,
        pytest.raises(cn.LimitError, match="max_stream_nbytes"),
    ):
        list(reader)


@each("chunk_rows", [1, 2, 100])
def test_a_field_that_is_missing_in_every_row_is_counted_in_chunks_too(chunk_rows: int) -> None:
    content = cn.encode(pa.table({"a": [1, 2], "b": [1.5, 2.5]}), "ndjson", schema="header")
    lacking = content.replace(b',"b":1.5', b"").replace(b',"b":2.5', b"")
    assert len(lacking) == len(content) - 16
    with pytest.raises(cn.DecodeError, match="found 2 cells missing"):
        cn.decode(lacking, "ndjson")
    with (
        cn.open_reader(io.BytesIO(lacking), format="ndjson", chunk_rows=chunk_rows) as reader,
        pytest.raises(cn.DecodeError, match=f"found {min(chunk_rows, 2)} cells missing"),
    ):
        list(reader)


@each("end", [b"\n", b"", b"\r\n", b"\n\n "])
def test_a_header_without_rows_may_lack_the_end_of_its_line(end: bytes) -> None:
    content = cn.encode(pa.table({"a": pa.array([], pa.int64())}), "ndjson", schema="header")
    found = cn.decode(content.rstrip() + end, "ndjson").to_arrow()
    assert (found.num_rows, found.schema.types) == (0, [pa.int64()])
    with cn.open_reader(io.BytesIO(content.rstrip() + end), format="ndjson", chunk_rows=5) as reader:
        assert [chunk.shape for chunk in reader] == [(0, 1)]


@each("between", [b"\0", b"\0\n", b" \0 ", b",", b"x", b"}"])
def test_only_a_line_end_ends_a_row(between: bytes) -> None:
    content = b'{"a": 1}' + between + b'{"a": 2}\n'
    with pytest.raises(cn.DecodeError, match=r"line 1, column (9|10)"):
        cn.decode(content, "ndjson")
    with (
        cn.open_reader(io.BytesIO(content), format="ndjson", chunk_rows=1) as reader,
        pytest.raises(cn.DecodeError, match=r"line 1, column (9|10)"),
    ):
        list(reader)
