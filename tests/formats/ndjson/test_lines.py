"""What NDJSON has that JSON has not: lines. Compared with the standard library, a line at a time."""

import json
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

ROWS: list[dict[str, Any]] = [{"a": 1, "b": "x"}, {"a": -2, "b": "y\nz"}, {"a": 3, "b": "\u2028é"}]


def by_lines(content: bytes) -> list[dict[str, Any]]:
    """The rows, as the standard library reads the lines that are not blank."""
    return [json.loads(line) for line in content.split(b"\n") if line.strip()]


def all_objects(content: bytes) -> bool:
    try:
        return all(isinstance(row, dict) for row in by_lines(content))
    except ValueError:
        return False


def found(content: bytes, **options: Any) -> list[dict[str, Any]]:
    pytest.importorskip("pyarrow")
    rows: list[dict[str, Any]] = cn.decode(content, "ndjson", **options).to_arrow().to_pylist()
    return rows


@each("ascii_only", [True, False])
@each("end", [b"\n", b"\r\n", b"\n\n", b"\n \t\r\n"])
@each("last", [True, False])
def test_ends_of_lines(end: bytes, last: bool, ascii_only: bool) -> None:
    lines = [json.dumps(row, ensure_ascii=ascii_only).encode() for row in ROWS]
    content = end.join(lines) + (end if last else b"")
    assert found(content) == by_lines(content) == ROWS


def test_keys_in_another_order_and_keys_that_are_missing() -> None:
    content = b'{"a":1,"b":"x"}\n{"b":"y","a":2}\n{"b":"z"}\n{"a":4,"c":true}\n'
    rows = by_lines(content)
    names = ["a", "b", "c"]
    assert found(content) == [{name: row.get(name) for name in names} for row in rows]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b'{"a":1}\n[2]\n', "line 2, column 1"),
        (b'{"a":1}\n{"a":2} {"a":3}\n', "line 2, column 9"),
        (b'{"a":1}\n\n\n{"a":2\n}\n', "line 4, column 7"),
        (b'{"a":1}\r\n{"a":}\r\n', "line 2, column 6"),
    ],
)
def test_a_line_that_is_no_object_is_refused_with_its_place(content: bytes, place: str) -> None:
    with pytest.raises(cn.DecodeError) as caught:
        found(content)
    assert str(caught.value).startswith("ndjson: ")
    assert place in str(caught.value)
    assert not all_objects(content)


def test_every_line_of_ours_is_an_object_of_json() -> None:
    text = cn.encode(cn.decode(b'{"a":1,"b":"x\\n"}\n{"a":null,"b":"y"}\n', "ndjson"), "ndjson")
    assert text.endswith(b"\n")
    assert by_lines(text) == [{"a": 1, "b": "x\n"}, {"a": None, "b": "y"}]
