"""`cn.Frame`: selection, labels, description, comparison, and its text."""

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import static_frame as sf

import colonnade as cn
from tests.helpers.each import each

COLUMNS = {
    "price": np.array([1.5, 2.5, np.nan]),
    "count": np.array([1, 2, 3], "i4"),
    "ok": np.array([True, False, True]),
}


def article() -> sf.Frame:
    """The frame of StaticFrame's article: 3 x 4, hierarchical on both sides, names p, q, r."""
    index = sf.IndexHierarchy.from_labels(
        [("2012-03", "x"), ("2012-03", "y"), ("2012-04", "x")],
        name="r",
        index_constructors=[sf.IndexYearMonth, sf.Index],
    )
    columns = sf.IndexHierarchy.from_labels([("data", "A"), ("data", "B"), ("data", "C"), ("valid", "*")], name="q")
    rows = [(5, 4, 7, False), (9, 1, 8, True), (3, 6, 2, True)]
    return sf.Frame.from_records(rows, index=index, columns=columns, name="p", dtypes=(np.int64,) * 3 + (bool,))


@pytest.fixture(params=["memory", "file"])
def frame(request: pytest.FixtureRequest, tmp_path: Path) -> cn.Frame:
    return stored(COLUMNS, request.param, tmp_path)


@pytest.fixture(params=["memory", "file"])
def hierarchical(request: pytest.FixtureRequest, tmp_path: Path) -> cn.Frame:
    return stored(article(), request.param, tmp_path)


def stored(data: Any, where: str, folder: Path) -> cn.Frame:
    """The same frame over arrays, or lazily over a file."""
    if where == "memory":
        return cn.Frame(data)
    cn.write(data, folder / "frame.npz")
    return cn.read(folder / "frame.npz")


# ---------------------------------------------------------------------------- description


def test_description(frame: cn.Frame) -> None:
    assert frame.shape == (3, 3)
    assert len(frame) == 3
    assert list(frame.columns) == ["price", "count", "ok"]
    assert list(frame.index) == [0, 1, 2]
    assert list(frame.dtypes) == [("price", "float64"), ("count", "int32"), ("ok", "bool")]
    assert frame.dtypes["count"] == "int32"
    assert (frame.name, frame.attrs) == (None, {})
    assert frame.nbytes >= 3 * (8 + 4 + 1)
    assert [field.label for field in frame.schema.fields] == ["price", "count", "ok"]
    assert frame.schema.index.is_auto


def test_hierarchical_description(hierarchical: cn.Frame) -> None:
    assert hierarchical.name == "p"
    assert hierarchical.columns.name == "q"
    assert hierarchical.columns.depth == 2
    assert hierarchical.columns[3] == ("valid", "*")
    assert hierarchical.index.classes == ["IndexYearMonth", "Index"]
    assert hierarchical.index[-1] == (np.datetime64("2012-04"), "x")
    assert hierarchical.index.dtypes == ["datetime64[M]", "<U1"]
    assert hierarchical.index.to_numpy().shape == (3, 2)


def test_attrs_and_name_come_from_pandas() -> None:
    data = pd.DataFrame({"a": [1, 2]})
    data.attrs["source"] = {"page": 3}
    frame = cn.decode(cn.encode(data, "npz"))
    assert frame.attrs == {"source": {"page": 3}}
    frame.attrs["source"] = 1
    assert frame.attrs == {"source": {"page": 3}}


def test_labels_are_a_view(frame: cn.Frame) -> None:
    labels = frame.columns
    assert labels == ["price", "count", "ok"]
    assert labels != ["price"]
    assert labels[1:] == ["count", "ok"]
    assert labels.names == [None]
    assert "price" in labels
    np.testing.assert_array_equal(labels.to_numpy().astype(str), ["price", "count", "ok"])
    with pytest.raises(IndexError):
        labels[3]


# ---------------------------------------------------------------------------- selection


