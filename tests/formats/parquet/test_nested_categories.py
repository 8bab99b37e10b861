"""Categories within lists and structs: ours keep all of them in their order; of others' files the values are read."""

import datetime
import io
from decimal import Decimal

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn

VALUES = {
    "int8": pa.array([6, 5, 9], pa.int8()),
    "uint64": pa.array([2**64 - 1, 5, 9], pa.uint64()),
    "float16": pa.array([6, 5, 9], pa.float16()),
    "double": pa.array([6.5, float("inf"), -0.0]),
    "date": pa.array([datetime.date(2024, 2, 29), datetime.date(1970, 1, 1)]),
    "date64": pa.array([86_400_000, 0], pa.date64()),
    "seconds": pa.array([6, 5, 9], pa.timestamp("s", "Europe/Berlin")),
    "nanoseconds": pa.array([6, 5, 9], pa.timestamp("ns")),
    "time": pa.array([6, 5, 9], pa.time32("s")),
    "duration": pa.array([6, 5, 9], pa.duration("ms")),
    "decimal": pa.array([Decimal("6.5"), Decimal(-5)], pa.decimal128(20, 3)),
    "long decimal": pa.array([Decimal("6.5"), Decimal(-5)], pa.decimal256(50, 3)),
    "seven bytes": pa.array([b"abcdefg", b"1234567"], pa.binary(7)),
    "text": pa.array(["b", "a", ""]),
    "views": pa.array(["b", "a", ""], pa.string_view()),
    "bytes": pa.array([b"b", b"a"], pa.large_binary()),
}
# The second value comes first; groups of seven rows begin with different ones; one value that no row has; nulls alone.
CODES = {"turned": [1, 0, None, 0, 1] * 16, "first": [0] * 80, "null": [None] * 80}


def coded(values: pa.Array, codes: list[int | None], ordered: bool) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), values, ordered=ordered)


def nested(data: pa.Array) -> dict[str, pa.Array]:
    ends = pa.array(range(0, len(data) + 1, 4), pa.int32())
    return {
        "list": pa.ListArray.from_arrays(ends, data),
        "fixed": pa.FixedSizeListArray.from_arrays(data, 4),
        "struct": pa.StructArray.from_arrays([data], ["f"]),
        "list of structs": pa.ListArray.from_arrays(ends, pa.StructArray.from_arrays([data, data], ["f", "g"])),
    }


def dictionaries(data: pa.Array) -> list[pa.Array]:
    if isinstance(data, pa.DictionaryArray):
        return [data.dictionary]
    if isinstance(data, pa.StructArray):
        return [found for k in range(data.type.num_fields) for found in dictionaries(data.field(k))]
    return dictionaries(data.values)


@each("ordered", [False, True])
@each("codes", list(CODES))
@each("name", list(VALUES))
def test_ours_keep_all_of_them_in_their_order(name: str, codes: str, ordered: bool) -> None:
    values = VALUES[name]
    for shape, column in nested(coded(values, CODES[codes], ordered)).items():
        for options in ({}, {"row_group_size": 7}, {"row_group_size": 7, "data_page_size": 1, "use_dictionary": False}):
            sink = io.BytesIO()
            cn.write(pa.table({"x": column}), sink, format="parquet", **options)
            found = cn.read(sink.getvalue()).to_arrow().column("x")
            found.validate(full=True)
            assert found.type == column.type, shape
            assert found.to_pylist() == column.to_pylist(), shape
            for chunk in found.chunks:
                assert all(dictionary.equals(values) for dictionary in dictionaries(chunk)), shape
            rows = cn.read(sink.getvalue(), rows=slice(3, 9)).to_arrow().column("x")
            assert rows.to_pylist() == column.to_pylist()[3:9], shape


@each("use_dictionary", [False, True])
@each("ordered", [False, True])
@each("codes", list(CODES))
@each("name", sorted(VALUES.keys() - {"duration"}), per=20)
def test_of_others_files_the_values(name: str, codes: str, ordered: bool, use_dictionary: bool) -> None:
    """Whatever order a writer said, its file has none; pyarrow gives the values too."""
    for shape, column in nested(coded(VALUES[name], CODES[codes], ordered)).items():
        sink = io.BytesIO()
        try:
            pq.write_table(pa.table({"x": column}), sink, row_group_size=7, use_dictionary=use_dictionary)
            expected = pq.read_table(io.BytesIO(sink.getvalue()))
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            continue
        found = cn.read(sink.getvalue()).to_arrow().column("x")
        found.validate(full=True)
        assert found.to_pylist() == expected.column("x").to_pylist(), shape
        if name not in ("text", "views", "bytes", "date64", "seconds", "time"):
            assert str(found.type) == str(expected.column("x").type), shape
