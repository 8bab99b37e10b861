"""Plain CSV: what comes back, and what would not is named; against pandas and csv."""

import csv
import io
import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.applies import applies
from tests.helpers.commands import finished
from tests.helpers.each import each

pd = pytest.importorskip("pandas")

HELD: dict[str, dict[str, Any]] = {
    "integers": {"a": [1, -2, 2**62], "b": [0, 0, 0]},
    "floats": {"a": [0.1, -0.0, 1e300], "b": [1.5, float("nan"), 5e-324], "c": [1.0, 2.0, 3.0]},
    "booleans": {"a": [True, False, True]},
    "text": {"a": ["x", "y z", "é😀"], "b": ["a,b", 'say "c"', "two\nlines"], "c": ["", " x", "y "]},
    "text that looks like something else": {"a": ["1", "2", "x"], "b": ["true", "no", "x"], "c": ["#x", "y", "z"]},
    "names": {"a b": [1], "c,d": [2], 'e"f': [3], "g\nh": [4], "é": [5]},
    "no rows": {},
}
# Types that plain text does not tell, and the values come back: the type that is read.
NARROWED: dict[str, tuple[Any, str]] = {
    "a narrow integer": (pd.DataFrame({"a": np.array([1, 2], dtype="i4")}), "int64"),
    "a narrow float": (pd.DataFrame({"a": np.array([1, 2], dtype="f4")}), "float64"),
    "an unsigned integer": (pd.DataFrame({"a": np.array([1, 2], dtype="u8")}), "int64"),
    "times": (pd.DataFrame({"a": pd.to_datetime(["2024-01-01"]).as_unit("ns")}), "datetime64[us]"),
    "times in UTC": (
        pd.DataFrame({"a": pd.to_datetime(["2024-01-01", None]).tz_localize("UTC")}),
        "datetime64[us, UTC]",
    ),
    "nullable integers": (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "float64"),
    "a NaN with another payload": (
        pd.DataFrame({"a": np.array([0x7FF8000000000001], dtype="u8").view("f8")}),
        "float64",
    ),
}
LOST: dict[str, tuple[Any, str]] = {
    "categories": (pd.DataFrame({"c": pd.Categorical(["x", "y"])}), "c: categories come back as their values"),
    "text that is a number everywhere": (
        pd.DataFrame({"a": ["1", "2"]}),
        "a: text whose cells all look like numbers comes back as them",
    ),
    "a word for null": (pd.DataFrame({"a": ["NA", "x"]}), 'a: the text "NA" comes back as null'),
    "text that is true or false": (
        pd.DataFrame({"a": ["true", "False"]}),
        "a: text whose cells all look like booleans comes back as them",
    ),
    "bytes": (pd.DataFrame({"a": [b"x"]}), "a: bytes come back as text (base64)"),
    "row labels": (pd.DataFrame({"a": [1]}, index=["x"]), "row labels (the index) come back as columns"),
    "a name of the row labels": (
        pd.DataFrame({"a": [1]}, index=pd.RangeIndex(1, name="n")),
        'the name of the row labels ("n") is not written',
    ),
    "integers as names": (pd.DataFrame({0: [1]}), "column labels that are not text come back as text"),
    "hierarchical names": (
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
        "column labels of 2 levels come back as one text each",
    ),
    "lists": (pd.DataFrame({"a": [[1, 2], [3]]}), "a: list<item: int64> comes back as JSON text"),
    "dicts": (pd.DataFrame({"a": [{"x": 1}]}), "a: struct<x: int64> comes back as JSON text"),
    "mixed": (
        pd.DataFrame({"a": [1, "x", None]}),
        "a: cells of several kinds come back as text or as other types",
    ),
}


@each("name", list(HELD))
@each(
    "options",
    [{}, {"sep": ";"}, {"sep": "\t"}, {"sep": "|", "quoting": "all"}, {"lineterminator": "\r\n"},
     {"encoding": "utf-16"}, {"encoding": "utf-8-sig"}],
    ids=str,
)  # fmt: skip
@applies(lambda name: name != "no rows")
def test_what_comes_back_is_written(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    frame = pd.DataFrame(HELD[name])
    path = tmp_path / "x.csv"
    cn.write(frame, path, **options)
    told = {"sep": options["sep"]} if len(frame.columns) == 1 and "delimiter" in options else {}
    pd.testing.assert_frame_equal(cn.read_pandas(path, **told), frame)
    encoding = options.get("encoding", "utf-8")
    with open(path, newline="", encoding=encoding) as file:
        names, *rows = csv.reader(file, delimiter=options.get("sep", ","))
    assert names == list(frame.columns)
    assert len(rows) == len(frame)
    if name == "text":
        assert [list(row) for row in rows] == frame.to_numpy().tolist()


@each("name", list(NARROWED))
def test_values_come_back_in_the_type_that_text_tells(name: str, tmp_path: Path) -> None:
    frame, dtype = NARROWED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cn.write(frame, tmp_path / "x.csv")
    found = cn.read_pandas(tmp_path / "x.csv")
    assert str(found["a"].dtype) == dtype
    pd.testing.assert_frame_equal(found, frame, check_dtype=False)
    for schema in ("header", "sidecar"):
        cn.write(frame, tmp_path / "y.csv", schema=schema, on_loss="raise")
        pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "y.csv"), frame)


