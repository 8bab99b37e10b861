"""Arrow tables that must be restored unchanged: every type of the columnar format, flat and nested, and every shape.

``CASES`` maps a name to a function without arguments that makes a Table. ``ARRAYS`` does the same for one array of each
type. ``assert_identical`` compares two tables to the bit.
"""

import datetime as dt
import decimal
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ._arrow_cells import cells, same_column

__all__ = ["ARRAYS", "CASES", "assert_identical"]

CASES: dict[str, Callable[[], Any]] = {}

_UNITS = ("s", "ms", "us", "ns")
_LONG = "a text that is too long for a view to hold"
_INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


def assert_identical(left: Any, right: Any) -> None:
    """Asserts that both are tables (or batches) of one schema and metadata with the same cells to the bit.

    The comparison ignores the boundaries of chunks, unused values of a dictionary, and values under a null.
    """
    assert isinstance(right, pa.Table | pa.RecordBatch), type(right)
    assert left.shape == right.shape, (left.shape, right.shape)
    assert left.schema.equals(right.schema, check_metadata=True), (
        f"{left.schema.to_string(show_schema_metadata=True)}\n--- is not ---\n"
        f"{right.schema.to_string(show_schema_metadata=True)}"
    )
    for position, name in enumerate(left.schema.names):
        ours, theirs = left.column(position), right.column(position)
        assert same_column(ours, theirs), f"column {position} {name!r}: {cells(ours)[:20]} is not {cells(theirs)[:20]}"


def is_identical_in_memory(left: Any, right: Any) -> bool:
    """Whether two tables export the same Arrow stream: schema, metadata, chunks, every bit of every value.

    For later results, after `assert_identical` has accepted the first one. False does not prove a difference.
    """
    if type(left) is not type(right) or left.shape != right.shape:
        return False
    if not left.schema.equals(right.schema, check_metadata=True):
        return False
    try:
        return bool(_stream(left).equals(_stream(right)))
    except pa.ArrowException:  # types that pyarrow cannot write to a stream
        return False


def _stream(table: Any) -> Any:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    return sink.getvalue()


# --------------------------------------------------------------------------- arrays: five cells of each type, one null
def _floats(kind: Any, width: int) -> Any:
    nan = {2: 0x7E01, 4: 0x7FC00123, 8: 0x7FF8000000000123}[width]
    bits = np.array([0, 1 << (8 * width - 1), nan, 0, 1], dtype=f"u{width}")
    return pa.Array.from_buffers(kind, 5, [pa.py_buffer(b"\x17"), pa.py_buffer(bits.tobytes())])


def _ticks(kind: Any) -> Any:
    width = kind.bit_width // 8
    ticks = np.array([0, 86_399, 1, 0, 1], dtype=f"i{width}")
    return pa.Array.from_buffers(kind, 5, [pa.py_buffer(b"\x17"), pa.py_buffer(ticks.tobytes())])


def _far_ticks(kind: Any) -> Any:
    limits = np.iinfo(np.int64)
    ticks = np.array([0, limits.max, limits.min + 1, 0, -1], dtype="i8")
    return pa.Array.from_buffers(kind, 5, [pa.py_buffer(b"\x17"), pa.py_buffer(ticks.tobytes())])


def _integers(kind: Any) -> Any:
    limits = np.iinfo(kind.to_pandas_dtype())
    return pa.array([limits.min, limits.max, 0, None, 1], kind)


def _decimals(kind: Any) -> Any:
    whole = decimal.Decimal(10**kind.precision - 1).scaleb(-kind.scale, decimal.Context(prec=100))
    return pa.array([whole, whole.copy_negate(), decimal.Decimal(0), None, decimal.Decimal(f"1E{-kind.scale}")], kind)


_TEXT = ["", "é\0ü", "\U0001f600", None, _LONG]
_BYTES = [b"", b"\xff\x00\xfe", b"twelve bytes", None, _LONG.encode()]

