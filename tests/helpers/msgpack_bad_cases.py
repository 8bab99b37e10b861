"""MessagePack with one thing wrong each: the bytes, the errors that may be raised, and what the message says.

`place` is the path of JSONPath and the byte; where it is empty there is none but the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from colonnade import DecodeError, LimitError, TruncatedError, UnsupportedError
from tests.helpers import msgpack_bytes as mp
from tests.helpers.msgpack_bytes import NIL, RESERVED, array, ext, mapping, nested, nested_maps, pack, text

MOST = 0xFFFF_FFFF


@dataclass(frozen=True)
class Bad:
    """What is wrong with `content`."""

    content: bytes
    errors: tuple[type[Exception], ...] = (DecodeError,)
    path: str = ""
    byte: int | None = None
    words: str = ""
    # How far behind `byte` the message may point: into a cell that is wrong somewhere inside.
    within: int = 0
    # To a connection the end of the value is the end of the message, and options of the format cannot be said.
    of_a_message: bool = True
    orient: str | None = None


BAD: dict[str, Bad] = {}
_CUT = (TruncatedError,)
_REFUSED = (UnsupportedError, DecodeError)


# Cells that are maps: a map of arrays of maps alone is taken for several frames.
_OF_MAPS: dict[str, Any] = {"orient": "columns", "of_a_message": False}


def _bad(name: str, content: bytes, errors: tuple[type[Exception], ...] = (DecodeError,), **more: object) -> None:
    assert name not in BAD
    BAD[name] = Bad(content, errors, **more)  # type: ignore[arg-type]


# --------------------------------------------------------------------------- the end comes too soon, or too late
_bad("nothing", b"", _CUT, of_a_message=False)
_bad("an array cut at a cell", b"\x81\xa1a\x93\x01\x02", _CUT, path="$.a[2]", byte=6)
_bad("a cell cut inside", b"\x81\xa1a\x92\x01\xcd\x01", _CUT, path="$.a[1]", byte=5, within=6)
_bad("a text cut inside", b"\x81\xa1a\x92\xa1x\xa5xyz", _CUT, path="$.a[1]", byte=6, within=6)
_bad("a key cut", b"\x81\xa5ab", _CUT)
_bad("a key without a value", b"\x82\xa1a\x91\x01\xa1b", _CUT)
_bad("rows cut", b"\x93\x81\xa1a\x01\x81\xa1a", _CUT, path="$[1].a", byte=8)
_bad("rows that do not come", b"\x93\x81\xa1a\x01", _CUT, path="$[1]", byte=5)
_WHOLE = b"\x81\xa1a\x91\x01"
# As a series, what is behind the frame is a value that is no table.
_BEHIND = (DecodeError, UnsupportedError)
_bad("a byte behind", _WHOLE + b"\x00", _BEHIND, byte=5, words="(?i)trailing|after|behind|follow", of_a_message=False)
_bad("a frame behind", _WHOLE * 2, byte=5, words="(?i)trailing|after|behind|follow", of_a_message=False)
_bad(
    "text behind rows",
    b"\x91\x81\xa1a\x01\n",
    _BEHIND,
    byte=5,
    words="(?i)trailing|after|behind|follow",
    of_a_message=False,
)

# --------------------------------------------------------------------------- claims
_CLAIMS = (TruncatedError, LimitError)
for _width, _count in ((2, 0xFFFF), (4, MOST)):
    _label = f"{_count} claimed"
    _bad(f"{_label}: columns", mapping({"a": array(b"\x01")}, width=_width, count=_count), _CLAIMS)
    _bad(f"{_label}: rows", array(mapping({"a": b"\x01"}), width=_width, count=_count), _CLAIMS, path="$[1]")
    _bad(f"{_label}: cells", mapping({"a": array(b"\x01\x02", width=_width, count=_count)}), _CLAIMS, path="$.a[2]")
    _bad(f"{_label}: text", mapping({"a": array(text("xy", _width, _count))}), _CLAIMS, path="$.a[0]")
    _bad(f"{_label}: bytes", mapping({"a": array(mp.blob(b"xy", _width, _count))}), _CLAIMS, path="$.a[0]")
    _bad(f"{_label}: extension", mapping({"a": array(ext(5, b"xy", _width, _count))}), (*_CLAIMS, *_REFUSED))
    _bad(f"{_label}: a timestamp", mapping({"a": array(ext(-1, b"xy", _width, _count))}), (*_CLAIMS, DecodeError))
    _bad(f"{_label}: nested cells", mapping({"a": array(array(b"\x01", width=_width, count=_count))}), _CLAIMS)
    _bad(f"{_label}: nested pairs", mapping({"a": array(mapping({"x": NIL}, width=_width, count=_count))}), _CLAIMS)
    _bad(f"{_label}: a key", mapping([(text("a", _width, _count), array(b"\x01"))]), _CLAIMS)
    _bad(
        f"{_label}: rows of split",
        mapping({"columns": array(text("a")), "data": array(array(b"\x01"), width=_width, count=_count)}),
        _CLAIMS,
    )
    _bad(
        f"{_label}: nil of many columns",
        mapping({"a": array(NIL, width=_width, count=_count), "b": array(width=_width, count=_count)}),
        (*_CLAIMS, DecodeError),
    )
_bad("ten bytes that claim 2^32 cells", b"\x81\xa1a\xdd\xff\xff\xff\xff\x01\x02", _CLAIMS, path="$.a[2]", byte=10)
_bad("claims inside claims", b"\xdd\xff\xff\xff\xff" * 50, (TruncatedError, LimitError, UnsupportedError))

# --------------------------------------------------------------------------- depth
_DEEP = (LimitError,)
for _depth in (65, 100_000):
    _label = f"depth {_depth}"
    _bad(f"{_label}: arrays", nested(_depth), (*_DEEP, UnsupportedError))
    _bad(f"{_label}: maps", nested_maps(_depth), (*_DEEP, DecodeError, UnsupportedError))
    _bad(f"{_label}: a cell", mapping({"a": array(b"\x01", nested(_depth))}), _DEEP, path="$.a[1]")
    _bad(f"{_label}: a cell of maps", mapping({"a": array(nested_maps(_depth))}), _DEEP, path="$.a[0]", **_OF_MAPS)
    _bad(f"{_label}: a row", array(mapping({"a": b"\x01"}), mapping({"a": nested(_depth)})), _DEEP, path="$[1].a")
    _bad(f"{_label}: a key", mapping([(nested(_depth), array())]), (*_DEEP, *_REFUSED))
    _bad(f"{_label}: in a mix", mapping({"a": array(b"\x01", text("x"), nested(_depth))}), _DEEP, path="$.a[2]")
    _bad(f"{_label}: without an end", mapping({"a": array(b"\x91" * _depth)}), (*_DEEP, TruncatedError))
    _bad(
        f"{_label}: split",
        mapping({"columns": array(text("a")), "data": array(array(nested(_depth)))}),
        _DEEP,
    )
    _bad(
        f"{_label}: in an entry that nobody asked for",
        mapping({"k": nested(_depth), "a": array()}),
        (*_DEEP, DecodeError),
    )

# --------------------------------------------------------------------------- text that is none
_INVALID = {
    "a lone continuation": b"a\x80b",
    "an overlong form": b"\xc0\x80b",
    "a surrogate": b"\xed\xa0\x80",
    "beyond Unicode": b"\xf4\x90\x80\x80",
    "cut at the end": b"ab\xc3",
}
for _name, _raw in _INVALID.items():
    _cells = array(text("fine"), text(_raw), text("é"))
    _bad(f"{_name} in a column", mapping({"a": _cells}), path="$.a[1]", byte=9, words="(?i)utf-8", within=6)
    _bad(
        f"{_name} in a row",
        array(mapping({"a": text("x")}), mapping({"a": text(_raw)})),
        path="$[1].a",
        byte=9,
        words="(?i)utf-8",
        within=6,
    )
    _bad(
        f"{_name} in a list",
        mapping({"a": array(array(text("x"), text(_raw)))}),
        path="$.a[0][1]",
        words="(?i)utf-8",
        within=6,
    )
    _bad(
        f"{_name} in a map",
        mapping({"a": array(mapping({"k": text(_raw)}))}),
        path="$.a[0].k",
        words="(?i)utf-8",
        within=6,
        **_OF_MAPS,
    )
    _bad(f"{_name} in a key", mapping([(text(_raw), array(b"\x01"))]), words="(?i)utf-8", byte=1, within=6)
    _bad(
        f"{_name} in a key of a map",
        mapping({"a": array(mapping([(text(_raw), NIL)]))}),
        words="(?i)utf-8",
        within=6,
        **_OF_MAPS,
    )
_bad(
    "a character that two cells share",
    mapping({"a": array(text(b"\xc3"), text(b"\xa9"))}),
    path="$.a[0]",
    words="(?i)utf-8",
    within=6,
)

# --------------------------------------------------------------------------- the byte that is never used
_bad("0xc1 alone", RESERVED, byte=0, words=r"(?i)\bc1\b")
_bad("0xc1 in a column", mapping({"a": array(b"\x01", RESERVED)}), path="$.a[1]", byte=5, words=r"(?i)\bc1\b")
_bad("0xc1 among text", mapping({"a": array(text("x"), RESERVED)}), path="$.a[1]", byte=6, words=r"(?i)\bc1\b")
_bad("0xc1 for an array", mapping({"a": RESERVED}), byte=3, words=r"(?i)\bc1\b")
_bad("0xc1 for a key", mapping([(RESERVED, array())]), byte=1, words=r"(?i)\bc1\b")
_bad(
    "0xc1 in a row",
    array(mapping({"a": b"\x01"}), mapping({"a": RESERVED})),
    path="$[1].a",
    byte=8,
    words=r"(?i)\bc1\b",
)
_bad("0xc1 for a row", array(mapping({"a": b"\x01"}), RESERVED), path="$[1]", byte=5, words=r"(?i)\bc1\b")
_bad("0xc1 in a list", mapping({"a": array(array(b"\x01", RESERVED))}), path="$.a[0]", byte=6, words=r"(?i)\bc1\b")
_bad("0xc1 in a mix", mapping({"a": array(b"\x01", text("x"), array(RESERVED))}), path="$.a[2]", words=r"(?i)\bc1\b")

# --------------------------------------------------------------------------- columns that do not go together
_bad("unequal lengths", pack({"a": [1, 2, 3], "b": ["x"]}), words=r"(?s)3.*\$\.a.*1.*\$\.b|\$\.a.*3.*\$\.b.*1")
_bad("unequal lengths, one empty", pack({"a": [1], "b": []}), words=r"(?s)1.*\$\.a.*0.*\$\.b|\$\.a.*1.*\$\.b.*0")
_bad(
    "duplicate columns",
    mapping([(text("a"), array(b"\x01")), (text("a"), array(b"\x02"))]),
    path="$.a",
    words="(?i)twice|duplicate|second time",
)
_bad(
    "duplicate columns in two widths",
    mapping([(text("a"), array(b"\x01")), (text("a", 4), array(b"\x02"))]),
    path="$.a",
    words="(?i)twice|duplicate|second time",
)
_bad(
    "duplicate keys of a row",
    array(mapping({"a": b"\x01"}), mapping([(text("a"), b"\x01"), (text("a"), b"\x02")])),
    path="$[1]",
    words="(?i)twice|duplicate|second time",
)
_bad(
    "duplicate keys of a map",
    mapping({"a": array(mapping([(text("k"), b"\x01"), (text("k"), b"\x02")]))}),
    path="$.a[0]",
    words="(?i)twice|duplicate|second time",
    **_OF_MAPS,
)
_bad(
    "duplicate numbers as keys",
    mapping([(b"\x01", array(b"\x01")), (mp.integer(1, 8), array(b"\x02"))]),
    words="1",
)
_bad("split with a short row", pack({"columns": ["a", "b"], "data": [[1, 2], [3]]}))
_bad("split with a long row", pack({"columns": ["a", "b"], "data": [[1, 2], [3, 4, 5]]}))
_bad("split with labels too few", pack({"columns": ["a"], "index": [1], "data": [[1], [2]]}))
for _first, _second in (("a", 2), (2, "a")):
    _bad(f"keys {_first!r} and {_second!r}", pack({_first: [1], _second: [2]}), (UnsupportedError,))
for _key, _kind in ((1.5, "float"), (None, "nil"), (True, "bool"), (b"a", "bin")):
    _bad(f"a key of {_kind}", pack({_key: [1]}), (UnsupportedError,), words=_kind)
_bad("a key that is an array", mapping([(array(b"\x01"), array(b"\x01"))]), (UnsupportedError,), words="array")
_bad("a key that is a map", mapping([(mapping({}), array(b"\x01"))]), (UnsupportedError,), words="map")
_bad("a key beyond int64", pack({1 << 63: [1]}), (UnsupportedError,))

# --------------------------------------------------------------------------- no frame at all
for _value in (None, True, False, 5, -5, 1 << 40, 0.5, "text", b"bytes", mp.Ext(5, b"x"), mp.Stamp(0)):
    _bad(f"nothing but {_value!r}", pack(_value), _REFUSED, words="(?i)expected")
_bad("an array of numbers", pack([1, 2, 3]), _REFUSED, words="(?i)expected")
_bad("an array of arrays", pack([[1, 2], [3, 4]]), _REFUSED, words="(?i)expected")
_bad("rows and a number", pack([{"a": 1}, 5]), _REFUSED, path="$[1]", byte=5)
_bad("rows and nil", pack([{"a": 1}, None]), _REFUSED, path="$[1]", byte=5)
_bad("arrays and a scalar", pack({"a": [1], "b": 5}), _REFUSED)
_bad("a scalar and arrays", pack({"b": 5, "a": [1]}), _REFUSED)
_bad("arrays and a map", pack({"a": [1], "b": {"c": [1]}}), _REFUSED)

# --------------------------------------------------------------------------- extensions
_bad("an unknown extension", mapping({"a": array(b"\x01", ext(5, b"x"))}), _REFUSED, path="$.a[1]", byte=5, words="5")
_bad("an unknown extension in a row", array(mapping({"a": ext(-7, b"x")})), _REFUSED, path="$[0].a", byte=4, words="-7")
_bad("an unknown extension in a list", mapping({"a": array(array(ext(5, b"x")))}), _REFUSED, path="$.a[0][0]", byte=5)
for _n in (0, 1, 2, 3, 5, 9, 16):
    _bad(f"a timestamp of {_n} bytes", mapping({"a": array(ext(-1, bytes(_n)))}), path="$.a[0]", byte=4)
_bad(
    "a timestamp with too many nanoseconds",
    mapping({"a": array(ext(-1, (1_000_000_000 << 34).to_bytes(8, "big")))}),
    path="$.a[0]",
    byte=4,
)
_bad(
    "a long timestamp with too many nanoseconds",
    mapping({"a": array(NIL, ext(-1, b"\xff" * 4 + bytes(8)))}),
    path="$.a[1]",
    byte=5,
)
