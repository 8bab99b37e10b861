"""The first cell that does not fit a column: its place, what was expected, and what holds it."""

from typing import Any

import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each

DATES: dict[str, Any] = {"parse_dates": ["a"]}
WHOLE: dict[str, tuple[bytes, bytes, dict[str, Any], str]] = {
    "too far for nanoseconds": (
        b"a,b\n2020-01-01 00:00:00.000000001,1\n1700-01-01,2\n3000-01-01,2\n",
        b"3000",
        DATES,
        "an instant from 1677 to 2262",
    ),
    "a zone": (b"a,b\n2020-01-01,1\n2020-01-02T00:00Z,2\n", b"2020-01-02", DATES, "an instant without a zone"),
    "a zone before others": (b"a,b\n2020-01-01T00:00Z,1\n2020-01-02,2\n", b"2020-01-01", DATES, "without a zone"),
    "no instant": (b'a,b\n2020-01-01,1\n,2\nNaN,3\n"x\ny",4\nz,5\n', b'"x', DATES, "an instant"),
    "too large for a float": (
        b"a,b\n1.5,1\n1e999,2\n",
        b"1e999",
        {"big_ints": "error"},
        "a number that a 64-bit float holds",
    ),
    "a whole one too large for a float": (
        b"a,b\n1.5,1\n" + b"9" * 400 + b",2\n",
        b"999",
        {"big_ints": "error"},
        "a number that a 64-bit float holds",
    ),
    "too many digits": (
        b"a,b\n1,1\n\n,2\n99999999999999999999,2\n",
        b"9999",
        {"big_ints": "error"},
        "whole numbers of 64 bits",
    ),
}


@each("name", list(WHOLE))
def test_the_first_cell_that_does_not_fit_is_named(name: str) -> None:
    content, cell, options, expected = WHOLE[name]
    at = content.index(cell)
    line = content.count(b"\n", 0, at) + 1
    with pytest.raises(cn.DecodeError, match=rf'^csv: "a": at byte {at}: line {line}, column 1: expected .*{expected}'):
        cn.decode(content, "csv", **options)


CHUNKS: dict[str, tuple[bytes, bytes, dict[str, Any], str]] = {
    "left out before": (b"a,b\n1,1\n2,2\nx,4,5\n7\nz,1\n", b"z", {"on_error": "skip"}, 'a whole number.*"str"'),
    "a fraction": (b"a,b\n1,1\n2,2\n2.5,1\n", b"2.5", {}, 'a whole number of 64 bits.*"float64"'),
    "of two lines": (b'a,b\ntrue,1\nFalse,2\nNA,3\n"1\n",5\n', b'"1', {}, 'a truth value.*"str"'),
    "a text": (b"a,b\n1.5,1\n2,1\nnan,1\nx,2\n", b"x", {}, 'a number as in the rows before.*"str"'),
    "no date": (b"a,b\n2020-01-01,1\nNA,3\nx,2\n", b"x", {}, "an instant"),
    "a large one": (b"a,b\n,1\n1,1\n-9007199254740993,2\n", b"-90", {}, 'a float holds exactly.*"Int64"'),
    "after the largest": (
        b"a,b\n,1\n9007199254740992,2\n-9007199254740992,1\nx,3\n",
        b"x",
        {},
        'a number as in the rows before.*"str"',
    ),
    "beyond 64 bits": (b"a,b\n,1\n18446744073709551616,2\n", b"184", {}, 'exactly.*"str"'),
    "of 39 digits": (
        b"a,b\n" + b"9" * 38 + b",1\n" + b"8" * 38 + b",1\n" + b"7" * 39 + b",3\n",
        b"777",
        {"big_ints": "decimal"},
        r"at most 38 digits.*decimal256\(76, 0\)",
    ),
}


