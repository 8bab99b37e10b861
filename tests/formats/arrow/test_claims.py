"""What metadata may change about an Arrow column: every physical type with every claim.

A claim is a dtype in our `colonnade` key, an extension name, or an entry of the `pandas` key. The oracle of the first
is NumPy: a dtype is taken where its cells are the bytes of the physical type, or text, and nowhere else. The oracle of
the others is pyarrow: `to_arrow` equals its own read of the same bytes.
"""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import static_frame as sf

import colonnade as cn
from tests.helpers.each import each

pytest.importorskip("pandas.core.arrays.arrow.extension_types")  # registers pandas' extension types with pyarrow

ZONE = "Asia/Tokyo"


def numbers(kind: pa.DataType) -> pa.Array:
    return pa.array([1, 0, 2], kind)


def fixed(nbytes: int) -> pa.Array:
    return pa.array([b"a" * nbytes, b"b" + b"\0" * (nbytes - 1), bytes(range(nbytes))], pa.binary(nbytes))


def pairs(kind: pa.DataType) -> pa.Array:
    return pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(kind, 2))


INTS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
UNITS = ["s", "ms", "us", "ns"]
TIMES = [maker(unit) for maker in (pa.timestamp, pa.duration) for unit in UNITS]
PHYSICAL: dict[str, pa.Array] = {
    "null": pa.nulls(3),
    "bool": pa.array([True, False, True]),
    **{str(kind): numbers(kind) for kind in [*INTS, *TIMES, pa.timestamp("us", ZONE)]},
    "float16": pa.array(np.array([1.5, -0.0, np.nan], np.float16)),
    "float32": pa.array([1.5, -0.0, float("nan")], pa.float32()),
    "float64": pa.array([1.5, -0.0, float("nan")], pa.float64()),
    **{str(kind): pa.array(["ab", "", "ü"], kind) for kind in (pa.string(), pa.large_string(), pa.string_view())},
    **{str(kind): pa.array([b"ab", b"", b"\xff\0"], kind) for kind in (pa.binary(), pa.large_binary())},
    **{f"fixed{nbytes}": fixed(nbytes) for nbytes in (1, 2, 4, 8, 16, 32)},
    "date32": pa.array([1, 0, 2], pa.int32()).cast(pa.date32()),
    "date64": pa.array([86_400_000, 0, 172_800_000], pa.int64()).cast(pa.date64()),
    "time32": numbers(pa.time32("s")),
    "time64": numbers(pa.time64("ns")),
    "interval": pa.array([(1, 2, 3), (0, 0, 0), (4, 5, 6)], pa.month_day_nano_interval()),
    "decimal128": pa.array([Decimal("1.25"), Decimal("0.00"), Decimal("2.50")], pa.decimal128(10, 2)),
    "decimal256": pa.array([Decimal("1.25"), Decimal("0.00"), Decimal("2.50")], pa.decimal256(10, 2)),
    "pairs32": pairs(pa.float32()),
    "pairs64": pairs(pa.float64()),
    "pairs_int": pairs(pa.int32()),
    "list": pa.array([[1], [], [2, 3]], pa.list_(pa.int64())),
    "struct": pa.array([{"left": 1, "right": 2}] * 3, pa.struct({"left": pa.int64(), "right": pa.int64()})),
    "map": pa.array([[("a", 1)], [], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
    "dictionary": pa.array(["a", "b", "a"]).dictionary_encode(),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1, 2])),
}

DTYPES = ["|b1", "|i1", "<i2", ">i2", "<i4", "<i8", ">i8", "|u1", "<u2", "<u4", ">u4", "<u8"]
DTYPES += ["<f2", ">f2", "<f4", "<f8", ">f8", "<f16", "<c8", "<c16", ">c16", "<c32"]
DTYPES += ["|S1", "|S4", "|S16", "|V1", "|V4", "|V32", "<U1", "<U4", ">U4"]
DTYPES += ["<M8[s]", ">M8[us]", "<M8[ns]", "<M8[D]", "<M8[Y]", "<m8[s]", "<m8[ms]", ">m8[ns]", "<m8[D]"]