ARRAYS: dict[str, Callable[[], Any]] = {
    "null": lambda: pa.nulls(5),
    "bool": lambda: pa.array([True, False, False, None, True]),
    **{str(kind): partial(_integers, kind) for kind in _INTEGERS},
    **{
        str(kind): partial(_floats, kind, width)
        for kind, width in ((pa.float16(), 2), (pa.float32(), 4), (pa.float64(), 8))
    },
    **{str(kind): partial(_ticks, kind) for kind in (pa.date32(), pa.time32("s"), pa.time32("ms"))},
    **{str(kind): partial(_ticks, kind) for kind in (pa.time64("us"), pa.time64("ns"))},
    "date64[ms]": lambda: pa.array([0, 86_400_000, -86_400_000, None, 86_400_000_000], pa.date64()),
    **{f"timestamp[{unit}]": partial(_far_ticks, pa.timestamp(unit)) for unit in _UNITS},
    **{f"duration[{unit}]": partial(_far_ticks, pa.duration(unit)) for unit in _UNITS},
    **{
        f"timestamp[ns, {zone}]": partial(_far_ticks, pa.timestamp("ns", zone))
        for zone in ("UTC", "Europe/Berlin", "+07:30")
    },
    "month_day_nano_interval": lambda: pa.array(
        [(0, 0, 0), (1, -1, 2**62), (-(2**31), 2**31 - 1, -1), None, (1, 2, 3)], pa.month_day_nano_interval()
    ),
    **{
        str(kind): partial(_decimals, kind)
        for kind in (
            getattr(pa, f"decimal{bits}")(precision, scale)
            for bits, precision, scale in ((32, 5, 2), (64, 15, 3), (128, 38, 10), (256, 76, 0))
            if hasattr(pa, f"decimal{bits}")  # pyarrow 19 added the short ones
        )
    },
    "decimal128 of a negative scale": lambda: pa.array([decimal.Decimal("1.2E+5"), None], pa.decimal128(5, -3)).take(
        pa.array([0, 0, 1, 1, 0])
    ),
    **{str(kind): partial(pa.array, _TEXT, kind) for kind in (pa.string(), pa.large_string(), pa.string_view())},
    **{str(kind): partial(pa.array, _BYTES, kind) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())},
    "fixed_size_binary": lambda: pa.array([b"abc", b"\0\0\0", b"\xff\xfe\xfd", None, b"xyz"], pa.binary(3)),
    "fixed_size_binary of no width": lambda: pa.array([b"", b"", b"", None, b""], pa.binary(0)),
    **{
        f"dictionary of {code} codes": partial(
            lambda code: (
                pa.array(["x", "y", "x", None, "z"]).dictionary_encode().cast(pa.dictionary(code, pa.string()))
            ),
            code,
        )
        for code in _INTEGERS
    },
    "dictionary ordered": lambda: pa.DictionaryArray.from_arrays(
        pa.array([2, 0, 2, None, 1], pa.int8()), pa.array(["low", "mid", "high", "never"]), ordered=True
    ),
    "dictionary of integers": lambda: pa.DictionaryArray.from_arrays(
        pa.array([2, 0, 2, None, 1], pa.int32()), pa.array([30, 10, 20])
    ),
    "dictionary with a null value": lambda: pa.DictionaryArray.from_arrays(
        pa.array([1, 0, 1, None, 0], pa.int32()), pa.array(["a", None])
    ),
    "dictionary of lists": lambda: pa.DictionaryArray.from_arrays(
        pa.array([1, 0, 1, None, 0], pa.int16()), pa.array([[1, 2], None])
    ),
    "list": lambda: pa.array([[1, None], [], [3, 4, 5], None, [6]], pa.list_(pa.int32())),
    "large list": lambda: pa.array([["a", None], [], ["b"], None, ["c"]], pa.large_list(pa.string())),
    "fixed-size list": lambda: pa.array([[1, 2], [3, None], [None, None], None, [5, 6]], pa.list_(pa.int16(), 2)),
    "fixed-size list of none": lambda: pa.array([[], [], [], None, []], pa.list_(pa.int16(), 0)),
    "list view": lambda: pa.array([[1, None], [], [3, 4, 5], None, [6]], pa.list_view(pa.int32())),
    "large list view": lambda: pa.array([["a"], [], ["b", None], None, ["c"]], pa.large_list_view(pa.string())),
    "list views that overlap": lambda: pa.ListViewArray.from_arrays(
        pa.array([2, 0, 0, 1, 3], pa.int32()), pa.array([2, 3, 0, 1, 1], pa.int32()), pa.array([1, 2, None, 4])
    ),
    "list of lists": lambda: pa.array([[[1], []], [], [None, [2, None]], None, [[3]]], pa.list_(pa.list_(pa.int8()))),
    "list of dictionaries": lambda: pa.ListArray.from_arrays(
        pa.array([0, 2, 2, 3, 3, 4]), pa.array(["x", "y", "x", None]).dictionary_encode()
    ),
    "list of fields that cannot be null": lambda: pa.array(
        [[1], [], [3], None, [6]], pa.list_(pa.field("element", pa.int32(), nullable=False, metadata={"unit": "m"}))
    ),
    "struct": lambda: pa.array(
        [{"x": 1, "y": "a"}, {"x": None, "y": None}, {"x": 3, "y": "c"}, None, {"x": 5, "y": ""}],
        pa.struct([pa.field("x", pa.int64()), pa.field("y", pa.string())]),
    ),
    "struct without fields": lambda: pa.array([{}, {}, {}, None, {}], pa.struct([])),
    "struct of nested fields": lambda: pa.array(
        [
            {"l": [1], "s": {"z": 1.5}},
            {"l": None, "s": None},
            None,
            {"l": [], "s": {"z": None}},
            {"l": [2], "s": {"z": 0}},
        ],
        pa.struct({"l": pa.list_(pa.int8()), "s": pa.struct({"z": pa.float64()})}),
    ),
    "struct with a name twice": lambda: pa.StructArray.from_arrays(
        [pa.array([1, 2, 3, 4, 5]), pa.array(list("abcde"))],
        fields=[pa.field("x", pa.int64()), pa.field("x", pa.string())],
    ),
    "map": lambda: pa.array(
        [[("a", 1), ("b", None)], [], [("c", 3)], None, [("a", 5)]], pa.map_(pa.string(), pa.int32())
    ),
    "map with sorted keys": lambda: pa.array(
        [[(1, "x"), (2, "y")], [], [(3, None)], None, [(4, "z")]], pa.map_(pa.int64(), pa.string(), keys_sorted=True)
    ),
    "map of lists": lambda: pa.array(
        [[("a", [1])], [], [("c", None)], None, [("a", [])]], pa.map_(pa.string(), pa.list_(pa.int32()))
    ),
    "sparse union": lambda: pa.UnionArray.from_sparse(
        pa.array([5, 9, 5, 5, 9], pa.int8()),
        [pa.array([1, 0, None, 4, 0]), pa.array(["", "b", "", "", None])],
        ["i", "s"],
        [5, 9],
    ),
    "dense union": lambda: pa.UnionArray.from_dense(
        pa.array([5, 9, 5, 5, 9], pa.int8()),
        pa.array([0, 0, 1, 2, 1], pa.int32()),
        [pa.array([1, None, 4]), pa.array(["b", None])],
        ["i", "s"],
        [5, 9],
    ),
    "dense union of lists": lambda: pa.UnionArray.from_dense(
        pa.array([0, 1, 0, 1, 1], pa.int8()),
        pa.array([0, 0, 1, 1, 2], pa.int32()),
        [pa.array([[1], None]), pa.array([{"x": 1}, {"x": None}, None])],
    ),
}
"""Five cells of each type, the fourth null if the type has its own nulls."""

