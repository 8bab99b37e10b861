"""MessagePack with one thing wrong: a typed error that names the place, before memory is taken for what is claimed."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("msgpack")

import msgpack
import pandas as pd

import colonnade as cn
from tests.helpers import msgpack_bytes as mp
from tests.helpers.each import each
from tests.helpers.msgpack_bad_cases import BAD, Bad
from tests.helpers.msgpack_look import RECEIVED, WAYS
from tests.sweep import msgpack as sweep_msgpack


def _refused(bad: Bad, read: Callable[..., Any], errors: tuple[type[Exception], ...]) -> str:
    options = {} if bad.orient is None else {"orient": bad.orient}
    with pytest.raises(cn.ColonnadeError) as raised:
        read(bad.content, **options)
    message = str(raised.value)
    assert isinstance(raised.value, errors), (type(raised.value).__name__, message)
    assert re.search(bad.words, message), message
    return message


def _placed(bad: Bad, message: str) -> None:
    if bad.path:
        assert bad.path in message, message
    if bad.byte is not None:
        found = re.search(r"byte (\d+)", message)
        assert found, message
        assert bad.byte <= int(found[1]) <= bad.byte + bad.within, message


@each("way", list(WAYS), lambda name, way: (name, way) != ("a frame behind", "verify"))
@each("name", list(BAD), per=20)
def test_refused(name: str, way: str) -> None:
    bad = BAD[name]
    message = _refused(bad, WAYS[way], bad.errors)
    assert "msgpack: " in message, message
    _placed(bad, message)


@each("way", list(RECEIVED))
@each("name", [name for name, bad in BAD.items() if bad.of_a_message], per=20)
def test_refused_as_a_message(name: str, way: str) -> None:
    """A connection tells its messages by their first byte, and another kind of value than a map or array is none."""
    bad = BAD[name]
    if bad.content[0] in range(0x80, 0xA0) or 0xDC <= bad.content[0] <= 0xDF:
        message = _refused(bad, RECEIVED[way], bad.errors)
        if "the input ends inside" not in message:  # Otherwise the message ends, wherever its values do.
            _placed(replace(bad, path=bad.path if '"$"' not in message else "", within=max(bad.within, 200)), message)
        return
    with pytest.raises((cn.ColonnadeError, ConnectionError)):
        RECEIVED[way](bad.content)


@each("name", list(BAD), per=50)
def test_errors_are_short(name: str) -> None:
    """However long what is wrong is, the message is read by people."""
    with pytest.raises(cn.ColonnadeError) as raised:
        WAYS["decode"](BAD[name].content)
    assert len(str(raised.value)) < 700


def test_no_memory_is_taken_for_what_is_claimed() -> None:
    small = {name: bad.content.hex() for name, bad in BAD.items() if len(bad.content) < 200_000}
    results = sweep_msgpack.run({"hex": small}, resident=32 << 20)
    assert len(results) == len(small)
    assert [result["name"] for result in results if "data" in (result["decode"], result["pandas"])] == []


def test_names_in_errors_are_cut() -> None:
    content = mp.mapping({"x" * 100_000: mp.array(mp.RESERVED)})
    with pytest.raises(cn.DecodeError) as raised:
        cn.decode(content, "msgpack").to_arrow()
    assert len(str(raised.value)) < 700


# --------------------------------------------------------------------------- limits
@each("way", [*WAYS, *RECEIVED])
def test_limits_count_on_every_path(way: str) -> None:
    read = (WAYS | RECEIVED)[way]
    cases: list[tuple[bytes, dict[str, int]]] = [
        (mp.mapping({"a": mp.array(mp.nested(6))}), {"max_depth": 5}),
        (mp.array(mp.mapping({"a": mp.nested(6)})), {"max_depth": 5}),
        (mp.pack({f"c{i}": [i] for i in range(20)}), {"max_columns": 19}),
        (mp.pack([{f"c{i}": i} for i in range(20)]), {"max_columns": 19}),
        (mp.pack({"a": ["x" * 1000] * 100}), {"max_nbytes": 10_000}),
        (mp.pack([{"a": i} for i in range(3000)]), {"max_nbytes": 10_000}),
    ]
    for content, limits in cases:
        with pytest.raises(cn.LimitError) as raised:
            read(content, limits=cn.Limits(**limits))
        (name,) = limits
        assert name in str(raised.value)


def test_a_depth_that_is_allowed() -> None:
    for depth in (1, 8, 40):
        content = mp.mapping({"a": mp.array(mp.nested(depth, b"\x07"))})
        value = cn.decode(content, "msgpack").to_arrow().column("a").to_pylist()[0]
        for _ in range(depth):
            (value,) = value
        assert value == 7
    deep = mp.mapping({"a": mp.array(mp.nested(100, b"\x07"))})
    assert len(cn.decode(deep, "msgpack", limits=cn.Limits(max_depth=200))) == 1


# --------------------------------------------------------------------------- headers of ours
_FRAME = pd.DataFrame(
    {"i": [1, 2, 3], "s": ["x", None, "z"], "c": pd.Categorical(["u", "v", "u"])}, index=pd.Index([7, 8, 9], name="k")
)


def _tampered(change: Callable[[dict[str, Any]], Any], **options: Any) -> bytes:
    value = msgpack.unpackb(cn.encode(_FRAME, "msgpack", **options), timestamp=0, strict_map_key=False)
    change(value)
    return bytes(msgpack.packb(value))


def _in_header(**changes: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda value: value["__colonnade__"].update(changes)


def _without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda value: value["__colonnade__"].pop(key)


TAMPERED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a version from the future": _in_header(version=99),
    "a version that is text": _in_header(version="1"),
    "an orient that nobody knows": _in_header(orient="rows"),
    "another orient": _in_header(orient="records"),
    "rows too many": _in_header(nrows=4),
    "rows too few": _in_header(nrows=2),
    "rows in terabytes": _in_header(nrows=1 << 50),
    "negative rows": _in_header(nrows=-1),
    "no schema": _without("schema"),
    "no version": _without("version"),
    "a schema that is none": _in_header(schema=b"\xff" * 64),
    "an empty schema": _in_header(schema=b""),
    "a schema of another kind": _in_header(schema=5),
    "sizes too few": _in_header(nbytes=[1]),
    "sizes that are wrong": _in_header(nbytes=[3, 3, 3, 3]),
    "sizes of terabytes": _in_header(nbytes=[1 << 50] * 4),
    "negative sizes": _in_header(nbytes=[-1] * 4),
    "no dictionaries": _in_header(dictionaries=[]),
    "a dictionary too short": _in_header(dictionaries=[["u"]]),
    "a dictionary of another type": _in_header(dictionaries=[[1, 2]]),
    "dictionaries that no field has": _in_header(dictionaries=[["u"], ["v"]]),
    "numbers that nobody knows": _in_header(numbers="other"),
    "a header that is no map": lambda value: value.update(__colonnade__=[1]),
    "a column that is gone": lambda value: value.pop("i"),
    "a column too many": lambda value: value.update(more=[1, 2, 3]),
    "a column of another name": lambda value: value.update(j=value.pop("i")),
    "text where numbers are": lambda value: value.update(i=["a", "b", "c"]),
    "numbers where text is": lambda value: value.update(s=[1, 2, 3]),
    "a number that does not fit": lambda value: value.update(i=[1, 2, 1 << 63]),
    "a code beyond the dictionary": lambda value: value.update(c=[0, 1, 2]),
    "a negative code": lambda value: value.update(c=[0, 1, -1]),
    "a column that is too short": lambda value: value.update(i=[1, 2]),
    "a column that is too long": lambda value: value.update(i=[1, 2, 3, 4]),
    "a column that is no array": lambda value: value.update(i=5),
    "nil for labels": lambda value: value.update(k=None),
}


@each("name", list(TAMPERED))
def test_a_header_that_lies(name: str) -> None:
    content = _tampered(TAMPERED[name])
    for way, read in (WAYS | RECEIVED).items():
        with pytest.raises(cn.ColonnadeError) as raised:
            read(content)
        error = raised.value
        assert isinstance(error, cn.DecodeError | cn.UnsupportedError | cn.LimitError), (way, type(error))
        assert "msgpack: " in str(error)


@each("counts", [[0] * 4, [3] * 4, [], [9] * 4, [-1] * 4, [1 << 50] * 4])
def test_nulls_that_are_counted_wrong(counts: list[int]) -> None:
    """They are hints: the data are what they are, or the frame is refused."""
    content = _tampered(_in_header(nulls=counts))
    for read in (WAYS | RECEIVED).values():
        try:
            table = read(content)
        except (cn.DecodeError, cn.LimitError):
            continue
        if table is not None:
            table.validate(full=True)
            assert table.column("i").to_pylist() == [1, 2, 3]
            assert table.column("s").to_pylist() == ["x", None, "z"]


def test_packed_numbers_that_are_plain() -> None:
    """Which of both a column is, its value says."""
    content = _tampered(_in_header(numbers="packed"))
    pd.testing.assert_frame_equal(cn.decode(content, "msgpack").to_pandas(), _FRAME)


def test_a_header_of_what_is_sound() -> None:
    """What `_tampered` writes without a change is read."""
    for orient in ("columns", "records", "split"):
        content = _tampered(lambda value: None, orient=orient)
        pd.testing.assert_frame_equal(cn.decode(content, "msgpack").to_pandas(), _FRAME)


def test_a_header_that_is_not_the_first_entry() -> None:
    """Then it is a column, and a foreign one that is no array."""
    value = msgpack.unpackb(cn.encode(_FRAME, "msgpack"), timestamp=0)
    turned = dict(reversed(value.items()))
    with pytest.raises((cn.DecodeError, cn.UnsupportedError)):
        cn.decode(msgpack.packb(turned), "msgpack").to_arrow()
