"""The pandas adapter: what it hands over without a copy, and what it makes of columns that pandas did not write."""

import datetime as dt
import gc
import io
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pandas")

import pandas as pd

import colonnade as cn
from colonnade import _core, adapters
from colonnade._values import tagged_labels
from colonnade.adapters import pandas as adapter
from colonnade.testing.cases_pandas import assert_identical

PANDAS3 = int(pd.__version__.partition(".")[0]) >= 3
DEFAULT_TEXT = pd.StringDtype(na_value=np.nan) if PANDAS3 else np.dtype(object)


def foreign(*arrays: Any, index: Any = None, columns: Any = None, **meta: Any) -> Any:
    """A core frame of these arrays, as if another library had made it."""
    nrows = len(arrays[0])
    builder = _core.FrameBuilder(nrows, len(arrays))
    for position, array in enumerate(arrays):
        if isinstance(array, _core.ArrowColumn):
            builder.add_arrow(position, array)
        else:
            builder.add_block(np.asarray(array)[np.newaxis], [position])
    axes = index or _core.Axis.auto(0, nrows, 1), columns or _core.Axis.auto(0, len(arrays), 1)
    return builder.finish(*axes, **meta)


# --------------------------------------------------------------------------- which adapter
def test_an_adapter_is_found_by_the_class_and_its_bases() -> None:
    class Mine(pd.DataFrame):
        pass

    assert adapters.find_adapter(pd.DataFrame()) is adapter
    assert adapters.find_adapter(Mine()) is adapter
    assert adapters.find_adapter(np.zeros(3)).LIBRARY == "numpy"
    assert adapters.find_adapter([1, 2]) is None
    assert adapters.find_adapter(dt.date(2020, 1, 1)) is None


def test_a_series_is_a_frame_of_one_column() -> None:
    series = pd.Series([1, 2], index=["p", "q"], name="x")
    assert adapter.from_frame(adapter.to_frame(series, options={})).equals(series.to_frame())
    with pytest.raises(TypeError, match="pandas: expected a DataFrame, found a Index"):
        adapter.to_frame(series.index, options={})


def test_a_subclass_comes_back_as_a_dataframe() -> None:
    class Mine(pd.DataFrame):
        pass

    assert type(adapter.from_frame(adapter.to_frame(Mine({"a": [1]}), options={}))) is pd.DataFrame


# --------------------------------------------------------------------------- memory
@pytest.mark.parametrize("borrow", [False, True])
def test_blocks_are_not_copied(borrow: bool) -> None:
    frame = pd.DataFrame(np.arange(12.0).reshape(4, 3))
    core = adapter.to_frame(frame, options={"borrow": borrow})
    ((values, positions),) = core.blocks()
    assert np.shares_memory(values, frame.to_numpy())
    assert positions.tolist() == [0, 1, 2]


@pytest.mark.skipif(not PANDAS3, reason="copy on write is pandas 3's")
def test_later_changes_of_the_dataframe_do_not_reach_the_frame() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "t": pd.to_datetime(["2020", "2021"])})
    frame["n"] = pd.array([1, 2], dtype="Int64")
    expected = frame.copy(deep=True)
    taken = cn.Frame(frame)
    gc.collect()
    frame.iloc[0, 0] = -1.0
    frame.iloc[0, 2] = pd.Timestamp("1999")
    frame.iloc[0, 3] = 100
    assert_identical(expected, taken.to_pandas())


def test_a_frame_in_memory_gives_each_dataframe_its_own_arrays() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "n": pd.array([1, 2], dtype="Int64"), "c": pd.Categorical(["x", "y"])})
    taken = cn.Frame(frame)
    first = taken.to_pandas()
    first.iloc[0, 0], first.iloc[0, 1], first.iloc[0, 2] = 9.0, 9, "y"
    assert_identical(frame, taken.to_pandas())
    assert frame.iloc[0, 0] == 1.0


def test_index_values_moved_into_a_column_are_writable() -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index([10, 20], name="i"))
    back = cn.decode(cn.encode(frame, "npz")).to_pandas().reset_index()
    gc.collect()
    back.iloc[0, 0] = 5
    assert back["i"].tolist() == [5, 20]