def stream(array: pa.Array, field: dict[str, str] | None = None, schema: dict[str, str] | None = None) -> bytes:
    table = pa.table([array], pa.schema([pa.field("c", array.type, metadata=field)], metadata=schema))
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def ours(dtype: str) -> dict[str, str]:
    return {"colonnade": json.dumps({"dtype": dtype})}


def cells(array: pa.Array, dtype: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
    """What NumPy makes of the physical values as this dtype; None where it is another kind of thing."""
    kind, physical = dtype.kind, array.type
    if kind == "b":
        return np.array(array.to_pylist(), dtype) if pa.types.is_boolean(physical) else None
    if kind in "iuf" and dtype.itemsize <= 8:
        if not (pa.types.is_integer(physical) or pa.types.is_floating(physical)):
            return None
        plain = array.to_numpy(zero_copy_only=False)
        return plain.astype(dtype) if plain.dtype == dtype.newbyteorder("=") else None
    if kind == "U":
        text = physical in (pa.string(), pa.large_string(), pa.string_view())
        return np.array(array.to_pylist(), f"{dtype.byteorder}U2").astype(dtype.newbyteorder("=")) if text else None
    if kind == "c" and dtype.itemsize <= 16:
        half = {8: pa.float32(), 16: pa.float64()}[dtype.itemsize]
        if physical != pa.list_(half, 2):
            return None
        return array.flatten().to_numpy().view(dtype.newbyteorder("=")).astype(dtype)
    if kind in "SVfc":
        if physical != pa.binary(dtype.itemsize):
            return None
        return np.frombuffer(b"".join(array.to_pylist()), dtype)
    unit = np.datetime_data(dtype)
    if physical == pa.int64():
        return array.to_numpy().view(dtype.newbyteorder("=")).astype(dtype)
    if physical == pa.date32():
        days = array.to_numpy(zero_copy_only=False).astype("M8[D]")
        return days.astype(dtype) if dtype == np.dtype("M8[D]") else None
    maker = {"M": pa.types.is_timestamp, "m": pa.types.is_duration}[kind]
    # `M8` has no place for a zone.
    if not maker(physical) or (physical.unit, 1) != unit or getattr(physical, "tz", None):
        return None
    return array.cast(pa.int64()).to_numpy().view(dtype.newbyteorder("=")).astype(dtype)


@each("physical", list(PHYSICAL))
def test_a_dtype_is_taken_where_the_cells_are_its_own(physical: str) -> None:
    array = PHYSICAL[physical]
    for claim in DTYPES:
        content = stream(array, ours(claim))
        expected = cells(array, np.dtype(claim))
        if expected is None:
            with pytest.raises(cn.DecodeError, match="expected an Arrow type that holds the dtype"):
                cn.read(content)
            continue
        for options in ({}, {"verify": True}):
            found = cn.read(content, **options).to_numpy().reshape(-1)
            if np.dtype(claim).kind == "U":
                # Cells are as wide as the text is long.
                assert found.dtype.kind == "U"
                assert found.dtype.byteorder in (np.dtype(claim).byteorder, "=")
                assert found.tolist() == array.to_pylist()
            else:
                assert found.dtype == np.dtype(claim), claim
                assert found.tobytes() == expected.tobytes(), claim


@each("physical", sorted(PHYSICAL.keys() - {"null", "runs"}))
def test_with_nulls_only_times_become_cells(physical: str) -> None:
    array = PHYSICAL[physical]
    holed = pa.array([*array.to_pylist()[:2], None], array.type)
    for claim in DTYPES:
        dtype = np.dtype(claim)
        if cells(array, dtype) is None:
            continue
        frame = cn.read(stream(holed, ours(claim)))
        if dtype.kind in "Mm":
            found = frame.to_numpy().reshape(-1)
            assert found.dtype == dtype
            assert np.isnat(found).tolist() == [False, False, True]
        else:
            assert frame.to_arrow()["c"].combine_chunks().to_pylist()[2] is None


EXTENSIONS = {
    "arrow.json": [""],
    "arrow.uuid": [""],
    "arrow.bool8": [""],
    "arrow.opaque": ['{"type_name": "t", "vendor_name": "v"}'],
    "arrow.fixed_shape_tensor": ['{"shape": [2]}', "{"],
    "pandas.period": ['{"freq": "D"}', '{"freq": 7}', "{", ""],
    "pandas.interval": ['{"subtype": "int64", "closed": "left"}', "{"],
    "nobody.knows": ["", "{", "\u00fc"],
}


@each("physical", list(PHYSICAL))
def test_extension_names_say_what_pyarrow_reads_in_them(physical: str) -> None:
    array = PHYSICAL[physical]
    for name, texts in EXTENSIONS.items():
        for text in texts:
            content = stream(array, {"ARROW:extension:name": name, "ARROW:extension:metadata": text})
            # The core keeps the storage, whatever the name says.
            frame = cn.read(content, verify=True)
            try:
                expected = pa.ipc.open_stream(content).read_all()
                expected.validate(full=True)
            except Exception:
                continue
            claimed = expected.schema.field("c").type
            if isinstance(claimed, pa.BaseExtensionType) and claimed.storage_type != array.type:
                continue  # pyarrow believes this one unseen: its array is of another layout than its type
            found = frame.to_arrow()
            assert found.schema.field("c").equals(expected.schema.field("c"), check_metadata=True), (name, text)
            assert_same(found["c"], expected["c"])


def assert_same(found: pa.ChunkedArray, expected: pa.ChunkedArray) -> None:
    """Of one type, and cell by cell the same, NaN included."""
    assert found.type == expected.type
    storage = [c.combine_chunks() for c in (found, expected)]
    storage = [c.storage if isinstance(c, pa.ExtensionArray) else c for c in storage]
    assert repr(storage[0].to_pylist()) == repr(storage[1].to_pylist())


ENTRIES = [
    {"pandas_type": "int64", "numpy_type": "int64", "metadata": None},
    {"pandas_type": "bool", "numpy_type": "bool", "metadata": None},
    {"pandas_type": "unicode", "numpy_type": "object", "metadata": None},
    {"pandas_type": "float16", "numpy_type": "float16", "metadata": None},
    {"pandas_type": "datetimetz", "numpy_type": "datetime64[ns]", "metadata": {"timezone": "Europe/Paris"}},
    {"pandas_type": "datetime", "numpy_type": "datetime64[s]", "metadata": None},
    {"pandas_type": "categorical", "numpy_type": "int8", "metadata": {"num_categories": 9, "ordered": True}},
    {"pandas_type": "decimal", "numpy_type": "object", "metadata": {"precision": 3, "scale": 7}},
    {"pandas_type": 7, "numpy_type": None, "metadata": []},
]


@each("physical", list(PHYSICAL))
@each("labels", [False, True], ids=["column", "index"])
def test_the_pandas_key_changes_no_column(physical: str, labels: bool) -> None:
    array = PHYSICAL[physical]
    for entry in ENTRIES:
        told = {
            "index_columns": ["c"] if labels else [],
            "column_indexes": [],
            "columns": [{"name": "c", "field_name": "c", **entry}],
            "pandas_version": "2.2.3",
        }
        content = stream(array, schema={"pandas": json.dumps(told)})
        expected = pa.ipc.open_stream(content).read_all()
        found = cn.read(content, verify=True).to_arrow()
        assert found.schema.field("c").type == array.type, entry
        assert_same(found["c"], expected["c"])


# --------------------------------------------------------------------------- text that ends in NUL
NUL = ["a\0", "b"]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]


