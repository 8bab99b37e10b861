"""Frames of every type, label, name and claim that the formats can hold, for the tests of the ways out."""

import contextlib
import datetime as dt
import decimal
import io
import itertools
import json
import uuid
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import colonnade as cn
from colonnade._core import ArrowColumn, Axis, CoreFrame, FrameBuilder
from colonnade._frame.frame import frame_of
from colonnade._values import tagged_labels
from colonnade.adapters._object_columns import level_from_labels
from tests.helpers.arrow_c_data import _pointer, _Schema

Case = tuple[str, cn.Frame]


def arrow_file(table: pa.Table | pa.RecordBatch) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write(table)
    return sink.getvalue()


def of_arrow(table: pa.Table | pa.RecordBatch) -> cn.Frame:
    return cn.decode(arrow_file(table), "arrow")


def core_of(
    columns: Axis | None = None, index: Axis | None = None, name: str = "null", attrs: str | None = None
) -> CoreFrame:
    builder = FrameBuilder(2, 2)
    builder.add_block(np.array([[1, 2]]), [0])
    builder.add_arrow(1, ArrowColumn.from_objects(np.array(["x", "y"], dtype=object), "str"))
    labels = Axis.levels([np.array(["a", "b"])], ["Index"])
    return builder.finish(index or Axis.auto(0, 2, 1), columns or labels, name, attrs, None)


def interval(kind: str) -> ArrowColumn:
    """Months, or days and milliseconds, which pyarrow has no arrays of: an int32 array, or pairs, under that type."""
    if kind == "month_interval":
        values = pa.array([14, None, -1], pa.int32())
    else:
        values = pa.array([(2 << 32) | 3, None, 5], pa.int64())
    schema_capsule, array_capsule = values.__arrow_c_array__()
    schema = _Schema.from_address(_pointer(schema_capsule, b"arrow_schema"))
    schema.format = {"month_interval": b"tiM", "day_time_interval": b"tiD"}[kind]

    class Handed:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            return schema_capsule, array_capsule

    return ArrowColumn.from_arrow(Handed())


def interval_frame(kind: str) -> cn.Frame:
    builder = FrameBuilder(3, 1)
    builder.add_arrow(0, interval(kind))
    core = builder.finish(Axis.auto(0, 3, 1), Axis.levels([np.array(["i"])], ["Index"]), "null", None, None)
    return of_arrow(frame_of(core).to_arrow().replace_schema_metadata(None))