@each("null", [None, float("nan"), pd.NA], ids=str)
@each("distinct", [7, 20_000])
def test_many_objects_come_back(distinct: int, null: Any) -> None:
    cells = np.array([f"text {i % distinct}" for i in range(20_000)], dtype=object)
    cells[::3] = null
    frame = pd.DataFrame({"s": cells, "b": [None if type(c) is not str else c.encode() for c in cells]}, dtype=object)
    assert_identical(frame, adapter.from_frame(adapter.to_frame(frame, options={})))


# --------------------------------------------------------------------------- options
def test_sparse_columns_are_densified_only_if_asked() -> None:
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 5]), "b": [1, 2, 3]})
    back = adapter.from_frame(adapter.to_frame(frame, options={"densify_sparse": True}))
    pd.testing.assert_frame_equal(back, frame.assign(a=frame["a"].sparse.to_dense()))


def test_sparse_columns_are_dense_to_other_libraries() -> None:
    frame = pd.DataFrame({"n": pd.arrays.SparseArray([0, 0, 5]), "x": pd.arrays.SparseArray([np.nan, 1.5, np.nan])})
    for read, format in ((pd.read_parquet, "parquet"), (pd.read_feather, "arrow")):
        dense = read(io.BytesIO(cn.encode(frame, format)))
        pd.testing.assert_frame_equal(dense, frame.sparse.to_dense())
    assert cn.Frame(frame).to_numpy()["n"].tolist() == [0, 0, 5]


@each(
    "tag",
    ['{"kind":"sparse"}', '{"kind":"sparse","subtype":"<f8","fill":0,"index":"integer"}',
     '{"kind":"sparse","subtype":"<i8","fill":0,"index":"tree"}', '{"kind":"sparse","subtype":[],"fill":{},"index":0}'],
)  # fmt: skip
def test_a_sparse_tag_that_does_not_fit_is_refused(tag: str) -> None:
    with pytest.raises(cn.DecodeError, match="does not fit the data"):
        adapter.from_frame(foreign(_core.ArrowColumn.from_masked(np.arange(2), None, tag)))


# --------------------------------------------------------------------------- frames of other libraries
@each("unit", ["Y", "M", "W", "D", "h", "m", "25s", "s", "ms", "us", "ns", "ps"])
def test_times_of_any_unit_come_in_the_nearest_unit_of_pandas(unit: str) -> None:
    values = (
        np.array(["1970-01-01", "2020-01-01", "NaT"], f"M8[{unit}]")
        if unit != "ps"
        else np.array([0, 5000, "NaT"], "M8[ps]")
    )
    back = adapter.from_frame(foreign(values))[0]
    wanted = unit if unit in ("s", "ms", "us", "ns") else "ns" if unit == "ps" else "s"
    assert back.dtype == f"M8[{wanted}]"
    assert (back.to_numpy()[:2] == values[:2]).all()
    assert pd.isna(back[2])


@pytest.mark.parametrize(
    "values", [np.array([1], "M8[ps]"), np.array([2**40], "M8[Y]"), np.array([1], "m8[M]"), np.array([1], "m8")]
)
def test_times_that_pandas_cannot_hold_are_refused_by_name(values: np.ndarray) -> None:
    with pytest.raises(cn.UnsupportedError, match="column 0"):
        adapter.from_frame(foreign(values))


def test_big_endian_times_become_native() -> None:
    values = np.array(["2020-01-01", "NaT"], ">M8[ns]")
    back = adapter.from_frame(foreign(values))[0]
    assert back.to_numpy().tolist() == values.astype("M8[ns]").tolist()


def test_fixed_width_text_and_bytes() -> None:
    core = foreign(np.array(["a", "bé"]), np.array([b"a", b"\0b"]), np.array([b"ab", b"c\0"], "V2"))
    back = adapter.from_frame(core)
    assert back.dtypes[0] == DEFAULT_TEXT
    assert back[0].tolist() == ["a", "bé"]
    assert (back.dtypes[1], back.dtypes[2]) == (object, object)
    assert back[1].tolist() == [b"a", b"\0b"]
    assert back[2].tolist() == [b"ab", b"c\0"]


