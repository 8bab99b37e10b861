"""Arrow bytes that are legal though few writers make them, and the cells they hold: layouts, gaps, deltas, codecs.

They stand beside the bad ones: each layout that a bad case breaks is read here unbroken.
"""

from __future__ import annotations

import struct
from typing import Any

from tests.helpers import arrow_bytes as ab
from tests.helpers.arrow_bytes import Message, Table, batch, dictionary_batch, field, schema

GOOD: dict[str, tuple[Table | Message, list[Message], list[list[Any]]]] = {}
"""Name to schema, messages, and the cells of each column."""

# Not in files: there a dictionary that is replaced has no order to be replaced in.
STREAM_ONLY = {"a dictionary that is replaced"}


def _good(name: str, head: Table | Message, *messages: Message, cells: list[list[Any]]) -> None:
    GOOD[name] = (head, list(messages), cells)


def _ints(*values: int, form: str = "q") -> bytes:
    return ab.pad(struct.pack(f"<{len(values)}{form}", *values))


_A = schema(field("a", ab.INT64))
_TWO = _ints(1, 2)
_good("two rows", _A, batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO), cells=[[1, 2]])
_good("a bitmap without nulls", _A, batch(2, [(2, 0)], [(0, 1), (8, 16)], _ints(3) + _TWO), cells=[[1, 2]])
_good("a null", _A, batch(2, [(2, 1)], [(0, 1), (8, 16)], _ints(2) + _TWO), cells=[[None, 2]])
_good("a gap between buffers", _A, batch(2, [(2, 0)], [(0, 0), (64, 16)], bytes(64) + _TWO), cells=[[1, 2]])
_good("buffers longer than the rows need", _A, batch(1, [(1, 0)], [(0, 0), (0, 16)], _TWO), cells=[[1]])
_good(
    "nulls in one batch of two",
    _A,
    batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO),
    batch(2, [(2, 1)], [(0, 1), (8, 16)], _ints(1) + _TWO),
    cells=[[1, 2, 1, None]],
)
_good(
    "batches of no rows between",
    _A,
    batch(0, [(0, 0)], [(0, 0), (0, 0)]),
    batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO),
    batch(0, [(0, 0)], [(0, 0), (0, 0)]),
    cells=[[1, 2]],
)
_good("rows without columns", schema(), batch(3, [], []), batch(2, [], []), cells=[])
_good(
    "schema of version V4",
    ab.schema_message(_A, version=3),
    batch(2, [(2, 0)], [(0, 0), (0, 16)], _TWO, version=3),
    cells=[[1, 2]],
)

