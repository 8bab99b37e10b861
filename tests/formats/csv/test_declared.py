"""Columns of CSV whose types are declared: categories, and fields that do not fit the declared type."""

import io
import logging
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

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


@each("name", list(CELLS))
def test_categories_are_those_of_pandas(name: str) -> None:
    text = "x,y\n" + "".join(f"{cell},z\n" for cell in CELLS[name])
    found = cn.decode(text.encode(), "csv", dtype={"x": "category"}).to_pandas()
    pd.testing.assert_frame_equal(found, pd.read_csv(io.StringIO(text), dtype={"x": "category"}))


def test_categories_may_be_row_labels_and_come_back(tmp_path: Path) -> None:
    text = b"k,x\nq,b\np,a\nq,c\n"
    found = cn.decode(text, "csv", dtype={"k": "category", "x": "category"}, index_col=["k"])
    assert found.to_pandas().index.equals(pd.CategoricalIndex(["q", "p", "q"]))
    cn.write(found, tmp_path / "x.csv", schema="header")
    pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "x.csv"), found.to_pandas())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"dtype": {"x": "object"}}, '"x": dtype: "object" holds anything'),
        ({"dtype": {"x": "|O"}}, '"x"'),
        ({"dtype": {"x": "int8"}, "parse_dates": ["x"]}, 'column "x" is in parse_dates and in dtype'),
        ({"dtype": {"x": "category"}, "parse_dates": ["x"]}, 'column "x" is in parse_dates and in dtype'),
    ],
)
def test_what_says_nothing_or_two_things_is_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(cn.OptionError) as raised:
        cn.decode(b"x\n1\n", "csv", **options)
    assert says in str(raised.value)


def test_decimals_are_no_categories() -> None:
    text = b"x\n99999999999999999999\n"
    with pytest.raises(cn.UnsupportedError, match=r'"x".*Decimal128'):
        cn.decode(text, "csv", dtype={"x": "category"}, big_ints="decimal")
    assert cn.decode(text, "csv", dtype={"x": "category"}).to_pandas()["x"].tolist() == ["99999999999999999999"]


def test_chunks_have_no_categories() -> None:
    with (
        pytest.raises(cn.OptionError, match=r'"x".*categories'),
        cn.open_reader(io.BytesIO(b"x\n1\n"), format="csv", dtype={"x": "category"}) as reader,
    ):
        list(reader)


