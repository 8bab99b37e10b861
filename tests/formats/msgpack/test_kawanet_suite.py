"""kawanet's suite: each of its values in every legal encoding is read, and what is written is one of them."""

import json
from typing import Any, NamedTuple

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("msgpack")

import pyarrow as pa

import colonnade as cn
from tests.helpers import msgpack_bytes as mp
from tests.helpers.applies import applies
from tests.helpers.corpora import CORPORA, needs_corpora
from tests.helpers.msgpack_bytes import Ext, Stamp
from tests.helpers.msgpack_infer import MIXED, as_array, infer
from tests.helpers.msgpack_look import decoded, mixed_cells, received, same_cells, unpacked

pytestmark = needs_corpora


class Value(NamedTuple):
    """One value of the suite and its encodings, the smallest first."""

    value: Any
    encodings: list[bytes]


def _value(case: dict[str, Any]) -> Any:
    if "binary" in case:
        return bytes.fromhex(case["binary"].replace("-", ""))
    if "bignum" in case:
        return int(case["bignum"])
    if "timestamp" in case:
        return Stamp(*case["timestamp"])
    if "ext" in case:
        return Ext(case["ext"][0], bytes.fromhex(case["ext"][1].replace("-", "")))
    (value,) = (case[key] for key in ("nil", "bool", "number", "string", "array", "map") if key in case)
    return value


def _suite() -> dict[str, Value]:
    if CORPORA is None:
        return {}
    cases = json.loads((CORPORA / "mp-kawanet/dist/msgpack-test-suite.json").read_text(encoding="utf-8"))
    return {
        f"{group}[{number}]": Value(_value(case), [bytes.fromhex(text.replace("-", "")) for text in case["msgpack"]])
        for group, listed in cases.items()
        for number, case in enumerate(listed)
    }


SUITE = _suite()
each_value = each("name", [pytest.param(name, id=name) for name in SUITE])


def _means(value: Any, encoding: bytes) -> Any:
    """The value as this encoding of it has it: the suite writes whole numbers as floats too."""
    floating = encoding[0] in (0xCA, 0xCB)
    return float(value) if floating and isinstance(value, int) else value


def _shapes(encoding: bytes) -> dict[str, bytes]:
    key = mp.text("a")
    return {
        "columns": mp.mapping({"a": mp.array(encoding, encoding)}),
        "wide columns": mp.mapping([(mp.text("a", 4), mp.array(encoding, encoding, width=4))], width=4),
        "records": mp.array(*[mp.mapping([(key, encoding)])] * 2),
        "wide records": mp.array(*[mp.mapping([(mp.text("a", 2), encoding)], width=2)] * 2, width=2),
        "split": mp.mapping({"columns": mp.array(key), "data": mp.array(*[mp.array(encoding)] * 2)}),
    }


def _is_map(encoding: bytes) -> bool:
    return 0x80 <= encoding[0] <= 0x8F or encoding[0] in (0xDE, 0xDF)


@each_value
def test_every_encoding_is_read(name: str) -> None:
    for encoding in SUITE[name].encodings:
        value = _means(SUITE[name].value, encoding)
        for shape, content in _shapes(encoding).items():
            options: dict[str, Any] = {"ext": "bytes"} if isinstance(value, Ext) else {}
            if _is_map(encoding) and "columns" in shape:  # taken for frames by its look
                options["orient"] = "columns"
            table = decoded(content, **options)
            assert table.column_names == ["a"], shape
            if isinstance(value, Ext):
                kind = pa.struct([("code", pa.int8()), ("data", pa.large_binary())])
                wanted = pa.array([{"code": value.code, "data": value.data}] * 2, kind)
            elif (kind := infer([value])) is MIXED:
                assert mixed_cells(table, "a") == [encoding] * 2, shape
                continue
            else:
                wanted = as_array([value] * 2, kind)
            same_cells(table.column("a"), wanted)


@each_value
def test_every_encoding_is_read_bit_by_bit(name: str) -> None:
    for encoding in SUITE[name].encodings:
        value = _means(SUITE[name].value, encoding)
        if isinstance(value, Ext) or infer([value]) is MIXED:
            continue  # options of the format cannot be said of a connection
        for shape, content in _shapes(encoding).items():
            if _is_map(encoding) and "columns" in shape:
                continue  # several frames
            assert received(content, 1).equals(decoded(content), check_metadata=True)


