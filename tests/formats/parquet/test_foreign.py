"""Parquet files of pyarrow and pandas come back as these read them themselves."""

import datetime
import decimal
import functools
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.errors import UnsupportedError
from colonnade.testing import cases_pandas, cases_pyarrow
from tests.helpers.applies import applies, works
from tests.helpers.each import each
from tests.helpers.parquet_look import (
    PYARROW,
    assert_same,
    assert_same_table,
    pandas_frame,
    pyarrow_file,
    pyarrow_table,
)

every_option = each("options", PYARROW.values(), ids=PYARROW)
CASES = [name for name in cases_pyarrow.CASES if "union" not in name and name != "many chunks of many types"]


@functools.cache
def held(name: str) -> Any:
    """The table of a case, with the columns that pyarrow stores; None where it stores none of them."""
    table = cases_pyarrow.CASES[name]()
    kept = [i for i in range(table.num_columns) if _is_held(table.select([i]))]
    return table.select(kept) if kept or not table.num_columns else None


def is_held(name: str) -> bool:
    return held(name) is not None


@functools.cache
def is_a_frame(name: str) -> bool:
    """Whether pyarrow makes a DataFrame of what it has stored."""
    return is_held(name) and works(lambda: pyarrow_table(pyarrow_file(held(name))).to_pandas())


@functools.cache
def written(name: str, index: bool | None = None) -> bytes | None:
    """The file that pandas writes of a frame; None where it does not."""
    file = io.BytesIO()
    frame = cases_pandas.CASES[name]
    return file.getvalue() if works(lambda: frame().to_parquet(file, engine="pyarrow", index=index)) else None


@functools.cache
def is_written(name: str, index: bool | None = None, backend: Any = None) -> bool:
    """Whether pandas writes the frame and reads it again."""
    content = written(name, index)
    keywords = {} if backend is None else {"dtype_backend": backend}
    return content is not None and works(lambda: pd.read_parquet(io.BytesIO(content), **keywords))


def _is_held(column: Any) -> bool:
    try:
        pyarrow_table(pyarrow_file(column))
    except (pa.ArrowException, OSError):
        return False
    return True


def _fits_nanoseconds(table: Any) -> bool:
    times = [column for column in table.columns if pa.types.is_timestamp(column.type)]
    return works(lambda: [column.cast(pa.timestamp("ns", column.type.tz)) for column in times])


# --------------------------------------------------------------------------- tables
@each("name", list(CASES), per=50)
@applies(is_held)
def test_tables_of_pyarrow(name: str) -> None:
    table = held(name)
    for label, options in PYARROW.items():
        try:
            content = pyarrow_file(table, **options)
            wanted = pyarrow_table(content)
        except (pa.ArrowException, OSError):
            continue  # pyarrow does not store it so
        if len(wanted) < len(table):
            continue  # pyarrow loses rows of lists in pages of one row, of its own files too
        if label in ("int96", "spark") and not _fits_nanoseconds(table):
            # pyarrow stores and reads other instants.
            with pytest.raises(UnsupportedError, match="INT96"):
                cn.decode(content).to_arrow()
            continue
        try:
            found = cn.decode(content).to_arrow()
            found.validate(full=True)
            assert_same_table(wanted, found)
            assert_same_table(wanted, cn.decode(content, verify=True, threads=1).to_arrow())
        except Exception as error:
            raise AssertionError(f"{label}: {type(error).__name__}: {error}") from error


@applies(is_a_frame)
@pytest.mark.parametrize("name", CASES)
def test_tables_of_pyarrow_as_frames(name: str) -> None:
    """Columns in a DataFrame are what pyarrow makes of them."""
    if name == "names that stand twice":
        pytest.xfail("pyarrow gives both columns the dtype of one of them")
    content = pyarrow_file(held(name))
    wanted = pyarrow_table(content).to_pandas()
    assert_same(wanted, cn.decode(content).to_pandas())


ENCODINGS = {
    "PLAIN": "biudfst",
    "DELTA_BINARY_PACKED": "iudt",
    "DELTA_LENGTH_BYTE_ARRAY": "s",
    "DELTA_BYTE_ARRAY": "s",
    "BYTE_STREAM_SPLIT": "iudft",
    "RLE": "b",
}


