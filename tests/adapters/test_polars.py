"""The polars adapter: DataFrames to the core and back, and what other libraries' frames become."""

import datetime as dt
import decimal
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("polars")

import polars as pl
from polars.testing import assert_frame_equal

import colonnade as cn
from colonnade.adapters import polars as adapter


def back(frame: pl.DataFrame) -> Any:
    return cn.Frame(frame).to_native()


def assert_same(left: Any, right: pl.DataFrame) -> None:
    assert isinstance(left, pl.DataFrame)
    assert left.schema == right.schema
    assert left.height == right.height
    assert_frame_equal(left, right, check_exact=True, categorical_as_str=False)


def enum(*values: str) -> pl.Enum:
    return pl.Enum(values)


COLUMNS: dict[str, pl.Series] = {
    "bool": pl.Series([True, None, False]),
    **{kind.__name__: pl.Series([0, None, 100], dtype=kind) for kind in (pl.Int8, pl.Int16, pl.Int32, pl.Int64)},
    **{kind.__name__: pl.Series([0, None, 200], dtype=kind) for kind in (pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)},
    "Float32": pl.Series([1.5, float("nan"), -0.0], dtype=pl.Float32),
    "Float64": pl.Series([1.5, float("nan"), None]),
    "String": pl.Series(["", "Grüße, longer than twelve bytes", None]),
    "Binary": pl.Series([b"", b"\x00\xff", None]),
    "Categorical": pl.Series(["x", "y", None], dtype=pl.Categorical),
    "Enum": pl.Series(["x", "y", None], dtype=enum("z", "y", "x")),
    "Decimal": pl.Series([decimal.Decimal("1.20"), None, decimal.Decimal("-0.01")], dtype=pl.Decimal(12, 2)),
    "Date": pl.Series([dt.date(2020, 2, 29), None, dt.date(1, 1, 1)]),
    "Time": pl.Series([dt.time(23, 59, 59, 999_999), None, dt.time()]),
    **{f"Datetime {unit}": pl.Series([0, None, -(2**62)]).cast(pl.Datetime(unit)) for unit in ("ms", "us", "ns")},
    "Datetime zone": pl.Series([0, None, 2**40]).cast(pl.Datetime("us", "Europe/Amsterdam")),
    **{f"Duration {unit}": pl.Series([1, None, -1]).cast(pl.Duration(unit)) for unit in ("ms", "us", "ns")},
    "Null": pl.Series([None, None, None]),
    "List": pl.Series([[1, None], None, []], dtype=pl.List(pl.Int32)),
    "List of text": pl.Series([["a"], None, [None]], dtype=pl.List(pl.String)),
    "List of Enum": pl.Series([["x"], None, [None]], dtype=pl.List(enum("y", "x"))),
    "List of Categorical": pl.Series([["x"], None, [None]], dtype=pl.List(pl.Categorical)),
    "Array": pl.Series([[1, 2], None, [3, None]], dtype=pl.Array(pl.Int8, 2)),
    "Array 2-D": pl.Series([[[1], [2]]] * 3, dtype=pl.Array(pl.Int8, (2, 1))),
    "Struct": pl.Series([{"a": 1, "b": "x"}, None, {"a": None, "b": None}]),
    "Struct of lists": pl.Series([{"a": [{"b": 1}]}, None, {"a": None}]),
}


@each("name", list(COLUMNS))
def test_every_dtype_comes_back(name: str) -> None:
    frame = pl.DataFrame({"x": COLUMNS[name]})
    assert_same(back(frame), frame)
    assert_same(back(frame.slice(1, 1)), frame.slice(1, 1))
    assert_same(back(frame.clear()), frame.clear())