@each("name", list(LOST))
def test_what_would_not_come_back_is_said_or_refused(name: str, tmp_path: Path) -> None:
    frame, what = LOST[name]
    kept = 'Write schema="header" or schema="sidecar" to keep it all, or '
    told = f"csv: plain text does not bring back everything: {what}. {kept}"
    with pytest.raises(cn.EncodeError) as raised:
        cn.write(frame, tmp_path / "x.csv", on_loss="raise")
    assert str(raised.value) == told + 'on_loss="warn" to lose it.'
    assert list(tmp_path.iterdir()) == []
    for schema in ("header", "sidecar"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cn.write(frame, tmp_path / "y.csv", schema=schema, on_loss="raise")
        pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "y.csv"), frame)
    with pytest.warns(cn.LossWarning) as caught:
        cn.write(frame, tmp_path / "z.csv")
    assert [str(one.message) for one in caught] == [told + 'on_loss="ignore" to lose it without a warning.']
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        written = cn.encode(frame, "csv", on_loss="ignore")
    assert (tmp_path / "z.csv").read_bytes() == written
    # As many cells as others read.
    found = pd.read_csv(tmp_path / "z.csv")
    assert found.shape == (len(frame), frame.shape[1] + ("index" in found))


def _intervals() -> Any:
    return pd.arrays.IntervalArray.from_tuples([(0.5, 1.5), None, (-0.0, np.inf)], closed="left")


def test_nested_cells_are_json() -> None:
    frame = pd.DataFrame({"l": [[1, 2], [], None], "d": [{"x": "é"}, {"x": None}, {"x": "y,"}], "m": [1, "x", None]})
    with pytest.warns(cn.LossWarning):
        text = cn.encode(frame, "csv").decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    for name in frame.columns:
        assert [json.loads(row[name] or "null") for row in rows] == frame[name].tolist()
    pd.testing.assert_frame_equal(cn.decode(cn.encode(frame, "csv", schema="header"), "csv").to_pandas(), frame)


@pytest.mark.parametrize("values", [_intervals(), pd.Categorical(_intervals())], ids=["intervals", "categories"])
def test_intervals_need_a_schema(values: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": values}, index=pd.IntervalIndex(_intervals(), name="row"))
    with pytest.raises(cn.EncodeError, match='schema="header"'):
        cn.write(frame, tmp_path / "x.csv", on_loss="raise")
    assert list(tmp_path.iterdir()) == []
    with pytest.warns(cn.LossWarning, match="a: (the interval type of pandas|categories)"):
        cn.write(frame, tmp_path / "x.csv")
    assert json.loads(pd.read_csv(tmp_path / "x.csv")["a"][0]) == {"left": 0.5, "right": 1.5}
    for dialect in ({}, {"sep": ";", "decimal": ","}, {"quoting": "all", "encoding": "utf-16"}):
        for schema in ("header", "sidecar"):
            cn.write(frame, tmp_path / "y.csv", schema=schema, **dialect)
            pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "y.csv"), frame)
    with cn.open_writer(tmp_path / "z.csv", schema="header") as writer:
        for start in (0, 1):
            writer.write(frame.iloc[start : start + 2])
    with cn.open_reader(tmp_path / "z.csv", chunk_rows=2) as reader:
        found = pd.concat([part.to_pandas() for part in reader])
    pd.testing.assert_frame_equal(found, pd.concat([frame.iloc[:2], frame.iloc[1:3]]))


def test_a_cell_that_is_no_interval_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    cn.write(pd.DataFrame({"a": _intervals(), "b": [1, 2, 3]}), path, schema="header")
    text = path.read_text()
    assert '"{""left"":0.5,""right"":1.5}",1' in text
    for cell in ('"{""left"":0.5}"', '"(0.5, 1.5]"', "1.5", '"{""left"":0.5,""right"":NaN}"'):
        path.write_text(text.replace('"{""left"":0.5,""right"":1.5}"', cell))
        with pytest.raises(cn.DecodeError, match=r'"a": at byte .*: line 3, column 1: expected an interval as JSON'):
            cn.read(path).to_pandas()