def _columns(nrows: int) -> Any:
    numbers = np.random.default_rng(0)
    holes = numbers.random(nrows) < 0.3
    columns: dict[str, Any] = {
        "b": numbers.random(nrows) < 0.5,
        "i": numbers.integers(-5, 5, nrows).cumsum().astype("i4"),
        "u": numbers.integers(0, 1 << 63, nrows).astype("u8") * 2,
        "d": numbers.integers(-(1 << 62), 1 << 62, nrows),
        "f": numbers.random(nrows),
        "s": np.array([f"word {i % 700}" * (i % 3) for i in range(nrows)], dtype=object),
        "t": pa.array(numbers.integers(0, 1 << 50, nrows), pa.timestamp("us")),
    }
    arrays = {}
    for name, values in columns.items():
        array = pa.array(values)
        arrays[name] = array
        arrays[f"{name} with nulls"] = pa.array(array.to_pylist(), array.type, mask=holes)
    return pa.table(arrays)


@each("version", ["1.0", "2.0"])
@each("compression", ["none", "snappy", "zstd"])
@each("encoding", list(ENCODINGS))
def test_each_encoding(encoding: str, compression: str, version: str) -> None:
    table = _columns(5000)
    chosen = {name: encoding for name in table.column_names if name[0] in ENCODINGS[encoding]}
    content = pyarrow_file(
        table.select(list(chosen)),
        use_dictionary=False,
        column_encoding=chosen,
        compression=compression,
        data_page_version=version,
        data_page_size=4000,
        row_group_size=3500,
    )
    wanted = pyarrow_table(content)
    assert_same_table(wanted, cn.decode(content).to_arrow())
    assert_same(wanted.to_pandas(), cn.decode(content).to_pandas())
    assert_same_table(wanted.slice(3333, 400), cn.decode(content, rows=slice(3333, 3733)).to_arrow())


@each("threads", [1, 2])
@each("share", [0.0, 0.001, 0.5, 0.999, 1.0])
def test_nulls_of_every_density(share: float, threads: int) -> None:
    numbers = np.random.default_rng(1)
    nrows = 20_000
    mask = numbers.random(nrows) < share
    table = pa.table(
        {
            "i": pa.array(np.arange(nrows), mask=mask),
            "f": pa.array(numbers.random(nrows), mask=mask),
            "s": pa.array([str(i % 50) for i in range(nrows)], mask=mask),
            "b": pa.array(numbers.random(nrows) < 0.5, mask=mask),
            "t": pa.array(np.arange(nrows), pa.timestamp("ns"), mask=mask),
            "l": pa.array([[i] for i in range(nrows)], mask=mask),
        }
    )
    content = pyarrow_file(table, row_group_size=7000, data_page_size=5000)
    assert_same_table(pyarrow_table(content), cn.decode(content, threads=threads).to_arrow())
    assert_same(pandas_frame(content), cn.decode(content, threads=threads).to_pandas())


# --------------------------------------------------------------------------- DataFrames
@each("index", [None, True, False], lambda name, index: is_written(name, index))
@each("name", list(cases_pandas.CASES), per=20)
def test_files_of_pandas(name: str, index: bool | None, tmp_path: Path) -> None:
    path = tmp_path / "own.parquet"
    path.write_bytes(written(name, index) or b"")
    wanted = pd.read_parquet(path)
    for found in (cn.read(path).to_pandas(), cn.read_pandas(path, mmap=False), cn.read(path).to_native()):
        assert_same(wanted, found)


@every_option
def test_every_option_of_pandas(options: dict[str, Any], tmp_path: Path) -> None:
    """One frame of what frames are made of, its labels too, in each form of file."""
    path = tmp_path / "own.parquet"
    index = pd.MultiIndex.from_product([["a", "b"], pd.date_range("2020", periods=20, tz="Europe/Berlin")])
    frame = pd.DataFrame(
        {
            "i": np.arange(40, dtype="i2"),
            "f": np.linspace(0, 1, 40).astype("f4"),
            "n": pd.array([1, None] * 20, dtype="Int32"),
            "s": ["x", None, "yy", ""] * 10,
            "c": pd.Categorical(["u", "v", None, "u"] * 10, categories=["v", "unused", "u"], ordered=True),
            "b": [True, False] * 20,
            "t": pd.date_range("1999", periods=40, freq="h").where(np.arange(40) % 7 > 0),
            "d": pd.timedelta_range("1s", periods=40).where(np.arange(40) % 5 > 0),
        },
        index=index.set_names(["k", None]),
    )
    frame.to_parquet(path, engine="pyarrow", **options)
    wanted = pd.read_parquet(path)
    assert_same(wanted, cn.read(path).to_pandas())
    assert_same(wanted[["s", "i"]], cn.read(path, columns=["s", "i"]).to_pandas())
    assert_same(wanted.iloc[5:9], cn.read(path, rows=slice(5, 9)).to_pandas())