def test_one_column(frame: cn.Frame) -> None:
    array = frame["count"].to_numpy()
    assert array.shape == (3,)
    np.testing.assert_array_equal(array, COLUMNS["count"], strict=True)
    assert frame["count"].shape == (3, 1)


def test_one_column_is_kept_until_release(tmp_path: Path) -> None:
    frame = stored(COLUMNS, "file", tmp_path)
    first = frame["price"]
    array = first.to_numpy()
    assert frame["price"] is first
    assert np.shares_memory(first.to_numpy(), array)
    frame.release()
    assert frame["price"] is not first
    np.testing.assert_array_equal(array, COLUMNS["price"])
    np.testing.assert_array_equal(first.to_numpy(), array)


def test_select_in_the_order_asked(frame: cn.Frame) -> None:
    assert list(frame.select(["ok", "price"]).columns) == ["ok", "price"]
    assert list(frame[["ok", "ok"]].columns) == ["ok", "ok"]
    assert frame.select("ok").shape == (3, 1)
    assert frame.select(["ok", "price", "count"]).select(["count", "ok"]).equals(frame[["count", "ok"]])
    assert frame.select([]).shape == (3, 0)
    assert frame.select(("ok", "price")).shape == (3, 2)
    assert frame.select(np.array(["ok", "price"])).shape == (3, 2)


@each("start", [None, 0, 1, -1, -5, 7])
@each("stop", [None, 0, 2, -1, -5, 7])
def test_slices_mean_what_python_means(frame: cn.Frame, start: int | None, stop: int | None) -> None:
    expected = COLUMNS["count"][start:stop]
    part = frame.slice(start, stop)
    assert len(part) == len(expected)
    np.testing.assert_array_equal(part["count"].to_numpy(), expected)
    assert list(part.index) == list(range(3))[start:stop]


def test_slices_of_slices(frame: cn.Frame) -> None:
    part = frame.slice(1, None).slice(1, None)
    np.testing.assert_array_equal(part["count"].to_numpy(), [3])
    assert len(frame.head(2)) == 2
    assert len(frame.head(99)) == 3
    assert list(frame[["count", "ok"]].slice(1, 2)["count"].to_numpy()) == [2]


def test_hierarchical_selection(hierarchical: cn.Frame) -> None:
    np.testing.assert_array_equal(hierarchical["data", "B"].to_numpy(), [4, 1, 6])
    assert list(hierarchical["data"].columns) == [("data", "A"), ("data", "B"), ("data", "C")]
    assert list(hierarchical.select([("valid",), ("data", "A")]).columns) == [("valid", "*"), ("data", "A")]
    with pytest.raises(cn.ColumnNotFound, match=r"nearest: .*'data'"):
        hierarchical["dato"]
    with pytest.raises(cn.ColumnNotFound, match="2 levels, found 3"):
        hierarchical["data", "A", "x"]


def test_label_that_stands_twice() -> None:
    frame = cn.Frame(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))
    assert frame["a"].to_numpy().tolist() == [[1, 3]]
    assert frame.select(["b", "a"]).shape == (1, 3)


def test_labels_of_other_types() -> None:
    labels = [1, 2.5, "1", None, True, ("t", 1), dt.date(2020, 1, 1)]
    frame = cn.Frame(pd.DataFrame([range(6)], columns=pd.Index([*labels[:4], *labels[5:]], dtype=object)))
    for position, label in enumerate([1, 2.5, "1", None]):
        assert frame.select([label]).to_pandas().iloc[0, 0] == position


@pytest.mark.parametrize(
    "asked",
    [np.datetime64("2020-03"), np.datetime64("2020-03-01T00:00"), dt.date(2020, 3, 1), pd.Timestamp("2020-03-01")],
    ids=lambda value: type(value).__name__,
)
def test_dates_are_found_by_their_moment(asked: Any) -> None:
    data = sf.Frame(np.arange(6).reshape(2, 3), columns=sf.IndexYearMonth(["2020-02", "2020-03", "2020-04"]))
    assert cn.Frame(data)[asked].to_numpy().tolist() == [1, 4]


