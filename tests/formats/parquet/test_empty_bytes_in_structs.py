"""Bytes of no width in a struct do not change the fields next to them, whatever these are."""

import decimal
import io
import struct
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each

MILLISECONDS_OF_DAY = pb.logical(7, pb.flag(False), pb.unit(1))
MILLISECONDS = pb.logical(8, pb.flag(False), pb.unit(1))


def leaf(physical: int, body: bytes, nrows: int, path: tuple[str, ...] = ("a", "v"), **levels: bytes) -> pb.Column:
    """A chunk of one page."""
    front = b"".join(pb.levels(level) for level in levels.values())
    return pb.Column(path[-1], physical, [pb.data_page(front + body, nrows)], nrows, path=path)


def file(kind: pa.DataType, nodes: list[pb.Value], leaves: list[pb.Column], nrows: int) -> bytes:
    """A column "a" of structs of "v" and of bytes of no width; the Arrow schema says that "v" is of type `kind`."""
    claim = cn.encode(pa.schema([("a", pa.struct([("v", kind)]))]).empty_table(), "parquet")
    metadata = {key.decode(): text.decode() for key, text in pq.read_metadata(io.BytesIO(claim)).metadata.items()}
    structs = pb.element("a", None, pb.REQUIRED, children=2)
    empty = pb.element("e", pb.FIXED, pb.REQUIRED, length=0)
    schema = pb.items(12, [pb.element("schema", children=1), structs, empty, *nodes])
    return pb.file([leaf(pb.FIXED, b"", nrows, ("a", "e")), *leaves], nrows, schema=schema, metadata=metadata)


def flat(kind: pa.DataType, physical: int, body: bytes, nrows: int, **node: Any) -> bytes:
    nodes = [pb.element("v", physical, pb.REQUIRED, **node)]
    return file(kind, nodes, [leaf(physical, body, nrows)], nrows)


def comes_back(content: bytes, expected: pa.Array) -> None:
    found = cn.decode(content, "parquet").to_arrow()["a"].combine_chunks()
    found.validate(full=True)
    assert found.field("v").type == expected.type
    assert found.field("v").to_pylist() == expected.to_pylist()
    assert found.field("e").to_pylist() == [b""] * len(expected)


def decimals(values: list[int], kind: pa.DataType) -> pa.Array:
    return pa.array([decimal.Decimal(value) for value in values], kind)


def wide(values: list[int], width: int) -> bytes:
    return b"".join(value.to_bytes(width, "little", signed=True) for value in values)


def test_seconds_that_are_stored_as_milliseconds() -> None:
    body = pb.plain("q", 1000, -86_400_000, 0)
    content = flat(pa.timestamp("s"), pb.INT64, body, 3, logical=MILLISECONDS)
    comes_back(content, pa.array([1, -86_400, 0], pa.timestamp("s")))


def test_seconds_of_the_day_that_are_stored_as_milliseconds() -> None:
    content = flat(pa.time32("s"), pb.INT32, pb.plain("i", 1000, 86_399_000, 0), 3, logical=MILLISECONDS_OF_DAY)
    comes_back(content, pa.array([1, 86_399, 0], pa.time32("s")))


def test_seconds_that_may_be_null() -> None:
    body = pb.plain("q", 5000, 7000)
    nodes = [pb.element("v", pb.INT64, pb.OPTIONAL, logical=MILLISECONDS)]
    levels = pb.packed([1, 0, 1], 1)
    content = file(pa.timestamp("s"), nodes, [leaf(pb.INT64, body, 3, definition=levels)], 3)
    comes_back(content, pa.array([5, None, 7], pa.timestamp("s")))


@each("value", [1, 999, 1500, -1])
def test_parts_of_seconds_are_no_seconds(value: int) -> None:
    content = flat(pa.timestamp("s"), pb.INT64, pb.plain("q", 1000, value), 2, logical=MILLISECONDS)
    with pytest.raises(cn.UnsupportedError, match=r"column a.*expected.*Timestamp\(s\).*found.*Timestamp\(ms\)"):
        cn.decode(content, "parquet").to_arrow()