ARROW: dict[str, Any] = {
    "null": pa.nulls(2),
    "bool": pa.array([True, None]),
    **{str(kind): pa.array([1, None], kind) for kind in (pa.int8(), pa.uint64(), pa.float16(), pa.float64())},
    **{f"decimal{bits}": pa.array([None, 1], getattr(pa, f"decimal{bits}")(7, 2)) for bits in (32, 64, 128, 256)},
    "date32": pa.array([-(2**31), 0], pa.int32()).cast(pa.date32()),
    "date64": pa.array([86_400_001, None], pa.int64()).view(pa.date64()),
    "time32": pa.array([90_000_000, None], pa.int32()).view(pa.time32("ms")),
    "time64": pa.array([2**62, None], pa.int64()).view(pa.time64("ns")),
    **{f"timestamp {unit}": pa.array([2**63 - 1, None], pa.int64()).view(pa.timestamp(unit)) for unit in ("s", "ns")},
    "zoned": pa.array([2**63 - 1, 0], pa.int64()).view(pa.timestamp("s", "Europe/Berlin")),
    "strange zone": pa.array([1, 0], pa.int64()).view(pa.timestamp("us", "Foo/Bar")),
    "duration": pa.array([2**63 - 1, None], pa.int64()).view(pa.duration("s")),
    "month_day_nano": pa.array([pa.MonthDayNano([1, 2, 3]), None]),
    "binary": pa.array([b"\xff\0", None]),
    "binary_view": pa.array([b"\xff\0", None], pa.binary_view()),
    "string_view": pa.array(["a\0", None], pa.string_view()),
    "fixed": pa.array([b"ab", None], pa.binary(2)),
    "fixed of nothing": pa.array([b"", None], pa.binary(0)),
    "list": pa.array([[1, None], None]),
    "list_view": pa.array([[1], None], pa.list_view(pa.int8())),
    "fixed list": pa.array([[1, 2], None], pa.list_(pa.int8(), 2)),
    "struct": pa.array([{"x": 1, "y": [b"z"]}, None]),
    "empty struct": pa.array([{}, None], pa.struct([])),
    "twice": pa.StructArray.from_arrays([pa.array([1, 2]), pa.array(["a", "b"])], ["x", "x"]),
    "empty name": pa.StructArray.from_arrays([pa.array([1, 2])], [""]),
    "map": pa.array([[("k", 1), ("k", 2)], None], pa.map_(pa.string(), pa.int8())),
    "map of lists": pa.array([[([1], 1)], None], pa.map_(pa.list_(pa.int8()), pa.int8())),
    "union": pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]),
    "dense union": pa.UnionArray.from_dense(
        pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["b"])]
    ),
    "dictionary": pa.DictionaryArray.from_arrays([0, None], ["a", "a"]),
    "null category": pa.DictionaryArray.from_arrays([0, 1], pa.array(["a", None])),
    "dictionary of lists": pa.DictionaryArray.from_arrays([0, None], pa.array([[1], [1]])),
    "dictionary of intervals": pa.DictionaryArray.from_arrays([0, None], pa.array([pa.MonthDayNano([1, 2, 3])])),
    "run ends": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", None])),
    "list of times": pa.array([[2**62], None], pa.list_(pa.int64())).cast(pa.list_(pa.timestamp("s"))),
    "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16, None], pa.binary(16))),
    "json": pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a":1}', "{"])),
    "bool8": pa.ExtensionArray.from_storage(pa.bool8(), pa.array([3, None], pa.int8())),
    "opaque": pa.ExtensionArray.from_storage(pa.opaque(pa.int8(), "t", "v"), pa.array([3, None], pa.int8())),
    "tensor": pa.ExtensionArray.from_storage(
        pa.fixed_shape_tensor(pa.int8(), [2]), pa.array([[1, 2], [3, 4]], pa.list_(pa.int8(), 2))
    ),
}
NUMPY: list[np.ndarray] = [
    *(np.zeros(2, kind) for kind in ("?", "i1", ">i8", "u8", "f2", ">f4", "g", "F", ">c16", "G")),
    *(np.zeros(2, kind) for kind in ("S0", "S3", "V0", "V5")),
    np.array(["a", "b\0c"]),
    np.array(["a", "b"], ">U2"),
    np.zeros(2, "U0"),
    np.array(["a", None, float("nan"), pd.NA], dtype=object)[:2],
    np.array([1, "x"], dtype=object),
    np.array([{"a": [1]}, (1, b"x")], dtype=object),
    np.array([dt.time(1), decimal.Decimal("1.5")], dtype=object),
    np.array([uuid.UUID(int=1), dt.timedelta(1)], dtype=object),
    np.array([np.datetime64(1, "D"), np.float16(1)], dtype=object),
    np.array([pd.NaT, pd.Period("2020", "Y")], dtype=object),
    *(np.array([count, -(2**63)]).view(f"{letter}8[{unit}]") for letter in "mM" for count in (7, 2**62)
      for unit in ("Y", "W", "D", "25s", "ns", "as")),
    *(np.array([count, -(2**63)]).view(f"{order}{letter}8")
      for letter in "mM" for order in "<>" for count in (7, -(2**63))),
]  # fmt: skip
PANDAS: dict[str, Any] = {
    "masked": pd.array([1, None], "Int8"),
    "boolean": pd.array([True, None], "boolean"),
    "float": pd.array([1.5, None], "Float32"),
    "string": pd.array(["a", None], "string"),
    "categorical": pd.Categorical(["a", None]),
    "categories": pd.Categorical([(1, 2), None]),
    "zoned": pd.to_datetime(["2020-01-01", None]).tz_localize("Europe/Berlin"),
    "period": pd.PeriodIndex(["2020", None], freq="2D"),
    "interval": pd.arrays.IntervalArray.from_tuples([(0, 1), None]),
    "arrow": pd.array([[1], None], pd.ArrowDtype(pa.list_(pa.int8()))),
}
LABELS: list[Any] = [
    ["", "f0"], ["a\0", "a"], ["a", "a"], [None, "a"], [1, 2], [1, "1"], [1.5, float("nan")], [b"a", b"\xff"],
    [(1, 2), (1, 3)], [{"a": 1}, {"b": 2}], [[1], [2]], [({},), 1], [True, 1], [dt.date(2020, 1, 1), None],
    [np.datetime64("2020"), np.timedelta64(3)], ["\u2400", "\0"], ["x" * 300, "__index_level_0__"], [2**70, -1],
]  # fmt: skip
NAMES: list[Any] = [
    "n", "", "a\0", 1, 1.5, float("nan"), b"\xff", (1, 2), [1, [2]], {"a": 1}, [{}], ({"a": []},), dt.date(2020, 1, 1),
    np.datetime64(5, "D"), True, ["a", "a"], {1: 2}, (None, None),
]  # fmt: skip


def arrow_cases() -> Iterator[Case]:
    for name, array in ARROW.items():
        table = pa.table({"a": array, "b": pa.array([1, 2])})
        yield name, of_arrow(table)
        yield f"{name} in a list", of_arrow(pa.table({"a": pa.ListArray.from_arrays([0, 1, 2], array)}))
        yield f"{name} in a struct", of_arrow(pa.table({"a": pa.StructArray.from_arrays([array], ["f"])}))
        yield f"{name} of no rows", of_arrow(table.slice(0, 0))
        yield f"column {name}", of_arrow(table)["a"]
        meta = {"index_columns": ["a"], "column_indexes": [], "columns": []}
        yield f"labels {name}", of_arrow(table.replace_schema_metadata({"pandas": json.dumps(meta)}))
    for kind in ("month_interval", "day_time_interval"):
        yield kind, interval_frame(kind)