def test_nan_and_nat_labels_are_found() -> None:
    floats = pd.DataFrame([[1, 2]], columns=[0.5, np.nan])
    assert cn.Frame(floats)[float("nan")].to_numpy().tolist() == [2]
    times = pd.DataFrame([[1, 2]], columns=pd.DatetimeIndex(["2020-01-01", "NaT"]))
    assert cn.Frame(times)[np.datetime64("NaT")].to_numpy().tolist() == [2]


def test_missing_column_names_the_nearest(frame: cn.Frame) -> None:
    with pytest.raises(KeyError) as caught:
        frame["pirce"]
    assert str(caught.value) == "column 'pirce' is not there; nearest: 'price'"
    with pytest.raises(cn.ColumnNotFound, match="nearest: 'price'"):
        frame["PRICE"]
    with pytest.raises(cn.ColumnNotFound, match="columns: 'price', 'count', 'ok'"):
        frame.select(["zzzzzzzz"])


def test_slices_and_lists_of_lists_get_advice(frame: cn.Frame) -> None:
    with pytest.raises(TypeError, match=r"frame\.slice\(start, stop\)"):
        frame[0:2]
    with pytest.raises(TypeError, match="list of labels"):
        frame.select(["price", ["ok"]])


# ---------------------------------------------------------------------------- construction


def test_construction_copies_nothing() -> None:
    array = np.arange(12.0).reshape(3, 4)
    assert np.shares_memory(cn.Frame(array).to_numpy(), array)
    assert np.shares_memory(cn.Frame({"a": array[:, 1]})["a"].to_numpy(), array)


def test_frame_of_a_frame(frame: cn.Frame) -> None:
    assert cn.Frame(frame).equals(frame)
    one = cn.Frame(frame["count"])
    assert one.shape == (3, 1)


@each("data", [5, "text", b"bytes", None, len], ids=lambda value: type(value).__name__)
def test_what_is_no_frame(data: Any) -> None:
    with pytest.raises(TypeError, match="data: expected a pandas or polars DataFrame"):
        cn.Frame(data)


# ---------------------------------------------------------------------------- conversion


def test_native_is_what_was_written(tmp_path: Path) -> None:
    for data in (article(), pd.DataFrame({"a": [1, 2]}), np.eye(2)):
        assert type(stored(data, "file", tmp_path).to_native()) is type(data)


def test_foreign_file_is_static_frames(tmp_path: Path) -> None:
    article().to_npz(tmp_path / "sf.npz")
    back = cn.read(tmp_path / "sf.npz").to_native()
    assert back.equals(article(), compare_name=True, compare_dtype=True, compare_class=True)


