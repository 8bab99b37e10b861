"""Our files and streams, opened by pyarrow, pandas and polars: they look right there, labels and names too."""

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
import pyarrow.feather

import colonnade as cn
from colonnade.testing import cases_pandas, cases_pyarrow
from colonnade.testing._arrow_cells import cells
from colonnade.testing.dtypes import sample
from tests.helpers.applies import applies, works
from tests.helpers.each import each
from tests.helpers.narrow import narrow
from tests.helpers.pandas_look import OTHERWISE, RANGES, assert_one_field_each, assert_seen_alike, labelled
from tests.helpers.ways import Way, arrow_ways


def opened(content: bytes, format: str) -> Any:
    """The table, as pyarrow reads it, fully validated."""
    table = (pa.ipc.open_file if format == "arrow" else pa.ipc.open_stream)(content).read_all()
    table.validate(full=True)
    return table


# --------------------------------------------------------------------------- pyarrow and polars tables
@arrow_ways
@each("name", list(cases_pyarrow.CASES), per=20)
def test_pyarrow_sees_the_table(name: str, way: Way) -> None:
    table = cases_pyarrow.CASES[name]()
    found = opened(way.encode(table), way.format)
    assert found.shape == table.shape
    if "twice" not in name or "struct" in name:
        assert found.column_names == table.column_names
    for position, field in enumerate(table.schema):
        assert found.schema.field(position).type == field.type
        assert found.schema.field(position).nullable == field.nullable
        own = {
            key: value for key, value in (found.schema.field(position).metadata or {}).items() if key != b"colonnade"
        }
        assert own == (field.metadata or {})
        assert cells(found.column(position)) == cells(table.column(position))
    kept = found.schema.metadata or {}
    given = {key: value for key, value in (table.schema.metadata or {}).items() if key != b"pandas"}
    assert all(kept[key] == value for key, value in given.items())


@each("format", ["arrow", "arrows"])
def test_polars_sees_the_frame(format: str) -> None:
    pl = pytest.importorskip("polars")
    from colonnade.testing import cases_polars

    for name, make in cases_polars.CASES.items():
        frame = narrow(make())
        content = io.BytesIO(cn.encode(frame, format))
        found = pl.read_ipc(content) if format == "arrow" else pl.read_ipc_stream(content)
        try:
            cases_polars.assert_identical(frame, found)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


# --------------------------------------------------------------------------- DataFrames
# Where pandas' reader sees another thing in our file than in its own, beside what it does everywhere.
_OTHERWISE = OTHERWISE | {
    "arrow month day nano": "pandas cannot compare them",
}


@functools.cache
def _is_feather(name: str) -> bool:
    """Whether pyarrow writes the frame as Feather and pandas reads it."""
    file = io.BytesIO()
    table = cases_pandas.CASES[name]
    return works(lambda: (pa.feather.write_feather(pa.Table.from_pandas(table()), file), pd.read_feather(file)))


@each("compression", [None, "lz4", "zstd"])
@each("name", list(cases_pandas.CASES), per=20)
@applies(_is_feather)
def test_pandas_reads_our_feather_as_it_reads_its_own(name: str, compression: str | None, tmp_path: Path) -> None:
    """Where pandas can write the frame itself, both files come back the same."""
    frame = cases_pandas.CASES[name]()
    own, ours = tmp_path / "own.feather", tmp_path / "ours.feather"
    pa.feather.write_feather(pa.Table.from_pandas(frame), own, compression="uncompressed")
    wanted = pd.read_feather(own)
    cn.write(frame, ours, compression=compression)
    assert_seen_alike(name, lambda: pd.read_feather(ours), wanted, _OTHERWISE)


@each("name", list(cases_pandas.CASES), per=50)
def test_pyarrow_sees_each_column_of_a_frame(name: str) -> None:
    """One field a column and one a stored level, in their order, nothing left out."""
    frame = cases_pandas.CASES[name]()
    for format in ("arrow", "arrows"):
        assert_one_field_each(frame, opened(cn.encode(frame, format), format))


def test_names_of_labels_and_levels() -> None:
    frame = labelled()
    for format in ("arrow", "arrows"):
        table = opened(cn.encode(frame, format), format)
        assert table.column_names == ["v", "w", "x", "__index_level_1__"]
        pd.testing.assert_frame_equal(table.to_pandas(), frame)


def test_a_level_whose_name_is_a_column_too() -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index(["a", "b"], name="x"))
    table = opened(cn.encode(frame, "arrow"), "arrow")
    assert table.column_names == ["x", "__index_level_0__"]
    pd.testing.assert_frame_equal(table.to_pandas(), frame)