@each("name", list(CHUNKS))
def test_the_first_cell_of_another_type_than_the_rows_before_is_named(name: str) -> None:
    content, cell, options, expected = CHUNKS[name]
    at = content.index(cell)
    line = content.count(b"\n", 0, at) + 1
    with (
        pytest.raises(cn.DecodeError, match=rf'^csv: "a": at byte {at}: line {line}, column 1: expected .*{expected}'),
        cn.open_reader(content, format="csv", chunk_rows=1, **options) as reader,
    ):
        list(reader)


@each(
    ("rows", "cell", "options"),
    [
        ("1 2 3 x", "x", {}),
        ("1 2 NA x", "x", {}),
        ("1.5 2 3 x", "x", {}),
        ("1.5 2 nan x", "x", {}),
        ("true false TRUE x", "x", {}),
        ("true false NA x", "x", {}),
        ("NA NA 9007199254740992 x", "x", {}),
        ("NA NA -9007199254740992 9007199254740993", "9007199254740993", {}),
        ("2020-01-01 2020-01-02 2020-01-03 x", "x", {}),
        ("9" * 38 + " 1 2 " + "7" * 39, "7" * 39, {"big_ints": "decimal"}),
        ("9" * 38 + " 1 " + "8" * 38 + " 1.5", "1.5", {"big_ints": "decimal"}),
    ],
)
def test_cells_before_it_in_the_same_chunk_fit(rows: str, cell: str, options: dict[str, Any]) -> None:
    content = "a,b\n" + "".join(f"{row},y\n" for row in rows.split(" "))
    with cn.open_reader(content.encode(), format="csv", chunk_rows=2, **options) as reader:
        assert len(next(iter(reader))) == 2
        with pytest.raises(cn.DecodeError, match=f'at byte {content.index(cell)}: line 5, .*found "{cell}"'):
            next(iter(reader))


def test_a_float_of_53_bits_fits_a_column_of_nothing_in_any_spelling() -> None:
    content = b"a,b\n,1\n+9007199254740992,2\n 9007199254740992,3\n"
    with cn.open_reader(content, format="csv", chunk_rows=1) as reader:
        assert [frame.to_arrow()["a"].to_pylist() for frame in reader] == [[None], [2.0**53], [2.0**53]]


@each("encoding", ["utf-8", "utf-16-le", "utf-16-be", "latin-1"])
@each("end", ["\n", "\r\n", "\r"])
def test_bytes_are_those_of_the_encoding(encoding: Any, end: str) -> None:
    front = end.join(["a,b", "é,1", "ü,2", "x,3,"])
    content = (front + "4" + end).encode(encoding)
    at = len(front.encode(encoding))
    with (
        pytest.raises(cn.DecodeError, match=f"at byte {at}: line 4, column 5: expected 2 fields"),
        cn.open_reader(content, format="csv", chunk_rows=1, encoding=encoding) as reader,
    ):
        list(reader)


@each(
    ("cells", "digits"),
    [(["9" * 38, "-1"], 38), (["0" * 9 + "9" * 38, "+7"], 38), (["9" * 39, "1"], 76), (["-" + "9" * 76, "0"], 76)],
)
def test_decimals_are_as_wide_as_the_longest_number(cells: list[str], digits: int) -> None:
    content = "a,b\n" + "".join(f"{cell},x\n" for cell in cells)
    found = cn.decode(content.encode(), "csv", big_ints="decimal").to_arrow()["a"]
    assert found.type == (pa.decimal128(38, 0) if digits == 38 else pa.decimal256(76, 0))
    assert [int(cell) for cell in found.to_pylist()] == [int(cell) for cell in cells]


def test_infinity_has_names_and_too_large_a_number_is_none() -> None:
    found = cn.decode(b"a,b\n1.5,1\ninf,2\n-Infinity,3\n", "csv").to_arrow()["a"]
    assert found.to_pylist() == [1.5, float("inf"), -float("inf")]
    assert cn.decode(b"a,b\n1.5,1\n1e999,2\n", "csv").to_arrow()["a"].to_pylist() == ["1.5", "1e999"]