def test_foreign_arrays_are_numpys(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    np.testing.assert_array_equal(cn.read(tmp_path / "x.npy").to_native(), np.eye(3))


def test_two_pandas_frames_share_nothing(tmp_path: Path) -> None:
    frame = stored(COLUMNS, "file", tmp_path)
    one, two = frame.to_pandas(), frame.to_pandas()
    one.iloc[0, 1] = 99
    assert two.iloc[0, 1] == 1
    assert frame["count"].to_numpy()[0] == 1


def test_frame_over_memory_does_not_leak_writes() -> None:
    data = pd.DataFrame({"a": [1, 2, 3]})
    copy = cn.Frame(data).to_pandas()
    copy.iloc[0, 0] = 99
    assert data.iloc[0, 0] == 1


def test_numpy_arrays_are_read_only(frame: cn.Frame) -> None:
    array = frame["count"].to_numpy()
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5


# ---------------------------------------------------------------------------- comparison


def test_equals(frame: cn.Frame) -> None:
    assert frame.equals(COLUMNS)
    assert frame.identical(COLUMNS)
    assert not frame.equals(frame.head(2))
    assert not frame.equals(frame[["count", "price", "ok"]])
    assert not frame.equals(COLUMNS | {"count": COLUMNS["count"].astype("i8")})
    assert not frame.equals(COLUMNS | {"count": np.array([1, 2, 4], "i4")})


def test_equals_looks_at_values_and_identical_at_bits() -> None:
    quiet, payload = np.array([np.nan, -0.0]), np.array([np.nan, 0.0])
    payload.view(np.uint64)[0] |= 1
    one, two = cn.Frame({"x": quiet}), cn.Frame({"x": payload})
    assert one.equals(two)
    assert not one.identical(two)
    assert one.identical({"x": quiet.copy()})


@each("dtype", ["M8[D]", "m8[s]", "f2", "g", "c8", "c16", "G", "S3", "U3", "V5", ">f8", "?"])
def test_every_dtype_equals_itself(dtype: str) -> None:
    values = np.zeros(6, dtype)
    if values.dtype.kind in "mM":
        values[2] = "NaT"
    elif values.dtype.kind in "fc":
        values[2] = np.nan
    elif values.dtype.kind in "SU":
        values[2] = "ab"
    other = values.copy()
    other.view(np.uint8)[0] ^= 1
    frame = cn.Frame({"x": values})
    assert frame.equals({"x": values.copy()})
    assert frame.identical({"x": values.copy()})
    assert not frame.identical({"x": other})


def test_padding_of_long_doubles_is_no_difference() -> None:
    one, two = np.array([1.5], "g"), np.array([1.5], "g")
    if np.finfo("g").nmant != 63:
        pytest.skip("long double here is not x87's 80 bits")
    two.view(np.uint8)[12] ^= 0xFF
    assert cn.Frame({"x": one}).identical({"x": two})


@each(
    ("one", "two"),
    [
        (["a", None, "b"], ["a", None, "c"]),
        (pd.array([1, None, 3], "Int64"), pd.array([1, None, 4], "Int64")),
        (pd.Categorical(["a", "b", None]), pd.Categorical(["a", "a", None], categories=["a", "b"])),
        (pd.Categorical(["a", "b"]), pd.Categorical(["a", "b"], ordered=True)),
        (
            pd.to_datetime(["2020-01-01", None]).tz_localize("UTC"),
            pd.to_datetime(["2020-01-01", None]).tz_localize("CET"),
        ),
        (pd.interval_range(0, 3), pd.interval_range(1, 4)),
    ],
    ids=["str", "Int64", "categories", "order flag", "zone", "interval"],
)
def test_columns_in_arrows_layout(one: Any, two: Any) -> None:
    a, b = pd.DataFrame({"x": one}), pd.DataFrame({"x": two})
    assert cn.Frame(a).equals(a.copy())
    assert cn.Frame(a).identical(cn.decode(cn.encode(a, "npz")))
    assert not cn.Frame(a).equals(b)


def test_names_attrs_and_labels_count() -> None:
    data = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    frame = cn.Frame(data)
    assert not frame.equals(data.rename_axis("name"))
    assert not frame.equals(data.rename(index={"x": "z"}))
    other = data.copy()
    other.attrs["k"] = 1
    assert not frame.equals(other)


# ---------------------------------------------------------------------------- text


def test_repr_of_the_articles_frame(hierarchical: cn.Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert repr(hierarchical) == "\n".join(
        [
            "<Frame: p> 3 rows x 4 columns",
            "<IndexHierarchy: q>          data    data    data valid  <<U5>",
            "                                A       B       C *      <<U1>",
            "<IndexHierarchy: r>",
            "2012-03             x           5       4       7 False",
            "2012-03             y           9       1       8 True",
            "2012-04             x           3       6       2 True",
            "<datetime64[M]>     <<U1> <int64> <int64> <int64> <bool>",
        ]
    )


@pytest.mark.parametrize("width", [40, 80, 120])
def test_repr_fits_its_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    data = {f"column {i}": np.random.default_rng(i).random(1000) * 10.0 ** (i % 9) for i in range(200)}
    text = repr(cn.Frame(data))
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) < 20
    assert lines[0] == "<Frame> 1,000 rows x 200 columns"
    assert "column 0" in lines[1]
    assert "column 199" in lines[1]
    assert "…" in lines[1]


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (1, 1)])
def test_repr_of_small_frames(shape: tuple[int, int]) -> None:
    frame = cn.Frame(np.zeros(shape))
    rows, columns = shape
    head = f"<Frame> {rows} row{'s' * (rows != 1)} x {columns} column{'s' * (columns != 1)}"
    assert repr(frame).splitlines()[0] == head
    assert frame._repr_html_()