@pytest.mark.parametrize("index", RANGES)
def test_a_range_of_labels_is_no_column(index: pd.Index) -> None:
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5]}, index=index)
    table = opened(cn.encode(frame, "arrow"), "arrow")
    assert table.column_names == ["x"]
    pd.testing.assert_frame_equal(table.to_pandas(), frame)
    assert isinstance(table.to_pandas().index, pd.RangeIndex)


# --------------------------------------------------------------------------- NumPy
_AS_THEY_ARE = {
    "|b1": "bool", "|i1": "int8", "|u1": "uint8", "<i2": "int16", "<u2": "uint16", "<i4": "int32", "<u4": "uint32",
    "<i8": "int64", "<u8": "uint64", "<f2": "halffloat", "<f4": "float", "<f8": "double", "<M8[s]": "timestamp[s]",
    "<M8[ns]": "timestamp[ns]", "<m8[us]": "duration[us]",
}  # fmt: skip


@arrow_ways
@each("dtype", list(_AS_THEY_ARE))
def test_each_dtype_has_its_arrow_type(dtype: str, way: Way) -> None:
    values = sample(dtype, 9)
    table = opened(way.encode({"x": values}), way.format)
    column = table.column("x")
    assert str(column.type) == _AS_THEY_ARE[dtype]
    if values.dtype.kind in "mM":
        wanted = [None if np.isnat(cell) else int(cell.view("i8")) for cell in values]
    elif values.dtype.kind == "f":
        wanted = values.view(f"u{values.itemsize}").tolist()
    else:
        wanted = values.tolist()
    assert cells(column) == wanted


def test_dtypes_that_arrow_lacks_are_near_ones() -> None:
    data = {
        "big": np.array([1, -2], ">i4"),
        "text": np.array(["a", "déjà"]),
        "raw": np.array([b"a\0b", b""], "S3"),
        "void": np.array([b"abc", b"\0\0\0"], "V3"),
        "complex": np.array([1.5 - 2j, 0]),
        "days": np.array(["2020-02-29", "1969-12-31"], "M8[D]"),
        "years": np.array(["2020", "NaT"], "M8[Y]"),
    }
    for format in ("arrow", "arrows"):
        table = opened(cn.encode(data, format), format)
        assert table.column("big").to_pylist() == [1, -2]
        assert table.column("text").to_pylist() == ["a", "déjà"]
        assert [cell.rstrip(b"\0") for cell in table.column("raw").to_pylist()] == [b"a\0b", b""]
        assert table.column("void").to_pylist() == [b"abc", b"\0\0\0"]
        assert table.column("complex").to_pylist() == [[1.5, -2.0], [0.0, 0.0]]
        assert [str(day) for day in table.column("days").to_pylist()] == ["2020-02-29", "1969-12-31"]
        assert table.column("years").to_pylist()[1] is None


# --------------------------------------------------------------------------- how it is cut
@each("format", ["arrow", "arrows"])
def test_batches_are_as_large_as_was_asked(format: str) -> None:
    data = {"x": np.arange(10_000), "y": np.arange(10_000) * 0.5}
    source = pa.BufferReader(cn.encode(data, format, batch_nbytes=16_000))
    reader = pa.ipc.open_file(source) if format == "arrow" else pa.ipc.open_stream(source)
    found = [reader.get_batch(i) for i in range(reader.num_record_batches)] if format == "arrow" else list(reader)
    # 16 bytes a row; even, and rounded so that bitmaps end at a whole word.
    (nrows,) = {batch.num_rows for batch in found[:-1]}
    assert nrows % 64 == 0
    assert abs(nrows - 1000) < 64
    assert pa.Table.from_batches(found).column("x").to_pylist() == list(range(10_000))


def test_a_stream_is_cut_to_a_mebibyte_by_default() -> None:
    data = {"x": np.arange(400_000)}
    batches = list(pa.ipc.open_stream(cn.encode(data, "arrows")))
    assert max(batch.nbytes for batch in batches) < 1.1 * (1 << 20)  # about, so that they are even
    assert len(batches) <= 4


@each("codec", ["lz4", "zstd"])
@each("format", ["arrow", "arrows"])
def test_compression_is_what_was_asked(format: str, codec: str) -> None:
    data = {"x": np.zeros(100_000)}
    content = cn.encode(data, format, compression=codec)
    assert len(content) < 20_000
    assert cn.inspect(content).members[-1]["method"] == codec
    assert opened(content, format).column("x").to_pylist() == [0.0] * 100_000


def test_buffers_are_aligned_to_64_bytes(tmp_path: Path) -> None:
    """So that a reader may use them as they lie."""
    path = tmp_path / "x.arrow"
    cn.write({"a": np.arange(1001), "b": np.arange(1001, dtype="i1"), "c": np.arange(1001) % 2 == 0}, path)
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
        base = source.read_buffer().address
        for column in table.columns:
            for chunk in column.chunks:
                assert all((buffer.address - base) % 64 == 0 for buffer in chunk.buffers() if buffer is not None)