def test_pandas_reads_the_same_values() -> None:
    frame = pd.DataFrame(
        {"i": np.array([1, 2], dtype="i2"), "c": pd.Categorical(["x", "y"]), "n": pd.array([1, None], dtype="Int64")},
        index=pd.Index(["r", "s"], name="row"),
    )
    text = cn.encode(frame, "csv", on_loss="ignore").decode()
    assert text == "row,i,c,n\nr,1,x,1\ns,2,y,\n"
    assert cn.encode(frame, "csv", on_loss="ignore", index=False).decode() == "i,c,n\n1,x,1\n2,y,\n"
    assert cn.encode(frame, "csv", on_loss="ignore", header=False, na_rep="NA").decode() == "r,1,x,1\ns,2,y,NA\n"
    assert cn.encode({"f": np.array([1.5])}, "csv", on_loss="ignore", decimal=",", sep=";").decode() == 'f\n"1,5"\n'


INPUTS: dict[str, str] = {
    "numbers and words": "a,b,c\n1,1.5,x\n2,,y\n",
    "integers with nulls": "a,b\n1,x\n,y\n3,z\n",
    "booleans": "a,b\nTrue,true\nFalse,false\n",
    "null words": "a,b\nNA,1\nN/A,2\nnull,3\nNaN,4\nx,5\n#N/A,6\n-nan,7\n<NA>,8\nNone,9\nn/a,10\n",
    "nulls alone": "a,b\n,1\n,2\n",
    "mixed at the end": "a\n" + "1\n" * 1000 + "x\n",
    "unsigned": "a\n1\n18446744073709551615\n",
    "floats": "a\n1e3\n-.5\n+2.\n1E-400\ninf\n-Infinity\n",
    "spaces": "a,b\n 1, x\n2 ,y \n",
    "quoted numbers": 'a,b\n"1","x"\n"2","y,z"\n',
    "leading zeros": "a\n007\n010\n",
    "dates": "a\n2024-01-01\n2024-02-29\n",
    "blank lines": "a,b\n1,2\n\n3,4\n\n",
    "one column": "a\n1\n2\n",
    "no line end": "a,b\n1,2",
    "hexadecimal": "a\n0x10\n0x20\n",
    "underscores": "a\n1_000\n2_000\n",
    "signs alone": "a\n+\n-\n",
}


@each("name", list(INPUTS))
def test_values_and_types_are_those_of_pandas(name: str) -> None:
    text = INPUTS[name]
    wanted = pd.read_csv(io.StringIO(text), float_precision="round_trip")
    pd.testing.assert_frame_equal(cn.decode(text.encode(), "csv", parse_dates=False).to_pandas(), wanted)
    if name == "dates":
        wanted["a"] = pd.to_datetime(wanted["a"]).astype("datetime64[us]")
    pd.testing.assert_frame_equal(cn.decode(text.encode(), "csv").to_pandas(), wanted)


