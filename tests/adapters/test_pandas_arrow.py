"""Foreign Arrow data into pandas: equal to what `pandas.read_feather` and `pyarrow.Table.to_pandas` give."""

import datetime as dt
import decimal
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import colonnade as cn
from colonnade import _core, _labels
from colonnade.adapters import pandas as adapter
from colonnade.adapters._pandas_arrow_table import table_to_pandas

PANDAS3 = int(pd.__version__.partition(".")[0]) >= 3
BACKENDS = [None, "numpy_nullable", "pyarrow"]


# --------------------------------------------------------------------------- from a table to a core frame
def stream_of(table: Any, batch_rows: int | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=batch_rows)
        if not table.num_rows:  # pyarrow crashes where a dictionary never came
            arrays = [column.chunk(0) if column.num_chunks else pa.nulls(0, column.type) for column in table.columns]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=table.schema))
    return sink.getvalue().to_pybytes()


def landed(source: Any) -> Any:
    """The core frame of a table, or of the stream that pyarrow wrote of it."""
    data = source if isinstance(source, bytes) else stream_of(source)
    file = _core.IpcFile.open_buffer(data, verify=False, limits=_core.Limits(), threads=None)
    return file.load(private=True)


def reference(table: Any, dtype_backend: str | None = None) -> pd.DataFrame:
    return table_to_pandas(table, dtype_backend)


def check(table: Any, dtype_backend: str | None = None) -> pd.DataFrame:
    for batch_rows in (2, None):
        data = stream_of(table, batch_rows)
        try:
            expected = reference(pa.ipc.open_stream(data).read_all(), dtype_backend)
        except Exception as error:
            pytest.skip(f"the reader itself refuses it: {error}")
        back = adapter.from_frame(landed(data), dtype_backend=dtype_backend)
        assert_same(expected, back)
    return back


def assert_same(expected: pd.DataFrame, found: pd.DataFrame) -> None:
    # pandas cannot compare every type that it holds for pyarrow.
    arrow = [i for i, dtype in enumerate(expected.dtypes) if isinstance(dtype, pd.ArrowDtype)]
    for i in arrow:
        left, right = (frame.iloc[:, i].array._pa_array for frame in (expected, found))
        assert left.type == right.type
        assert repr(left.to_pylist()) == repr(right.to_pylist())
    keep = [i for i in range(expected.shape[1]) if i not in arrow]
    if arrow:
        expected, found = expected.iloc[:, keep], found.iloc[:, keep]
    pd.testing.assert_frame_equal(found, expected, check_freq=True, check_flags=True, check_column_type="exact")
    assert type(found.index) is type(expected.index)
    assert type(found.columns) is type(expected.columns)
    assert list(found.index.names) == list(expected.index.names)
    assert list(found.columns.names) == list(expected.columns.names)
    assert found.attrs == expected.attrs
    for i in range(found.shape[1]):
        left, right = expected.iloc[:, i], found.iloc[:, i]
        assert repr(left.dtype) == repr(right.dtype)
        if isinstance(left.dtype, pd.CategoricalDtype):
            assert left.cat.codes.dtype == right.cat.codes.dtype
        if left.dtype == object:
            assert [type(cell) for cell in left] == [type(cell) for cell in right]


# --------------------------------------------------------------------------- every type
def _dictionary(values: Any, codes: Any = None, ordered: bool = False) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array([0, None, 1], codes or pa.int8()), values, ordered=ordered)


