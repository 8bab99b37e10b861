"""NumPy dtypes, labels and metadata through Arrow's C interface: restored exactly, and correct for other libraries."""

import numpy as np
import pyarrow as pa

from colonnade import _core
from colonnade._core import ArrowColumn, Axis, FrameBuilder
from tests.helpers.arrow_capsules import exported, frame_of, table_of
from tests.helpers.each import each

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


@each("name", list(NATIVE))
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


@each("name", [n for n in NATIVE if n not in ("<f16", ">f16", "<c32", ">c32")])
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


@each(
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
