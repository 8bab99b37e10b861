"""Bytes of ours read by msgpack, ormsgpack and msgspec, and theirs read by us: the same values."""

import datetime as dt
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("msgpack")
pytest.importorskip("ormsgpack")
pytest.importorskip("msgspec")

import msgpack
import msgspec
import numpy as np
import ormsgpack
import pandas as pd
import pyarrow as pa

import colonnade as cn
from tests.helpers.msgpack_look import decoded, received
from tests.helpers.ways import exactly


class Peer(NamedTuple):
    """A library: Python objects to bytes, and back. Timestamps are datetimes in UTC to all of them."""

    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]


_ORMSGPACK = ormsgpack.OPT_NON_STR_KEYS | ormsgpack.OPT_DATETIME_AS_TIMESTAMP_EXT

PEERS = {
    "msgpack": Peer(
        lambda value: msgpack.packb(value, datetime=True),
        lambda content: msgpack.unpackb(content, timestamp=3, strict_map_key=False),
    ),
    "ormsgpack": Peer(
        lambda value: ormsgpack.packb(value, option=_ORMSGPACK),
        lambda content: ormsgpack.unpackb(content, option=_ORMSGPACK),
    ),
    "msgspec": Peer(
        msgspec.msgpack.encode,
        lambda content: msgspec.msgpack.decode(content, type=Any),
    ),
}
each_peer = pytest.mark.parametrize("peer", PEERS.values(), ids=PEERS)


AT = dt.datetime(2024, 2, 29, 12, 34, 56, 789_012, tzinfo=dt.UTC)
EARLY = dt.datetime(1901, 1, 1, tzinfo=dt.UTC)
LATE = dt.datetime(2242, 3, 16, 12, 56, 32, tzinfo=dt.UTC)

# Of each column: its values, and the type that we give them when they come from elsewhere.
COLUMNS: dict[str, tuple[list[Any], Any]] = {
    "bool": ([True, False, None, True], pa.bool_()),
    "int": ([0, -(2**63), 2**63 - 1, None], pa.int64()),
    "small int": ([1, 127, 128, -32], pa.int64()),
    "uint": ([0, 2**64 - 1, None, 1], pa.uint64()),
    "float": ([0.5, math.inf, -0.0, None], pa.float64()),
    "int and float": ([1.5, 2.0**53, None, -3.0], pa.float64()),
    "text": (["", "é\0ü", None, "x" * 40_000], pa.large_string()),
    "bytes": ([b"", b"\xff\0", None, b"x" * 300], pa.large_binary()),
    "null": ([None] * 4, pa.null()),
    "list": ([[1, None], [], None, [3]], pa.large_list(pa.int64())),
    "list of lists": ([[["a"]], [[]], [], None], pa.large_list(pa.large_list(pa.large_string()))),
    "map": (
        [{"x": 1, "y": "a"}, {"x": None, "y": None}, None, {"x": 3, "y": "c"}],
        pa.struct([("x", pa.int64()), ("y", pa.large_string())]),
    ),
    "leading nulls": ([None, None, None, "late"], pa.large_string()),
}
TIMES = [AT, EARLY, None, LATE]


def _frame(table: Any) -> dict[str, list[Any]]:
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _laid_out(values: dict[str, list[Any]], orient: str) -> Any:
    rows = [list(row) for row in zip(*values.values(), strict=True)]
    if orient == "columns":
        return values
    if orient == "records":
        return [dict(zip(values, row, strict=True)) for row in rows]
    return {"index": list(range(len(rows))), "columns": list(values), "data": rows}


@each("orient", ["columns", "records", "split"])
@each_peer
def test_theirs_read_by_us(peer: Peer, orient: str) -> None:
    values = {name: column for name, (column, _) in COLUMNS.items()}
    content = peer.pack(_laid_out(values, orient))
    for table in (decoded(content), decoded(content, threads=1), received(content, 11)):
        assert table.column_names == list(COLUMNS)
        for name, (wanted, kind) in COLUMNS.items():
            assert table.schema.field(name).type == kind, name
            assert table.column(name).to_pylist() == wanted, name
    assert math.copysign(1, table.column("float").to_pylist()[2]) == -1


@each("orient", ["columns", "records", "split"])
@each_peer
def test_ours_read_by_them(peer: Peer, orient: str) -> None:
    values = {name: column for name, (column, _) in COLUMNS.items()}
    table = pa.table({name: pa.array(column, kind) for name, (column, kind) in COLUMNS.items()})
    assert peer.unpack(cn.encode(table, "msgpack", orient=orient, header=False)) == _laid_out(values, orient)
    with_header = peer.unpack(cn.encode(table, "msgpack", orient=orient))
    assert next(iter(with_header)) == "__colonnade__"
    found = {key: value for key, value in with_header.items() if key != "__colonnade__"}
    if orient == "columns":
        assert found == values
    elif orient == "records":
        assert found == {"records": _laid_out(values, orient)}
    else:
        assert found == {key: value for key, value in _laid_out(values, orient).items() if key != "index"}