_DAY = dt.date(2020, 1, 1)
_TICKS = [0, None, 1_600_000_000]
ARRAYS: dict[str, Any] = {
    **{f"{k}": pa.array([1, 2, 3], k) for k in (pa.int8(), pa.uint16(), pa.int64(), pa.uint64(), pa.float32())},
    **{
        f"{k} nulls": pa.array([1, None, 3], k)
        for k in (pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64())
    },
    "float16 nulls": pa.array(np.array([1, 2, 3], "f2"), mask=np.array([False, True, False])),
    "large uint64 nulls": pa.array([2**64 - 1, None, 2**63 + 1], pa.uint64()),
    "NaN and null": pa.array([float("nan"), None, -0.0]),
    "float16": pa.array(np.array([1, 2, 3], "f2")),
    "bool": pa.array([True, False, True]),
    "bool nulls": pa.array([True, None, False]),
    "null": pa.nulls(3),
    **{f"timestamp {u}": pa.array([1, 2, 3], pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    **{f"timestamp {u} nulls": pa.array(_TICKS, pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
    **{
        f"zone {z}": pa.array(_TICKS, pa.timestamp("us", z))
        for z in ("UTC", "Europe/Berlin", "+01:30", "-08:00", "Etc/GMT+5", "GMT")
    },
    "zone without nulls": pa.array([1, 2, 3], pa.timestamp("ns", "Asia/Kolkata")),
    "duration": pa.array([1, 2, 3], pa.duration("ms")),
    "duration nulls": pa.array([1, None, 3], pa.duration("s")),
    "date32": pa.array([_DAY, None, _DAY], pa.date32()),
    "date64": pa.array([_DAY, None, _DAY], pa.date64()),
    "time32": pa.array([1, None, 3], pa.time32("s")),
    "time64": pa.array([1, None, 3], pa.time64("us")),
    "month day nano": pa.array([(1, 2, 3), None, (0, 0, 0)], pa.month_day_nano_interval()),
    "decimal": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal("-2.25")]),
    "decimal256": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal(0)], pa.decimal256(50, 3)),
    "string": pa.array(["a", None, "ü\0"]),
    "string without nulls": pa.array(["a", "", "b"]),
    "large string": pa.array(["a", None, "b"], pa.large_string()),
    "string view": pa.array(["a", None, "a text that is longer than twelve bytes"], pa.string_view()),
    "binary": pa.array([b"a", None, b"\xff"]),
    "large binary": pa.array([b"a", None, b""], pa.large_binary()),
    "binary view": pa.array([b"a", None, b"b" * 20], pa.binary_view()),
    "fixed size binary": pa.array([b"ab", None, b"c\0"], pa.binary(2)),
    **{
        f"dictionary of {k} codes": _dictionary(pa.array(["a", "b"]), k)
        for k in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64())
    },
    "ordered dictionary": _dictionary(pa.array(["b", "a"]), ordered=True),
    **{
        f"dictionary of {values.type}": _dictionary(values)
        for values in (
            pa.array([1, 2]),
            pa.array([1, 2], pa.uint8()),
            pa.array([1.5, -0.0]),
            pa.array([True, False]),
            pa.array(["a", "b"], pa.large_string()),
            pa.array(["a", "b"], pa.string_view()),
            pa.array([b"a", b"b"]),
            pa.array([1, 2], pa.timestamp("us")),
            pa.array([1, 2], pa.timestamp("us", "Europe/Berlin")),
            pa.array([1, 2], pa.duration("ms")),
            pa.array([_DAY, dt.date(2021, 1, 1)]),
            pa.array([decimal.Decimal(1), decimal.Decimal(2)]),
        )
    },
    "dictionary, unused": pa.DictionaryArray.from_arrays(pa.array([2, 2, None], pa.int8()), pa.array(list("abc"))),
    "list": pa.array([[1, None], None, []]),
    "large list": pa.array([[1], None, []], pa.large_list(pa.int64())),
    "list of text": pa.array([["a", None], None, []]),
    "fixed size list": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int64(), 2)),
    "list view": pa.array([[1, 2], None, [3]], pa.list_view(pa.int64())),
    "struct": pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": None}]),
    "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "nested deeply": pa.array([[{"a": [1.5]}], None, [None]]),
    "run-end encoded": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1, None])),
    **{
        name: pa.ExtensionArray.from_storage(getattr(pa, name)(), storage)
        for name, storage in (
            ("uuid", pa.array([b"a" * 16, None, b"b" * 16], pa.binary(16))),
            ("bool8", pa.array([1, None, 0], pa.int8())),
            ("json_", pa.array(['{"a":1}', None, "1"])),
        )
        if hasattr(pa, name)
    },
}


