"""The pyarrow adapter: tables to the core and back, and what other libraries' frames become."""

import decimal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn
from colonnade._values.record_batches import Batches
from colonnade.adapters import find_adapter
from colonnade.testing import strategies_pyarrow
from colonnade.testing._arrow_cells import columns_of, same_column


def assert_same(left: Any, right: Any) -> None:
    """Schema with all metadata, rows, and the cells of each column to the bit; where batches end may differ."""
    assert type(left) is type(right)
    assert left.schema.equals(right.schema, check_metadata=True), f"{left.schema}\n{right.schema}"
    assert left.num_rows == right.num_rows
    assert all(same_column(left.column(i), right.column(i)) for i in range(left.num_columns))
    left.validate(full=True)


def back(table: Any) -> Any:
    return cn.Frame(table).to_native()


FIELDS = [
    pa.field("a", pa.int64(), nullable=False, metadata={"unit": "m", "b": "1"}),
    pa.field("s", pa.string()),
    pa.field("l", pa.large_string()),
    pa.field("v", pa.string_view()),
    pa.field("d", pa.dictionary(pa.int16(), pa.string(), ordered=True)),
    pa.field("t", pa.timestamp("us", "Europe/Amsterdam")),
    pa.field("n", pa.null()),
    pa.field("x", pa.list_(pa.field("element", pa.int8(), nullable=False))),
]
TABLE = pa.table(
    [
        pa.array([1, 2, 3], pa.int64()),
        pa.array(["a", None, "ccc"]),
        pa.array(["", "b", None], pa.large_string()),
        pa.array(["short", "longer than twelve bytes", None], pa.string_view()),
        pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int16()), pa.array(["x", "y"]), ordered=True),
        pa.array([0, None, 10**15], pa.timestamp("us", "Europe/Amsterdam")),
        pa.nulls(3),
        pa.array([[1, 2], None, []], FIELDS[-1].type),
    ],
    schema=pa.schema(FIELDS, metadata={"k": "v", "a": "z"}),
)


# ---------------------------------------------------------------------------- there and back


def test_a_table_comes_back() -> None:
    assert_same(back(TABLE), TABLE)


def test_a_record_batch_comes_back_as_one() -> None:
    batch = TABLE.to_batches()[0]
    assert_same(back(batch), batch)
    assert_same(back(batch.slice(0, 0)), batch.slice(0, 0))


def test_a_reader_is_read_and_comes_back_as_a_table() -> None:
    assert_same(back(TABLE.to_reader(max_chunksize=2)), TABLE)


def test_batches_stay_apart_and_share_their_memory() -> None:
    first, second = TABLE.slice(0, 2), TABLE.slice(2)
    table = pa.concat_tables([first, second])
    made = find_adapter(table).to_frame(table)  # type: ignore[union-attr]
    assert isinstance(made, Batches)
    assert [frame.nrows for frame in made.load_arrow()] == [2, 1]
    assert list(cn.Frame(table).index) == [0, 1, 2]
    out = back(table)
    assert_same(out, table)
    column = out.column("l").chunk(0)
    assert column.buffers()[2].address == table.column("l").chunk(0).buffers()[2].address


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(strategies_pyarrow.tables())
def test_random_tables_come_back(table: Any) -> None:
    assert_same(back(table), table)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(strategies_pyarrow.tables())
def test_random_tables_are_equal_to_themselves_in_other_batches(table: Any) -> None:
    frame, other = cn.Frame(table), cn.Frame(pa.Table.from_batches(table.to_batches(max_chunksize=2), table.schema))
    assert frame.equals(other)
    assert frame.identical(frame)


@pytest.mark.parametrize(
    "table",
    [
        pa.table({}),
        pa.table({"a": pa.array([], pa.int64())}),
        pa.schema([("a", pa.list_(pa.int8()))]).empty_table(),
        pa.Table.from_batches([], schema=pa.schema([("a", pa.string())])),
    ],
    ids=["0x0", "0x1", "empty list", "no batches"],
)
def test_empty_tables_come_back(table: Any) -> None:
    assert_same(back(table), table)


