"""Headers written by hand: what they claim takes no memory, and what contradicts itself is refused."""

from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("msgpack")

import numpy as np
import pandas as pd
import pyarrow as pa

import colonnade as cn
from tests.helpers import msgpack_bytes as mp
from tests.helpers.msgpack_bytes import NIL, array, mapping, nested, pack, text
from tests.helpers.msgpack_look import RECEIVED, WAYS
from tests.sweep import msgpack as sweep_msgpack

_KEY = "__colonnade__"


def _frame(schema: Any, nrows: int, *values: bytes, **header: Any) -> bytes:
    told: dict[str, Any] = {
        "version": 1,
        "orient": "columns",
        "nrows": nrows,
        "schema": schema.serialize().to_pybytes(),
        "nbytes": [len(value) for value in values],
        "nulls": [value.count(NIL) for value in values],
        "dictionaries": [],
    }
    pairs = [(text(_KEY), pack(told | header)), *zip(map(text, schema.names), values, strict=True)]
    return mapping(pairs)


def _one(kind: Any, *cells: bytes, **header: Any) -> bytes:
    return _frame(pa.schema([("a", kind)]), len(cells), array(*cells), **header)


_MOST = (1 << 31) - 1
_VAST = pa.binary(_MOST)
_WIDE: dict[str, bytes] = {
    "bytes": _one(_VAST, NIL),
    "nothing, many times": _one(pa.list_(pa.null(), _MOST), NIL),
    "lists in lists": _one(pa.list_(pa.list_(pa.float64(), 1 << 16), 1 << 15), NIL),
    "in a list": _one(pa.list_(_VAST), array(NIL)),
    "in a struct": _one(pa.struct([("x", pa.int8()), ("y", _VAST)]), NIL),
    "a member that is missing": _one(pa.struct([("x", pa.int8()), ("y", _VAST)]), mapping({"x": b"\x01"})),
    "in a map": _one(pa.map_(pa.int8(), _VAST), mapping([(b"\x01", NIL)])),
    "beside another value of a union": _one(
        pa.sparse_union([pa.field("x", pa.int8()), pa.field("y", _VAST)]), array(b"\x00", b"\x07")
    ),
    "in a dense union": _one(pa.dense_union([pa.field("x", _VAST)]), array(b"\x00", NIL)),
    "in runs": _one(pa.run_end_encoded(pa.int32(), _VAST), NIL),
    "in a dictionary": _one(pa.dictionary(pa.int8(), _VAST), b"\x00", dictionaries=[[None]]),
    "in rows": mapping(
        [
            (
                text(_KEY),
                pack(
                    {
                        "version": 1,
                        "orient": "records",
                        "nrows": 1,
                        "schema": pa.schema([("a", _VAST)]).serialize().to_pybytes(),
                        "nulls": [1],
                        "dictionaries": [],
                    }
                ),
            ),
            (text("records"), array(mapping({"a": NIL}))),
        ]
    ),
}


def test_nulls_of_wide_types_take_no_memory() -> None:
    results = sweep_msgpack.run({"hex": {name: content.hex() for name, content in _WIDE.items()}}, resident=32 << 20)
    assert len(results) == len(_WIDE)
    for result in results:
        for way in ("decode", "rows", "bytes", "pandas", "message", "pieces"):
            assert result[way] == "LimitError", (way, result)
            assert "max_unbacked_nbytes" in result[f"{way}_message"], result


def test_columns_of_a_frame_share_what_nulls_may_take() -> None:
    schema = pa.schema([(f"c{i}", pa.binary(5000)) for i in range(20)])
    content = _frame(schema, 10, *[array(*[NIL] * 10)] * 20)
    assert cn.decode(content).shape == (10, 20)
    for options in ({"max_unbacked_nbytes": 5000, "max_expansion": 1}, {"max_nbytes": 150_000}):
        with pytest.raises(cn.LimitError, match=next(iter(options))):
            cn.decode(content, limits=cn.Limits(**options), threads=1).to_arrow()