@pytest.mark.parametrize("dtype_backend", BACKENDS, ids=str)
@pytest.mark.parametrize("name", ARRAYS)
def test_a_column_of_each_type(name: str, dtype_backend: str | None) -> None:
    table = pa.table({"x": ARRAYS[name], "y": pa.array([1, 2, 3])})
    check(table, dtype_backend)


@pytest.mark.parametrize("name", ARRAYS)
def test_a_column_of_no_rows(name: str) -> None:
    check(pa.table({"x": ARRAYS[name], "y": pa.array([1, 2, 3])}).slice(0, 0))


@pytest.mark.parametrize("name", ARRAYS)
def test_an_index_of_each_type(name: str) -> None:
    table = pa.table({"y": pa.array([1, 2, 3]), "x": ARRAYS[name]})
    entry = {"name": "when", "field_name": "x", "pandas_type": "object", "numpy_type": "object", "metadata": None}
    told = {"index_columns": ["x"], "column_indexes": [], "columns": [entry]}
    table = table.replace_schema_metadata({"pandas": json.dumps(told)})
    check(table)


@pytest.mark.parametrize("name", ARRAYS)
def test_fields_that_are_required_or_have_metadata(name: str) -> None:
    array = ARRAYS[name]
    fields = [pa.field("x", array.type, metadata={"unit": "m"}), pa.field("y", pa.int64(), nullable=False)]
    check(pa.table([array, pa.array([1, 2, 3])], schema=pa.schema(fields)))


def test_many_columns_of_all_types_at_once() -> None:
    check(pa.table({name: array for name, array in ARRAYS.items() if _readable(array)}))


def _readable(array: Any) -> bool:
    try:
        reference(pa.table({"x": array}))
    except (pa.ArrowException, ValueError):
        return False
    return not isinstance(array, pa.ExtensionArray)


def test_dictionaries_that_change_from_batch_to_batch() -> None:
    parts = [["b", "a", None], ["c", "a", "c"], [None, None, None], ["a", "d", "b"]]
    texts = pa.chunked_array([pa.array(part, pa.string()).dictionary_encode() for part in parts])
    numbers = pa.chunked_array([pa.array([i, i + 1, None]).dictionary_encode() for i in range(4)])
    days = pa.chunked_array([pa.array([_DAY, dt.date(2020, 1, i), None]).dictionary_encode() for i in range(2, 6)])
    check(pa.table({"t": texts, "n": numbers, "d": days}))


_INTS = {k: k.bit_width for k in (pa.int8(), pa.int16(), pa.int32(), pa.int64())}
_VALUES: dict[Any, Any] = {
    **{k: st.integers(-(2 ** (n - 1)), 2 ** (n - 1) - 1) for k, n in _INTS.items()},
    pa.uint8(): st.integers(0, 255),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(max_size=20),
    pa.large_string(): st.text(max_size=20),
    pa.string_view(): st.text(max_size=20),
    pa.binary(): st.binary(max_size=5),
    pa.binary(3): st.binary(min_size=3, max_size=3),
    pa.timestamp("us"): st.integers(-(10**15), 10**15),
    pa.timestamp("ns", "Europe/Berlin"): st.integers(-(10**17), 10**17),
    pa.duration("ms"): st.integers(-(10**9), 10**9),
    pa.date32(): st.dates(dt.date(1900, 1, 1)),
    pa.decimal128(12, 2): st.decimals(-(10**8), 10**8, places=2),
    pa.list_(pa.int32()): st.lists(st.none() | st.integers(0, 9), max_size=3),
    pa.struct({"a": pa.int8(), "b": pa.string()}): st.fixed_dictionaries({"a": st.integers(0, 9), "b": st.text()}),
}


