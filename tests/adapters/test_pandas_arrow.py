"""Foreign Arrow columns into pandas: equal to what `pandas.read_feather` and `pyarrow.Table.to_pandas` give."""

import datetime as dt
import json
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from colonnade.adapters import pandas as adapter
from tests.helpers.arrow_arrays import ARRAYS, DAY, dictionary
from tests.helpers.pandas_readers import BACKENDS, assert_same, check, landed, readable, reference


# --------------------------------------------------------------------------- every type
@each("dtype_backend", list(BACKENDS), ids=str)
@each("name", list(ARRAYS), per=20)
def test_a_column_of_each_type(name: str, dtype_backend: str | None) -> None:
    table = pa.table({"x": ARRAYS[name], "y": pa.array([1, 2, 3])})
    check(table, dtype_backend)


@each("name", list(ARRAYS), per=50)
def test_a_column_of_no_rows(name: str) -> None:
    check(pa.table({"x": ARRAYS[name], "y": pa.array([1, 2, 3])}).slice(0, 0))


@each("name", list(ARRAYS), per=50)
def test_an_index_of_each_type(name: str) -> None:
    table = pa.table({"y": pa.array([1, 2, 3]), "x": ARRAYS[name]})
    entry = {"name": "when", "field_name": "x", "pandas_type": "object", "numpy_type": "object", "metadata": None}
    told = {"index_columns": ["x"], "column_indexes": [], "columns": [entry]}
    table = table.replace_schema_metadata({"pandas": json.dumps(told)})
    check(table)


@each("name", list(ARRAYS), per=50)
def test_fields_that_are_required_or_have_metadata(name: str) -> None:
    array = ARRAYS[name]
    fields = [pa.field("x", array.type, metadata={"unit": "m"}), pa.field("y", pa.int64(), nullable=False)]
    check(pa.table([array, pa.array([1, 2, 3])], schema=pa.schema(fields)))


def test_many_columns_of_all_types_at_once() -> None:
    check(pa.table({name: array for name, array in ARRAYS.items() if readable(array)}))


def test_dictionaries_that_change_from_batch_to_batch() -> None:
    parts = [["b", "a", None], ["c", "a", "c"], [None, None, None], ["a", "d", "b"]]
    texts = pa.chunked_array([pa.array(part, pa.string()).dictionary_encode() for part in parts])
    numbers = pa.chunked_array([pa.array([i, i + 1, None]).dictionary_encode() for i in range(4)])
    days = pa.chunked_array([pa.array([DAY, dt.date(2020, 1, i), None]).dictionary_encode() for i in range(2, 6)])
    check(pa.table({"t": texts, "n": numbers, "d": days}))


# --------------------------------------------------------------------------- what the readers refuse
@pytest.mark.parametrize(
    "array",
    [
        dictionary(pa.array(["a", None])),
        dictionary(pa.array([1.5, float("nan")])),
        pa.array([1, None, 3], pa.time64("ns")),
        pa.array([1, None, 3], pa.timestamp("us", "Mars/Olympus")),
    ],
    ids=lambda array: str(array.type),
)
def test_what_the_readers_refuse_keeps_its_arrow_type(array: Any) -> None:
    table = pa.table({"x": array, "y": pa.array(["a", "b", None]), "d": pa.array([DAY, None, DAY])})
    with pytest.raises((ValueError, KeyError)):
        reference(table)
    back = adapter.from_frame(landed(table))
    assert back["x"].dtype == pd.ArrowDtype(array.type)
    assert str(back["x"].array._pa_array.combine_chunks()) == str(array)
    assert_same(reference(table.drop_columns(["x"])), back.drop(columns="x"))


@pytest.mark.parametrize("values", [pa.array(["a", "a"]), pa.array([DAY, DAY])], ids=lambda array: str(array.type))
def test_a_dictionary_whose_values_repeat_is_unified(values: Any) -> None:
    back = adapter.from_frame(landed(pa.table({"x": dictionary(values)})))
    assert back["x"].cat.categories.tolist() == values[:1].to_pylist()
    assert back["x"].cat.codes.tolist() == [0, -1, 0]


# --------------------------------------------------------------------------- ArrowDtype columns in
@each("name", list(ARRAYS))
@each("chunks", [0, 1, 3], per=20)
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


# --------------------------------------------------------------------------- random tables
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