def test_wide_columns_that_are_mostly_null_come_back() -> None:
    """Without a limit being raised: bytes that are there let nulls beside them pass."""
    vectors = pa.array([[float(i)] * 256 if i % 100 == 0 else None for i in range(5000)], pa.list_(pa.float32(), 256))
    table = pa.table({"v": vectors, "b": pa.array([b"x" * 4000, *[None] * 2000] + [None] * 2999, pa.binary(4000))})
    for orient in ("columns", "records"):
        content = cn.encode(table, "msgpack", orient=orient)
        limits = cn.Limits(max_unbacked_rows=1 << 20)
        assert cn.decode(content, limits=limits).to_arrow().equals(table)


@pytest.mark.parametrize("orient", ["columns", "records", "split"])
def test_rows_that_nothing_stands_for(orient: str) -> None:
    rows = {"columns": [], "records": [(text("records"), array())]}.get(
        orient, [(text("columns"), array()), (text("data"), array())]
    )
    told = {"version": 1, "orient": orient, "nrows": 1 << 50, "schema": pa.schema([]).serialize().to_pybytes()}
    content = mapping([(text(_KEY), pack({**told, "nulls": [], "dictionaries": []})), *rows])
    with pytest.raises(cn.LimitError, match="max_unbacked_rows"):
        cn.decode(content).to_pandas()


# --------------------------------------------------------------------------- what contradicts itself
_INT = pa.schema([("a", pa.int8())])
_PAIR = pa.schema([("a", pa.int8()), ("a", pa.int8())])


def _header_with(extra: list[tuple[bytes, bytes]]) -> bytes:
    told = [
        (text("version"), b"\x01"),
        (text("orient"), text("columns")),
        (text("nrows"), b"\x01"),
        (text("schema"), mp.blob(_INT.serialize().to_pybytes(), 2)),
        (text("nbytes"), array(b"\x02")),
        (text("nulls"), array(b"\x00")),
        (text("dictionaries"), array()),
    ]
    return mapping([(text(_KEY), mapping(told + extra)), (text("a"), array(b"\x07"))])