@st.composite
def tables(draw: Any) -> Any:
    nrows = draw(st.integers(0, 9))
    arrays = []
    for kind in draw(st.lists(st.sampled_from(list(_VALUES)), min_size=1, max_size=6)):
        cells = draw(st.lists(_VALUES[kind] | st.none(), min_size=nrows, max_size=nrows))
        if draw(st.booleans()):
            cells = [cells[0] if cell is None and nrows else cell for cell in cells]
        array = pa.array(cells, kind)
        if nrows and kind in (pa.string(), pa.int64(), pa.date32()) and draw(st.booleans()):
            array = array.dictionary_encode()
        arrays.append(array)
    names = draw(st.lists(st.text(max_size=3), min_size=len(arrays), max_size=len(arrays), unique=True))
    table = pa.Table.from_arrays(arrays, names=names)
    index = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    if not index:
        return table
    entries = [
        {"name": name, "field_name": name, "pandas_type": "object", "numpy_type": "object", "metadata": None}
        for name in names
    ]
    told = {"index_columns": index, "column_indexes": [], "columns": entries}
    return table.replace_schema_metadata({"pandas": json.dumps(told)})


@given(tables())
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table(table: Any) -> None:
    try:
        reference(table)
    except Exception:  # an index level that pandas cannot hold, a date past its reach
        assume(False)
    check(table)


# --------------------------------------------------------------------------- what the readers refuse
@pytest.mark.parametrize(
    "array",
    [
        _dictionary(pa.array(["a", None])),
        _dictionary(pa.array([1.5, float("nan")])),
        pa.array([1, None, 3], pa.time64("ns")),
        pa.array([1, None, 3], pa.timestamp("us", "Mars/Olympus")),
    ],
    ids=lambda array: str(array.type),
)
def test_what_the_readers_refuse_keeps_its_arrow_type(array: Any) -> None:
    table = pa.table({"x": array, "y": pa.array(["a", "b", None]), "d": pa.array([_DAY, None, _DAY])})
    with pytest.raises((ValueError, KeyError)):
        reference(table)
    back = adapter.from_frame(landed(table))
    assert back["x"].dtype == pd.ArrowDtype(array.type)
    assert str(back["x"].array._pa_array.combine_chunks()) == str(array)
    assert_same(reference(table.drop_columns(["x"])), back.drop(columns="x"))


@pytest.mark.parametrize("values", [pa.array(["a", "a"]), pa.array([_DAY, _DAY])], ids=lambda array: str(array.type))
def test_a_dictionary_whose_values_repeat_is_unified(values: Any) -> None:
    back = adapter.from_frame(landed(pa.table({"x": _dictionary(values)})))
    assert back["x"].cat.categories.tolist() == values[:1].to_pylist()
    assert back["x"].cat.codes.tolist() == [0, -1, 0]


