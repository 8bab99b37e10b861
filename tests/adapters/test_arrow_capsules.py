"""Arrow's C interface in and out, checked with pyarrow, polars and pandas."""

import datetime as dt
import gc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from colonnade import DecodeError, _core
from colonnade._core import ArrowColumn, CoreFrame
from tests.helpers.arrow_capsules import EVERY, Stream, exported, frame_of, table_of
from tests.helpers.each import each


@each("name", list(EVERY))
@each("rows", [(0, 4), (1, 3), (2, 2)], ids=["whole", "a slice", "nothing"])
def test_every_type_comes_in_and_goes_out(name, rows):
    table = pa.table({"x": EVERY[name]}).slice(rows[0], rows[1] - rows[0])
    frames = _core.import_arrow(table)
    got = table_of(*frames)
    got.validate(full=True)
    assert got.schema.field("x") == table.schema.field("x")
    assert got.replace_schema_metadata(None).equals(table)


def test_many_batches_are_many_frames_over_the_same_memory():
    values = pa.array(range(10))
    table = pa.Table.from_batches([pa.record_batch({"a": values.slice(i, 3)}) for i in (0, 3, 6)])
    frames = _core.import_arrow(table)
    assert [frame.nrows for frame in frames] == [3, 3, 3]
    assert [frame.index.range for frame in frames] == [(0, 3, 1), (3, 6, 1), (6, 9, 1)]
    start = np.frombuffer(values.buffers()[1], dtype=np.int64).__array_interface__["data"][0]
    for i, frame in enumerate(frames):
        assert frame.column(0).values().__array_interface__["data"][0] == start + 24 * i
    assert table_of(*frames).column("a").num_chunks == 3


def test_what_is_taken_outlives_its_producer():
    frames = _core.import_arrow(pa.table({"a": pa.array(["x" * 100] * 1000)}))
    table = table_of(*frames)
    del frames
    gc.collect()
    assert table.column("a").to_pylist() == ["x" * 100] * 1000


@each(
    "make",
    [
        lambda: pa.table({"a": [1, 2]}),
        lambda: pa.record_batch({"a": [1, 2]}),
        lambda: pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), [pa.record_batch({"a": [1, 2]})]),
        lambda: pa.StructArray.from_arrays([pa.array([1, 2])], names=["a"]),
        lambda: pl.DataFrame({"a": [1, 2]}),
        lambda: pl.Series("a", [1, 2]),
        lambda: pd.DataFrame({"a": [1, 2]}),
    ],
    ids=["Table", "RecordBatch", "RecordBatchReader", "StructArray", "polars", "a polars Series", "pandas"],
)
def test_producers(make):
    (frame,) = _core.import_arrow(make())
    assert frame.columns.level(0).tolist() == ["a"]
    assert frame.column(0).values().tolist() == [1, 2]
    stream = _core.ArrowStream.open(make())
    assert stream.schema().nrows == 0
    assert stream.schema().dtypes() == ["int64"]
    assert stream.next_batch().column(0).values().tolist() == [1, 2]
    assert stream.next_batch() is None


def test_a_column_with_a_name_is_a_table_of_one():
    (frame,) = _core.import_arrow(pl.Series("a", [None, None]))
    assert (frame.nrows, frame.dtypes(), frame.columns.level(0).tolist()) == (2, ["null"], ["a"])
    for array in (pa.array(["x", None]), pa.chunked_array([[1], [2, 3]]), pl.Series([1])):
        with pytest.raises(TypeError, match="a column with a name"):
            _core.import_arrow(array)


def test_columns_of_nulls_within_others():
    values = {"n": [None, None], "s": [{"x": None}, None], "l": [[None], []]}
    frame = pl.DataFrame(values, schema={"n": pl.Null, "s": pl.Struct({"x": pl.Null}), "l": pl.List(pl.Null)})
    for _ in range(3):
        assert pl.DataFrame(exported(*_core.import_arrow(frame))).equals(frame)


def test_tables_without_rows_or_columns():
    schema = pa.schema([pa.field("a", pa.int8()), pa.field("s", pa.string())])
    (frame,) = _core.import_arrow(schema.empty_table())
    assert (frame.nrows, frame.dtypes()) == (0, ["int8", "utf8"])
    assert table_of(frame).replace_schema_metadata(None).equals(schema.empty_table())
    (frame,) = _core.import_arrow(pa.table({}))
    assert (frame.nrows, frame.ncols) == (0, 0)
    reader = pa.RecordBatchReader.from_batches(schema, [])
    assert [f.nrows for f in _core.import_arrow(reader)] == [0]
    assert _core.import_arrow_schema(schema).dtypes() == ["int8", "utf8"]
    assert pa.schema(Schema(frame_of([np.zeros(2)]))).field("c0").type == pa.float64()


class Schema:
    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_schema__(self):
        return _core.export_arrow_schema(self.frame)


def test_metadata_and_nullability_are_kept():
    field = pa.field("a", pa.int64(), nullable=False, metadata={"z": "1", "b": "2"})
    table = pa.table({"a": [1, 2]}, schema=pa.schema([field], metadata={"k": "v"}))
    (frame,) = _core.import_arrow(table)
    assert frame.origin == '{"library":"pyarrow","schema_metadata":[["k","v"]]}'
    got = table_of(frame)
    assert got.schema.field("a").equals(field, check_metadata=True)
    assert got.schema.metadata[b"k"] == b"v"
    bytes_of_their_own = pa.table({"a": [1]}, metadata={"k": "v", "bin": b"\xff\xfe"})
    assert _core.import_arrow(bytes_of_their_own)[0].origin == frame.origin