@each_value
@applies(lambda name: isinstance(SUITE[name].value, Ext))
def test_extensions_are_refused_by_name(name: str) -> None:
    value = SUITE[name].value
    for encoding in SUITE[name].encodings:
        with pytest.raises(
            (cn.UnsupportedError, cn.DecodeError), match=rf"\$\.a\[0\].*{value.code}|{value.code}.*byte 4"
        ):
            decoded(mp.mapping({"a": mp.array(encoding)}))


def _kinds(value: Any) -> list[Any]:
    """The Arrow types that hold this value."""
    if value is None:
        return [pa.null(), pa.int8(), pa.string(), pa.list_(pa.int64())]
    if isinstance(value, bool):
        return [pa.bool_()]
    if isinstance(value, int):
        signed = [(pa.int8(), 7), (pa.int16(), 15), (pa.int32(), 31), (pa.int64(), 63)]
        unsigned = [(pa.uint8(), 8), (pa.uint16(), 16), (pa.uint32(), 32), (pa.uint64(), 64)]
        found = [kind for kind, bits in signed if -(1 << bits) <= value < 1 << bits]
        return found + [kind for kind, bits in unsigned if 0 <= value < 1 << bits]
    if isinstance(value, float):
        return [pa.float16(), pa.float32(), pa.float64()]
    if isinstance(value, str):
        return [pa.string(), pa.large_string(), pa.string_view()]
    if isinstance(value, bytes):
        return [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(len(value))]
    if isinstance(value, Stamp):
        return [kind for unit in ("s", "ms", "us", "ns") for kind in _stamp_kinds(value, unit)]
    if isinstance(value, list):
        kind = infer(value)
        return [pa.large_list(kind), pa.list_(kind), pa.list_view(kind), pa.list_(kind, len(value))]
    return [infer([value])]


def _stamp_kinds(value: Stamp, unit: str) -> list[Any]:
    try:
        fits = -(1 << 63) < value.ticks(unit) < 1 << 63
    except ValueError:
        return []
    return [pa.timestamp(unit), pa.timestamp(unit, "UTC"), pa.timestamp(unit, "+07:30")] if fits else []


@each_value
@applies(lambda name: not isinstance(SUITE[name].value, Ext))
def test_what_is_written_is_the_smallest_of_them(name: str) -> None:
    value, encodings = SUITE[name]
    whole = isinstance(value, int) and not isinstance(value, bool)
    legal = [each for each in encodings if not (whole and each[0] in (0xCA, 0xCB))]
    smallest = [each for each in legal if len(each) == min(map(len, legal))]  # of some there are two
    for kind in _kinds(value):
        table = pa.table({"a": as_array([value], kind) if not isinstance(value, list) else pa.array([value], kind)})
        for numbers in ("plain", "packed"):
            content = cn.encode(table, "msgpack", numbers=numbers)
            same_cells(cn.decode(content).to_arrow().column("a"), table.column("a").combine_chunks())
        for orient, before, after in (
            ("columns", mp.mapping([(mp.text("a"), b"\x91")]), b""),
            ("records", b"\x91" + mp.mapping([(mp.text("a"), b"")]), b""),
        ):
            content = cn.encode(table, "msgpack", orient=orient, header=False)
            assert content.startswith(before)
            assert content.endswith(after)
            cell = content[len(before) :]
            if isinstance(value, float) and kind == pa.float64():
                assert cell == max(legal, key=len)  # floats keep their width
            else:
                assert cell in smallest, (str(kind), orient)
        with_header = cn.encode(table, "msgpack", numbers="plain")
        cells = smallest if kind != pa.float64() else [max(legal, key=len)]
        assert with_header.endswith(tuple(mp.text("a") + b"\x91" + cell for cell in cells)), str(kind)


@each_value
@applies(lambda name: not isinstance(SUITE[name].value, Ext))
def test_old_readers_are_given_old_forms(name: str) -> None:
    """`compat="old-spec"`: no bin, no str 8, no extension."""
    value = SUITE[name].value
    for kind in _kinds(value)[:3]:
        table = pa.table({"a": as_array([value], kind) if not isinstance(value, list) else pa.array([value], kind)})
        content = cn.encode(table, "msgpack", header=False, compat="old-spec")
        cell = content[len(mp.mapping([(mp.text("a"), b"\x91")])) :]
        if isinstance(value, bytes | str):
            raw = value if isinstance(value, bytes) else value.encode()
            assert cell == (mp.text(raw) if len(raw) < 32 else mp.text(raw, 2))
        elif isinstance(value, Stamp):
            assert cell == mp.pack(value.ticks(kind.unit))
        else:
            assert unpacked(cell) == value


def test_the_suite_is_as_large_as_it_was() -> None:
    assert len(SUITE) == 85
    assert sum(len(value.encodings) for value in SUITE.values()) == 233