def test_rows_without_columns_come_back() -> None:
    batch = pa.RecordBatch.from_struct_array(pa.array([{}, {}, {}], pa.struct([])))
    assert batch.num_rows == 3
    assert cn.Frame(batch).shape == (3, 0)
    assert back(batch).num_rows == 3


def test_names_may_stand_twice_or_be_empty() -> None:
    table = pa.table([pa.array([1]), pa.array(["x"]), pa.array([2.5])], names=["a", "a", ""])
    assert list(cn.Frame(table).columns) == ["a", "a", ""]
    assert_same(back(table), table)


def test_metadata_may_be_any_bytes() -> None:
    table = pa.table({"a": [1]}).replace_schema_metadata({b"raw": b"\xff\x00", b"text": b"\xc3\xa9"})
    assert_same(back(table), table)


def test_extension_types_come_back() -> None:
    table = pa.table(
        {"u": pa.array([b"0123456789abcdef", None], pa.uuid()), "j": pa.array(['{"a":1}', None], pa.json_())}
    )
    assert_same(back(table), table)


def test_index_fields_come_back_where_they_stood() -> None:
    import pandas as pd

    index = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["k", None])
    frame = pd.DataFrame({"a": [1, 2], "b": [3.5, 4.5]}, index=index)
    table = pa.Table.from_pandas(frame)
    assert_same(back(table), table)
    moved = table.select(["k", "a", "__index_level_1__", "b"])
    assert cn.Frame(moved).shape == (2, 2)
    assert_same(back(moved), moved)
    pd.testing.assert_frame_equal(back(moved).to_pandas(), moved.to_pandas())


def test_selected_columns_and_rows_keep_types_and_metadata() -> None:
    out = cn.Frame(TABLE).select(["t", "a"]).slice(1, 3).to_native()
    assert_same(out, TABLE.select(["t", "a"]).slice(1, 2))


@pytest.mark.parametrize("format", ["npz", "arrow", "arrows"])
def test_a_table_comes_back_from_a_file(format: str) -> None:
    frame = cn.decode(cn.encode(TABLE, format))
    assert_same(frame.to_native(), TABLE)
    assert frame.equals(TABLE)


@pytest.mark.parametrize("format", ["npz", "arrow", "arrows"])
@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=50)
@given(table=strategies_pyarrow.tables())
def test_random_tables_come_back_from_a_file(format: str, table: Any) -> None:
    frame = cn.decode(cn.encode(table, format))
    out = frame.to_native()
    assert out.schema.equals(table.schema, check_metadata=True)
    assert columns_of(out) == columns_of(table)


@each("format", ["arrow", "arrows", "npz", "parquet", "msgpack"])
def test_the_order_of_dictionaries_within_lists_is_each_tables_own(format: str) -> None:
    for ordered in (True, False, True):
        words = pa.dictionary(pa.int64(), pa.string(), ordered=ordered)
        table = pa.table({"x": pa.array([], pa.list_(words))})
        out = cn.decode(cn.encode(table, format)).to_native()
        assert out.schema.field("x").type.value_type.ordered is ordered


# ---------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (lambda: pa.array([1]), "pyarrow.table({'name': array})"),
        (lambda: pa.chunked_array([[1]]), "pyarrow.table({'name': array})"),
        (lambda: pytest.importorskip("pyarrow.dataset").dataset(pa.table({"a": [1]})), ".to_table()"),
    ],
    ids=["Array", "ChunkedArray", "Dataset"],
)
def test_what_is_no_table_is_refused_with_advice(make: Any, advice: str) -> None:
    with pytest.raises(TypeError) as raised:
        cn.Frame(make())
    assert advice in str(raised.value)


# ---------------------------------------------------------------------------- the interface


def test_a_frame_is_taken_by_pyarrow_as_it_is() -> None:
    frame = cn.Frame({"a": np.arange(3), "b": np.array([1.5, np.nan, 3])})
    assert pa.table(frame).column_names == ["a", "b"]
    assert pa.schema(frame) == pa.table(frame).schema
    reader = pa.RecordBatchReader.from_stream(frame)
    assert reader.read_all().column("a").to_pylist() == [0, 1, 2]
    lazy = cn.decode(cn.encode(frame, "npz"), columns=["b"], rows=slice(1, 3))
    assert pa.table(lazy).column("b").to_pylist()[1] == 3.0