@each("format", ["npz", "arrow", "arrows", "parquet"])
@each("name", list(COLUMNS), per=20)
def test_every_dtype_comes_back_from_a_file(name: str, format: str) -> None:
    frame = pl.DataFrame({"n": [1, 2, 3], "x": COLUMNS[name]})
    read = cn.decode(cn.encode(frame, format))
    assert_same(read.to_native(), frame)
    assert read.equals(frame)
    assert_same(read.slice(1, 3).to_polars(), frame.slice(1, 2))


@each("name", list(COLUMNS))
def test_every_dtype_comes_back_from_a_slice(name: str) -> None:
    frame = pl.DataFrame({"x": COLUMNS[name]})
    assert_same(cn.Frame(frame).slice(1, 3).to_polars(), frame.slice(1, 2))


def test_all_columns_together_in_order() -> None:
    frame = pl.DataFrame(COLUMNS)
    assert_same(back(frame), frame)
    assert cn.Frame(frame).select(["Enum", "bool"]).to_polars().columns == ["Enum", "bool"]


def test_named_categories_come_back() -> None:
    if not hasattr(pl, "Categories"):
        pytest.skip("this polars has no named categories")
    dtype = pl.Categorical(pl.Categories("of a test", "here", pl.UInt8))
    frame = pl.DataFrame({"c": pl.Series(["x", None], dtype=dtype)})
    assert_same(back(frame), frame)


@pytest.mark.parametrize(
    "frame",
    [pl.DataFrame(), pl.DataFrame({"a": []}), pl.DataFrame(schema={"a": pl.String, "b": pl.List(pl.Int8)})],
    ids=["0x0", "0x1", "0x2"],
)
def test_empty_frames_come_back(frame: pl.DataFrame) -> None:
    assert_same(back(frame), frame)


def test_rows_without_columns_come_back() -> None:
    frame = pl.DataFrame(height=3)
    if frame.height != 3:
        pytest.skip("this polars has no rows without columns")
    assert cn.Frame(frame).shape == (3, 0)
    assert back(frame).height == 3


def test_chunks_are_kept_and_not_copied() -> None:
    parts = [pl.DataFrame({"x": np.arange(1000)}) for _ in range(2)]
    frame = pl.concat(parts, rechunk=False)
    out = back(frame)
    assert_same(out, frame)
    assert len(cn.Frame(frame)) == 2000
    one = back(parts[0])
    addresses = [part["x"].to_numpy(allow_copy=False).ctypes.data for part in (parts[0], one)]
    assert addresses[0] == addresses[1]


# ---------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pl.DataFrame({"a": [1], "o": pl.Series([object()], dtype=pl.Object)}), "column 'o'"),
        (lambda: pl.DataFrame({"l": pl.Series([], dtype=pl.List(pl.Int128))}), "column 'l'"),
        (lambda: pl.DataFrame({"s": pl.Series([], dtype=pl.Struct({"a": pl.Int128}))}), "column 's'"),
    ],
    ids=["Object", "List of Int128", "Struct of Int128"],
)
def test_what_arrow_has_no_type_for_is_refused_by_name(make: Any, message: str) -> None:
    with pytest.raises(cn.EncodeError) as raised:
        cn.Frame(make())
    assert message in str(raised.value)
    assert "Cast the column" in str(raised.value)


def test_wide_integers_are_text_to_others_and_text_that_is_none_stays_text() -> None:
    frame = pl.DataFrame({"n": pl.Series([2**127 - 1, None, -5], dtype=pl.Int128)})
    assert cn.Frame(frame).to_arrow().to_pylist() == [{"n": str(2**127 - 1)}, {"n": None}, {"n": "-5"}]
    origin = '{"library":"polars","int128":{"t":"Int128"}}'
    for texts in (["1", "x"], ["01"], ["+1"], [str(2**127)]):
        core = adapter.to_frame(pl.DataFrame({"t": texts})).with_meta("null", None, origin)
        assert adapter.from_frames([core])["t"].to_list() == texts
    with pytest.warns(cn.LossWarning, match="n: 128-bit integers"):
        cn.encode(frame, "ndjson")


