"""Errors about cells name the column, also where its label is not next to the cell; and say null as JSON does."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn
from tests.helpers.each import each

FAR = "expected a number that float64 holds, found 1e400, which is beyond it. Write it as text to keep it."


def error_of(data: bytes, format: str = "json", **options: Any) -> cn.ColonnadeError:
    with pytest.raises(cn.ColonnadeError) as error:
        cn.decode(data, format, **options).to_arrow()
    return error.value


@each(
    ("data", "name", "byte"),
    [
        (b'{"columns":["x","y"],"data":[[1,2],[3,1e400]]}', "y", 38),
        (b'{"data":[[1,2],[3,1e400]],"columns":["x","y"]}', "y", 18),
        (b'{"columns":[["a","x"],["a","y"]],"data":[[1,2],[3,1e400]]}', "('a', 'y')", 50),
        (b'{"columns":[10,20],"data":[[1,2],[3,1e400]]}', "20", 36),
        (b'{"columns":["x","y"],"data":[[1,[2]],[3,[1e400]]]}', "y", 41),
        (b"[[1,2],[3,1e400]]", "1", 10),
    ],
    ids=lambda value: repr(value)[:40],
)
@each("options", [{}, {"orient": "split"}], ids=str)
def test_a_number_beyond_float64(data: bytes, name: str, byte: int, options: dict[str, Any]) -> None:
    found = error_of(data, **(options if data.startswith(b"{") else {}))
    assert str(found) == f'json: "{name}": at byte {byte}: line 1, column {byte + 1}: {FAR}'


def test_other_faults_of_split() -> None:
    front = b'{"columns":["x","y"],"data":'
    found = error_of(front + b"[[1,2],[3,tru]]}")
    assert str(found) == "json: \"y\": at byte 41: line 1, column 42: expected the word true, found ']'."
    found = error_of(front + b'[[1,2],[3,{"a":1,"a":2}]]}')
    assert (found.member, found.offset) == ("a", 45)
    assert error_of(front + b"[[1,2],[3]]}").member is None


@each("orient", ["split", "values", "records", "columns"])
def test_labels_of_a_header(orient: str) -> None:
    whole = bytes(cn.encode({"x": np.array([1, 2]), "y": np.array([1.5, 2.5])}, "json", orient=orient, schema="header"))
    changed = whole.replace(b"2.5", b'"z"')
    at = changed.index(b'"z"')
    found = error_of(changed)
    assert str(found) == f'json: "y": at byte {at}: line 1, column {at + 1}: expected a float64, found "z".'


TYPES: dict[str, tuple[pa.DataType, Any]] = {
    "list": (pa.list_(pa.int64()), [1]),
    "binary": (pa.binary(), b"x"),
    "decimal": (pa.decimal128(5, 2), 1),
    "map": (pa.map_(pa.string(), pa.int32()), [("k", 1)]),
    "int": (pa.int32(), 1),
    "text": (pa.string(), "a"),
}


@each("name", list(TYPES))
@each("format", ["json", "ndjson", "yaml"])
def test_a_null_that_the_header_forbids(name: str, format: str) -> None:
    kind, value = TYPES[name]
    table = pa.table([pa.array([value], kind)], pa.schema([pa.field("a", kind, nullable=False)]))
    options = {} if format == "ndjson" else {"orient": "records"}
    whole = bytes(cn.encode(table, format, schema="header", **options))
    front, end = {"json": (b'{"a":', b"}]}"), "ndjson": (b'{"a":', b"}\n"), "yaml": (b"a: ", b"\n")}[format]
    found = str(error_of(whole[: whole.rindex(front)] + front + b"null" + end, format))
    assert found.endswith("expected a value, as the field holds no nulls, found null.")


def test_messagepack_keeps_its_own_word() -> None:
    table = pa.table([pa.array([77], pa.int32())], pa.schema([pa.field("a", pa.int32(), nullable=False)]))
    whole = bytes(cn.encode(table, "msgpack"))
    found = str(error_of(whole[: whole.rindex(b"\x4d")] + b"\xc0", "msgpack"))
    assert found.endswith("expected a value, as the field holds no nulls, found nil.")


def test_a_null_inside_a_list() -> None:
    kind = pa.list_(pa.field("item", pa.int64(), nullable=False))
    whole = bytes(cn.encode(pa.table({"a": pa.array([[77]], kind)}), "json", schema="header"))
    found = str(error_of(whole.replace(b"[[77]]", b"[[null]]")))
    assert found.endswith("[0]: expected a value, as the field holds no nulls, found null.")


def test_an_integer_out_of_range() -> None:
    whole = bytes(cn.encode({"a": np.array([77], "i1")}, "json", schema="header"))
    found = str(error_of(whole.replace(b"[77]", b"[300]")))
    assert found.endswith("expected int8, from -128 to 127, found 300.")


def test_an_array_in_place_of_lines() -> None:
    found = error_of(b'[{"a":1},{"a":2}]', "ndjson")
    assert isinstance(found, cn.UnsupportedError)
    assert str(found).endswith(
        "expected a table (an object a line), found an array. If the whole file is one value, it is JSON: "
        'pass format="json".'
    )
