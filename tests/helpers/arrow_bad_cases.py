"""Arrow schemas, batches and dictionaries with one thing wrong each, named after the error they provoke.

Each stands for a stream and for a file. Sizes are those of the claim, the bytes are a few hundred. What Arrow's own
words leave open (`EITHER`) may be refused or read, and must be valid then.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colonnade import DecodeError, LimitError, UnsupportedError
from tests.helpers import arrow_bytes as ab
from tests.helpers.arrow_bytes import (
    BINARY_VIEW,
    BOOL,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    LARGE_UTF8,
    LIST,
    LIST_VIEW,
    MAP,
    NULL,
    RUN_END,
    STRUCT,
    UTF8,
    UTF8_VIEW,
    Message,
    Table,
    batch,
    dictionary_batch,
    field,
    record_batch,
    schema,
    schema_message,
)

MOST = 2**63 - 1
TERA = 1 << 50


@dataclass(frozen=True)
class Bad:
    """What is written, and which errors may be raised over it."""

    head: Table | Message
    messages: Sequence[Message] = ()
    errors: tuple[type[Exception], ...] = (DecodeError, LimitError)
    # The whole file is refused when it is opened, with no batch to name.
    schema_only: bool = False
    words: str = ""

    def stream(self) -> bytes:
        return ab.stream(self.head, *self.messages)

    def file(self) -> bytes:
        return ab.file(self.head, *self.messages)


BAD: dict[str, Bad] = {}
EITHER: dict[str, Bad] = {}


def _ints(*values: int, form: str = "q") -> bytes:
    return ab.pad(struct.pack(f"<{len(values)}{form}", *values))


def _bad(name: str, head: Table | Message, *messages: Message, to: dict[str, Bad] = BAD, **more: Any) -> None:
    assert name not in to
    to[name] = Bad(head, messages, **more)


# --------------------------------------------------------------------------- counts and buffers of a batch
_A = schema(field("a", INT64))
_TWO = _ints(1, 2)


def _batch_of(name: str, message: Message, **more: Any) -> None:
    _bad(name, _A, batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO), message, **more)


_batch_of("negative rows", batch(-1, [(-1, 0)], [(0, 0), (0, 0)]))
_batch_of("negative rows, node of two", batch(-2, [(2, 0)], [(0, 0), (0, 16)], _TWO))
_batch_of("negative node length", batch(2, [(-2, 0)], [(0, 0), (0, 16)], _TWO))
_batch_of("node length of another number of rows", batch(2, [(1, 0)], [(0, 0), (0, 16)], _TWO))
_batch_of("negative null count", batch(2, [(2, -1)], [(0, 0), (0, 16)], _TWO))
_batch_of("more nulls than rows", batch(2, [(2, 3)], [(0, 8), (8, 16)], b"\3" * 8 + _TWO))
_batch_of("nulls without a bitmap", batch(2, [(2, 1)], [(0, 0), (0, 16)], _TWO))
_batch_of("no nodes", batch(2, [], [(0, 0), (0, 16)], _TWO))
_batch_of("a node too many", batch(2, [(2, 0), (2, 0)], [(0, 0), (0, 16)], _TWO))
_batch_of("a buffer too few", batch(2, [(2, 0)], [(0, 0)], _TWO))
_batch_of("no buffers", batch(2, [(2, 0)], [], _TWO))
_batch_of("a buffer too many", batch(2, [(2, 0)], [(0, 0), (0, 16), (0, 8)], _TWO))
_batch_of("nodes claimed, not there", batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, node_count=1 << 20))
_batch_of("buffers claimed, not there", batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, buffer_count=1 << 27))
_batch_of("negative buffer offset", batch(2, [(2, 0)], [(0, 0), (-8, 16)], _TWO))
_batch_of("negative buffer length", batch(2, [(2, 0)], [(0, 0), (0, -16)], _TWO))
_batch_of("buffer outside the body", batch(2, [(2, 0)], [(0, 0), (8, 16)], _TWO))
_batch_of("buffer offset outside the body", batch(2, [(2, 0)], [(0, 0), (1 << 40, 16)], _TWO))
_batch_of("buffer offset and length overflow", batch(2, [(2, 0)], [(0, 0), (MOST - 7, 16)], _TWO))
_batch_of("buffer length overflows", batch(2, [(2, 0)], [(0, 0), (8, MOST)], _TWO))
_batch_of("buffer too short for the rows", batch(2, [(2, 0)], [(0, 0), (0, 8)], _TWO))
_batch_of("bitmap too short", batch(2, [(2, 1)], [(16, 0), (0, 16)], _TWO + bytes(8)))
_batch_of("terabytes of rows", batch(TERA, [(TERA, 0)], [(0, 0), (0, 16)], _TWO))
_batch_of("terabytes of rows and of a buffer", batch(TERA, [(TERA, 0)], [(0, 0), (0, 8 * TERA)], _TWO))
_batch_of("rows times width overflow", batch(1 << 61, [(1 << 61, 0)], [(0, 0), (0, 16)], _TWO))
_batch_of("most rows", batch(MOST, [(MOST, 0)], [(0, 0), (0, 16)], _TWO))
_batch_of("negative body length", batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, body_nbytes=-16))
_batch_of("body of terabytes", batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, body_nbytes=TERA))
_batch_of("body length overflows", batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, body_nbytes=MOST))
_batch_of("negative metadata length", batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, metadata_nbytes=-8))
_batch_of("metadata of gigabytes", batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, metadata_nbytes=2**31 - 8))
_batch_of("buffers that overlap", batch(2, [(2, 1)], [(0, 8), (0, 16)], _TWO), to=EITHER)
_batch_of("buffers in another order", batch(2, [(2, 1)], [(16, 1), (0, 16)], _TWO + b"\1"), to=EITHER)
_batch_of("buffer at an odd offset", batch(2, [(2, 0)], [(0, 0), (3, 16)], bytes(24)), to=EITHER)
_batch_of("fewer nulls counted than there are", batch(2, [(2, 1)], [(16, 1), (0, 16)], _TWO + b"\0"), to=EITHER)
_batch_of("nulls counted as none", batch(2, [(2, 0)], [(16, 1), (0, 16)], _TWO + b"\0"), to=EITHER)
_bad(
    "nulls where none may be",
    schema(field("a", INT64, nullable=False)),
    batch(2, [(2, 1)], [(16, 1), (0, 16)], _TWO + b"\1"),
    to=EITHER,
)

_FREE = {
    "nulls": (NULL, [], []),
    "structs without fields": (STRUCT, [], [(0, 0)]),
    "fixed-size binary of no width": (ab.fixed_binary(0), [], [(0, 0), (0, 0)]),
    "fixed-size lists of none": (ab.fixed_list(0), [field("item", INT64)], [(0, 0), (0, 0), (0, 0)]),
}
for _name, (_kind, _children, _buffers) in _FREE.items():
    _head = schema(field("a", _kind, _children))
    _nodes = [(TERA, TERA if _kind is NULL else 0), *[(0, 0)] * len(_children)]
    _bad(f"terabytes of {_name}", _head, batch(TERA, _nodes, _buffers))
_bad("terabytes of rows without columns", schema(), batch(TERA, [], []))
_bad("terabytes of bools", schema(field("a", BOOL)), batch(TERA, [(TERA, 0)], [(0, 0), (0, 8)], bytes(8)))
_bad(
    "fixed-size lists whose size overflows",
    schema(field("a", ab.fixed_list(2**31 - 1), [field("item", INT64)])),
    batch(1 << 40, [(1 << 40, 0), (1, 0)], [(0, 0), (0, 0), (0, 8)], bytes(8)),
)
_bad(
    "fixed-size lists with a short child",
    schema(field("a", ab.fixed_list(2), [field("item", INT64)])),
    batch(2, [(2, 0), (3, 0)], [(0, 0), (0, 0), (0, 24)], bytes(24)),
)
_bad(
    "structs with a short child",
    schema(field("a", STRUCT, [field("x", INT64)])),
    batch(2, [(2, 0), (1, 0)], [(0, 0), (0, 0), (0, 16)], bytes(16)),
)

# --------------------------------------------------------------------------- offsets and text
_OFFSETS = {
    "out of order": (0, 3, 1),
    "negative": (-1, 0, 1),
    "negative in the middle": (0, -1, 3),
    "past the end": (0, 1, 4),
    "far past the end": (0, 1, 2**31 - 1),
}
for _name, _offsets in _OFFSETS.items():
    _body = _ints(*_offsets, form="i") + b"xyz".ljust(8, b"\0")
    _text = batch(2, [(2, 0)], [(0, 0), (0, 12), (16, 3)], _body)
    _bad(f"text offsets {_name}", schema(field("a", UTF8)), _text)
    _wide = _ints(*_offsets) + b"xyz".ljust(8, b"\0")
    _bad(
        f"large text offsets {_name}",
        schema(field("a", LARGE_UTF8)),
        batch(2, [(2, 0)], [(0, 0), (0, 24), (24, 3)], _wide),
    )
    _items = _ints(*_offsets, form="i") + bytes(24)
    _list = batch(2, [(2, 0), (3, 0)], [(0, 0), (0, 12), (0, 0), (16, 24)], _items)
    _bad(f"list offsets {_name}", schema(field("a", LIST, [field("item", INT64)])), _list)
_bad(
    "large text offsets overflow",
    schema(field("a", LARGE_UTF8)),
    batch(2, [(2, 0)], [(0, 0), (0, 24), (24, 3)], _ints(0, MOST, 3) + bytes(8)),
)
_bad(
    "an offset too few",
    schema(field("a", UTF8)),
    batch(2, [(2, 0)], [(0, 0), (0, 8), (8, 3)], _ints(0, 1, form="i") + b"xyz".ljust(8, b"\0")),
)
_bad(
    "no offsets",
    schema(field("a", UTF8)),
    batch(2, [(2, 0)], [(0, 0), (0, 0), (0, 3)], b"xyz".ljust(8, b"\0")),
)
_INVALID = {
    "a lone continuation": b"a\x80b",
    "an overlong form": b"\xc0\x80b",
    "a surrogate": b"\xed\xa0\x80",
    "beyond Unicode": b"\xf4\x90\x80\x80",
    "cut at the end": b"ab\xc3",
}
for _name, _raw in _INVALID.items():
    _body = _ints(0, 0, len(_raw), form="i") + _raw.ljust(8, b"\0")
    _text = batch(2, [(2, 0)], [(0, 0), (0, 12), (16, len(_raw))], _body)
    _bad(f"text with {_name}", schema(field("a", UTF8)), _text, words="UTF-8")
    _view = struct.pack("<i12s", len(_raw), _raw)
    _bad(
        f"a view of text with {_name}",
        schema(field("a", UTF8_VIEW)),
        batch(1, [(1, 0)], [(0, 0), (0, 16)], _view, variadic=[0]),
        words="UTF-8",
    )
_bad(
    "text that two cells share a character of",
    schema(field("a", UTF8)),
    batch(2, [(2, 0)], [(0, 0), (0, 12), (16, 2)], _ints(0, 1, 2, form="i") + "é".encode().ljust(8, b"\0")),
    words="UTF-8",
)
_bad(
    "text invalid where it is null",
    schema(field("a", UTF8)),
    batch(1, [(1, 1)], [(16, 1), (0, 8), (8, 1)], _ints(0, 1, form="i") + b"\xff".ljust(8, b"\0") + b"\0"),
    to=EITHER,
)


# --------------------------------------------------------------------------- views
def _view_case(name: str, view: bytes, data: bytes = b"", variadic: Sequence[int] | None = (1,), **more: Any) -> None:
    body = ab.pad(view) + ab.pad(data)
    buffers = [(0, 0), (0, 16), *[(16, len(data))] * (1 if data else 0)]
    for kind, label in ((BINARY_VIEW, "bytes"), (UTF8_VIEW, "text")):
        message = batch(1, [(1, 0)], buffers, body, variadic=variadic)
        _bad(f"view of {label} {name}", schema(field("a", kind)), message, **more)


_LONG = b"a text of more than twelve"
_view_case("of a buffer that is not there", struct.pack("<i4sii", len(_LONG), _LONG[:4], 1, 0), _LONG)
_view_case("of a negative buffer", struct.pack("<i4sii", len(_LONG), _LONG[:4], -1, 0), _LONG)
_view_case("past the end", struct.pack("<i4sii", len(_LONG), _LONG[:4], 0, 1), _LONG)
_view_case("at a negative offset", struct.pack("<i4sii", len(_LONG), _LONG[:4], 0, -1), _LONG)
_view_case("longer than its buffer", struct.pack("<i4sii", 2**31 - 1, _LONG[:4], 0, 0), _LONG)
_view_case("of a negative length", struct.pack("<i12s", -1, b""), _LONG)
_view_case("with another prefix", struct.pack("<i4sii", len(_LONG), b"else", 0, 0), _LONG, to=EITHER)
_view_case("without a count of buffers", struct.pack("<i12s", 1, b"x"), b"", None)
_view_case("with too many buffers claimed", struct.pack("<i12s", 1, b"x"), b"", [5])
_view_case("with a negative count of buffers", struct.pack("<i12s", 1, b"x"), b"", [-1])
_view_case("with terabytes of buffers", struct.pack("<i12s", 1, b"x"), b"", [TERA])
_view_case("with a count of buffers too many", struct.pack("<i12s", 1, b"x"), b"", [0, 0])

_lv = schema(field("a", LIST_VIEW, [field("item", INT64)]))
for _name, _at, _size in (
    ("past the end", 1, 3),
    ("at a negative offset", -1, 1),
    ("of a negative size", 1, -1),
    ("that overflows", 2**31 - 1, 2**31 - 1),
):
    _body = _ints(_at, form="i") + _ints(_size, form="i") + bytes(24)
    _bad(f"list view {_name}", _lv, batch(1, [(1, 0), (3, 0)], [(0, 0), (0, 4), (8, 4), (0, 0), (16, 24)], _body))

# --------------------------------------------------------------------------- dictionaries
_D = schema(field("a", UTF8, dictionary=7, index=INT8[1]))
_WORDS = batch(2, [(2, 0)], [(0, 0), (0, 12), (16, 3)], _ints(0, 1, 3, form="i") + b"xyz".ljust(8, b"\0"))
_KNOWN = dictionary_batch(7, _WORDS)


def _codes(*codes: int) -> Message:
    return batch(len(codes), [(len(codes), 0)], [(0, 0), (0, len(codes))], struct.pack(f"<{len(codes)}b", *codes))


_bad("a dictionary that never comes", _D, _codes(0, 1))
_bad("a dictionary of an unknown id", _D, dictionary_batch(8, _WORDS), _codes(0, 1))
_bad("a code past the dictionary", _D, _KNOWN, _codes(0, 2))
_bad("a negative code", _D, _KNOWN, _codes(0, -1))
_bad(
    "a code into an empty dictionary", _D, dictionary_batch(7, batch(0, [(0, 0)], [(0, 0), (0, 0), (0, 0)])), _codes(0)
)
_bad("dictionary of two columns", _D, dictionary_batch(7, batch(2, [(2, 0), (2, 0)], [(0, 0)] * 6)), _codes(0))
_bad(
    "a dictionary of invalid text",
    _D,
    dictionary_batch(7, batch(1, [(1, 0)], [(0, 0), (0, 8), (8, 1)], _ints(0, 1, form="i") + b"\xff".ljust(8, b"\0"))),
    _codes(0),
)
_bad(
    "codes of a float type",
    schema(field("a", UTF8, dictionary=7, index=Table({0: ("i", 7)}))),
    _KNOWN,
    _codes(0),
    schema_only=True,
    errors=(DecodeError, LimitError, UnsupportedError),
)
_bad(
    "two types for one dictionary",
    schema(field("a", UTF8, dictionary=7, index=INT8[1]), field("b", INT64, dictionary=7, index=INT8[1])),
    _KNOWN,
    batch(1, [(1, 0), (1, 0)], [(0, 0), (0, 1), (0, 0), (0, 1)], bytes(8)),
    errors=(DecodeError, LimitError, UnsupportedError),
)
_bad("more of a dictionary that never came", _D, dictionary_batch(7, _WORDS, delta=True), _codes(0, 1), to=EITHER)
_bad("a dictionary twice", _D, _KNOWN, _codes(0, 1), dictionary_batch(7, _WORDS), _codes(1, 0), to=EITHER)
_bad("a dictionary without batches", _D, _KNOWN, to=EITHER)
# Signed 32 bits by the specification; pyarrow refuses it.
_bad(
    "codes of no stated type",
    schema(field("a", UTF8, dictionary=7)),
    _KNOWN,
    batch(2, [(2, 0)], [(0, 0), (0, 8)], _ints(1, 0, form="i")),
    to=EITHER,
)

# --------------------------------------------------------------------------- unions, run ends, maps
_children = [field("x", INT64), field("y", INT64)]


def _union(name: str, dense: bool, codes: Sequence[int], offsets: Sequence[int] = (), **more: Any) -> None:
    body = ab.pad(bytes(code & 255 for code in codes)) + _ints(*offsets, form="i") + _TWO
    at = len(body) - 16
    buffers = [(0, len(codes)), *([(8, 4 * len(offsets))] if dense else []), (0, 0), (at, 16), (0, 0), (at, 16)]
    message = batch(2, [(2, 0), (2, 0), (2, 0)], buffers, body)
    _bad(name, schema(field("a", ab.union_type(dense, [5, 9]), _children)), message, **more)


_union("union of an unknown code", False, [5, 6])
_union("union of a negative code", False, [5, -5])
_union("union with a code too few", False, [5])
_union("dense union past the end", True, [5, 9], [0, 2])
_union("dense union at a negative offset", True, [5, 9], [0, -1])
_union("dense union with an offset too few", True, [5, 9], [0])
_union("dense union in falling order", True, [5, 5], [1, 0], to=EITHER)
_bad("union of a code twice", schema(field("a", ab.union_type(False, [5, 5]), _children)), schema_only=True)
_bad("union of a code too few", schema(field("a", ab.union_type(False, [5]), _children)), schema_only=True)
_bad("union of a code beyond a byte", schema(field("a", ab.union_type(False, [5, 300]), _children)), schema_only=True)
_bad("union of a negative type code", schema(field("a", ab.union_type(False, [5, -3]), _children)), schema_only=True)

_runs = schema(field("a", RUN_END, [field("run_ends", INT32, nullable=False), field("values", INT64)]))
for _name, _ends in {
    "falling": (2, 1),
    "standing": (2, 2),
    "of zero": (0, 3),
    "negative": (-1, 3),
    "too short": (1, 2),
}.items():
    _message = batch(3, [(3, 0), (2, 0), (2, 0)], [(0, 0), (0, 8), (0, 0), (8, 16)], _ints(*_ends, form="i") + _TWO)
    _bad(f"run ends {_name}", _runs, _message)
_bad(
    "run ends that are null",
    _runs,
    batch(3, [(3, 0), (2, 1), (2, 0)], [(0, 1), (8, 8), (0, 0), (16, 16)], _ints(1) + _ints(1, 3, form="i") + _TWO),
)
_bad(
    "fewer values than run ends",
    _runs,
    batch(3, [(3, 0), (2, 0), (1, 0)], [(0, 0), (0, 8), (0, 0), (8, 8)], _ints(1, 3, form="i") + _ints(1)),
)
_bad("run ends of floats", schema(field("a", RUN_END, [field("r", FLOAT64), field("v", INT64)])), schema_only=True)
_bad("run ends without values", schema(field("a", RUN_END, [field("r", INT16)])), schema_only=True)
_entries = field("entries", STRUCT, [field("key", INT64, nullable=False), field("value", INT64)], nullable=False)
_bad(
    "map offsets past the end",
    schema(field("a", MAP, [_entries])),
    batch(
        1,
        [(1, 0), (2, 0), (2, 0), (2, 0)],
        [(0, 0), (0, 8), (0, 0), (0, 0), (8, 16), (0, 0), (8, 16)],
        _ints(0, 3, form="i") + _TWO,
    ),
)
_bad("map of integers", schema(field("a", MAP, [field("entries", INT64)])), schema_only=True)
_bad("map of one column", schema(field("a", MAP, [field("entries", STRUCT, [field("key", INT64)])])), schema_only=True)
_bad("map without children", schema(field("a", MAP)), schema_only=True)
_bad("list without children", schema(field("a", LIST)), schema_only=True)
_bad("list of two children", schema(field("a", LIST, _children)), schema_only=True)

# --------------------------------------------------------------------------- schemas
_ANY = (DecodeError, LimitError, UnsupportedError)


def _kind(name: str, kind: tuple[int, Table], **more: Any) -> None:
    _bad(name, schema(field("a", kind)), schema_only=True, **{"errors": _ANY} | more)


_kind("type from the future", (27, Table({})))
_kind("type of number 200", (200, Table({})))
_kind("no type", (0, Table({})))
_kind("integers of seven bits", ab.int_type(7))
_kind("integers of minus eight bits", ab.int_type(-8))
_kind("floats of precision nine", (3, Table({0: ("h", 9)})))
_kind("timestamps of unit nine", ab.timestamp_type(9))
_kind("times of 16 bits", (9, Table({0: ("h", 1), 1: ("i", 16)})))
_kind("seconds of 64 bits", (9, Table({0: ("h", 0), 1: ("i", 64)})))
_kind("dates of unit nine", (8, Table({0: ("h", 9)})))
_kind("decimal of no digits", ab.decimal_type(0, 0))
_kind("decimal of a hundred digits", ab.decimal_type(100, 0))
_kind("decimal of 77 digits", ab.decimal_type(77, 0, 256))
_kind("decimal of seven bits", ab.decimal_type(3, 0, 7))
_kind("decimal with a far scale", ab.decimal_type(3, 1 << 20))
_kind("fixed-size binary of a negative width", ab.fixed_binary(-1))
_kind("unions of mode nine", (14, Table({0: ("h", 9)})))
_bad(
    "fixed-size lists of a negative size",
    schema(field("a", ab.fixed_list(-1), [field("item", INT64)])),
    schema_only=True,
)
_bad("field without a type table", schema(Table({0: "a", 2: ("B", 2), 5: ab.Vector([])})), schema_only=True)
_bad("endianness of number nine", schema(field("a", INT64), endianness=9), schema_only=True, errors=_ANY)
_bad("fields without names", schema(field(None, INT64)), batch(0, [(0, 0)], [(0, 0), (0, 0)]), to=EITHER)
for _number, _label in ((0, "V1"), (1, "V2"), (2, "V3"), (5, "V6"), (200, "V201")):
    _head = schema_message(schema(field("a", INT64)), version=_number)
    _bad(f"metadata version {_label}", _head, schema_only=True, errors=_ANY, words=f"{_label}|version")
_bad("schema after a batch", _A, batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO), schema_message(_A))
for _number, _label in ((4, "tensor"), (5, "sparse tensor"), (6, "unknown kind"), (0, "no kind")):
    _bad(f"message of {_label}", _A, Message(_number, record_batch(0, [], [])), errors=_ANY)
    _bad(f"message of {_label} first", Message(_number, record_batch(0, [], [])), schema_only=True, errors=_ANY)
_bad("batch without its header", _A, Message(3, Table({})), to=EITHER)


def _nested(depth: int) -> Table:
    inner = field("item", INT64)
    for _ in range(depth):
        inner = field("item", LIST, [inner])
    return inner


def _doubling(depth: int) -> Table:
    """Two children that are one and the same table, and so on: 2 ** depth fields in a few KiB."""
    inner = field("x", INT64)
    for _ in range(depth):
        inner = field("x", STRUCT, [inner, inner])
    return inner


for _depth in (100, 1000, 100_000):
    _bad(f"lists {_depth} deep", schema(_nested(_depth)), schema_only=True, errors=_ANY)
_bad("a schema of 2 ** 40 fields", schema(_doubling(40)), schema_only=True, errors=_ANY)
_bad("a schema of 2 ** 25 fields", schema(_doubling(25)), schema_only=True, errors=_ANY)

# --------------------------------------------------------------------------- compression
_CODECS = {"lz4": 0, "zstd": 1}


def _packed(name: str, raw: bytes, codec: int = 0, method: int = 0, **more: Any) -> None:
    message = batch(2, [(2, 0)], [(0, 0), (0, len(raw))], raw, compression=ab.compression(codec, method))
    _bad(name, _A, message, **more)


_packed("codec of number two", _ints(-1) + _TWO, 2, errors=_ANY)
_packed("codec of a negative number", _ints(-1) + _TWO, -1, errors=_ANY)
_packed("compression method of number one", _ints(-1) + _TWO, 0, 1, errors=_ANY)
for _codec, _number in _CODECS.items():
    _packed(f"{_codec}: terabytes promised", _ints(TERA) + bytes(16), _number)
    _packed(f"{_codec}: most bytes promised", _ints(MOST) + bytes(16), _number)
    _packed(f"{_codec}: minus two bytes promised", _ints(-2) + _TWO, _number)
    _packed(f"{_codec}: no bytes promised", _ints(0) + _TWO, _number)
    _packed(f"{_codec}: bytes that are none of its own", _ints(16) + b"\xa5" * 24, _number)
    _packed(f"{_codec}: no bytes at all", _ints(16), _number)
    _packed(f"{_codec}: less than a length", b"\0\0\0", _number)
    _packed(f"{_codec}: plain and too short", _ints(-1) + _ints(1), _number)