def test_arrow_columns_of_others_come_in_the_dtypes_of_pandas() -> None:
    mask = np.array([False, True])
    columns = {
        "text": _core.ArrowColumn.from_objects(np.array(["a", None], object), "str"),
        "bytes": _core.ArrowColumn.from_objects(np.array([b"a", None], object), "bytes"),
        "int": _core.ArrowColumn.from_masked(np.array([1, 2]), None),
        "int with null": _core.ArrowColumn.from_masked(np.array([1, 2]), mask),
        "float with null": _core.ArrowColumn.from_masked(np.array([np.nan, 2.0]), mask),
        "half with null": _core.ArrowColumn.from_masked(np.array([1.5, 2.0], "f2"), mask),
        "bool with null": _core.ArrowColumn.from_masked(np.array([True, False]), mask),
        "time": _core.ArrowColumn.from_masked(np.array(["2020", "2021"], "M8[ms]"), mask),
        "duration": _core.ArrowColumn.from_masked(np.array([1, 2], "m8[s]"), mask),
        "dictionary": _core.ArrowColumn.dictionary(
            np.array([1, -1], "i1"), _core.ArrowColumn.from_objects(np.array(["a", "b"], object), "str"), True
        ),
        "fixed": _core.ArrowColumn.from_fixed(np.array([b"ab", b"c\0"], "V2")),
    }
    back = adapter.from_frame(foreign(*columns.values()))
    back.columns = list(columns)
    assert back["text"].dtype == DEFAULT_TEXT
    assert back["text"][0] == "a"
    assert pd.isna(back["text"][1])
    assert back["bytes"].tolist() == [b"a", None]
    assert back["int"].dtype == "int64"
    assert back["int with null"].dtype == "Int64"
    assert back["float with null"].dtype == "Float64"
    assert back["float with null"].array._mask.tolist() == [False, True]
    assert back["half with null"].dtype == "Float32"
    assert back["bool with null"].dtype == "boolean"
    assert back["time"].dtype == "M8[ms]"
    assert pd.isna(back["time"][1])
    assert back["duration"].dtype == "m8[s]"
    assert back["dictionary"].cat.categories.tolist() == ["a", "b"]
    assert back["dictionary"].cat.ordered
    assert back["dictionary"].isna().tolist() == [False, True]
    assert back["fixed"].tolist() == [b"ab", b"c\0"]


def test_every_arrow_type_of_pyarrow_comes() -> None:
    pa = pytest.importorskip("pyarrow")
    arrays = [
        pa.array([dt.datetime(2020, 1, 1), None], pa.timestamp("us", "Europe/Berlin")),
        pa.array([dt.datetime(2020, 1, 1), None], pa.timestamp("ns", "+01:00")),
        pa.array([dt.date(2020, 1, 1), None], pa.date32()),
        pa.array([1, None], pa.decimal128(10, 2)),
        pa.array([dt.time(1), None], pa.time64("us")),
    ]
    back = adapter.from_frame(foreign(*map(_core.ArrowColumn.from_arrow, arrays)))
    assert str(back.dtypes[0]) == "datetime64[us, Europe/Berlin]"
    assert back[1].dt.tz.utcoffset(None) == dt.timedelta(hours=1)
    assert back.dtypes[2] == "M8[s]"
    assert back[2][0] == pd.Timestamp("2020-01-01")
    assert back.dtypes[3] == pd.ArrowDtype(pa.decimal128(10, 2))
    assert back.dtypes[4] == pd.ArrowDtype(pa.time64("us"))


def test_labels_of_others() -> None:
    axis = _core.Axis.levels(
        [np.array(["2020-01", "2020-02"], "M8[M]")], ["IndexYearMonth"], "IndexYearMonth", '"when"'
    )
    columns = _core.Axis.levels(
        [np.array(["a", "b"]), np.array([1, 2], "u1")], ["Index", "Index"], "IndexHierarchy", '{"$tuple":["x","y"]}'
    )
    back = adapter.from_frame(foreign(np.arange(2), np.arange(2.0), index=axis, columns=columns))
    assert back.index.dtype == "M8[s]"
    assert back.index.name == "when"
    assert back.columns.names == ["x", "y"]
    assert back.columns.tolist() == [("a", 1), ("b", 2)]
    assert back.columns.levels[1].dtype == "uint8"
    assert back.columns.levels[0].dtype == DEFAULT_TEXT


def test_a_frame_of_static_frame() -> None:
    sf = pytest.importorskip("static_frame")
    frame = sf.Frame.from_records(
        [(1, "a", 1.5), (2, "b", 2.5)],
        columns=("i", "s", "f"),
        index=sf.IndexDate(("2020-01-01", "2020-01-02"), name="d"),
        name="lost",
    )
    back = cn.Frame(frame).to_pandas()
    assert back.index.equals(pd.DatetimeIndex(["2020-01-01", "2020-01-02"]).as_unit("s"))
    assert back.index.name == "d"
    assert back["s"].dtype == DEFAULT_TEXT
    assert back["f"].tolist() == [1.5, 2.5]


