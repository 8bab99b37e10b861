"""Contents that another program changed under a header: they are refused, and the message names the field."""

import json
from typing import Any

import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each


def content(frame: pa.Table, orient: Any) -> bytes:
    return cn.encode(frame, "json", orient=orient, schema="header")


def test_a_column_that_the_header_names_must_be_there() -> None:
    changed = json.loads(content(pa.table({"a": [1, 2], "b": [4.5, 5.5]}), "columns"))
    del changed["b"]
    with pytest.raises(cn.DecodeError, match='expected a field "b" as the header says'):
        cn.decode(json.dumps(changed).encode(), "json")


@each("orient", ["columns", "index", "records", "table"])
@each(
    ("cells", "place"),
    [
        (pa.array([[1.5, 2.5]]), r"\[0\]"),
        (pa.array([[1.5, 2.5]], pa.list_(pa.float32())), r"\[0\]"),
        (pa.array([{"x": 1.5}]), r"\.x"),
    ],
)
def test_text_is_no_float_inside_a_value(cells: pa.Array, place: str, orient: Any) -> None:
    written = content(pa.table({"a": cells}), orient)
    assert written.count(b"1.5") == 1
    with pytest.raises(cn.DecodeError, match=rf'"a": .*{place}: expected a float.*, found "1\.5"'):
        cn.decode(written.replace(b"1.5", b'"1.5"'), "json")


@each("orient", ["columns", "index", "records", "table"])
def test_text_of_a_float_without_a_number_is_one_inside_a_value(orient: Any) -> None:
    written = content(pa.table({"a": [[1.5, 2.5]]}), orient)
    found = cn.decode(written.replace(b"1.5", b'"-Infinity"'), "json").to_arrow()
    assert found["a"].to_pylist() == [[float("-inf"), 2.5]]