_WITHOUT_NULLS = [name for name in ARRAYS if not any(word in name for word in ("union", "view", "null"))]


def _table(make: Callable[[], Any]) -> Any:
    return pa.table({"a": make()})


for _name, _make in ARRAYS.items():
    CASES[_name] = partial(_table, _make)
    CASES[f"{_name}: a slice"] = partial(lambda make: pa.table({"a": make().slice(1, 3)}), _make)
    CASES[f"{_name}: no rows"] = partial(lambda make: pa.table({"a": make().slice(2, 0)}), _make)
for _name in _WITHOUT_NULLS:
    CASES[f"{_name}: no nulls"] = partial(lambda make: pa.table({"a": make().drop_null()}), ARRAYS[_name])


def _case(make: Callable[[], Any]) -> Callable[[], Any]:
    CASES[make.__name__.replace("_", " ").strip()] = make
    return make


# --------------------------------------------------------------------------- shapes, chunks, schemas
@_case
def all_types_side_by_side() -> Any:
    return pa.table([make() for make in ARRAYS.values()], names=list(ARRAYS))


@_case
def many_chunks_of_many_types() -> Any:
    whole = all_types_side_by_side()
    return pa.concat_tables([whole, whole.slice(1, 2), whole.slice(0, 0), whole.slice(3)])


@_case
def chunks_that_differ_by_column() -> Any:
    text = pa.chunked_array([["a"], ["b", None], [], ["d", "e", "f"]])
    return pa.table({"i": pa.chunked_array([[1, 2, 3], [4, 5, 6]]), "s": text, "f": pa.array(np.arange(6.0))})


@_case
def chunks_with_other_dictionaries() -> Any:
    chunks = [pa.array(words).dictionary_encode() for words in (["a", "b"], ["c", "a", None], ["b"])]
    return pa.table({"d": pa.chunked_array(chunks), "i": np.arange(6)})


@_case
def nulls_in_the_last_chunk_alone() -> Any:
    return pa.table({"i": pa.chunked_array([[1, 2], [3, None]]), "f": pa.chunked_array([[1.5, 2.5], [0.5, None]])})


