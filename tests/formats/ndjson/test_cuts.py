"""NDJSON cut anywhere, with every kind of line end, whole and chunk by chunk, beside the standard library."""

import io
import json

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.dripping import Dripping
from tests.helpers.each import each

ROWS = [{"a": i, "b": f"é{i}\n" if (i + 1) % 3 else None, "c": i / 7} for i in range(40)]
ENDS = ("\n", "\r\n", "\n\n", " \r\n\t\r\n")


def content(end: str, is_closed: bool, opening: str = "") -> bytes:
    text = opening + end.join(json.dumps(row) for row in ROWS)
    return (text + end if is_closed else text).encode()


@each("end", list(ENDS))
@each("is_closed", [True, False])
@each("opening", ["", "\ufeff", "\r\n \n", "\ufeff\n"])
def test_every_end_of_a_line(end: str, is_closed: bool, opening: str) -> None:
    data = content(end, is_closed, opening)
    assert cn.decode(data, "ndjson").to_arrow().to_pylist() == ROWS
    for size, chunk_rows in ((1, 7), (3, 1), (17, 40), (1000, 13)):
        with cn.open_reader(Dripping(data, size), format="ndjson", chunk_rows=chunk_rows) as reader:
            found = [row for part in reader for row in part.to_arrow().to_pylist()]
        assert found == ROWS


def test_every_cut_is_the_rows_before_it_or_an_error_in_its_line() -> None:
    data = content("\r\n", True)
    for cut in range(len(data)):
        lines = data[:cut].decode(errors="ignore").split("\r\n")
        try:
            wanted = [json.loads(line) for line in lines if line.strip()]
        except ValueError:
            with pytest.raises(cn.DecodeError, match=rf"line {len(lines)}[, ]"):
                cn.decode(data[:cut], "ndjson")
            continue
        found = cn.decode(data[:cut], "ndjson").to_arrow().to_pylist()
        assert found == wanted


@each("at", [0, 1, 20, 38, 39])
@each("wrong", ['{"a": 1, "\\u0061": 2}', '{"a": 01}', '{"a": 1} {}', '{"a": 1},', "[1]", "1", '{"a": "\t"}', "nul"])
def test_one_line_that_is_wrong_is_named(at: int, wrong: str) -> None:
    lines = [json.dumps(row) for row in ROWS]
    data = "\n".join([*lines[:at], wrong, *lines[at + 1 :]]).encode()
    # A first line that is legal JSON and no object: the text is no table. Later, it is a mistake within one.
    error = cn.UnsupportedError if at == 0 and wrong in ("[1]", "1") else cn.DecodeError
    with pytest.raises(error, match=rf"line {at + 1}, column \d+"):
        cn.decode(data, "ndjson")
    with (
        pytest.raises(error, match=rf"line {at + 1}, column \d+"),
        cn.open_reader(Dripping(data, 50), format="ndjson", chunk_rows=6) as reader,
    ):
        list(reader)


@each("cell", ["9007199254740993", "-9007199254740993", "18446744073709551615", "1" + 39 * "0" + "1"])
@each("row", ['{{"a": {}}}', '{{"a": [{}]}}', '{{"a": {{"b": {}}}}}'])
def test_an_integer_that_a_float_would_round_does_not_fit_a_column_of_floats(row: str, cell: str) -> None:
    rows = "\n".join(row.format(value) for value in ("1.5", "9007199254740992", cell))
    found = []
    with (
        cn.open_reader(io.BytesIO(rows.encode()), format="ndjson", chunk_rows=1) as reader,
        pytest.raises(cn.DecodeError, match=rf"line 3.*{cell[:12]}"),
    ):
        for part in reader:
            found += part.to_arrow().to_pylist()
    assert found == [json.loads(row.format(value)) for value in ("1.5", "9007199254740992.0")]


@each("chunk_rows", [1, 2, 3, 100])
@each("found", [0, 1, 2, 4, 5])
def test_chunks_are_as_many_rows_as_the_header_says(found: int, chunk_rows: int) -> None:
    whole = cn.encode({"a": np.arange(3)}, "ndjson", schema="header")
    header, *rows = whole.splitlines(keepends=True)
    data = b"".join([header, *rows, *rows][: 1 + found])
    kind: type[cn.DecodeError] = cn.TruncatedError if found < 3 else cn.DecodeError
    message = f"expected 3 rows as the header says, found {found}"
    with pytest.raises(kind, match=message):
        cn.decode(data, "ndjson")
    with cn.open_reader(io.BytesIO(data), format="ndjson", chunk_rows=chunk_rows) as reader:
        with pytest.raises(kind, match=message):
            list(reader)
        assert list(reader) == []
    with cn.open_reader(io.BytesIO(whole), format="ndjson", chunk_rows=chunk_rows) as reader:
        assert sum(len(part) for part in reader) == 3


def test_files_of_a_writer_of_chunks_say_no_number_and_may_be_cut_and_appended_to() -> None:
    for options, headers in (({"schema": "header"}, 1), ({}, 0)):
        out = io.BytesIO()
        with cn.open_writer(out, format="ndjson", **options) as writer:
            writer.write({"a": np.arange(3)})
        lines = out.getvalue().splitlines(keepends=True)
        assert len(lines) == headers + 3
        for data in (lines[:1], lines[:3], [*lines, lines[-1]]):
            with cn.open_reader(io.BytesIO(b"".join(data)), format="ndjson") as reader:
                assert sum(len(part) for part in reader) == len(data) - headers
