"""`orient="table"`: the schema that pandas writes, so that pandas and we make the same frame of it."""

import datetime as dt
import io
import json
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")

TIMES = ["2024-01-01 01:02:03.125", None, "2024-07-02"]


def times(zone: Any = None, unit: str = "ns") -> Any:
    return pd.Series(pd.to_datetime(TIMES, format="ISO8601")).dt.tz_localize(zone).dt.as_unit(unit)


# What pandas reads again as it was.
EXACT = {
    "int64": pd.Series([1, 2, 3]),
    "float64": pd.Series([0.1, float("nan"), 1e300]),
    "bool": pd.Series([True, False, True]),
    "str": pd.Series(["a", None, "c"], dtype="str"),
    "string": pd.Series(["a", None, "c"], dtype="string"),
    "Int64": pd.Series([1, None, 2**62], dtype="Int64"),
    "Int64 without null": pd.Series([1, 2, 3], dtype="Int64"),
    "UInt8": pd.Series([1, None, 3], dtype="UInt8"),
    "Float64": pd.Series([0.1, None, 3], dtype="Float64"),
    "Float32": pd.Series([0.5, None, 3], dtype="Float32"),
    "boolean": pd.Series([True, None, False], dtype="boolean"),
    "datetime64": times(),
    "Europe/Paris": times("Europe/Paris"),
    "UTC": times("UTC"),
    "an offset": times(dt.timezone(dt.timedelta(hours=1))),
    "categories": pd.Series(pd.Categorical(["a", None, "b"], categories=["b", "a", "z"], ordered=True)),
    "categories of integers": pd.Series(pd.Categorical([3, None, 1])),
    "int64[pyarrow]": pd.Series([1, None, 3], dtype="int64[pyarrow]"),
    "int8[pyarrow]": pd.Series([1, None, 3], dtype="int8[pyarrow]"),
    "double[pyarrow]": pd.Series([0.5, None, 1], dtype="double[pyarrow]"),
    "bool[pyarrow]": pd.Series([True, None, False], dtype="bool[pyarrow]"),
    "timestamp[us][pyarrow]": pd.Series([dt.datetime(2024, 1, 1), None], dtype="timestamp[us][pyarrow]"),
    "timestamp[ns, tz=UTC][pyarrow]": pd.Series(
        [dt.datetime(2024, 1, 1), None], dtype="timestamp[ns, tz=UTC][pyarrow]"
    ),
}
# What pandas' own schema has no word for: it widens these, or lets them overflow.
NUMPY = {
    "int8": pd.Series([1, -128, 3], dtype="int8"),
    "uint64": pd.Series([1, 2, 2**63], dtype="uint64"),
    "float32": pd.Series([0.1, float("nan"), 3], dtype="float32"),
    "float16": pd.Series([0.1, float("nan"), 65504], dtype="float16"),
    "date32[pyarrow]": pd.Series([dt.date(2024, 1, 1), None], dtype=pd.ArrowDtype(pa.date32())),
}


def by_pandas(content: bytes) -> Any:
    return pd.read_json(io.BytesIO(content), orient="table", precise_float=True)


def table(frame: Any) -> bytes:
    return cn.encode(frame, "json", orient="table")


@each("name", list(EXACT))
def test_it_is_what_pandas_writes_and_reads(name: str) -> None:
    frame = EXACT[name].to_frame("x")
    ours, theirs = table(frame), frame.to_json(orient="table", double_precision=15).encode()
    assert json.loads(ours)["schema"] == json.loads(theirs)["schema"]
    pd.testing.assert_frame_equal(by_pandas(ours), by_pandas(theirs))
    if "datetime" not in name:  # milliseconds are all that pandas writes
        pd.testing.assert_frame_equal(by_pandas(ours), frame)


@each("name", list(NUMPY))
def test_pandas_reads_what_its_own_schema_would_widen(name: str) -> None:
    frame = NUMPY[name].to_frame("x")
    pd.testing.assert_frame_equal(by_pandas(table(frame)), frame)