@_case
def no_columns() -> Any:
    return pa.table({})


@_case
def rows_without_columns() -> Any:
    return pa.table({"a": np.arange(3)}).select([])


@_case
def no_chunks() -> Any:
    return pa.schema([("a", pa.int64()), ("s", pa.string()), ("l", pa.list_(pa.int8()))]).empty_table()


@_case
def one_cell() -> Any:
    return pa.table({"x": [7]})


@_case
def one_thousand_columns() -> Any:
    return pa.table({f"c{i}": pa.array([i, i + 1], pa.int64() if i % 2 else pa.float32()) for i in range(1000)})


@_case
def names_that_stand_twice() -> Any:
    return pa.Table.from_arrays([pa.array([1]), pa.array(["x"]), pa.array([2.5])], names=["a", "a", "a_1"])


@_case
def names_that_are_odd() -> Any:
    names = ["", " ", "é ü", "\U0001f600", "__index_level_0__", "colonnade", "a.b", "line\nbreak", "0"]
    return pa.Table.from_arrays([pa.array([i]) for i in range(len(names))], names=names)


@_case
def metadata_of_schema_and_fields() -> Any:
    fields = [
        pa.field("a", pa.int64(), metadata={"unit": "m", "": "empty key", "z": ""}),
        pa.field("b", pa.list_(pa.field("item", pa.int8(), metadata={"deep": "yes"}))),
        pa.field("c", pa.string(), nullable=False),
        pa.field("d", pa.float64(), nullable=False),
    ]
    arrays = [pa.array([1, 2]), pa.array([[1], None], fields[1].type), pa.array(["x", "y"]), pa.array([0.5, 1.5])]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={"who": "é", "b": "2", "a": "1"}))


@_case
def extension_types_that_pyarrow_knows() -> Any:
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(12, dtype="i4").reshape(3, 2, 2))
    uuids = pa.array([bytes(range(16)), None, bytes(16)], pa.binary(16)).cast(pa.uuid())
    texts = pa.array(['{"a": 1}', None, "[]"], pa.string()).cast(pa.json_(pa.string()))
    flags = pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, None], pa.int8()))
    return pa.table({"tensor": tensors, "uuid": uuids, "json": texts, "bool8": flags})


@_case
def extension_types_that_nobody_knows() -> Any:
    metadata = {"ARROW:extension:name": "nobody.knows", "ARROW:extension:metadata": "bits \0 and \U0001f600"}
    field = pa.field("a", pa.binary(2), metadata=metadata)
    return pa.Table.from_arrays([pa.array([b"ab", None], pa.binary(2))], schema=pa.schema([field]))


@_case
def as_pandas_writes_it() -> Any:
    schema = pa.schema([("a", pa.int64())], metadata={"pandas": '{"index_columns": [], "columns": []}'})
    return pa.Table.from_arrays([pa.array([1, 2])], schema=schema)


@_case
def text_of_naughty_strings() -> Any:
    words = [
        "",
        "\0",
        "null",
        "NaN",
        "\ufeff",
        "\u202e",
        "Ω≈ç√∫",
        "田中さん",
        "\U0001f468\u200d\U0001f469",
        "'; --",
        "a\r\nb",
    ]
    return pa.table({"s": words, "v": pa.array(words, pa.string_view()), "l": pa.array(words, pa.large_string())})


@_case
def times_of_many_kinds() -> Any:
    at = dt.datetime(2020, 10, 25, 1, 30, tzinfo=dt.UTC)
    return pa.table(
        {zone: pa.array([at, None], pa.timestamp("us", zone)) for zone in ("UTC", "America/New_York", "-03:00")}
    )


def long_lists(kind: Any, numbers: Any) -> Any:
    """Lists of 0, 1, 2 and 3 items in turn; each item is its number. It is built from arrays for speed."""
    sizes = numbers % 4
    return kind.from_arrays(np.append(0, np.cumsum(sizes)), np.repeat(numbers, sizes).astype(np.int32))


@_case
def long_enough_for_many_batches() -> Any:
    n = 40_000
    numbers = np.arange(n)
    text = pa.array([f"text {i % 97}" if i % 11 else None for i in range(n)])
    return pa.table(
        {
            "i": numbers,
            "f": numbers * 0.5,
            "b": pa.array(numbers % 3 == 0),
            "s": text,
            "d": text.dictionary_encode(),
            "l": long_lists(pa.ListArray, numbers),
            "n": pa.array(numbers, mask=numbers % 5 == 0),
        }
    )
