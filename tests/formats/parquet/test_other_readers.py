"""Our Parquet files, opened by pyarrow, pandas, polars, DuckDB and fastparquet: they look right there, labels too."""

import functools
import io
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.each import each
from tests.helpers.narrow import narrow

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas as pd
import pyarrow as pa

import colonnade as cn
from colonnade.testing import cases_pandas, cases_pyarrow
from colonnade.testing._arrow_cells import same_column
from tests.helpers.applies import applies, works
from tests.helpers.pandas_look import OTHERWISE, RANGES, assert_one_field_each, assert_seen_alike, labelled
from tests.helpers.parquet_look import (
    checked_table,
    common,
    fastparquet_frame,
    pandas_frame,
    plain_cells,
    pyarrow_file,
    pyarrow_table,
)
from tests.helpers.ways import Way, parquet_ways


# --------------------------------------------------------------------------- tables
@parquet_ways
@each("name", list(cases_pyarrow.CASES), per=20)
def test_pyarrow_reads_a_table_of_ours_as_one_of_its_own(name: str, way: Way) -> None:
    """Column by column, where pyarrow can store the column; else the cells are the same."""
    table = cases_pyarrow.CASES[name]()
    try:
        found = checked_table(way.encode(table))
    except pa.ArrowNotImplementedError as error:
        if "Nested data conversions not implemented for chunked array outputs" not in str(error):
            raise
        return  # pyarrow reads no lists of dictionaries from several row groups, its own neither
    assert found.num_rows == table.num_rows
    assert found.num_columns == table.num_columns
    for position, field in enumerate(table.schema):
        ours = found.column(position)
        try:
            theirs = pyarrow_table(pyarrow_file(pa.table({field.name: table.column(position)}))).column(0)
        except (pa.ArrowException, OSError):
            continue  # pyarrow does not store it
        if name == "dictionary of lists: no rows":
            continue  # codes to others; their own writer holds it as long as there is nothing in it
        assert same_column(ours, theirs), field
        assert _without_names(ours.type) == _without_names(theirs.type)
        assert found.schema.field(position).nullable == field.nullable


def _without_names(kind: Any) -> str:
    """The type without the names of the values of its lists, which writers choose for themselves."""
    return re.sub(r"\b(item|element|entries|key_value): ", "", str(kind))


def test_polars_sees_the_frame() -> None:
    pl = pytest.importorskip("polars")
    from colonnade.testing import cases_polars

    tried = 0
    for name, make in cases_polars.CASES.items():
        frame = narrow(make())
        own = io.BytesIO()
        try:
            frame.write_parquet(own)
            wanted = pl.read_parquet(own.getvalue())
        except Exception:  # what polars refuses, in words of its own
            continue
        found = pl.read_parquet(cn.encode(frame, "parquet"))
        tried += 1
        try:
            cases_polars.assert_identical(wanted, found)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
    assert tried > 30


# --------------------------------------------------------------------------- DataFrames
# Where pandas' reader sees another thing in our file than in its own, beside what it does everywhere.
_OTHERWISE = OTHERWISE | {
    "categorical without categories": "pandas' own file of it is a column of objects",
    "shape 3 x 0": "pandas loses rows without columns in its own file",
}


@functools.cache
def _is_written(name: str) -> bool:
    """Whether pandas writes the frame and reads it again."""
    file = io.BytesIO()
    return works(lambda: (cases_pandas.CASES[name]().to_parquet(file), pd.read_parquet(file)))


@parquet_ways
@each("name", list(cases_pandas.CASES), per=20)
@applies(_is_written)
def test_pandas_reads_our_file_as_it_reads_its_own(name: str, way: Way, tmp_path: Path) -> None:
    """Where pandas can write the frame itself, both files come back the same."""
    frame = cases_pandas.CASES[name]()
    own = tmp_path / "own.parquet"
    frame.to_parquet(own)
    wanted = pd.read_parquet(own)
    ours = way.write(frame, tmp_path)
    assert_seen_alike(name, lambda: pd.read_parquet(ours), wanted, _OTHERWISE)


@each("name", list(cases_pandas.CASES), per=50)
def test_pyarrow_sees_each_column_of_a_frame(name: str) -> None:
    """One field a column and one a stored level, in their order, nothing left out."""
    frame = cases_pandas.CASES[name]()
    assert_one_field_each(frame, checked_table(cn.encode(frame, "parquet")))


