"""DataFrames that pandas wrote to Arrow, and frames of polars, read as their own readers read them."""

import datetime as dt
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

import pandas as pd
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import colonnade as cn
from colonnade._values import tagged_labels
from colonnade.adapters import pandas as adapter
from tests.helpers.arrow_arrays import ARRAYS, DAY
from tests.helpers.pandas_readers import BACKENDS, assert_same, check, landed, readable, reference, stream_of

PANDAS3 = int(pd.__version__.partition(".")[0]) >= 3


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


@each("dtype_backend", list(BACKENDS), ids=str)
@each("name", list(_frames()))
def test_frames_that_pandas_wrote(name: str, dtype_backend: str | None) -> None:
    check(pa.Table.from_pandas(_frames()[name]), dtype_backend)


@each("name", list(_frames()))
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


@each("text", ["", "[]", "{", '{"columns": 3, "index_columns": []}', '{"columns": [{}], "index_columns": []}', "null"])
def test_broken_metadata_is_a_decode_error(text: str) -> None:
    core = landed(pa.table({"a": pa.array([1, 2])}))
    origin = tagged_labels.encode({"library": "pandas", "schema_metadata": [["pandas", text]]})
    with pytest.raises(cn.DecodeError, match="schema metadata"):
        adapter.from_frame(core.with_meta("null", None, origin))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["a", "x", "str", "Int64", "period[?]", "i4,O"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["kind", "name"]), inner, max_size=2),
    max_leaves=4,
)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_metadata_that_says_anything_is_taken_or_refused(data: Any) -> None:
    """One value of the metadata is another: a DataFrame of the same shape comes, or one of our errors."""
    table = pa.Table.from_pandas(
        pd.DataFrame(
            {"a": [1, 2], "t": pd.to_datetime(["2020", None], utc=True)}, index=pd.Index(["x", None], name="i")
        )
    )
    told = json.loads(table.schema.metadata[b"pandas"])
    place: Any = told
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    if data.draw(st.booleans()):
        place[key] = data.draw(_JSON)
    else:
        del place[key]
    core = landed(table.replace_schema_metadata({"pandas": json.dumps(told)}))
    try:
        back = adapter.from_frame(core)
    except cn.ColonnadeError:
        return
    assert back.shape == (core.nrows, core.ncols)


# --------------------------------------------------------------------------- polars
def test_frames_of_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(
        {
            "i": [1, None, 3],
            "f": [1.5, 2.5, None],
            "s": ["a", None, "a text that is longer than twelve bytes"],
            "b": [True, False, True],
            "d": [DAY, None, DAY],
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
        known = [name for name in table.column_names if readable(table[name])]
        back = adapter.from_frame(landed(sink.getvalue()))
        assert back.shape == frame.shape
        assert_same(reference(table.select(known)), back[known])


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


@pytest.mark.parametrize("dtype_backend", ["numpy_nullable", "pyarrow"])
def test_a_backend_for_frames_of_pandas_itself(dtype_backend: str) -> None:
    frame = pd.DataFrame(
        {
            ("a", 1): [1, 2, 3],
            ("a", "text"): ["x", None, "z"],
            None: [1.5, 2.5, -0.0],
            2: [True, False, True],
            3: pd.Categorical(["u", "v", "u"]),
            4: pd.array([1, None, 3], "Int8"),
            5: pd.to_datetime(["2020", None, "2021"]),
        },
        index=pd.Index(["p", "q", "r"], name=("n", 1)),
    )
    frame.columns = pd.Index(list(frame.columns), tupleize_cols=False, dtype=object)
    taken = cn.Frame(frame)
    expected = reference(pa.RecordBatchReader.from_stream(taken).read_all(), dtype_backend)
    back = taken.to_pandas(dtype_backend=dtype_backend)
    pd.testing.assert_index_equal(back.index, frame.index)
    pd.testing.assert_index_equal(back.columns, frame.columns)
    assert_same(
        expected.set_axis(range(7), axis=1).reset_index(drop=True),
        back.set_axis(range(7), axis=1).reset_index(drop=True),
    )


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


@each("backend", ["numpy", "arrow", "", 1, True])
def test_an_unknown_backend_is_an_option_error(backend: Any) -> None:
    with pytest.raises(cn.OptionError, match="'numpy_nullable' or 'pyarrow'"):
        adapter.from_frame(landed(pa.table({"a": [1]})), dtype_backend=backend)