@each("kind", list(TEXTS), ids=str)
@each("values", [NUL, ["\0"], ["", "\0\0", "a"]], ids=repr)
def test_text_that_ends_in_nul_stays_text(kind: pa.DataType, values: list[str]) -> None:
    array = pa.array(values, kind)
    for claim in ("<U1", "<U8", ">U2"):
        content = stream(array, ours(claim))
        for options in ({}, {"verify": True}):
            assert cn.read(content, **options).to_arrow()["c"].to_pylist() == values
            with cn.open_reader(content, **options) as reader:
                assert [cell for chunk in reader for cell in chunk.to_arrow()["c"].to_pylist()] == values


def test_nul_within_text_is_no_end() -> None:
    found = cn.read(stream(pa.array(["a\0b", "\0c"]), ours("<U3"))).to_numpy().reshape(-1)
    assert found.dtype == np.dtype("<U3")
    assert found.tolist() == ["a\0b", "\0c"]


@each("format", ["arrow", "arrows"])
@each(
    ("claim", "batches"),
    [
        ("<U5", [["a", "b"], ["c\0", "d"]]),
        ("<U5", [["c\0", "d"], ["a", "b"]]),
        ("<U5", [["a"], [None], ["b"]]),
        (">i4", [[1], [None]]),
        (">i4", [[None], [1], [2]]),
        ("<M8[D]", [[1], [None]]),
    ],
)
def test_a_dtype_that_holds_some_batches_holds_none(format: str, claim: str, batches: list[list[Any]]) -> None:
    kind = pa.string() if "U" in claim else pa.date32() if "M" in claim else pa.int32()
    schema = pa.schema([pa.field("c", kind, metadata=ours(claim))])
    sink = io.BytesIO()
    with (pa.ipc.new_file if format == "arrow" else pa.ipc.new_stream)(sink, schema) as writer:
        for cells in batches:
            writer.write(pa.record_batch([pa.array(cells, kind)], schema=schema))
    wanted = pa.table([[cell for cells in batches for cell in cells]], schema=schema)["c"].to_pylist()
    frame = cn.read(sink.getvalue())
    for table in (frame.to_arrow(), pa.table(frame), frame.to_polars().to_arrow()):
        assert table["c"].to_pylist() == wanted
    assert frame.slice(0, 1).to_arrow()["c"].to_pylist() == wanted[:1]