def test_what_is_no_frame_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"\.collect\(\)"):
        cn.Frame(pl.LazyFrame())


def test_what_polars_lacks_is_refused_by_position() -> None:
    pa = pytest.importorskip("pyarrow")
    union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["x", "y"])])
    frame = cn.Frame(pa.table({"a": [1, 2], "u": union}))
    with pytest.raises(cn.EncodeError, match="position 1"):
        frame.to_polars()


# ---------------------------------------------------------------------------- from and to other libraries


def test_pandas_becomes_what_polars_makes_of_it() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "i": [1, 2],
            "s": ["x", None],
            "c": pd.Categorical(["u", "v"]),
            "t": pd.to_datetime(["2020-01-01", None]),
            "z": pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Amsterdam"),
            "n": pd.array([1, None], dtype="Int64"),
            "b": [True, False],
        }
    )
    assert_frame_equal(cn.Frame(frame).to_polars(), pl.from_pandas(frame))
    assert_frame_equal(cn.decode(cn.encode(frame, "npz")).to_polars(), pl.from_pandas(frame))


def test_nan_stays_nan() -> None:
    pd = pytest.importorskip("pandas")
    column = cn.Frame(pd.DataFrame({"f": [1.0, np.nan]})).to_polars()["f"]
    assert column.null_count() == 0
    assert column.is_nan().to_list() == [False, True]


def test_stored_row_labels_become_columns() -> None:
    pd = pytest.importorskip("pandas")
    named = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="key"))
    assert cn.Frame(named).to_polars().to_dict(as_series=False) == {"a": [1, 2], "key": ["x", "y"]}
    unnamed = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    assert cn.Frame(unnamed).to_polars().columns == ["a", "__index_level_0__"]
    assert cn.Frame(pd.DataFrame({"a": [1, 2]})).to_polars().columns == ["a"]


def test_numpy_and_static_frame_read_what_polars_wrote() -> None:
    frame = pl.DataFrame({"s": ["a", "bb"], "l": [[1], None], "d": [dt.date(2020, 1, 1), None]})
    arrays = cn.Frame(frame)
    assert arrays["s"].to_numpy().tolist() == ["a", "bb"]
    assert arrays["l"].to_numpy().tolist() == [[1], None]
    np.testing.assert_array_equal(arrays["d"].to_numpy(), np.array(["2020-01-01", "NaT"], "M8[D]"))
    pytest.importorskip("static_frame")
    assert cn.Frame(frame).to_static_frame()["s"].values.tolist() == ["a", "bb"]


def test_pandas_reads_what_polars_wrote() -> None:
    pytest.importorskip("pandas")
    frame = pl.DataFrame({"i": [1, 2], "f": [1.5, None], "s": ["a", None], "b": [True, None]})
    out = cn.decode(cn.encode(frame, "arrow")).to_pandas()
    assert out["i"].tolist() == [1, 2]
    assert out.isna().to_numpy().tolist() == [[False] * 4, [False, True, True, True]]
    assert (out["f"][0], out["s"][0], bool(out["b"][0])) == (1.5, "a", True)


def test_a_frame_is_taken_by_polars_as_it_is() -> None:
    arrays = {"a": np.arange(3), "b": np.array(["x", "yy", ""])}
    assert pl.DataFrame(cn.Frame(arrays)).to_dict(as_series=False) == {"a": [0, 1, 2], "b": ["x", "yy", ""]}
    lazy = cn.decode(cn.encode(arrays, "npz"), columns=["b"])
    assert pl.DataFrame(lazy).columns == ["b"]


def test_equality_knows_polars() -> None:
    frame = pl.DataFrame(COLUMNS)
    assert cn.Frame(frame).equals(frame)
    assert not cn.Frame(frame).equals(frame.with_columns(pl.lit("other").alias("String")))
    assert not cn.Frame(frame).equals(
        frame.with_columns(pl.Series("Enum", ["y", "y", None], dtype=enum("z", "y", "x")))
    )