def _deep(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


_REFUSED: dict[str, tuple[bytes, type[Exception], str]] = {
    "a key of the header twice": (_header_with([(text("nrows"), b"\x02")]), cn.DecodeError, "nrows"),
    "a key of the header twice, unknown": (_header_with([(text("x"), NIL)] * 2), cn.DecodeError, "x"),
    "a key of the header that is a number": (_header_with([(b"\x01", NIL)]), cn.DecodeError, "text"),
    "depth in what nobody knows": (_header_with([(text("x"), nested(65))]), cn.LimitError, "max_depth"),
    "a bomb in what nobody knows": (_header_with([(text("x"), b"\x91" * 100_000)]), cn.LimitError, "max_depth"),
    "the reserved byte in what nobody knows": (_header_with([(text("x"), b"\xc1")]), cn.DecodeError, "C1"),
    "a claim in what nobody knows": (
        _header_with([(text("x"), b"\xdd\xff\xff\xff\xff")]),
        cn.TruncatedError,
        "needs|expected at least",
    ),
    "depth among dictionaries": (_one(pa.int8(), b"\x07", dictionaries=_deep(65)), cn.LimitError, "max_depth"),
    "dictionaries that no field has": (_one(pa.int8(), b"\x07", dictionaries=[[1]]), cn.DecodeError, "dictionar"),
    "two fields of one name": (_frame(_PAIR, 1, array(b"\x01"), array(b"\x02")), cn.DecodeError, "twice"),
    "packed booleans": (
        _frame(pa.schema([("a", pa.bool_())]), 2, mp.blob(b"\x02\xff"), numbers="packed"),
        cn.DecodeError,
        "bin",
    ),
    "packed decimals": (
        _frame(pa.schema([("a", pa.decimal128(3, 0))]), 1, mp.blob(b"\xff" * 15 + b"\x7f"), numbers="packed"),
        cn.DecodeError,
        "packed",
    ),
    "a header behind its rows": (
        mapping([(text("records"), array(mapping({"a": b"\x01"}))), (text(_KEY), mapping({"version": b"\x01"}))]),
        cn.DecodeError,
        "first entry",
    ),
}


@each("way", [*WAYS, *RECEIVED])
@each("name", list(_REFUSED), per=20)
def test_refused(name: str, way: str) -> None:
    content, error, words = _REFUSED[name]
    with pytest.raises(error, match=words) as raised:
        (WAYS | RECEIVED)[way](content)
    assert "msgpack: " in str(raised.value) or "the input ends inside a message" in str(raised.value)


def test_what_later_versions_add_is_passed_over() -> None:
    content = _header_with([(text("x"), mapping({"y": nested(60)}))])
    assert cn.decode(content).to_arrow().column("a").to_pylist() == [7]


def test_the_key_of_the_header_in_any_width() -> None:
    frame = pd.DataFrame({"a": [1.5, None], "s": ["x", None]}, index=pd.Index([4, 5], name="k"))
    short, wide = text(_KEY), [mp.text(_KEY, width) for width in (1, 2, 4)]
    for orient in ("columns", "records", "split"):
        content = cn.encode(frame, "msgpack", orient=orient)
        for key in wide:
            assert key != short
            found = cn.decode(content.replace(short, key, 1), "msgpack").to_pandas()
            pd.testing.assert_frame_equal(found, frame)


@pytest.mark.parametrize("depth", [66, 100_000])
def test_depth_in_bundles(depth: int) -> None:
    """A bundle in a bundle is none, and values of its frames count their depth too."""
    bundle: bytes = mapping({"a": array(b"\x01")})
    for _ in range(3):
        bundle = mapping({"b": bundle})
    with pytest.raises(cn.DecodeError, match="one frame"):
        cn.read_bundle(bundle, format="msgpack")["b"].to_arrow()
    deep = mapping({"one": mapping({"a": array(nested(depth))})})
    with pytest.raises(cn.LimitError, match="max_depth"):
        cn.read_bundle(deep, format="msgpack")["one"].to_arrow()
    maps = b"\x81\xa1a" * depth + NIL
    with pytest.raises((cn.LimitError, cn.DecodeError)):
        cn.read_bundle(maps, format="msgpack")["a"].to_arrow()


# --------------------------------------------------------------------------- the least there is
def test_rows_without_columns_are_not_lost() -> None:
    frame = pd.DataFrame(index=range(3))
    with pytest.raises(cn.EncodeError, match="3 rows without columns"):
        cn.encode(frame, "msgpack", header=False)
    assert cn.encode(frame, "msgpack", header=False, orient="records") == b"\x93\x80\x80\x80"
    assert cn.encode(frame.iloc[:0], "msgpack", header=False) == b"\x80"
    assert cn.encode(frame.iloc[1:], "msgpack", header=False) == b"\x81\xa5index\x92\x01\x02"
    for orient in ("columns", "records", "split"):
        assert cn.decode(cn.encode(frame, "msgpack", orient=orient)).shape == (3, 0)
    for content, shape in ((b"\x80", (0, 0)), (b"\x90", (0, 0)), (b"\x91\x80", (1, 0)), (b"\x93\x80\x80\x80", (3, 0))):
        assert cn.decode(content, "msgpack").shape == shape


def test_an_empty_map_over_a_connection() -> None:
    """Every pickle begins with the byte that it is: it is neither sent nor taken for a frame."""
    sink = cn.BufferSink()
    with cn.connect((None, sink)) as connection:
        with pytest.raises(cn.EncodeError, match="empty map"):
            connection.send({}, "msgpack", header=False)
        connection.send({}, "msgpack", header=False, orient="records")
        connection.send({}, "msgpack")
        connection.send({"a": np.arange(2)}, "msgpack", header=False)
    sent = bytes(sink)
    assert sent.startswith(b"\x90\x81\xad__colonnade__")
    with cn.connect((sent, None)) as connection:
        frames = [connection.receive() for _ in range(3)]
        assert [frame.shape for frame in frames] == [(0, 0), (0, 0), (2, 1)]
    for content in (b"\x80", b"\x80" * 7):
        with cn.connect((content, None)) as connection, pytest.raises(cn.TruncatedError):
            connection.receive()
    for content in (b"\x80" * 8, b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00."):
        with cn.connect((content, None)) as connection, pytest.raises(cn.DecodeError):
            connection.receive()