# --------------------------------------------------------------------------- frames that pandas wrote
def _frames() -> dict[str, pd.DataFrame]:
    times = pd.date_range("2020-01-01", periods=3, freq="D")
    values = {"a": [1, 2, 3], "b": [1.5, None, 3.5], "c": ["x", None, "z"]}
    multi = pd.MultiIndex.from_arrays([["x", "x", None], [1, 2, 3], times], names=["a", None, "when"])
    wide = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["p", None])
    named = pd.DataFrame(values)
    named.columns.name = "labels"
    nulled = pd.DataFrame(values, index=pd.Index([1.0, None, 2.0], name="f"))
    attrs = pd.DataFrame(values)
    attrs.attrs = {"unit": "m", "n": [1, 2]}
    return {
        "plain": pd.DataFrame(values),
        "text index": pd.DataFrame(values, index=["p", "q", "r"]),
        "named index": pd.DataFrame(values, index=pd.Index([3, 1, 2], name="key")),
        "index named like a column": pd.DataFrame(values, index=pd.Index([3, 1, 2], name="a")),
        "index out of a column": pd.DataFrame(values).set_index("c"),
        "range from five": pd.DataFrame(values, index=pd.RangeIndex(5, 11, 2, name="r")),
        "times": pd.DataFrame(values, index=times),
        "zoned times": pd.DataFrame(values, index=times.tz_localize("Europe/Berlin").rename("t")),
        "durations": pd.DataFrame(values, index=pd.to_timedelta([1, 2, 3], unit="s")),
        "periods": pd.DataFrame(values, index=pd.period_range("2020-01", periods=3, freq="M")),
        "intervals": pd.DataFrame({**values, "i": pd.interval_range(0, 3)}),
        "categorical index": pd.DataFrame(values, index=pd.CategoricalIndex(["u", "v", "u"], name="cat")),
        "nulls in the index": nulled,
        "bool index": pd.DataFrame(values, index=[True, False, True]),
        "nullable index": pd.DataFrame(values, index=pd.Index([1, None, 3], dtype="Int64")),
        "hierarchical index": pd.DataFrame(values, index=multi),
        "hierarchical columns": pd.DataFrame(np.arange(9).reshape(3, 3), columns=wide),
        "integer columns": pd.DataFrame(np.arange(9.0).reshape(3, 3)),
        "labels of uint8": pd.DataFrame(np.ones((2, 3)), columns=np.array([1, 2, 3], "u1")),
        "labels of floats": pd.DataFrame(np.ones((2, 2)), columns=[1.5, 2.5]),
        "labels of times": pd.DataFrame(np.ones((2, 3)), columns=times),
        "labels of zoned times": pd.DataFrame(np.ones((2, 3)), columns=times.tz_localize("Europe/Berlin")),
        "labels of bools": pd.DataFrame(np.ones((2, 2)), columns=[True, False]),
        "labels of bytes": pd.DataFrame(np.ones((2, 2)), columns=[b"a", b"b"]),
        "label None": pd.DataFrame(np.ones((2, 2)), columns=["a", None]),
        "labels of objects": pd.DataFrame(np.ones((2, 2)), columns=pd.Index(["a", "b"], dtype=object)),
        "named columns": named,
        "attrs": attrs,
        "no columns": pd.DataFrame(index=pd.Index([1, 2, 3])),
        "no rows": pd.DataFrame(values).iloc[:0],
        "nothing": pd.DataFrame(),
        "nullable": pd.DataFrame(
            {
                "i": pd.array([1, None, 3], "Int64"),
                "i without nulls": pd.array([1, 2, 3], "Int16"),
                "plain between": [1, 2, 3],
                "u": pd.array([1, None, 3], "UInt8"),
                "f": pd.array([1.5, None, 3], "Float64"),
                "f without nulls": pd.array([1.5, 2, 3], "Float32"),
                "b": pd.array([True, None, False], "boolean"),
                "b without nulls": pd.array([True, False, False], "boolean"),
                "s": pd.array(["a", None, "b"], "string"),
                "python": pd.array(["a", None, "b"], "string[python]"),
                "p": pd.PeriodIndex(["2020-01", None, "2020-03"], freq="M"),
                "c": pd.Categorical(["a", None, "b"], categories=["b", "a"], ordered=True),
                "ci": pd.Categorical([3, None, 1]),
                "t": times.tz_localize("UTC"),
                "arrow": pd.array([1, None, 3], "int64[pyarrow]"),
                "arrow text": pd.array(["a", None, "b"], "string[pyarrow]"),
            }
        ),
    }


@pytest.mark.parametrize("dtype_backend", BACKENDS, ids=str)
@pytest.mark.parametrize("name", _frames())
def test_frames_that_pandas_wrote(name: str, dtype_backend: str | None) -> None:
    check(pa.Table.from_pandas(_frames()[name]), dtype_backend)


@pytest.mark.parametrize("name", _frames())
def test_a_selection_of_columns(name: str) -> None:
    table = pa.Table.from_pandas(_frames()[name])
    core = landed(table)
    if core.ncols < 2:
        return
    try:
        expected = reference(table)
    except Exception as error:
        pytest.skip(f"the reader itself refuses it: {error}")
    positions = [core.ncols - 1, 0]
    back = adapter.from_frame(core.select(positions))
    assert_same(expected.iloc[:, positions], back)


def test_rows_of_a_frame_keep_their_labels() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]})
    for index in (frame.index, pd.Index(["p", "q", "r"]), pd.RangeIndex(4, 1, -1, name="r")):
        core = landed(pa.Table.from_pandas(frame.set_axis(index)))
        assert_same(frame.set_axis(index).iloc[1:], adapter.from_frame(core.slice(1, 3)))