def test_names_of_labels_and_levels() -> None:
    frame = labelled()
    content = cn.encode(frame, "parquet")
    assert checked_table(content).column_names == ["v", "w", "x", "__index_level_1__"]
    pd.testing.assert_frame_equal(pandas_frame(content), frame)
    pd.testing.assert_frame_equal(pandas_frame(content, columns=["w"]), frame[["w"]])


@pytest.mark.parametrize("index", RANGES)
def test_a_range_of_labels_is_no_column(index: pd.Index) -> None:
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5]}, index=index)
    content = cn.encode(frame, "parquet")
    assert checked_table(content).column_names == ["x"]
    pd.testing.assert_frame_equal(pandas_frame(content), frame)
    assert isinstance(pandas_frame(content).index, pd.RangeIndex)


def test_a_backend_of_pandas_on_our_file() -> None:
    # NaN is a value in our files, and null in pandas' own.
    frame = pd.DataFrame({"i": [1, 2], "f": [0.5, 1.5], "s": ["a", None], "b": [True, False]})
    own = io.BytesIO()
    frame.to_parquet(own)
    for backend in ("numpy_nullable", "pyarrow"):
        wanted = pandas_frame(own.getvalue(), dtype_backend=backend)
        pd.testing.assert_frame_equal(pandas_frame(cn.encode(frame, "parquet"), dtype_backend=backend), wanted)


# --------------------------------------------------------------------------- a frame of what everybody has
@parquet_ways
@pytest.mark.parametrize("nrows", [1, 1000])
def test_duckdb_reads_our_file(way: Way, nrows: int, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    frame = common(nrows)
    path = way.write(frame, tmp_path)
    with duckdb.connect() as connection:
        found = connection.sql(f"select * from '{path}'").df()
        assert list(found.columns) == list(frame.columns)
        assert plain_cells(found) == plain_cells(frame)
        # Statistics and the page index are believed here.
        for condition in ("i8 > 10000000900", "i4 between -10 and 10", "s = 'word 3'", "t >= 'text 9'", "f8 < 0.1"):
            rows = connection.sql(f"select count(*) from '{path}' where {condition}").fetchall()
            wanted = connection.sql(f"select count(*) from frame where {condition}").fetchall()
            assert rows == wanted, condition


@parquet_ways
@pytest.mark.parametrize("nrows", [1, 1000])
def test_polars_reads_our_file(way: Way, nrows: int, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    frame = common(nrows)
    path = way.write(frame, tmp_path)
    assert plain_cells(pl.read_parquet(path).to_pandas()) == plain_cells(frame)
    for condition in (pl.col("i8") > 10_000_000_900, pl.col("s") == "word 3", pl.col("t") >= "text 9", pl.col("b")):
        found = pl.scan_parquet(path).filter(condition).collect()
        assert found.equals(pl.read_parquet(path, use_statistics=False).filter(condition))


# What fastparquet cannot decode it names; at our defaults there is nothing of it.
FASTPARQUET: dict[str, dict[str, Any]] = {
    "defaults": {},
    "fast codecs": {"compression": "lz4", "encoding": "plain", "use_dictionary": False},
    "zstd": {"compression": "zstd", "encoding": "plain", "use_dictionary": False},
    "dictionaries": {"encoding": "dictionary"},
    # Deltas of more than 27 bits come out wrong there, whoever wrote them.
    "deltas": {"encoding": dict.fromkeys(["i1", "i4", "i8", "day"], "delta_binary_packed"), "use_dictionary": False},
    "row groups": {"row_group_size": 300, "data_page_size": 1000},
}


@each("options", FASTPARQUET.values(), ids=FASTPARQUET)
@each("nrows", [1, 1000])
def test_fastparquet_reads_our_file(options: dict[str, Any], nrows: int, tmp_path: Path) -> None:
    pytest.importorskip("fastparquet")
    frame = common(nrows)
    cn.write(frame, tmp_path / "x.parquet", **options)
    assert plain_cells(fastparquet_frame(tmp_path / "x.parquet")) == plain_cells(frame)


def test_fastparquet_sees_labels_and_categories(tmp_path: Path) -> None:
    pytest.importorskip("fastparquet")
    frame = pd.DataFrame(
        {"c": pd.Categorical(["u", "v", "u"]), "n": pd.array([1, None, 3], dtype="Int64")},
        index=pd.Index([7, 8, 9], name="id"),
    )
    cn.write(frame, tmp_path / "x.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pd.read_parquet(tmp_path / "x.parquet", engine="fastparquet")
    assert found.index.name == "id"
    assert found.index.tolist() == [7, 8, 9]
    assert found["c"].astype(object).tolist() == ["u", "v", "u"]
    assert found["n"].isna().tolist() == [False, True, False]
