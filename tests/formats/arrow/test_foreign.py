"""Files and streams of pyarrow, pandas and polars come back as their own readers give them."""

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
from tests.helpers.applies import applies, works
from tests.helpers.arrow_look import frame_cells, joined_cells, open_ipc
from tests.helpers.each import each
from tests.helpers.narrow import narrow
from tests.helpers.ways import LARGE

_CODECS = [None, "lz4", "zstd"]


def written(table: Any, format: str, rows: int | None = None, **options: Any) -> bytes:
    """The table as pyarrow writes it, `rows` a batch."""
    sink = pa.BufferOutputStream()
    open_writer = pa.ipc.new_file if format == "arrow" else pa.ipc.new_stream
    with open_writer(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue().to_pybytes()


def _own(content: bytes, format: str) -> Any:
    return (pa.ipc.open_file if format == "arrow" else pa.ipc.open_stream)(content).read_all()


_TABLES = [name for name in cases_pyarrow.CASES if name != "many chunks of many types"]


@each("codec", _CODECS)
@each("format", ["arrow", "arrows"])
@each("name", list(_TABLES), per=20)
def test_tables_of_pyarrow(name: str, format: str, codec: str | None) -> None:
    table = cases_pyarrow.CASES[name]()
    if name == "chunks with other dictionaries" and format == "arrow":
        table = table.unify_dictionaries()
    # Twenty thousand batches of two rows would take half a minute.
    for rows in (None, 1000 if name in LARGE else 2):
        content = written(table, format, rows, compression=codec)
        wanted = _own(content, format)
        found = cn.decode(content).to_arrow()
        cases_pyarrow.assert_identical(wanted, found)
        if name != "as pandas writes it":  # its own library is pandas
            native = cn.decode(content, format).to_native()
            if not cases_pyarrow.is_identical_in_memory(found, native):
                cases_pyarrow.assert_identical(wanted, native)


@each("version", [pa.ipc.MetadataVersion.V4, pa.ipc.MetadataVersion.V5])
@each("legacy", [False, True])
@each("format", ["arrow", "arrows"])
def test_older_forms_of_messages(format: str, legacy: bool, version: Any) -> None:
    """Without the continuation mark, as before 0.15, and with the metadata version before 1.0."""
    for name in ("struct", "chunks that differ by column", "dense union", "sparse union", "list of dictionaries"):
        table = cases_pyarrow.CASES[name]()
        content = written(table, format, use_legacy_format=legacy, metadata_version=version)
        cases_pyarrow.assert_identical(table, cn.decode(content, format).to_arrow())
        if format == "arrows":  # the footer that pyarrow writes is of V5 either way
            assert open_ipc(content, format).facts()["metadata_version"] == (
                4 if version == pa.ipc.MetadataVersion.V4 else 5
            )


@pytest.mark.parametrize("deltas", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_dictionaries_that_grow_or_are_replaced(deltas: bool, threads: int) -> None:
    table = cases_pyarrow.CASES["chunks with other dictionaries"]()
    growing = [
        pa.array(words).dictionary_encode() for words in (["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d", None])
    ]
    longer = pa.table({"d": pa.chunked_array(growing), "l": [[number] for number in range(10)]})
    for every in (table, longer):
        content = written(every, "arrows", emit_dictionary_deltas=deltas)
        cases_pyarrow.assert_identical(every, cn.decode(content, threads=threads).to_arrow())


@each("format", ["arrow", "arrows"])
def test_any_batch_alone(format: str) -> None:
    """Slices and choices of columns are those of the whole, wherever the batches end."""
    table = cases_pyarrow.CASES["all types side by side"]()
    whole = pa.concat_tables([table] * 4)
    opened = open_ipc(written(whole, format, 3), format)
    every = frame_cells(opened.load())
    assert every == joined_cells(opened.load_arrow(), opened.ncols)
    for start in range(0, 20, 3):
        for stop in range(start, 21, 4):
            chosen = list(range(start % 5, opened.ncols, 7))[::-1]
            wanted = [every[position][start:stop] for position in chosen]
            assert frame_cells(opened.load(chosen, (start, stop))) == wanted
            assert joined_cells(opened.load_arrow(chosen, (start, stop)), len(chosen)) == wanted


def test_open_reader_of_a_file_takes_any_batch(tmp_path: Path) -> None:
    table = cases_pyarrow.CASES["long enough for many batches"]()
    path = tmp_path / "x.arrow"
    path.write_bytes(written(table, "arrow", 1000))
    with cn.open_reader(path) as reader:
        for number in (39, 0, 17, -1):
            start = number % 40 * 1000
            cases_pyarrow.assert_identical(table.slice(start, 1000), reader[number].to_arrow())
        with pytest.raises(IndexError):
            reader[40]
        cases_pyarrow.assert_identical(table, reader.read_all().to_arrow())


# --------------------------------------------------------------------------- DataFrames
def _same(wanted: pd.DataFrame, found: pd.DataFrame) -> None:
    if "float16" in {str(dtype) for dtype in wanted.dtypes}:  # pyarrow gives every NaN of two bytes the same bits
        pd.testing.assert_frame_equal(found, wanted, check_exact=True)
    else:
        cases_pandas.assert_identical(wanted, found)


@functools.cache
def _is_feather(name: str) -> bool:
    """Whether pandas writes the frame as Feather and reads it again."""
    file = io.BytesIO()
    return works(lambda: (cases_pandas.CASES[name]().to_feather(file), pd.read_feather(file)))


@functools.cache
def _is_table(name: str) -> bool:
    """Whether pyarrow takes the frame with its labels and gives it back."""
    return works(
        lambda: _own(written(pa.Table.from_pandas(cases_pandas.CASES[name]()), "arrows"), "arrows").to_pandas()
    )


@each("codec", ["uncompressed", "lz4", "zstd"])
@each("name", list(cases_pandas.CASES), per=20)
@applies(_is_feather)
def test_feather_files_of_pandas(name: str, codec: str, tmp_path: Path) -> None:
    path = tmp_path / "own.feather"
    cases_pandas.CASES[name]().to_feather(path, compression=codec)
    wanted = pd.read_feather(path)
    found, native = cn.read(path).to_pandas(), cn.read(path).to_native()
    _same(wanted, found)
    if not cases_pandas.is_identical_in_memory(found, native):
        _same(wanted, native)


@each("format", ["arrow", "arrows"])
@each("name", list(cases_pandas.CASES), per=20)
@applies(_is_table)
def test_tables_of_frames_with_their_index(name: str, format: str) -> None:
    """`Table.from_pandas` keeps what `to_feather` refuses: labels of rows, names of levels."""
    content = written(pa.Table.from_pandas(cases_pandas.CASES[name]()), format)
    wanted = _own(content, format).to_pandas()
    _same(wanted, cn.decode(content).to_pandas())


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_the_backend_that_was_asked_for(backend: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.feather"
    frame = pd.DataFrame({"i": [1, 2], "f": [0.5, None], "s": ["a", None], "b": [True, False]})
    frame.to_feather(path)
    wanted = pd.read_feather(path, dtype_backend=backend)
    pd.testing.assert_frame_equal(cn.read(path).to_pandas(dtype_backend=backend), wanted)
    pd.testing.assert_frame_equal(cn.read_pandas(path, dtype_backend=backend), wanted)


def test_integers_with_nulls_of_a_foreign_table() -> None:
    table = pa.table({"i": [1, None, 3], "b": [True, None, False], "s": ["a", None, "c"], "l": [[1], None, []]})
    content = written(table, "arrows", 2)
    pd.testing.assert_frame_equal(cn.decode(content).to_pandas(), table.to_pandas())


def test_a_range_of_a_foreign_file_whose_length_is_another() -> None:
    """The file was cut or joined after pandas had described its labels."""
    frame = pd.DataFrame({"x": np.arange(4)}, index=pd.RangeIndex(10, 14, name="at"))
    table = pa.concat_tables([pa.Table.from_pandas(frame)] * 2)
    pd.testing.assert_frame_equal(cn.decode(written(table, "arrow")).to_pandas(), table.to_pandas())


# --------------------------------------------------------------------------- polars
@each("codec", ["uncompressed", "lz4", "zstd"])
@each("format", ["arrow", "arrows"])
def test_files_and_streams_of_polars(format: str, codec: Any) -> None:
    pl = pytest.importorskip("polars")
    from colonnade.testing import cases_polars

    for name, make in cases_polars.CASES.items():
        for level in (pl.CompatLevel.newest(), pl.CompatLevel.oldest()):
            sink = io.BytesIO()
            frame = narrow(make())
            write = frame.write_ipc if format == "arrow" else frame.write_ipc_stream
            write(sink, compression=codec, compat_level=level)
            content = sink.getvalue()
            read = pl.read_ipc if format == "arrow" else pl.read_ipc_stream
            wanted = read(io.BytesIO(content))
            try:
                cases_polars.assert_identical(wanted, cn.decode(content).to_polars())
            except Exception as error:
                raise AssertionError(f"{name}, {level}: {type(error).__name__}: {error}") from error


@each("format", ["arrow", "arrows"])
def test_integers_of_128_bits_in_files_of_polars_are_named(format: str) -> None:
    pl = pytest.importorskip("polars")
    sink, frame = io.BytesIO(), pl.DataFrame({"x": pl.Series([1], dtype=pl.Int128)})
    (frame.write_ipc if format == "arrow" else frame.write_ipc_stream)(sink)
    with pytest.raises(cn.DecodeError, match="bit width of 128"):
        cn.decode(sink.getvalue())