def test_columns_that_stand_twice() -> None:
    arrays = [pa.array([1, 3]), pa.array([2.5, None]), pa.array(["x", None]), pa.array([None, "y"])]
    check(pa.Table.from_arrays(arrays, names=["a", "a", "t", "t"]))
    told = pa.Table.from_pandas(pd.DataFrame({"a": pd.array([1, 2], "Int64"), "t": ["x", "y"]})).schema.metadata
    check(pa.Table.from_arrays(arrays[:1] * 2 + arrays[2:], names=["a", "a", "t", "t"]).replace_schema_metadata(told))


def test_a_dtype_that_pandas_cannot_name_again_keeps_its_arrow_type() -> None:
    array = pa.array([[1, None], None, []])
    frame = pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(array), "y": [1, 2, 3]})
    table = pa.Table.from_pandas(frame)
    pd.testing.assert_frame_equal(adapter.from_frame(landed(table)), frame)


def test_a_zone_that_only_the_metadata_knows() -> None:
    entry = {"name": "t", "field_name": "t", "pandas_type": "datetimetz", "numpy_type": "datetime64[ns]"}
    entry["metadata"] = {"timezone": "Europe/Berlin"}
    told = json.dumps({"index_columns": [], "column_indexes": [], "columns": [entry]})
    for cells in ([1, 2], [1, None]):
        table = pa.table({"t": pa.array(cells, pa.timestamp("ns"))}).replace_schema_metadata({"pandas": told})
        assert str(check(table)["t"].dtype) == "datetime64[ns, Europe/Berlin]"


def test_metadata_of_old_writers_without_field_names() -> None:
    entry = {"name": "a", "pandas_type": "int64", "numpy_type": "Int64", "metadata": None}
    told = json.dumps({"index_columns": [], "columns": [entry], "pandas_version": "0.19.0"})
    table = pa.table({"a": pa.array([1, 2])}).replace_schema_metadata({"pandas": told})
    assert check(table)["a"].dtype == "Int64"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"columns": 3, "index_columns": []}', '{"columns": [{}], "index_columns": []}', "null"]
)
def test_broken_metadata_is_a_decode_error(text: str) -> None:
    core = landed(pa.table({"a": pa.array([1, 2])}))
    origin = _labels.encode({"library": "pandas", "schema_metadata": [["pandas", text]]})
    with pytest.raises(cn.DecodeError, match="schema metadata"):
        adapter.from_frame(core.with_meta("null", None, origin))


# --------------------------------------------------------------------------- ArrowDtype columns in
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("chunks", [0, 1, 3])
def test_arrow_dtype_columns_come_back(name: str, chunks: int) -> None:
    array = ARRAYS[name]
    parts = [array, array.slice(1), array.slice(0, 0)][:chunks]
    frame = pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(pa.chunked_array(parts, array.type))})
    core = adapter.to_frame(frame)
    assert_same(frame, adapter.from_frame(core))
    for start, stop in ((0, len(frame) // 2), (len(frame) // 2, len(frame))):
        assert_same(frame.iloc[start:stop], adapter.from_frame(core.slice(start, stop)))


def test_fields_of_nested_types_keep_their_names_and_metadata() -> None:
    inner = pa.field("x", pa.int8(), nullable=False, metadata={"unit": "m"})
    kind = pa.struct([pa.field("a", pa.list_(inner), nullable=False), pa.field("é", pa.map_(pa.string(), pa.int64()))])
    frame = pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(pa.array([{"a": [1], "é": [("k", 2)]}], kind))})
    back = adapter.from_frame(adapter.to_frame(frame))
    assert back["x"].dtype.pyarrow_dtype.equals(kind, check_metadata=True)
    assert_same(frame, back)