@each_peer
def test_times(peer: Peer) -> None:
    theirs = peer.pack({"t": TIMES})
    wanted = peer.unpack(theirs)["t"]  # ormsgpack writes whole seconds
    table = decoded(theirs)
    assert table.schema.field("t").type == pa.timestamp("ns", "UTC")
    assert table.column("t").cast(pa.timestamp("us", "UTC")).to_pylist() == wanted
    for unit in ("us", "ns"):
        ours = cn.encode(pa.table({"t": pa.array(TIMES, pa.timestamp(unit, "UTC"))}), "msgpack", header=False)
        assert peer.unpack(ours) == {"t": TIMES}
    naive = pd.DataFrame({"t": pd.to_datetime([AT.replace(tzinfo=None), None])})
    assert peer.unpack(cn.encode(naive, "msgpack", header=False)) == {"t": [AT, None]}


@each_peer
def test_long_columns_of_every_kind(peer: Peer) -> None:
    """Runs of one marker that change in the middle, over every piece of work that is given to a thread."""
    rng = np.random.default_rng(7)
    n = 70_000
    widths = rng.integers(0, 63, n)
    ints = (rng.integers(0, 1 << 62, n) >> widths) * rng.choice([1, -1], n)
    words = [("w" * int(k)) if k % 7 else None for k in rng.integers(0, 60, n)]
    values = {
        "i": ints.tolist(),
        "run": [5] * (n // 2) + [-500] * (n // 2),
        "f": rng.normal(size=n).tolist(),
        "s": words,
        "b": (rng.integers(0, 2, n) == 1).tolist(),
        "late": [None] * (n - 1) + [1.5],
    }
    for orient in ("columns", "records"):
        found = decoded(peer.pack(_laid_out(values, orient)))
        assert _frame(found) == values
        assert peer.unpack(cn.encode(found, "msgpack", orient=orient, header=False)) == _laid_out(values, orient)


@each_peer
def test_frames_of_pandas_come_back(peer: Peer) -> None:
    frame = pd.DataFrame({"i": [1, 2, 3], "f": [0.5, 1.5, -2.5], "s": ["a", "b", "c"], "b": [True, False, True]})
    for orient in ("list", "records", "split"):
        found = cn.decode(peer.pack(frame.to_dict(orient)), "msgpack").to_pandas()
        pd.testing.assert_frame_equal(found, frame, check_index_type=False)


@each_peer
def test_labels_of_rows_in_split(peer: Peer) -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=["r", "s"])
    found = cn.decode(peer.pack(frame.to_dict("split")), "msgpack").to_pandas()
    pd.testing.assert_frame_equal(found, frame)


@each_peer
def test_columns_with_whole_numbers_as_labels(peer: Peer) -> None:
    frame = pd.DataFrame(np.arange(6).reshape(2, 3), columns=[10, 0, 300])
    if peer is PEERS["msgspec"] or peer is PEERS["ormsgpack"]:
        content = peer.pack({int(key): column for key, column in frame.to_dict("list").items()})
    else:
        content = peer.pack(frame.to_dict("list"))
    pd.testing.assert_frame_equal(cn.decode(content, "msgpack").to_pandas(), frame)


@each_peer
def test_bundles(peer: Peer) -> None:
    frames = {"one": {"a": [1, 2]}, "two": [{"b": "x"}, {"b": None}]}
    content = peer.pack(frames)
    bundle = cn.read_bundle(content, format="msgpack")
    assert list(bundle) == ["one", "two"]
    assert bundle["one"].to_arrow().to_pydict() == {"a": [1, 2]}
    assert bundle["two"].to_arrow().to_pydict() == {"b": ["x", None]}
    sink = cn.BufferSink()
    cn.write_bundle({"p": pa.table({"a": [1]}), "q": pa.table({"b": ["x"]})}, sink, format="msgpack")
    found = peer.unpack(bytes(sink))
    assert [found["p"]["a"], found["q"]["b"]] == [[1], ["x"]]


@each_peer
def test_refused_by_them_is_not_what_we_write(peer: Peer) -> None:
    """Frames of odd shapes are maps to everybody."""
    for frame in (
        pd.DataFrame(),
        pd.DataFrame(index=[1, 2]),
        pd.DataFrame({"a": []}),
        pd.DataFrame({1: [1], "1": [2]}),
    ):
        for orient in ("columns", "records", "split"):
            content = cn.encode(frame, "msgpack", orient=orient)
            assert "__colonnade__" in peer.unpack(content)
            pd.testing.assert_frame_equal(cn.decode(content).to_pandas(), frame)


def test_runs_of_a_field_without_nulls_that_hold_some_come_back() -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 5], pa.int32()), pa.array([1, None, 7]))
    inner = pa.StructArray.from_arrays([runs], fields=[pa.field("r", runs.type, nullable=False)])
    schema = pa.schema([pa.field("x", runs.type, nullable=False), pa.field("s", inner.type)])
    table = pa.table([runs, inner], schema=schema)
    for format in ("msgpack", "json", "ndjson", "csv", "npz", "arrow"):
        found = cn.decode(cn.encode(table, format, **exactly(format)), format).to_arrow()
        assert found.schema == schema, format
        assert found["x"].to_pylist() == [1, 1, None, 7, 7], format
        assert found["s"].to_pylist() == [{"r": value} for value in (1, 1, None, 7, 7)], format