def numpy_cases() -> Iterator[Case]:
    for array in NUMPY:
        name = f"{array.dtype.str} {array[0]!r:.20}" if array.dtype.kind not in "mM" else array.dtype.str
        frame = cn.Frame({"a": array, "b": np.array([1, 2])})
        yield name, frame
        yield f"column {name}", frame["a"]
        for format in ("npz", "arrow", "parquet", "msgpack"):
            with contextlib.suppress(cn.ColonnadeError):
                yield f"{name} of {format}", cn.decode(cn.encode(frame, format), format)


def pandas_cases() -> Iterator[Case]:
    for name, array in PANDAS.items():
        frame = cn.Frame(pd.DataFrame({"a": array, "b": [1, 2]}))
        yield name, frame
        yield f"labels {name}", cn.Frame(pd.DataFrame({"b": [1, 2]}, index=pd.Index(array, name="i")))
        if name == "arrow":
            continue  # pandas makes no levels of lists
        yield f"levels {name}", cn.Frame(pd.DataFrame({"b": [1, 2]}, index=pd.MultiIndex.from_arrays([array, [1, 1]])))


def label_cases() -> Iterator[Case]:
    for labels in LABELS:
        level = level_from_labels(labels, "labels")
        for depth in (1, 2):
            axis = Axis.levels([level] * depth, ["Index"] * depth, "Index" if depth == 1 else "IndexHierarchy")
            yield f"columns {labels!r:.60} {depth}", frame_of(core_of(columns=axis))
            yield f"index {labels!r:.60} {depth}", frame_of(core_of(index=axis))
    for unit in ("M8", "m8", "M8[25s]", "m8[Y]", "M8[ps]"):
        axis = Axis.levels([np.array([5, -(2**63)]).view(unit)], ["Index"])
        yield f"columns {unit}", frame_of(core_of(columns=axis))
        yield f"index {unit}", frame_of(core_of(index=axis))


def name_cases() -> Iterator[Case]:
    for name in NAMES:
        text = tagged_labels.encode(name)
        labels = np.array(["a", "b"])
        yield f"name {name!r}", frame_of(core_of(name=text))
        yield f"attrs {name!r}", frame_of(core_of(attrs=text))
        yield f"attrs within {name!r}", frame_of(core_of(attrs=tagged_labels.encode({"a": name})))
        for depth in (1, 2):
            cls = "Index" if depth == 1 else "IndexHierarchy"
            axis = Axis.levels([labels] * depth, ["Index"] * depth, cls, text)
            yield f"index name {name!r} {depth}", frame_of(core_of(index=axis))
            yield f"columns name {name!r} {depth}", frame_of(core_of(columns=axis))
            own = Axis.levels(
                [labels] * depth, ["Index"] * depth, cls, meta=tagged_labels.encode({"level_names": [name] * 2})
            )
            yield f"level names {name!r} {depth}", frame_of(core_of(index=own))
        yield f"range name {name!r}", frame_of(core_of(index=Axis.auto(0, 2, 1, "Index", text)))


CLAIMS = {
    "arrow.json": ["", "{", "[]"],
    "arrow.uuid": [""],
    "arrow.bool8": [""],
    "arrow.opaque": ["", "{}", '{"type_name":5}'],
    "arrow.fixed_shape_tensor": ["", "[]", '{"shape":[2]}', '{"shape":["x"]}', '{"shape":[-1],"permutation":5}'],
    "arrow.variable_shape_tensor": ["", "{}"],
    "arrow.parquet.variant": ["", "{}"],
    "pandas.period": ["", "{", "[]", "{}", '{"freq":5}', '{"freq":"nope"}', '{"freq":"D"}'],
    "pandas.interval": ["", "{", "[]", "{}", '{"subtype":"nope","closed":"left"}', '{"subtype":"int64","closed":"no"}'],
    "awkward": ["", "{", "[]", "{}", '{"node_parameters":5}', '{"option_type":[]}', '{"mask_type":{}}'],
    "polars.none": ["", "{"],
    "geoarrow.point": ["", "{"],
    "no.such": ["", "x"],
    "": [""],
}


def claim_cases() -> Iterator[Case]:
    arrays = ["null", "int8", "bool", "date64", "timestamp ns", "fixed", "binary", "list", "fixed list", "struct"]
    for (claim, texts), kind in itertools.product(CLAIMS.items(), [*arrays, "dictionary", "map", "union", "run ends"]):
        for text in texts:
            told = {"ARROW:extension:name": claim, "ARROW:extension:metadata": text}
            array = ARROW[kind]
            field = pa.field("a", array.type, metadata=told)
            yield f"{claim} {text} on {kind}", claimed([array, pa.array([1, 2])], [field, pa.field("b", pa.int64())])
            nested = pa.StructArray.from_arrays([array], fields=[field])
            outer = pa.field("s", pa.struct([field]))
            yield f"{claim} {text} on {kind} in a struct", claimed([nested], [outer])


def claimed(arrays: list[Any], fields: list[pa.Field]) -> cn.Frame:
    """A frame of an Arrow file with these fields; what their metadata claims is not looked at by the writer."""
    return of_arrow(pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields)))
