"""Bloom filters of numbers: a filter leaves out the row groups that cannot hold a value, and never one that does."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from tests.helpers import parquet_bytes as pb
from tests.helpers.each import each
from tests.helpers.parquet_hints import Bloom, bits_of, bounds, written

# By type: values of a row group, and a number between them that is none of them.
NUMBERS: dict[Any, tuple[list[Any], Any]] = {
    pa.int8(): ([-100, -3, 5, 90], 17),
    pa.uint8(): ([3, 90, 180, 250], 200),
    pa.int16(): ([-30_000, -3, 5, 20_000], 1234),
    pa.uint16(): ([3, 900, 40_000, 60_000], 50_000),
    pa.int32(): ([-(1 << 30), -3, 5, 1 << 30], 123_456),
    pa.uint32(): ([3, 900, 1 << 30, (1 << 32) - 1], 1 << 31),
    pa.int64(): ([-(1 << 62), -3, 5, 1 << 62], 123_456),
    pa.uint64(): ([3, 900, 1 << 62, (1 << 64) - 1], 1 << 63),
    pa.float32(): ([-1.5, 0.25, 7.5, 1e10], 0.5),
    pa.float64(): ([-1.5, 0.1, 7.5, 1e100], 0.5),
}
every_type = each("kind", list(NUMBERS), ids=str)


def with_filter(values: list[Any], kind: Any, **options: Any) -> bytes:
    """A file of pyarrow with one row group, whose Bloom filter rarely errs."""
    sink = io.BytesIO()
    filters = {"v": {"ndv": 1000, "fpp": 0.0001}}
    pq.write_table(pa.table({"v": pa.array(values, kind)}), sink, bloom_filter_options=filters, **options)
    return sink.getvalue()


def groups_with(content: bytes, op: str, value: Any) -> list[Any]:
    """The rows of the row groups that are not left out."""
    return cn.read_arrow(content, filters=[("v", op, value)], use_statistics="only")["v"].to_pylist()


@each("has_bounds", [True, False])
@every_type
def test_a_row_group_without_the_number_is_left_out(kind: Any, has_bounds: bool) -> None:
    values, absent = NUMBERS[kind]
    content = with_filter(values, kind, write_statistics=has_bounds)
    assert groups_with(content, "==", absent) == []
    assert groups_with(content, "in", [absent]) == []


@each("has_bounds", [True, False])
@every_type
def test_a_row_group_with_the_number_is_kept(kind: Any, has_bounds: bool) -> None:
    values, absent = NUMBERS[kind]
    content = with_filter(values, kind, write_statistics=has_bounds)
    for value in values:
        assert groups_with(content, "==", value) == values
        assert groups_with(content, "in", [absent, value]) == values


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
@pytest.mark.parametrize("stored", [0.0, -0.0])
def test_zero_is_found_whatever_its_sign(stored: float, kind: Any) -> None:
    content = with_filter([-1.5, stored, 2.5], kind)
    for zero in (0.0, -0.0):
        assert cn.read_arrow(content, filters=[("v", "==", zero)])["v"].to_pylist() == [stored]


@pytest.mark.parametrize("missing", ["minimum", "maximum"])
@pytest.mark.parametrize(("physical", "form"), [(pb.INT64, "q"), (pb.DOUBLE, "d")])
def test_a_filter_that_lacks_a_bound_of_its_row_group_is_not_believed(physical: int, form: str, missing: str) -> None:
    low, middle, high = (pb.plain(form, value) for value in (1, 5, 9))
    known = high if missing == "minimum" else low
    for bits, rows in ((bits_of([known]), [5]), (bits_of([low, high]), [])):
        content = written(physical, [low + middle + high], 3, statistics=bounds(low, high), bloom=Bloom(bits))
        assert cn.read_arrow(content, filters=[("v", "==", 5)])["v"].to_pylist() == rows


def test_a_filter_that_lacks_a_zero_bound_is_believed() -> None:
    """The sign of a zero among the bounds is not known."""
    low, middle, high = (pb.plain("d", value) for value in (0.0, 5, 9))
    bloom = Bloom(bits_of([pb.plain("d", -0.0), high]))
    content = written(pb.DOUBLE, [low + middle + high], 3, statistics=bounds(low, high), bloom=bloom)
    assert cn.read_arrow(content, filters=[("v", "==", 5)])["v"].to_pylist() == []


@pytest.mark.parametrize("value", [b"a", b"m", b"z"])
def test_an_empty_filter_of_text_is_not_believed(value: bytes) -> None:
    body = pb.plain_bytes(b"a", b"m", b"z")
    content = written(pb.BYTE_ARRAY, [body], 3, statistics=bounds(b"a", b"z"), bloom=Bloom(bytes(32)))
    assert cn.read_arrow(content, filters=[("v", "==", value)])["v"].to_pylist() == [value]