# --------------------------------------------------------------------------- pandas' metadata
@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(5, 8, name="r"),
        pd.Index(["i", "j", "k"], name="n"),
        pd.DatetimeIndex(["2020-01-01", None, "2021-01-01"]),
        pd.MultiIndex.from_arrays([[1, 1, 2], ["x", "y", "x"]], names=["u", None]),
    ],
    ids=["range", "text", "times", "hierarchical"],
)
def test_row_labels_that_pandas_wrote(index):
    table = pa.Table.from_pandas(pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=index))
    (frame,) = _core.import_arrow(table)
    assert frame.ncols == 1
    if isinstance(index, pd.RangeIndex):
        assert (frame.index.is_auto, frame.index.range, frame.index.name) == (True, (5, 8, 1), '"r"')
        (half, rest) = _core.import_arrow(pa.concat_tables([table.slice(0, 1), table.slice(1)]))
        assert (half.index.range, rest.index.range) == ((5, 6, 1), (6, 8, 1))
        assert _core.import_arrow(table.slice(1))[0].index.range == (0, 2, 1)
    else:
        assert frame.index.depth == index.nlevels
        expected = {1: "null" if index.name is None else f'"{index.name}"', 2: '{"$tuple":["u",null]}'}
        assert frame.index.name == expected[index.nlevels]
    assert table_of(frame).to_pandas().equals(pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=index))


# --------------------------------------------------------------------------- polars reads and writes
def test_polars_reads_what_is_exported():
    times = np.array(["2020-01-01", "NaT"], "M8[us]")
    text = ArrowColumn.from_objects(np.array(["x", None], object), "str")
    codes = ArrowColumn.dictionary(np.array([1, -1], np.int8), ArrowColumn.from_unicode(np.array(["p", "q"])), False)
    frame = frame_of([np.array([True, False]), np.array([1.5, np.nan]), times, text, codes])
    got = pl.DataFrame(exported(frame, frame))
    assert got.get_column("c0").to_list() == [True, False] * 2
    assert got.get_column("c1").is_nan().to_list() == [False, True] * 2
    assert got.get_column("c2").to_list() == [dt.datetime(2020, 1, 1), None] * 2
    assert got.get_column("c3").to_list() == ["x", None] * 2
    assert got.get_column("c4").cast(pl.String).to_list() == ["q", None] * 2


def test_polars_frames_come_in_by_chunks():
    whole = pl.DataFrame({"a": [1, 2], "s": ["x", None], "c": pl.Series(["u", "v"], dtype=pl.Categorical)})
    frames = _core.import_arrow(pl.concat([whole, whole], rechunk=False))
    joined = _core.concat_frames(frames)
    assert pl.DataFrame(exported(joined)).equals(pl.concat([whole, whole]))


# --------------------------------------------------------------------------- what cannot be
def test_objects_of_another_kind_are_refused():
    for thing in (5, "text", None, object()):
        with pytest.raises(TypeError, match="__arrow_c_stream__"):
            _core.import_arrow(thing)
        with pytest.raises(TypeError, match="__arrow_c_schema__"):
            _core.import_arrow_schema(thing)


def test_capsules_of_another_name_are_refused():
    table = pa.table({"a": [1]})
    with pytest.raises(TypeError, match="arrow_array_stream"):
        _core.import_arrow(Stream(table.schema.__arrow_c_schema__()))
    with pytest.raises(TypeError, match="capsule"):
        _core.import_arrow(Stream(7))


def test_a_stream_is_read_once():
    stream = Stream(pa.table({"a": [1]}).__arrow_c_stream__())
    assert len(_core.import_arrow(stream)) == 1
    with pytest.raises(DecodeError, match="only once"):
        _core.import_arrow(stream)


def test_null_rows_of_a_struct_are_no_record_batch():
    array = pa.StructArray.from_arrays([pa.array([1, 2])], names=["a"], mask=pa.array([True, False]))
    with pytest.raises(DecodeError, match="1 rows of the struct array are null"):
        _core.import_arrow(array)


def test_the_producers_own_words_come_through():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise ZeroDivisionError("the third of the batches")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(DecodeError, match="the third of the batches"):
        _core.import_arrow(reader)


def test_errors_of_ours_come_through_to_the_consumer():
    bad = np.array([0xD800, 0x41], "<u4").view("<U1")
    with pytest.raises((DecodeError, _core.EncodeError, pa.ArrowInvalid), match=r"0xd800|D800"):
        table_of(frame_of([bad]))


def test_metadata_of_hostile_json():
    def read(**metadata):
        return _core.import_arrow(pa.table({"a": [1]}, metadata=metadata))[0]

    for bad in ("", "{", "[]", '{"version":1}', "[" * 5000):
        with pytest.raises(DecodeError, match="colonnade"):
            read(colonnade=bad)
    with pytest.raises(_core.UnsupportedError, match="Upgrade"):
        read(colonnade='{"version":99}')
    assert isinstance(read(pandas="[" * 5000), CoreFrame)


def test_duckdb_reads_and_gives_streams():
    duckdb = pytest.importorskip("duckdb")
    frame = exported(frame_of([np.arange(3), np.array(["x", "y", "z"])]))  # noqa: F841 - the query names it
    assert duckdb.sql("select sum(c0), max(c1) from frame").fetchall() == [(3, "z")]
    (got,) = _core.import_arrow(duckdb.sql("select 1 as a, 'x' as b"))
    assert got.columns.level(0).tolist() == ["a", "b"]
