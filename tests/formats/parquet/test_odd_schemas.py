"""Files that few writers make: bit-packed levels, annotations of later versions, wide decimals, claims of maps."""

import base64
import decimal
import io
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers import arrow_bytes as ab
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each


def bit_packed(levels: list[int], width: int) -> bytes:
    """The deprecated BIT_PACKED levels: the most significant bit first, and no length."""
    bits = "".join(f"{level:0{width}b}" for level in levels)
    return int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")


@each("nrows", [1, 503, 504, 505, 512, 3000, 70_000])
def test_bit_packed_levels_of_any_number(nrows: int) -> None:
    expected = [None if k % 3 == 1 or k % 7 == 0 else k for k in range(nrows)]
    values = [value for value in expected if value is not None]
    body = bit_packed([int(value is not None) for value in expected], 1) + pb.plain("q", *values)
    page = pb.data_page(body, nrows, level=pb.BIT_PACKED)
    content = pb.file([pb.Column("v", pb.INT64, [page], nrows, pb.OPTIONAL)], nrows)
    assert cn.decode(content, "parquet").to_arrow()["v"].to_pylist() == expected


def test_bit_packed_levels_of_the_specification() -> None:
    """Encodings.md packs the numbers from 0 to 7, each in three bits, into these bytes; pyarrow takes other ones."""
    levels = bytes([0b00000101, 0b00111001, 0b01110111])
    names = "abcdefg"
    groups = [pb.element(name, None, pb.OPTIONAL, children=1) for name in names[:-1]]
    nodes = [pb.element("schema", children=1), *groups, pb.element("g", pb.INT32, pb.OPTIONAL)]
    page = pb.data_page(levels + pb.plain("i", 42), 8, level=pb.BIT_PACKED)
    leaf = pb.Column("g", pb.INT32, [page], 8, path=tuple(names))
    content = pb.file([leaf], 8, schema=pb.items(12, nodes))
    expected: list[Any] = []
    for level in range(8):
        row: Any = 42 if level == 7 else None
        for name in reversed(names[1 : level + 1]):
            row = {name: row}
        expected.append(row)
    assert cn.decode(content, "parquet").to_arrow()["a"].to_pylist() == expected


def in_a_struct(physical: int, body: bytes, nrows: int, **node: Any) -> bytes:
    """A column "a" of structs of one field "v"."""
    nodes = [pb.element("schema", children=1), pb.element("a", None, pb.REQUIRED, children=1)]
    nodes.append(pb.element("v", physical, pb.REQUIRED, **node))
    leaf = pb.Column("v", physical, [pb.data_page(body, nrows)], nrows, path=("a", "v"))
    return pb.file([leaf], nrows, schema=pb.items(12, nodes))


def test_a_decimal_in_a_struct_with_an_annotation_of_a_later_version() -> None:
    """A reader that does not know the logical type reads the values as they are stored."""
    later = pb.logical(40)
    content = in_a_struct(pb.INT32, pb.plain("i", 10, -20), 2, converted=5, scale=1, precision=4, logical=later)
    found = cn.decode(content, "parquet").to_arrow()["a"].combine_chunks().field("v")
    assert found.equals(pq.read_table(io.BytesIO(content))["a"].combine_chunks().field("v"))
    assert found.to_pylist() == [10, -20]


def test_a_decimal_in_a_struct_of_more_digits_than_its_bytes_hold() -> None:
    content = in_a_struct(pb.INT32, pb.plain("i", 12345, -1), 2, converted=5, scale=2, precision=12)
    found = cn.decode(content, "parquet").to_arrow()["a"].combine_chunks().field("v")
    assert found.type == pa.decimal128(12, 2)
    assert found.to_pylist() == [decimal.Decimal("123.45"), decimal.Decimal("-0.01")]


@pytest.mark.parametrize(("nfields", "kind"), [(1, pa.int64()), (2, pa.duration("s")), (3, pa.int64())])
def test_a_claim_of_a_map_is_accepted_with_keys_and_values_only(nfields: int, kind: pa.DataType) -> None:
    """`ARROW:schema` claims that the keys are durations; entries of one or three fields are no claim of a map."""
    duration = 18, ab.Table({0: ("h", 0)})
    fields = [ab.field(name, duration, nullable=False) for name in ("key", "value", "more")[:nfields]]
    entries = ab.field("entries", ab.STRUCT, fields, nullable=False)
    schema = ab.schema_message(ab.schema(ab.field("m", ab.MAP, [entries])))
    claim = base64.b64encode(schema.encode()).decode()
    table = pa.table({"m": pa.array([[(1, 2)], None, []], pa.map_(pa.int64(), pa.int64()))})
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"ARROW:schema": claim})
    found = cn.decode(sink.getvalue(), "parquet").to_arrow()["m"]
    assert (found.type.key_type, found.type.item_type) == (kind, kind)
    assert found.cast(pa.map_(pa.int64(), pa.int64())).to_pylist() == table["m"].to_pylist()