_text = _ints(0, 1, 3, form="i") + b"xyz".ljust(8, b"\0")
_good("text", schema(field("a", ab.UTF8)), batch(2, [(2, 0)], [(0, 0), (0, 12), (16, 3)], _text), cells=[["x", "yz"]])
_good(
    "text whose first offset is not zero",
    schema(field("a", ab.UTF8)),
    batch(2, [(2, 0)], [(0, 0), (0, 12), (16, 3)], _ints(1, 1, 3, form="i") + b"xyz".ljust(8, b"\0")),
    cells=[["", "yz"]],
)
_good(
    "no text, and no offsets either",
    schema(field("a", ab.UTF8)),
    batch(0, [(0, 0)], [(0, 0), (0, 0), (0, 0)]),
    cells=[[]],
)
_good(
    "large text",
    schema(field("a", ab.LARGE_UTF8)),
    batch(2, [(2, 0)], [(0, 0), (0, 24), (24, 3)], _ints(0, 1, 3) + b"xyz".ljust(8, b"\0")),
    cells=[["x", "yz"]],
)
_items = _ints(0, 1, 3, form="i") + _ints(7, 8, 9)
_good(
    "lists",
    schema(field("a", ab.LIST, [field("item", ab.INT64)])),
    batch(2, [(2, 0), (3, 0)], [(0, 0), (0, 12), (0, 0), (16, 24)], _items),
    cells=[[[7], [8, 9]]],
)
_good(
    "lists whose first offset is not zero",
    schema(field("a", ab.LIST, [field("item", ab.INT64)])),
    batch(2, [(2, 0), (3, 0)], [(0, 0), (0, 12), (0, 0), (16, 24)], _ints(1, 1, 3, form="i") + _ints(7, 8, 9)),
    cells=[[[], [8, 9]]],
)
_good(
    "list views that overlap, out of order",
    schema(field("a", ab.LIST_VIEW, [field("item", ab.INT64)])),
    batch(
        2,
        [(2, 0), (3, 0)],
        [(0, 0), (0, 8), (8, 8), (0, 0), (16, 24)],
        _ints(1, 0, form="i") + _ints(2, 2, form="i") + _ints(7, 8, 9),
    ),
    cells=[[[8, 9], [7, 8]]],
)
_long = b"a text of more than twelve"
_good(
    "views short and long",
    schema(field("a", ab.UTF8_VIEW), field("b", ab.BINARY_VIEW)),
    batch(
        2,
        [(2, 0), (2, 0)],
        [(0, 0), (0, 32), (32, 26), (0, 0), (64, 32)],
        ab.pad(struct.pack("<i12si4sii", 3, b"abc", 26, _long[:4], 0, 0) + _long)
        + struct.pack("<i12si12s", 0, b"", 12, b"twelve bytes"),
        variadic=[1, 0],
    ),
    cells=[["abc", _long.decode()], [b"", b"twelve bytes"]],
)
_good(
    "structs",
    schema(field("a", ab.STRUCT, [field("x", ab.INT64), field("x", ab.INT64)])),
    batch(2, [(2, 1), (2, 0), (2, 0)], [(0, 1), (0, 0), (8, 16), (0, 0), (24, 16)], _ints(1) + _TWO + _ints(3, 4)),
    cells=[[(1, 3), None]],
)
_good(
    "structs without fields", schema(field("a", ab.STRUCT)), batch(2, [(2, 1)], [(0, 1)], _ints(2)), cells=[[None, ()]]
)
_children = [field("x", ab.INT64), field("y", ab.INT64)]
_good(
    "a sparse union",
    schema(field("a", ab.union_type(False, [5, 9]), _children)),
    batch(2, [(2, 0), (2, 0), (2, 0)], [(0, 2), (0, 0), (8, 16), (0, 0), (8, 16)], ab.pad(bytes([9, 5])) + _TWO),
    cells=[[(9, 1), (5, 2)]],
)
_good(
    "a dense union",
    schema(field("a", ab.union_type(True, [5, 9]), _children)),
    batch(
        3,
        [(3, 0), (2, 0), (1, 0)],
        [(0, 3), (8, 12), (0, 0), (24, 16), (0, 0), (24, 8)],
        ab.pad(bytes([5, 9, 5])) + _ints(0, 0, 1, form="i") + _TWO,
    ),
    cells=[[(5, 1), (9, 1), (5, 2)]],
)
# Before V5 a union had a bitmap of its own.
_good(
    "a union of V4 with its bitmap",
    ab.schema_message(schema(field("a", ab.union_type(False, [5, 9]), _children)), version=3),
    batch(
        2,
        [(2, 0), (2, 0), (2, 0)],
        [(0, 0), (0, 2), (0, 0), (8, 16), (0, 0), (8, 16)],
        ab.pad(bytes([9, 5])) + _TWO,
        version=3,
    ),
    cells=[[(9, 1), (5, 2)]],
)
_entries = field(
    "entries", ab.STRUCT, [field("key", ab.INT64, nullable=False), field("value", ab.INT64)], nullable=False
)
_good(
    "maps",
    schema(field("a", ab.MAP, [_entries])),
    batch(
        2,
        [(2, 0), (2, 0), (2, 0), (2, 0)],
        [(0, 0), (0, 12), (0, 0), (0, 0), (16, 16), (0, 0), (16, 16)],
        _ints(0, 0, 2, form="i") + _TWO,
    ),
    cells=[[[], [(1, 1), (2, 2)]]],
)
_runs = [field("run_ends", ab.INT32, nullable=False), field("values", ab.INT64)]
_good(
    "run ends",
    schema(field("a", ab.RUN_END, _runs)),
    batch(3, [(3, 0), (2, 0), (2, 0)], [(0, 0), (0, 8), (0, 0), (8, 16)], _ints(1, 3, form="i") + _TWO),
    cells=[[1, 2, 2]],
)
_good(
    "run ends beyond the rows",
    schema(field("a", ab.RUN_END, _runs)),
    batch(2, [(2, 0), (2, 0), (2, 0)], [(0, 0), (0, 8), (0, 0), (8, 16)], _ints(1, 3, form="i") + _TWO),
    cells=[[1, 2]],
)
_good("nulls", schema(field("a", ab.NULL)), batch(3, [(3, 3)], []), cells=[[None] * 3])