@each(
    "kind, width",
    [
        (pa.decimal32(5, -2), 4),
        (pa.decimal64(12, -2), 8),
        (pa.decimal128(30, -2), 16),
        (pa.decimal256(60, -2), 32),
    ],
)
def test_decimals_of_hundreds(kind: pa.DataType, width: int) -> None:
    """Parquet's decimals have no negative scale: the bytes are Arrow's own."""
    content = flat(kind, pb.FIXED, wide([1, -205, 0], width), 3, length=width)
    comes_back(content, decimals([100, -20_500, 0], kind))


def test_intervals() -> None:
    body = struct.pack("<iiqiiq", 1, 2, 3_000, -4, 5, -6_000)
    kind = pa.month_day_nano_interval()
    content = flat(kind, pb.FIXED, body, 2, length=16)
    comes_back(content, pa.array([pa.MonthDayNano((1, 2, 3_000)), pa.MonthDayNano((-4, 5, -6_000))], kind))


def test_a_claimed_type_of_another_width_is_ignored() -> None:
    content = flat(pa.decimal128(30, -2), pb.FIXED, wide([1, 2], 8), 2, length=8)
    found = cn.decode(content, "parquet").to_arrow()["a"].combine_chunks().field("v")
    assert found.type == pa.binary(8)


def test_lists_of_one_size() -> None:
    kind = pa.list_(pa.timestamp("s"), 2)
    nodes = [
        pb.element("v", None, pb.REQUIRED, children=1, converted=3),
        pb.element("list", None, pb.REPEATED, children=1),
        pb.element("element", pb.INT64, pb.REQUIRED, logical=MILLISECONDS),
    ]
    repetition, definition = pb.packed([0, 1, 0, 1], 1), pb.run(1, 4, 1)
    body, path = pb.plain("q", 1000, 2000, 3000, 4000), ("a", "v", "list", "element")
    items = leaf(pb.INT64, body, 4, path, repetition=repetition, definition=definition)
    found = cn.decode(file(kind, nodes, [items], 2), "parquet").to_arrow()["a"].combine_chunks().field("v")
    assert found.type.list_size == 2
    assert found.type.value_type == pa.timestamp("s")
    assert found.to_pylist() == pa.array([[1, 2], [3, 4]], kind).to_pylist()


@each("keys_sorted", [False, True])
def test_maps(keys_sorted: bool) -> None:
    kind = pa.map_(pa.string(), pa.timestamp("s"), keys_sorted=keys_sorted)
    nodes = [
        pb.element("v", None, pb.REQUIRED, children=1, converted=1),
        pb.element("key_value", None, pb.REPEATED, children=2),
        pb.element("key", pb.BYTE_ARRAY, pb.REQUIRED, converted=0),
        pb.element("value", pb.INT64, pb.REQUIRED, logical=MILLISECONDS),
    ]
    levels = {"repetition": pb.packed([0, 1, 0], 1), "definition": pb.run(1, 3, 1)}
    keys = leaf(pb.BYTE_ARRAY, pb.plain_bytes(b"x", b"y", b"z"), 3, ("a", "v", "key_value", "key"), **levels)
    values = leaf(pb.INT64, pb.plain("q", 1000, 2000, 3000), 3, ("a", "v", "key_value", "value"), **levels)
    found = cn.decode(file(kind, nodes, [keys, values], 2), "parquet").to_arrow()["a"].combine_chunks().field("v")
    assert found.type.keys_sorted is keys_sorted
    assert found.type.item_type == pa.timestamp("s")
    assert found.to_pylist() == pa.array([[("x", 1), ("y", 2)], [("z", 3)]], kind).to_pylist()
