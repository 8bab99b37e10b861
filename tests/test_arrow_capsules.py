"""Arrow's C interface in and out, with pyarrow, polars and pandas as judges of what was handed over."""

import datetime as dt
import decimal
import gc

import numpy as np
import pandas as pd
import pytest

from colonnade import DecodeError, _core
from colonnade._core import ArrowColumn, Axis, CoreFrame, FrameBuilder

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")


class Stream:
    """A producer that hands over what it is given."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self.capsule


def exported(*frames):
    return Stream(_core.export_arrow_stream(list(frames)))


def table_of(*frames):
    return pa.table(exported(*frames))


def frame_of(columns, index=None, labels=None, **tags):
    """A core frame of 1-D NumPy arrays and ArrowColumns."""
    nrows = len(columns[0])
    builder = FrameBuilder(nrows, len(columns))
    for position, column in enumerate(columns):
        if isinstance(column, ArrowColumn):
            builder.add_arrow(position, column)
        else:
            builder.add_block(column.reshape(1, -1), [position])
    labels = np.array([f"c{i}" for i in range(len(columns))]) if labels is None else labels
    index = Axis.auto(0, nrows, 1) if index is None else index
    return builder.finish(index, Axis.levels([labels], ["Index"]), **tags)


LISTS = pa.array([[1, 2], None, [], [None, 5]], pa.list_(pa.int32()))
EVERY = {
    "null": pa.nulls(4),
    "bool": pa.array([True, None, False, True]),
    **{str(t): pa.array([1, None, 0, 127], t) for t in (pa.int8(), pa.uint16(), pa.int64(), pa.uint64())},
    "half": pa.array(np.array([1.5, 0, -0.0, 2], np.float16)),
    "double": pa.array([float("inf"), None, -0.0, 1e300]),
    "string": pa.array(["", None, "é\0ü", "long enough to be no inline view"]),
    "large_string": pa.array(["", None, "é\0ü", "z"], pa.large_string()),
    "string_view": pa.array(["", None, "é\0ü", "long enough to be no inline view"], pa.string_view()),
    "binary": pa.array([b"", None, b"\xff", b"z"]),
    "binary_view": pa.array([b"", None, b"\xff" * 40, b"z"], pa.binary_view()),
    "fixed": pa.array([b"ab", None, b"cd", b"\0\0"], pa.binary(2)),
    "date32": pa.array([dt.date(2020, 1, 1), None, dt.date(1969, 1, 1), dt.date(2, 1, 1)]),
    "date64": pa.array([0, None, 86_400_000, 0], pa.date64()),
    "time": pa.array([dt.time(1), None, dt.time(2), dt.time(3)]),
    "timestamp": pa.array([0, None, 2, 3], pa.timestamp("us")),
    "zoned": pa.array([0, None, 2, 3], pa.timestamp("ns", "Europe/Berlin")),
    "duration": pa.array([0, None, 2, 3], pa.duration("ms")),
    "interval": pa.array([pa.MonthDayNano([1, 2, 3]), None, pa.MonthDayNano([0, 0, 0]), None]),
    "decimal": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-2.25"), None]),
    "list": LISTS,
    "large_list": LISTS.cast(pa.large_list(pa.int32())),
    "fixed_list": pa.array([[1, 2], None, [3, 4], [5, None]], pa.list_(pa.int8(), 2)),
    "list_view": pa.ListViewArray.from_arrays(
        [0, 2, 0, 1], [2, 0, 2, 1], [1, 2, None], mask=pa.array([False, True, False, False])
    ),
    "struct": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}, {"x": 2, "y": None}]),
    "map": pa.array([[("k", 1)], None, [], [("a", None)]], pa.map_(pa.string(), pa.int8())),
    "dense_union": pa.UnionArray.from_dense(
        pa.array([0, 1, 1, 0], pa.int8()), pa.array([0, 0, 1, 1], pa.int32()), [pa.array([1, 2]), pa.array(["a", "b"])]
    ),
    "sparse_union": pa.UnionArray.from_sparse(
        pa.array([0, 1, 1, 0], pa.int8()), [pa.array([1, 2, 3, 4]), pa.array(list("abcd"))]
    ),
    "dictionary": pa.array(["x", None, "y", "x"]).dictionary_encode(),
    "ordered": pa.DictionaryArray.from_arrays(pa.array([0, None, 1, 0], pa.int8()), ["lo", "hi"], ordered=True),
    "dictionary of lists": pa.DictionaryArray.from_arrays(pa.array([3, None, 0, 0], pa.int16()), LISTS),
    "run ends": pa.RunEndEncodedArray.from_arrays(pa.array([1, 4], pa.int32()), pa.array(["a", None])),
}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("rows", [(0, 4), (1, 3), (2, 2)], ids=["whole", "a slice", "nothing"])
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


@pytest.mark.parametrize(
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


# --------------------------------------------------------------------------- our own dtypes
DESCRS = ["|b1", "|i1", ">i2", "<i4", "<i8", ">u8", "<f2", ">f4", "<f8", "<f16", ">f16"]
DESCRS += ["<c8", ">c16", "<c32", ">c32", "|S3", "<U2", ">U3"]
NATIVE = {descr: np.array([0, 1, 2, 3]).astype(descr) for descr in DESCRS}
NATIVE["|V4"] = np.arange(4, dtype="<i4").view("V4")
for _unit in ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25s", "as"]:
    for _kind in "Mm":
        NATIVE[f"<{_kind}8[{_unit}]"] = np.array([-1, "NaT", 2, 3], dtype=f"<{_kind}8[{_unit}]")
NATIVE[">M8[ns]"] = NATIVE["<M8[ns]"].astype(">M8[ns]")
NATIVE["<M8"] = np.array([1, -(2**63), 2, 3]).view("<M8")
NATIVE["<M8[D] far"] = np.array([2**40, 1, -(2**40), 0]).astype("<M8[D]")


@pytest.mark.parametrize("name", NATIVE)
def test_every_dtype_comes_back(name):
    values = NATIVE[name]
    for given in (values, values[1:], values[::-1], values[:0]):
        frame = frame_of([given, np.arange(len(given), dtype="<i8")], name='"n"', attrs='{"k":1.50}')
        (got,) = _core.import_arrow(exported(frame))
        column = got.column(0)
        assert isinstance(column, np.ndarray), got.dtypes()
        assert column.dtype == given.dtype
        assert column.tobytes() == given.tobytes()
        assert (got.name, got.attrs, got.index.range) == ('"n"', '{"k":1.50}', (0, len(given), 1))
        assert got.columns.level(0).tolist() == ["c0", "c1"]


@pytest.mark.parametrize("name", [n for n in NATIVE if n not in ("<f16", ">f16", "<c32", ">c32")])
def test_what_others_see_of_a_dtype(name):
    values = NATIVE[name]
    column = table_of(frame_of([values])).column("c0")
    column.validate(full=True)
    kind, unit = values.dtype.kind, np.datetime_data(values.dtype) if values.dtype.kind in "mM" else None
    if kind == "c":
        assert np.array(column.to_pylist()).ravel().tolist() == values.astype("c16").view("f8").tolist()
    elif kind in "SV":
        width = values.itemsize
        assert [cell.ljust(width, b"\0") for cell in column.to_pylist()] == [
            v.tobytes() for v in values.view(f"V{width}")
        ]
    elif unit is None:
        assert column.to_pylist() == values.tolist()
    else:
        assert column.is_null().to_pylist() == np.isnat(values).tolist()
        if unit[0] in ("s", "ms", "us", "ns") and unit[1] == 1:
            got = column.to_numpy()
            assert got.dtype == values.dtype.newbyteorder("=")
            assert (np.isnat(got) | (got == values)).all()


def test_text_of_later_frames_may_be_longer():
    short, long = frame_of([np.array(["a", "b"])]), frame_of([np.array(["longer"])])
    frames = _core.import_arrow(exported(short, long))
    joined = _core.concat_frames(frames)
    assert joined.column(0).tolist() == ["a", "b", "longer"]
    assert _core.concat_frames([short, long]).column(0).dtype == "<U6"


def test_packed_columns_are_not_copied():
    block = np.arange(12.0).reshape(3, 4)
    builder = FrameBuilder(4, 3)
    builder.add_block(block, [0, 1, 2])
    frame = builder.finish(Axis.auto(0, 4, 1), Axis.levels([np.array(["a", "b", "c"])], ["Index"]))
    table = table_of(frame)
    for i in range(3):
        assert table.column(i).chunk(0).buffers()[1].address == block[i].__array_interface__["data"][0]


def test_row_labels_go_with_the_data():
    levels = [np.array(["x", "y", "x"]), np.array(["2020-01-01", "NaT", "2020-01-03"], "M8[D]")]
    name = '{"$tuple":["u","v"]}'
    index = Axis.levels(levels, ["Index", "IndexDate"], "IndexHierarchy", name, '{"own":[1]}')
    frame = frame_of([np.arange(3)], index)
    frames = _core.import_arrow(exported(frame.slice(0, 1), frame.slice(1, 3)))
    got = _core.concat_frames(frames)
    assert (got.index.cls, got.index.classes, got.index.name, got.index.meta) == (
        "IndexHierarchy",
        ["Index", "IndexDate"],
        name,
        '{"own":[1]}',
    )
    for i, level in enumerate(levels):
        assert got.index.level(i).dtype == level.dtype
        assert got.index.level(i).tobytes() == level.tobytes()
    assert got.column(0).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "a", ""]),
        np.array([3, 1, 2]),
        np.array(["2020", "2021", "2022"], "M8[Y]"),
        ArrowColumn.from_objects(np.array(["a", None, "c"], object), "str", '{"kind":"object_nulls"}'),
        ArrowColumn.from_objects(np.array(["a", "b\0", "c"], object), "str"),
    ],
    ids=["repeated and empty", "numbers", "years", "text with nulls", "text in Arrow's layout"],
)
def test_column_labels_of_any_kind(labels):
    frame = frame_of([np.arange(2)] * 3, labels=labels)
    table = table_of(frame)
    assert len(set(table.column_names)) == 3
    (got,) = _core.import_arrow(table)
    level = got.columns.level(0)
    assert type(level) is type(labels)
    if isinstance(labels, np.ndarray):
        assert level.dtype == labels.dtype
        assert level.tolist() == labels.tolist()
    else:
        assert level.objects().tolist() == labels.objects().tolist()
        assert level.tag == labels.tag


def test_tables_that_others_changed_are_read_as_they_are_now():
    table = table_of(frame_of([np.arange(2), np.array(["1", "2"], "U1")]))
    fewer = _core.import_arrow(table.select(["c1"]))[0]
    assert (fewer.ncols, fewer.columns.level(0).tolist(), fewer.dtypes()) == (1, ["c1"], ["<U1"])
    more = _core.import_arrow(table.append_column("longer name", pa.array([1.5, 2.5])))[0]
    assert more.columns.level(0).tolist() == ["c0", "c1", "longer name"]
    renamed = table.rename_columns(["c0", "renamed"]).replace_schema_metadata(table.schema.metadata)
    assert _core.import_arrow(renamed)[0].columns.level(0).tolist() == ["c0", "renamed"]


def test_labels_beside_the_fields_are_dropped_where_the_fields_were_reordered():
    table = table_of(frame_of([np.arange(2), np.arange(2.0)], labels=np.array([7, 8])))
    assert _core.import_arrow(table)[0].columns.level(0).tolist() == [7, 8]
    turned = _core.import_arrow(table.select(["8", "7"]))[0]
    assert (turned.columns.level(0).tolist(), turned.dtypes()) == (["8", "7"], ["double", "int64"])


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


# --------------------------------------------------------------------------- one after the other
@pytest.mark.parametrize("name", [n for n in EVERY if n != "interval"])
def test_batches_are_joined(name):
    array = EVERY[name]
    table = pa.table({"x": pa.chunked_array([array.slice(1), array.slice(0, 3), array.slice(0, 0)], array.type)})
    joined = _core.concat_frames(_core.import_arrow(table))
    got = table_of(joined)
    got.validate(full=True)
    assert got.column("x").to_pylist() == table.column("x").to_pylist()
    assert got.schema.field("x").type == array.type


def test_dictionaries_are_unified_as_pyarrow_unifies_them():
    chunks = [pa.array(words).dictionary_encode() for words in (["b", "a"], ["c", None, "a"], ["d", "b"])]
    table = pa.table({"x": pa.chunked_array(chunks)})
    got = table_of(_core.concat_frames(_core.import_arrow(table))).column("x")
    expected = table.unify_dictionaries().combine_chunks().column("x")
    assert got.chunk(0).dictionary.equals(expected.chunk(0).dictionary)
    assert got.chunk(0).equals(expected.chunk(0))


def test_frames_that_differ_are_shown_both():
    numbers, text = frame_of([np.arange(2)]), frame_of([np.array(["x", "y"])])
    for join in (lambda *frames: _core.concat_frames(list(frames)), exported):
        with pytest.raises((DecodeError, _core.EncodeError)) as caught:
            join(numbers, text)
        assert "<i8" in str(caught.value)
        assert "<U1" in str(caught.value)
    with pytest.raises(DecodeError, match="column labels"):
        _core.concat_frames([numbers, frame_of([np.arange(2)], labels=np.array(["other"]))])


def test_one_frame_is_answered_as_it_is():
    frame = frame_of([np.arange(2)])
    assert _core.concat_frames([frame]) is frame
    for call in (_core.concat_frames, _core.export_arrow_stream):
        with pytest.raises(DecodeError, match="one frame at least"):
            call([])


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