@each(
    ("text", "ours", "theirs"),
    [
        ("a;b\n1,5;x\n2,25;y\n", {"decimal": ","}, {"sep": ";", "decimal": ","}),
        ("a\tb\n1\tx\n", {}, {"sep": "\t"}),
        ("a|b\n1|x\n", {}, {"sep": "|"}),
        ("a,b\n1,x # no\n#2,y\n3,z\n", {"comment": "#"}, {"comment": "#"}),
        ('a,b\n"1,000",x\n"2,500,000",y\n', {"thousands": ","}, {"thousands": ","}),
        ("a,b\n-,1\n?,2\nx,3\n", {"na_values": ["-", "?"]}, {"na_values": ["-", "?"]}),
        ("a,b\nNA,1\nx,2\n", {"keep_default_na": False}, {"keep_default_na": False}),
        ("title\nsecond\na,b\n1,2\n", {"skiprows": 2}, {"skiprows": 2}),
        ("1,x\n2,y\n", {"header": None}, {"header": None}),
        ("k,a,b\nx,1,2\ny,3,4\n", {"index_col": 0}, {"index_col": 0}),
        ("a,b,k\n1,2,x\n3,4,y\n", {"index_col": 2}, {"index_col": 2}),
        ("k,a\nx,1\n", {"index_col": "k"}, {"index_col": "k"}),
        ("title\na,b\n1,2\n", {"header": 1}, {"header": 1}),
        ("a,b\n1,2\n", {"dtype": str}, {"dtype": str}),
        ("a,b\n1,2\n", {"dtype": {"a": np.int8, "b": "Float64"}}, {"dtype": {"a": np.int8, "b": "Float64"}}),
        ("k,l,a\nx,1,2\ny,3,4\n", {"index_col": ["k", "l"]}, {"index_col": ["k", "l"]}),
        ("a,a,b\nx,y,x\n1,2,3\n", {"header": [0, 1]}, {"header": [0, 1]}),
        ("a,b\n'x,y',1\n", {"quotechar": "'"}, {"quotechar": "'"}),
        ('a,b\n"x\\"y",1\n', {"escapechar": "\\", "doublequote": False}, {"escapechar": "\\", "doublequote": False}),
    ],
)
def test_options_mean_what_they_mean_to_pandas(text: str, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    wanted = pd.read_csv(io.StringIO(text), **theirs)
    pd.testing.assert_frame_equal(cn.decode(text.encode(), "csv", **ours).to_pandas(), wanted)


def test_dates() -> None:
    text = b"d,t,x\n2024-02-29,2024-02-29T12:30:00,a\n2024-03-01,2024-03-01 00:00:01,b\n,,c\n"
    found = cn.decode(text, "csv", parse_dates=True).to_pandas()
    assert found["d"].dt.day.tolist()[:2] == [29, 1]
    assert found["t"].dt.second.tolist()[:2] == [0, 1]
    assert found["d"].isna().tolist() == [False, False, True]
    assert found["x"].tolist() == ["a", "b", "c"]
    found = cn.decode(b"d\n29.02.2024\n01.03.2024\n", "csv", parse_dates=["d"], date_format="%d.%m.%Y").to_pandas()
    assert found["d"].dt.month.tolist() == [2, 3]
    pd.testing.assert_frame_equal(
        cn.decode(text, "csv").to_pandas(), cn.decode(text, "csv", parse_dates=True).to_pandas()
    )
    found = cn.decode(text, "csv", parse_dates=False).to_arrow()
    assert found.column("d").to_pylist() == ["2024-02-29", "2024-03-01", None]


def test_types_are_told_by_name() -> None:
    told = {"a": "<i2", "b": "<f4", "c": "bool", "d": "large_utf8", "e": "|S3"}
    found = cn.decode(b"a,b,c,d,e\n1,0.1,true,7,eHl6\n", "csv", dtype={k: v for k, v in told.items() if k != "e"})
    assert found.to_arrow().to_pydict()["d"] == ["7"]
    assert found["a"].to_numpy().dtype.str == "<i2"
    assert found["b"].to_numpy().tolist() == [float(np.float32(0.1))]


def test_types_of_a_million_rows_are_those_of_the_last_one() -> None:
    rows = [str(i) for i in range(200_000)]
    found = cn.decode(("a,b\n" + "".join(f"{row},1\n" for row in rows) + "007x,2\n").encode(), "csv")
    assert found.to_arrow().column("a").to_pylist() == [*rows, "007x"]
    assert found["b"].to_numpy().dtype == np.int64


def test_a_sidecar_of_a_file_that_is_open(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    cn.write({"a": np.array([1, 2], dtype="i1")}, path, schema="sidecar")
    with path.open("rb") as file:
        assert cn.read(file)["a"].to_numpy().dtype == np.int8
    with path.open("rb") as file, cn.open_reader(file) as reader:
        assert next(iter(reader))["a"].to_numpy().dtype == np.int8
    with path.open("rb") as file:
        # Its name is another file's by now, and so is the schema.
        path.unlink()
        path.write_bytes(b"a\n1\n")
        assert cn.read(file)["a"].to_numpy().dtype == np.int64


def test_a_sidecar_stands_beside(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["x", "y"])}, index=pd.Index([3, 4], name="i"))
    path = tmp_path / "x.csv.gz"
    cn.write(frame, path, schema="sidecar")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["x.csv.gz", "x.csv.gz.schema.json"]
    pd.testing.assert_frame_equal(cn.read_pandas(path), frame)
    pd.testing.assert_frame_equal(pd.read_csv(path), pd.DataFrame({"i": [3, 4], "c": ["x", "y"]}))
    assert cn.read_pandas(path, schema="ignore").shape == (2, 2)
    with pytest.raises(cn.OptionError, match="sidecar"):
        cn.write(frame, cn.BufferSink(), format="csv", schema="sidecar")
    with pytest.raises(cn.OptionError, match="sidecar"):
        cn.encode(frame, "csv", schema="sidecar")