@each("name", [name for name in (*EXACT, *NUMPY) if "pyarrow" not in name])
def test_we_read_the_dtypes_that_pandas_says(name: str) -> None:
    frame = (EXACT | NUMPY)[name].to_frame("x")
    contents = [table(frame)]
    if name in EXACT:
        contents.append(frame.to_json(orient="table", double_precision=15).encode())
    for content in contents:
        found = cn.decode(content, "json").to_pandas()
        pd.testing.assert_frame_equal(found, frame)


def test_labels_are_fields_of_the_schema_too() -> None:
    index = pd.MultiIndex.from_arrays([["a", "b"], pd.array([1, 2], dtype="Int64")], names=[None, "k"])
    frame = pd.DataFrame({"x": [1.5, 2.5]}, index=index)
    ours = json.loads(table(frame))["schema"]
    theirs = json.loads(frame.to_json(orient="table"))["schema"]
    assert ours["primaryKey"] == theirs["primaryKey"] == ["level_0", "k"]
    assert [field["name"] for field in ours["fields"]] == [field["name"] for field in theirs["fields"]]
    pd.testing.assert_frame_equal(by_pandas(table(frame)), frame, check_index_type=False)


@each(
    ("field", "cells", "message"),
    [
        ('"type": "integer", "extDtype": "Int8"', "[1, 300]", "extDtype Int8"),
        ('"type": "integer", "extDtype": "Int64"', '[1, "x"]', "extDtype Int64"),
        ('"type": "boolean", "extDtype": "boolean"', "[true, 1]", "extDtype boolean"),
        ('"type": "string", "extDtype": "string"', "[1, 2]", "extDtype string"),
        ('"type": "number", "extDtype": "float32"', "[1e300, 2.5]", "extDtype float32"),
    ],
)
def test_cells_that_are_not_of_the_dtype_are_refused(field: str, cells: str, message: str) -> None:
    rows = ",".join(f'{{"x": {json.dumps(cell)}}}' for cell in json.loads(cells))
    content = f'{{"schema": {{"fields": [{{"name": "x", {field}}}]}}, "data": [{rows}]}}'.encode()
    with pytest.raises(cn.DecodeError, match=message):
        cn.decode(content, "json").to_pandas()


def test_numbers_are_floats_where_the_schema_says_so() -> None:
    content = b'{"schema": {"fields": [{"name": "x", "type": "number"}]}, "data": [{"x": 1}, {"x": 2}]}'
    assert cn.decode(content, "json")["x"].to_numpy().dtype == "float64"
    exact = content.replace(b'"x": 2}', b'"x": 9007199254740993}')
    assert cn.decode(exact, "json")["x"].to_numpy().tolist() == [1, 9007199254740993]


@each("dtype", ["float32", "Float32"])
@each("value", [67108900, 1e-45, 1e-39, 1.1754942e-38, 9.223372e18, 1.2345e19, 3.4028235e38])
def test_floats_of_32_bits_are_those_that_were_written(value: float, dtype: str) -> None:
    frame = pd.DataFrame({"x": np.array([value, -value], "f4")}).astype(dtype)
    pd.testing.assert_frame_equal(cn.decode(table(frame), "json").to_pandas(), frame, check_exact=True)


@each("dtype", ["float16", "float32", "Float32"])
@each("cells", ["[1e39]", "[1, -1e300]"])
def test_floats_that_would_be_infinite_are_refused(cells: str, dtype: str) -> None:
    rows = ",".join(f'{{"x": {cell}}}' for cell in cells[1:-1].split(","))
    content = (
        f'{{"schema": {{"fields": [{{"name": "x", "type": "number", "extDtype": "{dtype}"}}]}}, "data": [{rows}]}}'
    )
    with pytest.raises(cn.DecodeError, match=f"extDtype {dtype}"):
        cn.decode(content.encode(), "json")