def test_repr_shows_no_control_characters_and_html_is_escaped() -> None:
    data = {"<b>\x1b[2J": np.array(["<script>\n", "\x1b]0;title\x07", "日本語"])}
    frame = cn.Frame(data)
    assert "\x1b" not in repr(frame)
    assert r"\x1b[2J" in repr(frame)
    assert "日本語" in repr(frame)
    html = frame._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_repr_of_arrow_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    data = pd.DataFrame(
        {
            "text": ["a", None],
            "number": pd.array([1, None], "Int64"),
            "kind": pd.Categorical(["x", "y"]),
            "time": pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("Europe/Berlin"),
        }
    )
    text = repr(cn.Frame(data))
    for part in ("null", "kind", "timestamp", "2019-12-31T23:00:00Z"):
        assert part in text


def test_repr_decodes_only_what_it_shows(tmp_path: Path) -> None:
    """A damaged column that is not displayed raises no error; `verify` finds it."""
    path = tmp_path / "x.npz"
    cn.write({f"c{i:03}": np.arange(1000.0) for i in range(400)}, path, compression="deflate")
    with zipfile.ZipFile(path) as archive:
        following = archive.getinfo("__blocks_201__.npy").header_offset
        damaged = archive.getinfo("__blocks_200__.npy")
    assert damaged.header_offset < following
    data = bytearray(path.read_bytes())
    data[damaged.header_offset + 200 + damaged.compress_size // 2] ^= 0xFF
    path.write_bytes(data)
    assert "c000" in repr(cn.read(path))
    with pytest.raises(cn.DecodeError, match="__blocks_200__"):
        cn.verify(path)


def test_equals_does_not_depend_on_how_columns_are_grouped() -> None:
    matrix = np.arange(12.0).reshape(4, 3)
    matrix[1, 1] = np.nan
    whole = cn.Frame(pd.DataFrame(matrix, columns=list("abc")))
    parts = pd.DataFrame({name: matrix[:, i].copy() for i, name in enumerate("abc")})
    for other in (parts, pd.concat([whole.to_pandas()[["a"]], parts[["b", "c"]]], axis=1)):
        assert whole.equals(other)
        assert whole.identical(other)
    parts.iloc[3, 2] = -1.0
    assert not whole.equals(parts)
    wide = np.zeros((2, 70_000))
    assert cn.Frame(wide).identical(wide.copy())
    assert cn.Frame(np.zeros((0, 3))).equals(np.zeros((0, 3)))


@pytest.mark.parametrize("format", ["npz", "arrow", "arrows"])
def test_a_column_that_is_asked_for_twice_is_two_columns(format: str) -> None:
    frame = pd.DataFrame({"id": np.arange(3), "price": [1.5, 2.5, 3.5]})
    found = cn.read_pandas(cn.encode(frame, format), columns=["price", "price"])
    found.iloc[0, 0] = 7.0
    assert found.iloc[0].tolist() == [7.0, 1.5]
