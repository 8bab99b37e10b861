"""Columns of CSV whose types somebody has told: categories, and what becomes of fields that are something else."""

import io
import logging
from pathlib import Path

import pytest

import colonnade as cn

pd = pytest.importorskip("pandas")

CELLS = {
    "integers": ["3", "1", "10", "", "3"],
    "text": ["b", "a", "1.0", "NA", "a"],
    "zeros in front": ["007", "7"],
    "floats": ["1.5", "2", "2.0", "1e3", "nan"],
    "truth values": ["true", "False", "true"],
    "beyond int64": ["18446744073709551615", "1"],
    "dates stay text": ["2013-01-01", "2012-01-01"],
    "an infinity": ["inf", "1"],
    "blanks around": [" 1", "2"],
    "any Unicode": ["é", "z", "A", "😀", "\uffff"],
    "both zeros": ["-0.0", "0.0", "1.5"],
    "more than 127": [f"k{i % 200:03d}" for i in range(1000)],
    "more than 32,767": [f"k{i % 40_000:05d}" for i in range(80_000)],
}


@pytest.mark.parametrize("name", CELLS)
def test_categories_are_those_of_pandas(name: str) -> None:
    text = "x,y\n" + "".join(f"{cell},z\n" for cell in CELLS[name])
    found = cn.decode(text.encode(), "csv", dtypes={"x": "category"}).to_pandas()
    pd.testing.assert_frame_equal(found, pd.read_csv(io.StringIO(text), dtype={"x": "category"}))


def test_categories_may_be_row_labels_and_come_back(tmp_path: Path) -> None:
    text = b"k,x\nq,b\np,a\nq,c\n"
    found = cn.decode(text, "csv", dtypes={"k": "category", "x": "category"}, index_columns=["k"])
    assert found.to_pandas().index.equals(pd.CategoricalIndex(["q", "p", "q"]))
    cn.write(found, tmp_path / "x.csv", schema="header")
    pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "x.csv"), found.to_pandas())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"dtypes": {"x": "object"}}, '"x": dtypes: "object" holds anything'),
        ({"dtypes": {"x": "|O"}}, '"x"'),
        ({"dtypes": {"x": "int8"}, "dates": ["x"]}, 'column "x" is in dates and in dtypes'),
        ({"dtypes": {"x": "category"}, "dates": ["x"]}, 'column "x" is in dates and in dtypes'),
    ],
)
def test_what_says_nothing_or_two_things_is_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(cn.OptionError) as raised:
        cn.decode(b"x\n1\n", "csv", **options)
    assert says in str(raised.value)


def test_decimals_are_no_categories() -> None:
    text = b"x\n99999999999999999999\n"
    with pytest.raises(cn.UnsupportedError, match=r'"x".*Decimal128'):
        cn.decode(text, "csv", dtypes={"x": "category"}, big_ints="decimal")
    assert cn.decode(text, "csv", dtypes={"x": "category"}).to_pandas()["x"].tolist() == ["99999999999999999999"]


def test_chunks_have_no_categories() -> None:
    with (
        pytest.raises(cn.OptionError, match=r'"x".*categories'),
        cn.open_reader(io.BytesIO(b"x\n1\n"), format="csv", dtypes={"x": "category"}) as reader,
    ):
        list(reader)


@pytest.mark.parametrize(
    ("options", "skipped", "nulls"),
    [
        ({"dtypes": {"n": "int16"}}, {"n": [1, 4], "t": ["a", "d"]}, {"n": [1, None, None, 4]}),
        ({"dates": ["n"], "date_format": "%d"}, {"n": [1, 4], "t": ["a", "d"]}, {"n": [1, None, None, 4]}),
    ],
)
def test_fields_that_are_something_else(
    options: dict[str, object],
    skipped: dict[str, list[object]],
    nulls: dict[str, list[object]],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"n,t\n1,a\nx,b\n70000,3\n4,d\n")
    with pytest.raises(cn.DecodeError, match="line 3, column 1"):
        cn.read(path, **options)
    with caplog.at_level(logging.WARNING, logger="colonnade"):
        found = cn.read(path, on_error="skip", **options).to_pandas()
    assert found["t"].tolist() == skipped["t"]
    assert [getattr(cell, "day", cell) for cell in found["n"]] == skipped["n"]
    assert "2 records do not fit" in caplog.text
    info = cn.inspect(path, on_error="skip", **options).text
    assert info is not None
    assert (info.dropped, info.nulled) == (2, 0)
    cells = cn.read(path, on_error="null", **options).to_arrow().column("n").to_pylist()
    assert [getattr(cell, "day", cell) for cell in cells] == nulls["n"]
    info = cn.inspect(path, on_error="null", **options).text
    assert info is not None
    assert (info.dropped, info.nulled) == (0, 2)


def test_records_are_left_out_behind_a_schema_too(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    cn.write(pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}), path, schema="header")
    path.write_bytes(path.read_bytes().replace(b"\n2,", b"\nq,"))
    with pytest.raises(cn.DecodeError, match="line 4, column 1"):
        cn.read(path)
    found = cn.read_pandas(path, on_error="skip")
    assert (found["a"].tolist(), found["b"].tolist()) == ([1, 3], ["x", "z"])
