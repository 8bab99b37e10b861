"""CSV that arrives in portions: it is read as if it came at once, wherever a portion ends."""

import logging
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

# More comments or blank lines than are searched for the dialect, so that the names may arrive in two portions.
LONG = 70_000
COMMENTS = (b"# " + b"x" * 97 + b"\n") * (LONG // 100)
BLANK = b"\r\n" * (LONG // 2)


class Portions:
    """A source that delivers each portion in a call of its own."""

    def __init__(self, portions: Iterable[bytes]) -> None:
        self.portions = list(portions)

    def read(self, nbytes: int) -> bytes:
        if not self.portions:
            return b""
        first, *self.portions = self.portions
        if len(first) > nbytes:
            self.portions.insert(0, first[nbytes:])
        return first[:nbytes]


def read(portions: Iterable[bytes], **options: Any) -> list[tuple[Any, ...]]:
    """Names and records."""
    with cn.open_reader(Portions(portions), format="csv", **options) as reader:
        rows: list[tuple[Any, ...]] = []
        for frame in reader:
            table = frame.to_arrow()
            rows = rows or [tuple(table.column_names)]
            rows += zip(*(column.to_pylist() for column in table.columns), strict=True)
    return rows


@each(
    ("front", "body", "options", "rows"),
    [
        (COMMENTS, b"abc,de\n1,2\n", {"comment": "#"}, [("abc", "de"), (1, 2)]),
        (COMMENTS, b'"a\nb","c"\r\n1,2\r\n', {"comment": "#"}, [("a\nb", "c"), (1, 2)]),
        (COMMENTS, b'"a""b","c"\n1,2\n', {"comment": "#"}, [('a"b', "c"), (1, 2)]),
        (COMMENTS, b"a\\,b,c\n1,2\n", {"comment": "#", "escapechar": "\\"}, [("a,b", "c"), (1, 2)]),
        (COMMENTS, b"#y\nabc\n1\n", {"comment": "#"}, [("abc",), (1,)]),
        (COMMENTS, b"12,34\n5,6\n", {"comment": "#", "header": None}, [("0", "1"), (12, 34), (5, 6)]),
        (BLANK, b'\r\n"ab",cd\r\n1,2\r\n', {}, [("ab", "cd"), (1, 2)]),
        (BLANK, b"\r\nab,cd\r\n1,2\r\n", {"sep": ","}, [("ab", "cd"), (1, 2)]),
    ],
    ids=["names", "quoted", "doubled", "escaped", "a comment", "no names", "quoted names", "returns"],
)
def test_names_may_arrive_in_two_portions(
    front: bytes, body: bytes, options: dict[str, Any], rows: list[tuple[Any, ...]]
) -> None:
    for at in range(len(body)):
        assert read([front + body[:at], body[at:]], **options) == rows, at


@each("options", [{}, {"on_error": "skip"}, {"header": None}], ids=str)
def test_an_input_of_comments_ends(options: dict[str, Any]) -> None:
    assert read([COMMENTS, b"a\n1\n"], comment="#", **options)[-1] in ((1,), ("1",))
    with cn.open_reader(Portions([COMMENTS]), format="csv", comment="#", **options) as reader:
        assert [len(frame) for frame in reader] == [0]


@each(
    ("body", "options", "rows"),
    [
        (b'a,b\n"x""y",1\n"p\nq",2\n', {}, [("a", "b"), ('x"y', 1), ("p\nq", 2)]),
        (b'a,b\n"x""y\nz",1\n"""\n",2\n', {}, [("a", "b"), ('x"y\nz', 1), ('"\n', 2)]),
        (b'a,b\n"x\\"y",1\nz,2\n', {"escapechar": "\\"}, [("a", "b"), ('x"y', 1), ("z", 2)]),
        (b'a,b\n"x",1\n"y\nz",2\n', {"doublequote": False}, [("a", "b"), ("x", 1), ("y\nz", 2)]),
        (b"a,b\n#c\n1,2#d\n#\n3,4\n", {"comment": "#"}, [("a", "b"), (1, 2), (3, 4)]),
        (b"a,b\r#c\r1,2#d\r3,4\r", {"comment": "#"}, [("a", "b"), (1, 2), (3, 4)]),
    ],
    ids=["doubled quotes", "and line ends", "escapes", "single quotes", "comments", "comments before returns"],
)
@each("chunk_rows", [1, 100])
def test_records_may_arrive_byte_by_byte(
    body: bytes, options: dict[str, Any], rows: list[tuple[Any, ...]], chunk_rows: int
) -> None:
    assert read([body], chunk_rows=chunk_rows, **options) == rows
    assert read([body[i : i + 1] for i in range(len(body))], chunk_rows=chunk_rows, **options) == rows
    with cn.open_reader(Portions([body]), format="csv", chunk_rows=1, **options) as reader:
        assert [len(frame) for frame in reader] == [1] * (len(rows) - 1)


def test_a_quote_where_names_end_is_refused_at_its_place() -> None:
    for content in ([COMMENTS + b'"a"x,b\n1,2\n'], [COMMENTS + b'"a"x,', b"b\n1,2\n"]):
        with pytest.raises(cn.DecodeError, match="line 701, column 4"):
            read(content, comment="#")


def test_values_that_became_null_in_chunks_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    text = [b"a,b\n1,2\n", b"x,3\n4\n", b"5,6\n"]
    with caplog.at_level(logging.WARNING, logger="colonnade"):
        rows = read(text, chunk_rows=1, dtype={"a": "int8"}, on_error="null")
    assert rows == [("a", "b"), (1, 2), (None, 3), (4, None), (5, 6)]
    assert "2 values do not fit and are null" in caplog.text


@each("bad", range(5))
@each("chunk_rows", [1, 2, 5])
def test_records_left_out_of_chunks_count_among_those_of_a_schema(bad: int, chunk_rows: int) -> None:
    """The schema says five records. Those that were left out were there too."""
    content = cn.encode({"a": np.arange(10, 15, dtype="i2"), "b": np.arange(5.0)}, "csv", schema="header")
    broken = content.replace(b"\n1%d," % bad, b"\nx,")
    rows = read([broken], chunk_rows=chunk_rows, on_error="skip")
    assert rows[1:] == [(10 + i, float(i)) for i in range(5) if i != bad]
    cut = b"".join(broken.splitlines(keepends=True)[:-1])
    with pytest.raises(cn.DecodeError, match="expected 5 rows, found 4"):
        read([cut], chunk_rows=chunk_rows, on_error="skip")