# --------------------------------------------------------------------------- zones of other libraries
def test_zones_of_pytz_and_dateutil_keep_their_library() -> None:
    pytz = pytest.importorskip("pytz")
    tz = pytest.importorskip("dateutil.tz")
    for zone in (pytz.timezone("Europe/Berlin"), pytz.FixedOffset(90), pytz.UTC, tz.gettz("Europe/Berlin"), tz.tzutc()):
        times = pd.date_range("2020-03-28", periods=3, freq="D", tz="UTC").tz_convert(zone)
        frame = pd.DataFrame({"t": times}, index=times)
        back = adapter.from_frame(adapter.to_frame(frame, options={}))
        pd.testing.assert_frame_equal(frame, back, check_freq=True)
        assert type(back["t"].dt.tz) is type(frame["t"].dt.tz)
    with pytest.raises(cn.EncodeError, match="'t'"):
        adapter.to_frame(pd.DataFrame({"t": pd.date_range("2020", periods=2, tz=tz.tzlocal())}), options={})


# --------------------------------------------------------------------------- tags that do not fit
@each(
    "tag",
    [
        {"kind": "string", "storage": "disk", "na": "nan"},
        {"kind": "string"},
        {"kind": "categorical"},
        {"kind": "period", "freq": "no such"},
        {"kind": "period", "freq": "M"},
        {"kind": "interval", "closed": "left"},
        {"kind": "datetimetz", "tz": "UTC"},
        {"kind": "numpy", "descr": "O"},
        {"kind": "arrow", "type": "list<int64>"},
        {"kind": "object_nulls"},
        {"kind": "masked"},
        {"kind": ["a"]},
        [1],
        "x",
    ],
    ids=str,
)
def test_a_tag_that_does_not_fit_is_a_decode_error_or_plain_data(tag: Any) -> None:
    column = _core.ArrowColumn.from_objects(np.array(["a", "b"], object), "str", tagged_labels.encode(tag))
    try:
        back = adapter.from_frame(foreign(column))
    except (cn.DecodeError, cn.EncodeError, cn.UnsupportedError, ImportError):  # ImportError: pyarrow is absent
        return
    assert back[0].tolist() == ["a", "b"]


@pytest.mark.parametrize("codes", [[0, 2], [0, 127], [-2, 0]])
def test_codes_outside_the_categories_are_never_handed_to_pandas(codes: list[int]) -> None:
    categories = _core.ArrowColumn.from_objects(np.array(["a", "b"], object), "str")
    try:
        column = _core.ArrowColumn.dictionary(np.array(codes, "i1"), categories, False)
        back = adapter.from_frame(foreign(column))
    except (ValueError, cn.ColonnadeError):
        return
    assert set(back[0].cat.codes) <= {-1, 0, 1}


@each(
    "meta",
    [
        {"pandas": [{"kind": "period", "freq": "?"}]},
        {"pandas": [{"kind": "string"}]},
        {"pandas": [{}]},
        {"pandas": [3]},
        {"pandas": [{"kind": "time", "freq": "no such"}]},
        {"pandas": "x"},
        [1],
    ],
    ids=str,
)
def test_labels_with_meta_that_does_not_fit_are_a_decode_error(meta: Any) -> None:
    axis = _core.Axis.levels(
        [np.array(["2020", "2021"], "M8[s]")], ["IndexSecond"], "IndexSecond", "null", tagged_labels.encode(meta)
    )
    with pytest.raises(cn.DecodeError, match="index"):
        adapter.from_frame(foreign(np.arange(2), index=axis))


@pytest.mark.parametrize("cells", [[1.5, 2.5], ["a", None]], ids=["floats", "objects"])
def test_columns_of_a_subclass_of_arrays(cells: list[Any]) -> None:
    class Quantity(np.ndarray):
        pass

    plain = pd.Series(np.array(cells))
    frame = pd.DataFrame({"a": pd.Series(np.array(cells).view(Quantity))})
    assert cn.Frame(frame).identical(pd.DataFrame({"a": plain}))
    assert cn.encode(frame["a"], "npz") == cn.encode(plain.rename("a"), "npz")