def test_packed_columns_are_not_copied() -> None:
    values = np.arange(1000, dtype="f8")
    table = cn.Frame({"a": values}).to_arrow()
    assert table.column("a").chunk(0).buffers()[1].address == values.ctypes.data


def test_memory_lives_as_long_as_the_table() -> None:
    code = """
import gc, numpy as np, pyarrow as pa, colonnade as cn
frame = cn.Frame(pa.table({"a": np.arange(100_000), "s": ["text %d" % i for i in range(100_000)]}))
table = frame.to_arrow(); del frame; gc.collect()
assert table.column("s")[99_999].as_py() == "text 99999" and table.column("a")[5].as_py() == 5
stream = cn.Frame({"x": np.arange(10)}).__arrow_c_stream__(); del stream; gc.collect()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_schema_is_had_without_data() -> None:
    frame = cn.Frame(TABLE)
    assert pa.schema(frame).field("d").type == TABLE.schema.field("d").type
    assert dict(frame.dtypes)["t"].startswith("timestamp[us")
    assert "list" in repr(frame.schema)


def test_nested_columns_are_shown() -> None:
    text = repr(
        cn.Frame(pa.table({"l": [[1, 2], None], "s": [{"a": "x"}, {"a": None}], "d": [decimal.Decimal("1.5"), None]}))
    )
    assert "[1, 2]" in text
    assert "null" in text
    assert "1.5" in text


# ---------------------------------------------------------------------------- equality


def test_layout_says_nothing_of_values() -> None:
    arrays = {
        "i": np.arange(3),
        "f": np.array([np.nan, -0.0, 1.0]),
        "b": np.array([True, False, True]),
        "t": np.array(["2020-01-01", "NaT", "2021-01-01"], "M8[us]"),
    }
    table = pa.table({name: pa.array(values) for name, values in arrays.items()})
    assert cn.Frame(arrays).equals(table)
    assert cn.Frame(table).equals(arrays)
    other = dict(arrays, f=np.array([np.nan, 0.0, 1.0]))
    assert cn.Frame(table).equals(other)
    assert not cn.Frame(table).identical(other)


@each(
    ("left", "right", "same"),
    [
        ([[1.0, float("nan")]], [[1.0, float("nan")]], True),
        ([[1.0, float("nan")]], [[1.0, None]], False),
        ([{"a": 1}, None], [{"a": 1}, {"a": None}], False),
        ([[1], [2, 3]], [[1, 2], [3]], False),
        ([[], None], [None, []], False),
        ([{"a": [0.0]}], [{"a": [-0.0]}], True),
    ],
)
def test_nested_values_are_compared(left: Any, right: Any, same: bool) -> None:
    a, b = cn.Frame(pa.table({"x": left})), cn.Frame(pa.table({"x": right}))
    assert a.equals(b) is same


def test_what_lies_under_nulls_does_not_count() -> None:
    kind = pa.list_(pa.int64())
    offsets = pa.array([0, 2, 3], pa.int32())
    hidden = pa.ListArray.from_arrays(offsets, pa.array([7, 8, 9]), mask=pa.array([True, False]))
    plain = pa.array([None, [9]], kind)
    assert hidden.to_pylist() == plain.to_pylist()
    assert cn.Frame(pa.table({"x": hidden})).identical(pa.table({"x": plain}))


def test_dictionaries_are_compared_by_value() -> None:
    left = pa.DictionaryArray.from_arrays([0, 1, None], ["x", "y"])
    right = pa.DictionaryArray.from_arrays([1, 0, None], ["y", "x"])
    assert cn.Frame(pa.table({"d": left})).equals(pa.table({"d": right}))
    assert not cn.Frame(pa.table({"d": left})).identical(pa.table({"d": right}))
    assert not cn.Frame(pa.table({"d": left})).equals(
        pa.table({"d": pa.DictionaryArray.from_arrays([0, 0, None], ["x", "y"])})
    )
