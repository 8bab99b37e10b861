"""Columns whose cells are MessagePack values: what Python, pandas and NumPy see of them."""

import datetime as dt
import math
import struct

import numpy as np
import pandas as pd
import pytest

import colonnade
from colonnade._core import ArrowColumn
from colonnade.errors import DecodeError
from tests.helpers.each import each

msgpack = pytest.importorskip("msgpack")

TAG = '{"cells":"msgpack"}'
UTC = dt.UTC
VALUES = [
    None,
    True,
    -1,
    2**64 - 1,
    -(2**63),
    0.1,
    math.inf,
    "text ü \U0001f600",
    b"\x00\xff",
    [1, [2, [None]], "x"],
    {"a": {"b": [1.5]}, 3: False, b"k": {}},
    [],
    "long " * 100,
]


def column(cells):
    packed = np.empty(len(cells), dtype=object)
    packed[:] = [cell if isinstance(cell, bytes | None) else bytes(cell) for cell in cells]
    return ArrowColumn.from_objects(packed, "bytes", TAG)


def test_cells_are_what_msgpack_makes_of_them():
    got = column([msgpack.packb(value) for value in VALUES]).cells().tolist()
    assert got == [msgpack.unpackb(msgpack.packb(value), strict_map_key=False) for value in VALUES]
    assert list(map(type, got)) == list(map(type, VALUES))


def test_lists_of_one_length_stay_lists():
    got = column([msgpack.packb([1, 2]), msgpack.packb([3, 4])]).cells()
    assert got.shape == (2,)
    assert got.tolist() == [[1, 2], [3, 4]]


def test_a_null_row_and_nil_are_none():
    assert column([None, b"\xc0", b"\x01"]).cells().tolist() == [None, None, 1]


def test_nan_keeps_being_nan_and_float_32_is_widened():
    cells = column([b"\xcb\x7f\xf8" + bytes(6), b"\xca" + struct.pack(">f", 0.1)]).cells()
    assert math.isnan(cells[0])
    assert cells[1] == float(np.float32(0.1))


@pytest.mark.parametrize(
    "moment",
    [
        dt.datetime(1970, 1, 1, tzinfo=UTC),
        dt.datetime(2013, 1, 1, 5, 17, 0, 123456, tzinfo=UTC),
        dt.datetime(1, 1, 1, tzinfo=UTC),
        dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
)
def test_timestamps_are_datetimes(moment):
    assert column([msgpack.packb(moment, datetime=True)]).cells()[0] == moment


def test_timestamps_that_datetime_cuts_off_are_numpys():
    one = column([msgpack.packb(msgpack.Timestamp(1, 1))]).cells()[0]
    assert one == np.datetime64(1_000_000_001, "ns")
    assert isinstance(one, np.datetime64)
    far = column([msgpack.packb(msgpack.Timestamp(10**12, 0))]).cells()[0]
    assert far == np.datetime64(10**12, "s")


def test_other_extensions_keep_code_and_bytes():
    assert column([msgpack.packb(msgpack.ExtType(5, b"abc"))]).cells()[0] == {"code": 5, "data": b"abc"}


@each(
    ("cell", "told"),
    [
        (b"", "found the end"),
        (b"\xc1", "C1"),
        (b"\x92\x01", "found the end"),
        (b"\xdd\xff\xff\xff\xff", "found the end"),
        (b"\xc6\xff\xff\xff\xff", "more bytes"),
        (b"\x01\x02", "1 bytes more"),
        (b"\xa1\xff", "UTF-8"),
        (b"\x82\xa1a\x01\xa1a\x02", "each key once, found 'a' again"),
        (b"\x81\x80\x01", "hash"),
        (b"\x91" * 2000 + b"\xc0", "at most 512 values"),
        (b"\xd7\xff" + b"\xff" * 8, "timestamp"),
        (b"\xd4\xff\x00", "timestamp"),
        (b"\xc7\x0c\xff" + struct.pack(">Iq", 1, 2**62), "64 bits"),
    ],
)
def test_damaged_cells_are_named(cell, told):
    with pytest.raises(DecodeError, match=r"row 1: at byte \d+ of the cell: .*") as caught:
        column([b"\x01", cell]).cells()
    assert told in str(caught.value)


def test_other_types_have_no_such_cells():
    with pytest.raises(TypeError, match="MessagePack"):
        ArrowColumn.from_masked(np.arange(3)).cells()


def test_pandas_and_numpy_see_objects_and_text_shows_them(tmp_path):
    import pyarrow as pa

    field = pa.field("mixed", pa.large_binary(), metadata={"colonnade": '{"tag":{"cells":"msgpack"}}'})
    cells = [1, "two", [3, None], None]
    packed = pa.array([None if c is None else msgpack.packb(c) for c in cells], pa.large_binary())
    path = tmp_path / "mixed.arrow"
    with pa.ipc.new_file(path, pa.schema([field])) as writer:
        writer.write(pa.record_batch([packed], schema=pa.schema([field])))
    frame = colonnade.read(path)
    back = frame.to_pandas()
    pd.testing.assert_frame_equal(back, pd.DataFrame({"mixed": pd.Series(cells, dtype=object)}))
    assert frame.to_numpy().tolist() == [[cell] for cell in cells]
    assert "two" in repr(frame)