@each("format", ["arrow", "arrows", "msgpack", "csv", "json", "ndjson", "yaml"])
@each("labels", [False, True], ids=["column", "index"])
def test_a_file_of_ours_whose_text_was_changed(format: str, labels: bool) -> None:
    """The claim of `<U2` stays, and now the text ends in NUL."""
    options: dict[str, Any] = {} if format in ("arrow", "arrows", "msgpack") else {"schema": "header"}
    text = np.array(["aX", "bb"], "<U2")
    x = np.arange(2)
    frame = sf.Frame.from_dict({"x": x}, index=text) if labels else sf.Frame.from_dict({"c": text, "x": x})
    content = cn.encode(frame, format, **options)
    escaped = format in ("json", "ndjson", "yaml")
    old, new = (b'"aX"', b'"a\\u0000"') if escaped else (b"aX", b"a\0")
    if format == "csv":
        new = b'"a\0"'
    if old not in content:
        old = b"aX"
    assert content.count(old) == 1
    changed = cn.read(content.replace(old, new), format=format)
    table = changed.to_arrow()
    assert table[table.column_names[-1] if labels else "c"].to_pylist() == ["a\0", "bb"]


def test_parquet_whose_field_claims_text_of_numpy() -> None:
    for values in (NUL, ["\0"]):
        table = pa.table([values], pa.schema([pa.field("c", pa.string(), metadata=ours("<U8"))]))
        sink = io.BytesIO()
        pq.write_table(table, sink)
        assert cn.read(sink.getvalue(), verify=True).to_arrow()["c"].to_pylist() == values
