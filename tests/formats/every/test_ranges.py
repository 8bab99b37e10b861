"""Values that their type has no room for: read as they are, found by `verify` in every format as pyarrow finds them."""

import decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.ways import exactly

DAY_S = 86_400
FORMATS = ("npz", "arrow", "arrows", "parquet", "msgpack", "json", "ndjson", "csv", "yaml")


def _raw(values: list[int | None], kind: pa.DataType, nbytes: int) -> pa.Array:
    """An array of these integers, whatever its type says of them."""
    data = b"".join((value or 0).to_bytes(nbytes, "little", signed=True) for value in values)
    valid = np.packbits([value is not None for value in values], bitorder="little").tobytes()
    return pa.Array.from_buffers(kind, len(values), [pa.py_buffer(valid), pa.py_buffer(data)])


OUTSIDE = {
    "time32 s": (pa.time32("s"), 4, DAY_S),
    "time32 ms": (pa.time32("ms"), 4, -1),
    "time64 us": (pa.time64("us"), 8, DAY_S * 10**6),
    "time64 ns": (pa.time64("ns"), 8, 2**62),
    "date64": (pa.date64(), 8, DAY_S * 1000 + 1),
    "date64 before": (pa.date64(), 8, -1),
    "decimal32": (pa.decimal32(5, 2), 4, 100_000),
    "decimal64": (pa.decimal64(12, 2), 8, -(10**12)),
    "decimal128": (pa.decimal128(5, 2), 16, 100_000),
    "decimal128 of 38": (pa.decimal128(38, 2), 16, 10**38),
    "decimal256": (pa.decimal256(40, 2), 32, -(10**40)),
}
INSIDE = {
    "time32 s": (pa.time32("s"), 4, DAY_S - 1),
    "time64 ns": (pa.time64("ns"), 8, DAY_S * 10**9 - 1),
    "date64": (pa.date64(), 8, -DAY_S * 1000),
    "decimal32": (pa.decimal32(5, 2), 4, -99_999),
    "decimal64": (pa.decimal64(12, 2), 8, 10**12 - 1),
    "decimal128": (pa.decimal128(38, 2), 16, 1 - 10**38),
    "decimal256": (pa.decimal256(76, 2), 32, 10**76 - 1),
}


def _written(table: pa.Table, format: str) -> bytes | None:
    """The file; None where a format says by name that it cannot write the value."""
    try:
        return cn.encode(table, format, **exactly(format))
    except cn.ColonnadeError:
        assert format in ("csv", "json", "ndjson", "yaml", "msgpack", "parquet")
        return None


@each("format", list(FORMATS))
@each("name", list(OUTSIDE))
def test_verify_finds_a_value_outside_of_its_type(name: str, format: str) -> None:
    kind, nbytes, value = OUTSIDE[name]
    array = _raw([0, None, value, 0], kind, nbytes)
    with pytest.raises(pa.ArrowInvalid):
        array.validate(full=True)
    content = _written(pa.table({"ok": [1, 2, 3, 4], "x": array}), format)
    if content is None:
        return
    with pytest.raises(cn.DecodeError, match="row 2") as caught:
        cn.verify(content, format=format)
    assert "x" in str(caught.value)


@each("format", list(FORMATS))
@each("name", list(INSIDE))
def test_verify_passes_the_ends_of_a_range(name: str, format: str) -> None:
    kind, nbytes, value = INSIDE[name]
    array = _raw([0, None, value], kind, nbytes)
    array.validate(full=True)
    content = _written(pa.table({"x": array}), format)
    assert content is not None
    cn.verify(content, format=format)


@pytest.mark.parametrize("format", ["npz", "arrow", "parquet"])
def test_the_slot_of_a_null_may_hold_anything(format: str) -> None:
    array = pa.Array.from_buffers(
        pa.time32("s"), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(np.array([5, -7], "<i4").tobytes())]
    )
    array.validate(full=True)
    cn.verify(cn.encode(pa.table({"x": array}), format), format=format)


@each("format", ["npz", "arrow", "arrows", "msgpack"])
@each("shape", ["list", "struct", "dictionary", "fixed"])
def test_verify_finds_it_within_nested_values(shape: str, format: str) -> None:
    items = _raw([0, 1, 2, 3, DAY_S], pa.time32("s"), 4)
    nested: Any = {
        "list": lambda: pa.ListArray.from_arrays(pa.array([0, 2, 2, 5], pa.int32()), items),
        "struct": lambda: pa.StructArray.from_arrays([items], ["t"]),
        "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([4, 0, 1]), items),
        "fixed": lambda: pa.FixedSizeListArray.from_arrays(items, 5),
    }[shape]()
    row = {"list": 2, "struct": 4, "dictionary": 4, "fixed": 0}[shape]
    content = cn.encode(pa.table({"x": nested}), format)
    with pytest.raises(cn.DecodeError, match=f"row {row}"):
        cn.verify(content, format=format)


def test_the_row_is_counted_through_batches() -> None:
    good, bad = (_raw([0, value], pa.time32("s"), 4) for value in (1, -1))
    table = pa.table({"x": pa.chunked_array([good, good, bad])})
    for format in ("arrow", "arrows", "parquet"):
        content = cn.encode(table, format, **({"row_group_size": 2} if format == "parquet" else {}))
        with pytest.raises(cn.DecodeError, match="row 5"):
            cn.verify(content, format=format)


@each("name", list(OUTSIDE))
def test_conversions_of_such_a_value_are_typed(name: str) -> None:
    kind, nbytes, value = OUTSIDE[name]
    frame = cn.decode(cn.encode(pa.table({"x": _raw([0, None, value], kind, nbytes)}), "npz"), "npz")
    for convert in (frame.to_pandas, frame["x"].to_numpy, frame.to_static_frame, frame.to_polars):
        try:
            found = convert()
        except cn.ColonnadeError:
            continue
        cells = found["x"].to_list() if hasattr(found, "columns") and hasattr(found["x"], "to_list") else list(found)
        last = cells[-1]
        if isinstance(last, decimal.Decimal):
            assert int(last.scaleb(2, decimal.Context(prec=90))) == value
        elif isinstance(last, np.datetime64):
            assert int(last.astype("M8[ms]").astype(np.int64)) == value


@pytest.mark.parametrize(("kind", "nbytes"), [(pa.decimal32(5, 2), 4), (pa.decimal64(12, 2), 8)])
def test_narrow_decimals_in_polars_are_those_of_128_bits(kind: pa.DataType, nbytes: int) -> None:
    table = pa.table({"x": _raw([0, None, 12345, -99999, 1], kind, nbytes)})
    frame = cn.decode(cn.encode(table, "arrow"), "arrow")
    assert frame.to_polars()["x"].to_list() == table["x"].to_pylist()
    assert frame.slice(1, 4).to_polars()["x"].to_list() == table["x"].to_pylist()[1:4]
    nested = pa.table({"x": pa.array([[decimal.Decimal("1.25")]], pa.list_(kind))})
    with pytest.raises(cn.ColonnadeError, match="128 bits"):
        cn.decode(cn.encode(nested, "arrow"), "arrow").to_polars()
