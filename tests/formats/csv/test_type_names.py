"""Names of types in `dtype=`, and fields that a declared or a found type takes or refuses."""

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import colonnade as cn
from tests.helpers.each import each

TYPES: dict[str, tuple[pa.DataType, str, object]] = {
    "duration[s]": (pa.duration("s"), "1500", dt.timedelta(seconds=1500)),
    "duration[ms]": (pa.duration("ms"), "1500", dt.timedelta(seconds=1.5)),
    "time32[s]": (pa.time32("s"), "12:00:01", dt.time(12, 0, 1)),
    "time32[ms]": (pa.time32("ms"), "12:00:01.5", dt.time(12, 0, 1, 500_000)),
    "time64[us]": (pa.time64("us"), "12:00:01.000002", dt.time(12, 0, 1, 2)),
    "time64[ns]": (pa.time64("ns"), "12:00:01.000002", dt.time(12, 0, 1, 2)),
    "timestamp[ms]": (pa.timestamp("ms"), "2020-01-31 12:00:00.5", dt.datetime(2020, 1, 31, 12, 0, 0, 500_000)),
    "timestamp[ns]": (pa.timestamp("ns"), "2020-01-31 12:00:00.000002", dt.datetime(2020, 1, 31, 12, 0, 0, 2)),
    "decimal128(38, 2)": (pa.decimal128(38, 2), "1.25", Decimal("1.25")),
    "decimal256(40, 2)": (pa.decimal256(40, 2), "1.25", Decimal("1.25")),
    "decimal256(76)": (pa.decimal256(76, 0), "7" * 76, Decimal("7" * 76)),
}


@each("name", list(TYPES))
def test_a_type_has_the_name_that_arrow_prints(name: str) -> None:
    data_type, cell, value = TYPES[name]
    found = cn.decode(f"a,b\n{cell},x\n,y\n".encode(), "csv", dtype={"a": name}).to_arrow()["a"]
    assert found.combine_chunks() == pa.chunked_array([pa.array([value, None], data_type)]).combine_chunks()


@each("name", ["duration[h]", "time32[x]", "decimal256(77, 2)", "decimal256(0, 0)", "timestamp[s", "time64"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(cn.OptionError, match="dtype: expected the name of a type"):
        cn.decode(b"a\n1\n", "csv", dtype={"a": name})


@each("name", ["utf8", "str"])
def test_an_empty_field_is_a_text_where_no_word_means_null(name: str) -> None:
    found = cn.decode(b"a,b\n,1\nNA,2\n", "csv", keep_default_na=False, dtype={"a": name})
    assert found.to_arrow()["a"].to_pylist() == ["", "NA"]


@each("options", [{}, {"dtype": {"a": "int8"}}, {"dtype": {"a": "decimal128(3, 0)"}}], ids=str)
def test_a_minus_sign_may_be_the_quote(options: dict[str, Any]) -> None:
    found = cn.decode(b"a;b\n-5-;x\n7;y\n", "csv", sep=";", quotechar="-", **options)
    assert found.to_arrow()["a"].to_pylist() == [5, 7]


def test_a_year_among_numbers_of_64_bits_is_no_number() -> None:
    """The first hundred records hold only numbers, and the last field is an instant: text holds both."""
    large = str(2**64 - 1)
    text = "a,b\n" + f"{large},x\n" * 100 + "2013,x\n"
    found = cn.decode(text.encode(), "csv", parse_dates=True, date_format="%Y").to_arrow()["a"].to_pylist()
    assert found == [large] * 100 + ["2013"]


@each("options", [{}, {"date_format": "%d"}], ids=str)
def test_dates_that_are_all_missing_are_still_dates(options: dict[str, Any]) -> None:
    found = cn.decode(b"a,b\n,1\nNA,2\n", "csv", parse_dates=["a"], **options).to_arrow()["a"]
    assert pa.types.is_timestamp(found.type)
    assert found.to_pylist() == [None, None]


def test_nan_keeps_its_sign_as_in_python() -> None:
    found = cn.decode(b"a\n1.5\n-nan\nnan\n-NaN\nNaN\n", "csv")["a"].to_numpy()
    assert np.isnan(found).tolist() == [False, True, True, True, True]
    assert np.signbit(found).tolist() == np.signbit([1.5, float("-nan"), float("nan"), float("-nan"), 0]).tolist()


def test_columns_without_names_have_numbers_in_dtype() -> None:
    found = cn.decode(b"1,2\n3,4\n", "csv", header=None, dtype={"1": "int8"}).to_arrow()
    assert found.schema.types == [pa.int64(), pa.int8()]
    with pytest.raises(cn.OptionError, match='expected numbers of columns as no row has their names, found "b"'):
        cn.decode(b"1,2\n3,4\n", "csv", header=None, dtype={"1": "int8", "b": "int8"})


def test_a_whole_number_of_80_digits_after_decimals_fits_only_text(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\n99999999999999999999,1\n" + b"7" * 80 + b",2\n")
    with (
        pytest.raises(cn.DecodeError, match=r'line 3, column 1: .*dtype=\{"a": "str"\}'),
        cn.open_reader(path, chunk_rows=1, big_ints="decimal") as reader,
    ):
        list(reader)


@each("name", ["float16", "float32", "float64"])
def test_nan_is_a_value_of_floats_and_nothing_is_null(name: str) -> None:
    found = cn.decode(b"a,b\nnan,1\n,2\n1.5,3\n", "csv", dtype={"a": name}).to_arrow()["a"]
    assert [cell if cell is None else str(cell) for cell in found.to_pylist()] == ["nan", None, "1.5"]


@each("name", ["int8", "decimal128(4, 1)", "date32", "bool", "timestamp[s]", "utf8"])
def test_nan_is_null_in_other_types(name: str) -> None:
    found = cn.decode(b"a,b\nnan,1\n,2\nNaN,3\n", "csv", dtype={"a": name}).to_arrow()["a"]
    assert found.to_pylist() == [None, None, None]