@each("cells", ["[null]", "[1, null]", "[1.5, null]"])
@each("said", ["", ', "extDtype": "float32"', ', "extDtype": "float16"', ', "extDtype": "Float64"'])
def test_null_is_nan_where_the_dtype_is_numpys(said: str, cells: str) -> None:
    rows = ",".join(f'{{"x": {cell}}}' for cell in cells[1:-1].split(","))
    content = f'{{"schema": {{"fields": [{{"name": "x", "type": "number"{said}}}]}}, "data": [{rows}]}}'.encode()
    found = cn.decode(content, "json").to_pandas()
    assert found["x"].dtype == (json.loads(f"{{{said[1:]}}}") or {"extDtype": "float64"})["extDtype"]
    assert found["x"].isna().tolist() == ["null" in cell for cell in cells.split(",")]
    if "16" not in said:  # pandas' reader makes these of integers only where no null is
        theirs = pd.read_json(
            io.BytesIO(content.replace(b"}]}, ", b'}], "pandas_version": "1.4.0"}, ')), orient="table"
        )
        pd.testing.assert_series_equal(found["x"], theirs["x"])


@each("dtype", ["int64", "bool", "str", "float64", "float32", "Int64", "boolean", "datetime64[ns]"])
def test_tables_without_rows_keep_their_dtypes(dtype: str) -> None:
    frame = pd.DataFrame({"x": pd.Series([], dtype=dtype)})
    pd.testing.assert_frame_equal(cn.decode(table(frame), "json").to_pandas(), frame)
    labelled = frame.set_index(pd.Index([], dtype="int64", name="k"))
    pd.testing.assert_frame_equal(cn.decode(table(labelled), "json").to_pandas(), labelled, check_index_type=False)


@pytest.mark.parametrize(("kind", "dtype"), [("integer", "Int64"), ("boolean", "boolean")])
def test_columns_of_null_alone_are_of_the_schemas_type(kind: str, dtype: str) -> None:
    content = f'{{"schema": {{"fields": [{{"name": "x", "type": "{kind}"}}]}}, "data": [{{"x": null}}]}}'.encode()
    pd.testing.assert_series_equal(
        cn.decode(content, "json").to_pandas()["x"], pd.Series([None], dtype=dtype, name="x")
    )


@each(("day", "unit"), [("1600-01-01", "us"), ("2263-01-01", "us"), ("2024-01-01", "ns")])
@each("zone", [None, "UTC"])
def test_times_outside_the_range_of_nanoseconds_are_read(day: str, unit: str, zone: str | None) -> None:
    times = pd.Series(pd.to_datetime([day, None, "2024-07-02"]).as_unit("us")).dt.tz_localize(zone)
    found = cn.decode(table(times.to_frame("x")), "json").to_pandas()["x"]
    pd.testing.assert_series_equal(found, times.dt.as_unit(unit).rename("x"))


@each("ordered", [True, False])
@each("categories", [[3, 1, 2**62], [2.5, 1, -0.0], ["b", "a", ""]])
def test_categories_are_those_of_the_schema(categories: list[Any], ordered: bool) -> None:
    first, second, _ = categories
    for cells in ([second, None, first], [None], []):
        frame = pd.DataFrame({"x": pd.Categorical(cells, categories=categories, ordered=ordered)})
        pd.testing.assert_frame_equal(cn.decode(table(frame), "json").to_pandas(), frame)


@pytest.mark.parametrize(
    ("categories", "message"),
    [("[1, 1]", "every category once"), ("[0.0, -0.0]", "every category once"), ("[2, 3]", "found 1 in row 0")],
)
def test_numbers_that_are_no_category_are_refused(categories: str, message: str) -> None:
    field = f'{{"name": "x", "type": "any", "constraints": {{"enum": {categories}}}}}'
    content = f'{{"schema": {{"fields": [{field}]}}, "data": [{{"x": 1}}]}}'.encode()
    with pytest.raises(cn.DecodeError, match=message):
        cn.decode(content, "json")
