"""Producers and frames for the tests of Arrow's C interface, and one array of every Arrow type."""

import datetime as dt
import decimal

import numpy as np
import pyarrow as pa

from colonnade import _core
from colonnade._core import ArrowColumn, Axis, FrameBuilder


class Stream:
    """A producer that exports the given capsule."""

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