# --------------------------------------------------------------------------- polars
def test_frames_of_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "i": [1, None, 3],
            "f": [1.5, 2.5, None],
            "s": ["a", None, "a text that is longer than twelve bytes"],
            "b": [True, False, True],
            "d": [_DAY, None, _DAY],
            "t": [dt.datetime(2020, 1, 1), None, dt.datetime(2021, 1, 1)],
            "l": [[1, 2], None, []],
            "st": [{"a": 1}, None, {"a": 2}],
        }
    ).with_columns(
        pl.col("s").cast(pl.Categorical).alias("c"),
        pl.Series("e", ["u", None, "v"], dtype=pl.Enum(["v", "u"])),
        pl.col("t").dt.replace_time_zone("Europe/Berlin").alias("z"),
    )
    for level in (pl.CompatLevel.oldest(), pl.CompatLevel.newest()):
        sink = io.BytesIO()
        frame.write_ipc_stream(sink, compat_level=level)
        table = pa.ipc.open_stream(sink.getvalue()).read_all()
        readable = [name for name in table.column_names if _readable(table[name])]
        back = adapter.from_frame(landed(sink.getvalue()))
        assert back.shape == frame.shape
        assert_same(reference(table.select(readable)), back[readable])


# --------------------------------------------------------------------------- memory and options
def test_blocks_are_not_copied_or_taken_apart() -> None:
    values = np.arange(20_000.0).reshape(10_000, 2)
    core = landed(pa.Table.from_pandas(pd.DataFrame(values.T, columns=[f"c{i}" for i in range(10_000)])))
    back = adapter.from_frame(core)
    assert len(back._mgr.blocks) == 1
    assert (back.to_numpy() == values.T).all()


def test_numbers_with_nulls_share_a_block() -> None:
    table = pa.table({f"c{i}": pa.array([i, None], pa.int32() if i % 2 else pa.float64()) for i in range(10)})
    back = check(table)
    assert len(back._mgr.blocks) == 1


def test_the_frame_is_writable_and_alone() -> None:
    table = pa.table({"i": [1, 2], "n": [1, None], "b": [True, False], "t": pa.array([1, None], pa.timestamp("us"))})
    data = stream_of(table)
    frame = cn.decode(data, "arrows")
    back = frame.to_pandas()
    back.iloc[0, 0], back.iloc[0, 1], back.iloc[1, 2], back.iloc[0, 3] = 9, 9.0, True, pd.Timestamp("1999")
    assert_same(reference(table), frame.to_pandas())
    assert pa.ipc.open_stream(data).read_all().equals(table)


_WITHOUT_PYARROW = """
import sys
sys.modules["pyarrow"] = None
import colonnade as cn
for name in sys.argv[1:]:
    try:
        frame = cn.read(name).to_pandas()
        print(repr(frame["x"].dtype), frame["x"].tolist())
    except ImportError as error:
        print("ImportError", error)
"""


def test_without_pyarrow_cheap_types_come_and_the_rest_is_named(tmp_path: Path) -> None:
    wanted = {
        "int64 nulls": "dtype('float64') [1.0, nan, 3.0]",
        "bool nulls": "dtype('O') [True, None, False]",
        "string": "['a', nan, 'ü\\x00']" if PANDAS3 else "['a', None, 'ü\\x00']",
        "timestamp us nulls": "NaT",
        "zone UTC": "datetime64[us, UTC]",
        "dictionary of int8 codes": "categories=['a', 'b']",
        "binary": "[b'a', None, b'\\xff']",
        "null": "[None, None, None]",
        "date32": "ImportError pandas: column 'x' (date32[day]): pyarrow is not installed",
        "list": "ImportError pandas: column 'x' (list",
    }
    names = []
    for i, name in enumerate(wanted):
        names.append(tmp_path / f"{i}.arrows")
        names[-1].write_bytes(stream_of(pa.table({"x": ARRAYS[name]})))
    run = subprocess.run([sys.executable, "-c", _WITHOUT_PYARROW, *names], capture_output=True, text=True, check=True)
    for line, piece in zip(run.stdout.splitlines(), wanted.values(), strict=True):
        assert piece in line


@pytest.mark.parametrize("backend", ["numpy", "arrow", "", 1, True])
def test_an_unknown_backend_is_an_option_error(backend: Any) -> None:
    with pytest.raises(cn.OptionError, match="'numpy_nullable' or 'pyarrow'"):
        adapter.from_frame(landed(pa.table({"a": [1]})), dtype_backend=backend)