def test_a_sidecar_is_found_of_an_open_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["x", "y"])}, index=pd.Index([3, 4], name="i"))
    path = tmp_path / "x.csv"
    cn.write(frame, path, schema="sidecar")
    with open(path, "rb") as file:
        pd.testing.assert_frame_equal(cn.read_pandas(file), frame)
    with open(path, "rb", buffering=0) as file:
        pd.testing.assert_frame_equal(cn.read_pandas(file.fileno(), format="csv"), frame)
        assert cn.read(file.fileno(), format="csv", schema="ignore").shape == (2, 2)
        with cn.open_reader(file.fileno(), format="csv") as reader:
            pd.testing.assert_frame_equal(reader.read_all().to_pandas(), frame)
        with cn.open_reader(file.fileno(), format="csv") as reader:
            pd.testing.assert_frame_equal(next(iter(reader)).to_pandas(), frame)
    with open(path, "rb") as file:
        done = finished("convert", "-", tmp_path / "x.npz", "--from", "csv", stdin=file)
    assert done.returncode == 0, done.stderr
    pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "x.npz"), frame)


def test_a_sidecar_of_another_file_is_not_taken_for_an_open_one(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    cn.write({"a": np.array([1, 2])}, path)
    with open(path, "rb") as file:
        cn.write({"a": np.array([1, 2], dtype="i2")}, path, schema="sidecar")
        assert cn.read(file).dtypes.names() == ["int64"]
    with open(path, "rb") as file:
        path.unlink()
        assert cn.read(file).shape == (2, 1)


def test_a_header_is_a_comment_to_others(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": np.array([1, 2], dtype="i2"), "b": ["x#1", "y"]})
    cn.write(frame, tmp_path / "x.csv", schema="header")
    with open(tmp_path / "x.csv", encoding="utf-8") as file:
        assert file.readline().startswith("# colonnade: {")
        assert pd.read_csv(file).equals(frame.astype({"a": "int64"}))
    assert cn.decode((tmp_path / "x.csv").read_bytes()).to_pandas().equals(frame)


NAN = math.nan


@pytest.mark.parametrize("values", [[NAN, NAN], [NAN, None], [None, NAN, None], [NAN, None, 1.5]], ids=str)
def test_nan_and_null_alone_are_each_themselves(values: list[Any]) -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    rows = range(len(values))
    schema = {"a": pl.Float64, "b": pl.Int64}
    for frame in (
        pa.table({"a": pa.array(values, pa.float64()), "b": rows}),
        pl.DataFrame({"a": values, "b": rows}, schema=schema),
    ):
        found = cn.decode(cn.encode(frame, "csv"), "csv").to_arrow()["a"].to_pylist()
        assert str(found) == str(values)


@each("delimiter", [" ", ":", "(", ")"])
@each("is_plain", [True, False])
def test_a_delimiter_that_values_are_spelled_with_is_quoted(delimiter: str, is_plain: bool) -> None:
    df = pd.DataFrame({"t": pd.to_datetime(["2020-01-01 10:30", None]), "c": [1 + 2j, 0j], "n": [1, 2]})
    df = df[["t", "n"]] if is_plain else df
    way: dict[str, Any] = {"on_loss": "ignore"} if is_plain else {"schema": "header"}
    text = cn.encode(df, "csv", sep=delimiter, **way)
    if is_plain:
        found = pd.read_csv(io.BytesIO(text), sep=delimiter, parse_dates=["t"])
        assert found["t"].tolist()[0] == df["t"].tolist()[0]
        assert found["n"].tolist() == [1, 2]
    else:
        pd.testing.assert_frame_equal(cn.decode(text, "csv", sep=delimiter).to_pandas(), df)


@each(
    "text",
    [
        "1677-09-21T00:12:43.145224193",
        "1677-09-21T00:12:43.500000001",
        "1677-09-21T00:12:44.000000001",
        "1969-12-31T23:59:59.999999999",
        "2262-04-11T23:47:16.854775807",
    ],
)
def test_instants_at_the_ends_of_nanoseconds(text: str) -> None:
    found = cn.decode(f"a\n{text}\n".encode(), "csv", parse_dates=True).to_pandas()["a"]
    assert found[0] == pd.Timestamp(text)


@pytest.mark.parametrize(
    "text", ["1677-09-21T00:12:43.145224192", "1677-09-21T00:12:43.100000001", "2262-04-11T23:47:16.854775808"]
)
def test_instants_that_nanoseconds_do_not_reach_stay_text(text: str) -> None:
    assert cn.decode(f"a\n{text}\n".encode(), "csv", parse_dates=True).to_pandas()["a"].tolist() == [text]