@pytest.mark.parametrize(
    ("options", "skipped", "nulls"),
    [
        ({"dtype": {"n": "int16"}}, {"n": [1, 4], "t": ["a", "d"]}, {"n": [1, None, None, 4]}),
        ({"parse_dates": ["n"], "date_format": "%d"}, {"n": [1, 4], "t": ["a", "d"]}, {"n": [1, None, None, 4]}),
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


def chunks(path: Path, content: bytes, **options: object) -> list[cn.Frame]:
    path.write_bytes(content)
    with cn.open_reader(path, **options) as reader:
        return list(reader)


@each(
    ("content", "options", "says"),
    [
        (b"a,b\n,1\n9007199254740993,2\n", {}, 'a float holds exactly.*dtype={"a": "Int64"}'),
        (b"a,b\n,1\n18446744073709551615,2\n", {}, 'dtype={"a": "UInt64"}'),
        (b"a,b\n,1\n99999999999999999999,2\n", {}, 'dtype={"a": "str"}'),
        (b"a,b\n1,1\n99999999999999999999,2\n", {}, 'dtype={"a": "str"}'),
        (b"a,b\n1,1\n1.5,2\n", {}, 'dtype={"a": "float64"}'),
        (b"a,b\n99999999999999999999,1\n1.5,2\n", {"big_ints": "decimal"}, 'at most 38 digits.*found "1.5"'),
        (
            b"a,b\n99999999999999999999,1\n" + b"7" * 50 + b",2\n",
            {"big_ints": "decimal"},
            r'at most 38 digits.*dtype={"a": "decimal256\(76, 0\)"}',
        ),
    ],
)
def test_a_later_number_that_would_lose_digits_or_change_the_type_is_refused(
    content: bytes, options: dict[str, object], says: str, tmp_path: Path
) -> None:
    with pytest.raises(cn.DecodeError, match=rf'"a": at byte \d+: line 3, column 1: .*{says}'):
        chunks(tmp_path / "x.csv", content, chunk_rows=1, **options)


def test_later_numbers_that_floats_hold_fit_a_column_of_nothing(tmp_path: Path) -> None:
    found = chunks(tmp_path / "x.csv", b"a,b\n,1\n9007199254740992,2\n1.5,3\n", chunk_rows=1)
    assert [frame.to_arrow()["a"].to_pylist() for frame in found] == [[None], [2.0**53], [1.5]]


def test_decimals_know_the_separators_and_nothing_between_quotes() -> None:
    text = b'a;b\n99,999,999,999,999,999,999;1\n5;2\n"";3\n;4\n'
    found = cn.decode(text, "csv", sep=";", thousands=",", big_ints="decimal").to_arrow()
    assert str(found["a"].type) == "decimal128(38, 0)"
    assert found["a"].to_pylist() == [99_999_999_999_999_999_999, 5, None, None]
    with pytest.raises(cn.UnsupportedError, match=r"line 2, column 1: .*76 digits, found one of 80"):
        cn.decode(b"a,b\n" + b"7" * 80 + b",2\n", "csv", big_ints="decimal")


def test_half_floats_are_rounded_to_the_nearest() -> None:
    cells = ["0.1", "-1.25", "65504", "65519.99", "2049", "2051", "6e-8", "-1e-9", "1e-5", "inf"]
    found = cn.decode(("a\n" + "\n".join(cells) + "\n").encode(), "csv", dtype={"a": "float16"}).to_numpy().ravel()
    assert found.dtype == np.float16
    assert found.tobytes() == np.array([float(cell) for cell in cells]).astype(np.float16).tobytes()
    with pytest.raises(cn.DecodeError, match="line 2, column 1: expected a float16"):
        cn.decode(b"a\n65520\n", "csv", dtype={"a": "float16"})


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_numbers_are_no_told_type(name: str) -> None:
    with pytest.raises(cn.OptionError, match="dtype: expected the name of a type"):
        cn.decode(b"a\n1\n", "csv", dtype={"a": name})


@each("dtype", ["float64", "float32", "Int64", "int8", "bool", "datetime64[ns]", "decimal128(9, 2)"])
def test_nothing_between_quotes_is_null_in_a_told_type(dtype: str, tmp_path: Path) -> None:
    text = b'a,b\n"",y\n'
    assert cn.decode(text, "csv", dtype={"a": dtype}).to_arrow()["a"].to_pylist() == [None]
    (found,) = chunks(tmp_path / "x.csv", text, dtype={"a": dtype})
    assert found.to_arrow()["a"].to_pylist() == [None]


def test_nothing_between_quotes_is_text_where_text_is_told_and_refused_behind_our_header(tmp_path: Path) -> None:
    assert cn.decode(b'a,b\n"",y\n', "csv", dtype={"a": "str"}).to_arrow()["a"].to_pylist() == [""]
    path = tmp_path / "x.csv"
    cn.write(pd.DataFrame({"a": [1.5], "b": ["y"]}), path, schema="header")
    path.write_bytes(path.read_bytes().replace(b"1.5,", b'"",'))
    with pytest.raises(cn.DecodeError, match="line 3, column 1"):
        cn.read(path)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"\xff\xfea\x00\n\x001", cn.TruncatedError),
        (b"\xff\xfea\x00\n\x00\x3c\xd8", cn.DecodeError),
        (b"\xff\xfea\x00\n\x00\x3c\xd81", cn.DecodeError),
    ],
)
def test_utf16_that_is_cut_is_refused_the_same_whole_and_in_chunks(
    content: bytes, error: type[Exception], tmp_path: Path
) -> None:
    with pytest.raises(error, match="at byte 6: line 2, column 1") as whole:
        cn.decode(content, "csv")
    with pytest.raises(error) as parts:
        chunks(tmp_path / "x.csv", content)
    assert str(whole.value) == str(parts.value)
    assert type(whole.value) is type(parts.value)


def test_nullable_dtypes_of_pandas_come_back() -> None:
    found = cn.decode(b"x,y,z\n1,true,2\n,,3\n", "csv", dtype={"x": "Int8", "y": "boolean"}).to_pandas()
    wanted = pd.DataFrame({"x": [1, None], "y": [True, None], "z": [2, 3]}).astype({"x": "Int8", "y": "boolean"})
    pd.testing.assert_frame_equal(found, wanted)