BACKENDS: list[Any] = ["numpy_nullable", "pyarrow"]


@each("backend", BACKENDS, lambda name, backend: is_written(name, backend=backend))
@each("name", list(cases_pandas.CASES), per=20)
def test_the_backend_that_was_asked_for(name: str, backend: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.parquet"
    path.write_bytes(written(name) or b"")
    wanted = pd.read_parquet(path, dtype_backend=backend)
    if backend == "pyarrow" and (name == "everything at once" or name.startswith(("arrow map", "arrow sorted map"))):
        pytest.xfail("pyarrow calls a map's entries by the column, which it takes from nobody else")
    assert_same(wanted, cn.read(path).to_pandas(dtype_backend=backend))
    assert_same(wanted, cn.read_pandas(path, dtype_backend=backend))


def test_attrs_of_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1]})
    frame.attrs = {"unit": "m", "list": [1, {"a": None}]}
    frame.to_parquet(tmp_path / "x.parquet")
    assert cn.read(tmp_path / "x.parquet").to_pandas().attrs == pd.read_parquet(tmp_path / "x.parquet").attrs


# --------------------------------------------------------------------------- what is asked of a file
def test_columns_are_found_by_name_and_path(tmp_path: Path) -> None:
    table = pa.table(
        {
            "x": [1, 2, 3],
            "s": [{"a": 1, "b": {"c": "u", "d": 0.5}}, None, {"a": None, "b": None}],
            "l": [[{"p": 1, "q": 2}], [], None],
            "a.b": [True, False, None],
        }
    )
    path = tmp_path / "x.parquet"
    pq.write_table(table, path)
    for columns in (["x"], ["l", "x"], ["a.b"], ["s"]):
        assert_same_table(table.select(columns), cn.read(path, columns=columns).to_arrow())
    for columns in (["s.a"], ["s.b.c"], ["s.b"], ["l.list.element.q"]):
        wanted = pq.ParquetFile(path).read(columns=columns)
        assert_same_table(wanted, cn.read(path, columns=columns).to_arrow())
    with pytest.raises(cn.ColumnNotFound, match=r"'ss'.*'s'"):
        cn.read(path, columns=["ss"])


def test_rows_across_groups_and_pages(tmp_path: Path) -> None:
    table = _columns(300)
    content = pyarrow_file(table, row_group_size=70, data_page_size=50, write_batch_size=10)
    frame = cn.decode(content)
    for start in range(0, 300, 23):
        for stop in range(start, 301, 41):
            assert_same_table(table.slice(start, stop - start), frame.slice(start, stop).to_arrow())
            wanted = table.slice(start, stop - start).to_pandas().set_axis(pd.RangeIndex(start, stop))
            assert_same(wanted, frame.slice(start, stop).to_pandas())


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"dictionary_pagesize_limit": 8}])
def test_categories_that_were_asked_for(options: dict[str, Any]) -> None:
    words = [None if i % 11 == 0 else f"w{i * i % 17}" for i in range(200)]
    table = pa.table({"s": words, "t": words[::-1], "n": list(range(200))})
    content = pyarrow_file(table, row_group_size=60, data_page_size=30, write_batch_size=7, **options)
    found = cn.decode(content, categories=["s"]).to_pandas()
    wanted = pq.ParquetFile(pa.BufferReader(content), read_dictionary=["s"]).read().to_pandas()
    assert found.dtypes["s"] == "category"
    assert found["s"].astype(object).where(found["s"].notna(), None).tolist() == words
    assert sorted(found["s"].cat.categories) == sorted(wanted["s"].cat.categories)
    assert not found["s"].cat.ordered
    assert_same(wanted[["t", "n"]], found[["t", "n"]])
    assert_same(pandas_frame(content), cn.decode(content).to_pandas())
    both = cn.decode(content, categories=["t", "s"]).to_pandas()
    assert [str(dtype) for dtype in both.dtypes] == ["category", "category", "int64"]
    with pytest.raises(cn.ColumnNotFound, match="'ss'"):
        cn.decode(content, categories=["ss"]).to_pandas()


