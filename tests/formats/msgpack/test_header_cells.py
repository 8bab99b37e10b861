"""Cells after a header in other forms than our own writer's: numbers that are equal are read, others are refused."""

import math
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.msgpack_bytes import NIL, array, mapping, pack, text


def frame(kind: pa.DataType, nrows: int, value: bytes, **header: Any) -> bytes:
    """A column "a" of a table, whose nulls are NaN for pandas."""
    schema = pa.ipc.open_file(cn.encode(pa.schema([("a", kind)]).empty_table(), "arrow")).schema
    told: dict[str, Any] = {
        "version": 1,
        "orient": "columns",
        "nrows": nrows,
        "schema": schema.serialize().to_pybytes(),
        "nbytes": [len(value)],
        "nulls": [value.count(NIL)],
        "dictionaries": [],
    }
    pairs = {key: part for key, part in (told | header).items() if part is not None}
    return mapping([(text("__colonnade__"), pack(pairs)), (text("a"), value)])


def single(value: float) -> bytes:
    return b"\xca" + struct.pack(">f", value)


def double(value: float) -> bytes:
    return b"\xcb" + struct.pack(">d", value)


def integer(value: int) -> bytes:
    return b"\xd3" + struct.pack(">q", value)


FLOATS = {1.5: [single(1.5), double(1.5)], 7.0: [b"\x07", integer(7), single(7), double(7)], 1.0e10: [integer(10**10)]}


@each("kind", [pa.float32(), pa.float64()])
@each("value", list(FLOATS))
def test_floats_next_to_nulls_in_any_form(kind: pa.DataType, value: float) -> None:
    for cell in FLOATS[value]:
        found = cn.read_pandas(frame(kind, 2, array(cell, NIL)), format="msgpack")["a"]
        assert found.dtype == kind.to_pandas_dtype()
        assert found[0] == value
        assert math.isnan(found[1])


@each("value", [1 << 53, -(1 << 53)])
def test_the_largest_integers_that_are_floats(value: int) -> None:
    content = frame(pa.float64(), 2, array(integer(value), NIL))
    assert cn.read_pandas(content, format="msgpack")["a"][0] == float(value)


@each(
    "kind, cell",
    [
        (pa.float64(), integer((1 << 53) + 1)),
        (pa.float64(), integer(-(1 << 53) - 1)),
        (pa.float32(), double(0.1)),
        (pa.float32(), integer((1 << 24) + 1)),
    ],
)
def test_numbers_that_are_no_such_floats(kind: pa.DataType, cell: bytes) -> None:
    with pytest.raises(cn.DecodeError, match=r"\$\.a\[0\].*expected float(64|32) as the header says"):
        cn.read_pandas(frame(kind, 2, array(cell, NIL)), format="msgpack")


@each("read", [cn.read_pandas, cn.read_arrow])
def test_fewer_bytes_than_rows(read: Any) -> None:
    content = frame(pa.int8(), 20, array(*[b"\1"] * 9))
    with pytest.raises(cn.DecodeError, match=r"a\b.*expected 20 rows as the header says, found a value of 10 bytes"):
        read(content, format="msgpack")


@each("kind", [pa.int32(), pa.binary(4)])
def test_packed_bytes_without_a_header_that_says_so(kind: pa.DataType) -> None:
    content = frame(kind, 2, pack(struct.pack("<ii", 1, 2)))
    for read in (cn.read_arrow, cn.read_pandas):
        with pytest.raises(cn.DecodeError, match=r"\$\.a.*expected an array"):
            read(content, format="msgpack")


def test_rows_without_dictionaries() -> None:
    schema = pa.schema([("a", pa.int32())])
    head = {"version": 1, "orient": "records", "nrows": 1, "schema": schema.serialize().to_pybytes(), "nulls": [0]}
    content = mapping([(text("__colonnade__"), pack(head)), (text("records"), array(mapping({"a": b"\7"})))])
    assert cn.read_arrow(content, format="msgpack").to_pylist() == [{"a": 7}]


@each("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_packed_numbers_with_nulls(kind: str) -> None:
    table = pa.table({"a": pa.array([1, None, 100], kind)})
    content = cn.encode(table, "msgpack", numbers="packed")
    found = cn.read_pandas(content, format="msgpack")["a"]
    assert found.dtype == ("float32" if kind == "float32" else "float64")
    assert found[::2].tolist() == [1, 100]
    assert math.isnan(found[1])
    assert cn.read_arrow(content, format="msgpack").equals(table)


@each("value", [(1 << 53) + 1, -(1 << 53) - 1])
def test_integers_in_lists_of_floats(value: int) -> None:
    kind = pa.list_(pa.float64())
    whole = cn.read_arrow(frame(kind, 1, array(array(integer(1 << 53), b"\7"))), format="msgpack")
    assert whole["a"].to_pylist() == [[float(1 << 53), 7.0]]
    with pytest.raises(cn.DecodeError, match=rf"\$\.a\[0\]\[0\].*expected double, found the integer {value}"):
        cn.read_arrow(frame(kind, 1, array(array(integer(value)))), format="msgpack")


def test_members_of_one_name_are_an_array() -> None:
    kind = pa.struct([("x", pa.int8()), ("x", pa.int8())])
    found = cn.read_arrow(frame(kind, 1, array(array(b"\1", b"\2"))), format="msgpack")["a"].combine_chunks()
    assert [found.field(k).to_pylist() for k in (0, 1)] == [[1], [2]]
    with pytest.raises(cn.DecodeError, match=r"expected .*found a map"):
        cn.read_arrow(frame(kind, 1, array(mapping([(text("x"), b"\1"), (text("x"), b"\2")]))), format="msgpack")


@each("ends", [pa.int16(), pa.int32(), pa.int64()])
def test_runs_with_ends_of_each_width(ends: pa.DataType) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], ends), pa.array(["x", "y"]))
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 3], pa.int32()), runs)
    for column in (runs, lists):
        found = cn.read_arrow(cn.encode(pa.table({"a": column}), "msgpack"), format="msgpack")["a"].combine_chunks()
        assert found.type == column.type
        assert found.to_pylist() == column.to_pylist()


def test_nulls_that_a_header_declares_and_a_column_lacks(tmp_path: Path) -> None:
    """pandas has floats where there are nulls. Other layouts need no count."""
    path = tmp_path / "x.msgpack"
    path.write_bytes(frame(pa.int64(), 2, array(b"\x07", b"\x08"), nulls=[1]))
    reason = r'"\$\.a": at byte 971: expected nulls as the header says, found none.'
    with pytest.raises(cn.DecodeError, match=reason):
        cn.verify(path)
    assert cn.read(path).to_arrow().column("a").to_pylist() == [7, 8]
    path.write_bytes(frame(pa.int64(), 2, array(b"\x07", NIL), nulls=[1]))
    cn.verify(path)