# --------------------------------------------------------------------------- dictionaries
_D = schema(field("a", ab.UTF8, dictionary=7, index=ab.INT8[1]))
_words = batch(2, [(2, 0)], [(0, 0), (0, 12), (16, 3)], _text)
_more = batch(1, [(1, 0)], [(0, 0), (0, 8), (8, 1)], _ints(0, 1, form="i") + b"w".ljust(8, b"\0"))


def _codes(*codes: int, form: str = "b") -> Message:
    raw = struct.pack(f"<{len(codes)}{form}", *codes)
    return batch(len(codes), [(len(codes), 0)], [(0, 0), (0, len(raw))], raw)


_good("a dictionary", _D, dictionary_batch(7, _words), _codes(1, 0, 1), cells=[["yz", "x", "yz"]])
_good(
    "a dictionary with more",
    _D,
    dictionary_batch(7, _words),
    _codes(1, 0),
    dictionary_batch(7, _more, delta=True),
    _codes(2, 0),
    cells=[["yz", "x", "w", "x"]],
)
_good(
    "a dictionary that is replaced",
    _D,
    dictionary_batch(7, _words),
    _codes(1, 0),
    dictionary_batch(7, _more),
    _codes(0, 0),
    cells=[["yz", "x", "w", "w"]],
)
_good(
    "a dictionary with a null among its values",
    _D,
    dictionary_batch(7, batch(2, [(2, 1)], [(0, 1), (8, 12), (24, 3)], _ints(1) + _text)),
    _codes(0, 1, 0),
    cells=[["x", None, "x"]],
)
_good(
    "codes under nulls",
    _D,
    dictionary_batch(7, _words),
    batch(2, [(2, 1)], [(0, 1), (8, 2)], _ints(1) + bytes([1, 100])),
    cells=[["yz", None]],
)
_shared = [field("a", ab.UTF8, dictionary=7, index=ab.INT8[1]), field("b", ab.UTF8, dictionary=7, index=ab.INT16[1])]
_good(
    "a dictionary that two columns share",
    schema(*_shared),
    dictionary_batch(7, _words),
    batch(1, [(1, 0), (1, 0)], [(0, 0), (0, 1), (0, 0), (8, 2)], _ints(1) + _ints(0)),
    cells=[["yz"], ["x"]],
)
_good("no rows and no dictionary", _D, cells=[[]])


# --------------------------------------------------------------------------- compression
def _packed(*parts: bytes, codec: int) -> Message:
    raw, buffers = b"", []
    for part in parts:
        buffers.append((len(raw), len(part)))
        raw += ab.pad(part)
    return batch(2, [(2, 0)], buffers, raw, compression=ab.compression(codec))


for _name, _number in (("lz4", 0), ("zstd", 1)):
    _good(f"{_name}: a buffer that is plain", _A, _packed(b"", _ints(-1) + _TWO, codec=_number), cells=[[1, 2]])