def test_categories_of_numbers_are_refused() -> None:
    content = pyarrow_file(pa.table({"n": [3, 1, 3, None]}))
    with pytest.raises(cn.OptionError, match='columns of text, found column "n" of Int64'):
        cn.decode(content, categories=["n"])


# --------------------------------------------------------------------------- what the schema says
@each("options", [{}, {"version": "1.0"}, {"coerce_timestamps": "ms"}], ids=str)
@each("unit", ["s", "ms", "us", "ns"])
def test_zones_inside_lists_are_the_writers(unit: str, options: dict[str, Any]) -> None:
    """Whatever unit they were stored in."""
    berlin, tokyo = pa.timestamp(unit, "Europe/Berlin"), pa.timestamp(unit, "Asia/Tokyo")
    ticks = 1_600_000_000 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    table = pa.table(
        {
            "list": pa.array([[ticks, None], None], pa.list_(berlin)),
            "lists": pa.array([[[ticks]], []], pa.list_(pa.large_list(pa.field("q", pa.timestamp(unit, "+01:00"))))),
            "struct": pa.array([{"a": ticks, "b": ticks}, None], pa.struct([("a", berlin), ("b", tokyo)])),
            "map": pa.array([[(ticks, ticks)], None], pa.map_(tokyo, berlin)),
            "naive": pa.array([[ticks], []], pa.list_(pa.timestamp(unit))),
        }
    )
    content = pyarrow_file(table, **options)
    assert_same_table(pyarrow_table(content), cn.decode(content).to_arrow())


REQUIRED = pa.schema(
    [
        pa.field("i", pa.int64(), nullable=False),
        pa.field("f", pa.float64(), nullable=False),
        pa.field("maybe", pa.float64()),
        pa.field("s", pa.string(), nullable=False),
        pa.field("t", pa.timestamp("us"), nullable=False),
        pa.field("b", pa.bool_(), nullable=False),
        pa.field("d", pa.decimal128(9, 2), nullable=False),
        pa.field("l", pa.list_(pa.field("element", pa.int8(), nullable=False)), nullable=False),
    ]
)


def required() -> bytes:
    day = datetime.datetime(2020, 1, 2)
    rows = [
        {"i": k, "f": k / 3, "maybe": None, "s": "x", "t": day, "b": k > 2, "d": decimal.Decimal("1.5"), "l": [k]}
        for k in range(5)
    ]
    return pyarrow_file(pa.Table.from_pylist(rows, REQUIRED), row_group_size=2)


def test_columns_that_are_never_null_say_so() -> None:
    content = required()
    wanted = pyarrow_table(content)
    frame = cn.decode(content)
    assert frame.to_arrow().schema == wanted.schema
    assert pa.schema(frame) == wanted.schema
    assert pa.RecordBatchReader.from_stream(frame).read_all().schema == wanted.schema
    assert cn.read_arrow(content).schema == wanted.schema
    chosen = ["s", "maybe", "i"]
    assert cn.decode(content, columns=chosen).to_arrow().schema == wanted.select(chosen).schema
    assert frame.select(chosen).to_arrow().schema == wanted.select(chosen).schema
    with cn.open_reader(content) as reader:
        assert [batch.to_arrow().schema for batch in reader] == [wanted.schema] * 3
    # They are columns like all others where a library has no word for it.
    assert_same(wanted.to_pandas(), frame.to_pandas())
    assert frame.to_polars().equals(cn.Frame(wanted).to_polars())


def test_columns_that_are_never_null_stay_in_blocks() -> None:
    content = pyarrow_file(
        pa.table(
            {f"c{i}": pa.array(np.arange(5) * i) for i in range(3)},
            schema=pa.schema([pa.field(f"c{i}", pa.int64(), nullable=False) for i in range(3)]),
        ),
        store_schema=False,
    )
    frame = cn.decode(content).to_pandas()
    assert [block.shape for block in frame._mgr.blocks] == [(3, 5)]
    copy = cn.decode(cn.encode(cn.decode(content), "npz"))
    assert [field.nullable for field in copy.to_arrow().schema] == [False] * 3
