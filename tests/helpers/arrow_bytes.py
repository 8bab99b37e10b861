"""Arrow IPC written byte by byte, so that a test can say exactly what is wrong with it.

A flatbuffer is laid out front to back: parents first, each vtable before its table, all eight-byte aligned. Objects
used twice are written once, so that a file of a few hundred bytes can mean a schema of a billion fields.

    stream(schema(field("a", INT64)), batch(2, [(2, 0)], [(0, 0), (0, 16)], struct.pack("<qq", 1, 2)))

Source: https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc and the
Message.fbs, Schema.fbs and File.fbs that it links.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

END = b"\xff\xff\xff\xff\0\0\0\0"
MAGIC = b"ARROW1"


# --------------------------------------------------------------------------- flatbuffers
@dataclass(frozen=True, eq=False)
class Table:
    """Slot to value: (struct format, number) for a scalar, or another object."""

    slots: dict[int, Any]


@dataclass(frozen=True, eq=False)
class Vector:
    """Objects by reference."""

    items: Sequence[Any]


@dataclass(frozen=True, eq=False)
class Structs:
    """A vector of structs or scalars of one format. `count` is the length that the file claims."""

    form: str
    items: Sequence[tuple[Any, ...]]
    count: int | None = None


def flatbuffer(root: Table) -> bytes:
    """The bytes of a root table."""
    places: dict[int, int] = {}
    order = _parents_first(root)
    end = 8
    for item in order:
        start = -(-(end + _vtable_nbytes(item)) // 8) * 8
        # What follows the length of a vector of structs is to be aligned to eight.
        places[id(item)] = start + 4 if isinstance(item, Structs) else start
        end = places[id(item)] + _nbytes(item)
    out = bytearray(-(-end // 8) * 8)
    struct.pack_into("<I", out, 0, places[id(root)])
    for item in order:
        _put(out, item, places)
    return bytes(out)


def _parents_first(root: Table) -> list[Any]:
    """Every object once, after all that refer to it: offsets only point forward."""
    done: set[int] = set()
    children_first: list[Any] = []
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        item, left = stack.pop()
        if left:
            children_first.append(item)
        elif id(item) not in done:
            done.add(id(item))
            stack.append((item, True))
            stack += [(inner, False) for inner in reversed(_references(item))]
    return children_first[::-1]


def _references(item: Any) -> list[Any]:
    inner = item.slots.values() if isinstance(item, Table) else getattr(item, "items", ())
    return [one for one in inner if isinstance(one, Table | Vector | Structs | str)]


def _slots(table: Table) -> list[tuple[int, int, Any]]:
    """(slot, offset within the table, value): every value in eight bytes of its own, after the first eight."""
    return [(slot, 8 + 8 * i, value) for i, (slot, value) in enumerate(table.slots.items())]


def _vtable_nbytes(item: Any) -> int:
    if not isinstance(item, Table):
        return 0
    return 4 + 2 * (max(item.slots, default=-1) + 1)


def _nbytes(item: Any) -> int:
    if isinstance(item, Table):
        return 8 + 8 * len(item.slots)
    if isinstance(item, Vector):
        return 4 + 4 * len(item.items)
    if isinstance(item, Structs):
        return 4 + struct.calcsize(item.form) * len(item.items)
    return 4 + len(item.encode()) + 1


def _put(out: bytearray, item: Any, places: dict[int, int]) -> None:
    at = places[id(item)]
    if isinstance(item, Table):
        vtable = at - _vtable_nbytes(item)
        vtable -= vtable % 2
        struct.pack_into("<HH", out, vtable, _vtable_nbytes(item), _nbytes(item))
        struct.pack_into("<i", out, at, at - vtable)
        for slot, offset, value in _slots(item):
            struct.pack_into("<H", out, vtable + 4 + 2 * slot, offset)
            if isinstance(value, tuple):
                struct.pack_into(f"<{value[0]}", out, at + offset, value[1])
            else:
                struct.pack_into("<I", out, at + offset, places[id(value)] - at - offset)
    elif isinstance(item, Vector):
        struct.pack_into("<I", out, at, len(item.items))
        for i, inner in enumerate(item.items):
            place = at + 4 + 4 * i
            struct.pack_into("<I", out, place, places[id(inner)] - place)
    elif isinstance(item, Structs):
        struct.pack_into("<I", out, at, len(item.items) if item.count is None else item.count)
        for i, values in enumerate(item.items):
            struct.pack_into(f"<{item.form}", out, at + 4 + i * struct.calcsize(item.form), *values)
    else:
        raw = item.encode()
        struct.pack_into(f"<I{len(raw)}s", out, at, len(raw), raw)


# --------------------------------------------------------------------------- types: (number in the union, table)
def int_type(width: int, signed: bool = True) -> tuple[int, Table]:
    return 2, Table({0: ("i", width), 1: ("?", signed)})


NULL = 1, Table({})
INT8, INT16, INT32, INT64 = (int_type(width) for width in (8, 16, 32, 64))
FLOAT64 = 3, Table({0: ("h", 2)})
BINARY, UTF8, BOOL = (4, Table({})), (5, Table({})), (6, Table({}))
LIST, STRUCT = (12, Table({})), (13, Table({}))
LARGE_BINARY, LARGE_UTF8, LARGE_LIST = (19, Table({})), (20, Table({})), (21, Table({}))
RUN_END, BINARY_VIEW, UTF8_VIEW, LIST_VIEW = (22, Table({})), (23, Table({})), (24, Table({})), (25, Table({}))
MAP = 17, Table({0: ("?", False)})


def union_type(dense: bool, codes: Sequence[int]) -> tuple[int, Table]:
    return 14, Table({0: ("h", int(dense)), 1: Structs("i", [(code,) for code in codes])})


def fixed_binary(width: int) -> tuple[int, Table]:
    return 15, Table({0: ("i", width)})


def fixed_list(size: int) -> tuple[int, Table]:
    return 16, Table({0: ("i", size)})


def decimal_type(precision: int, scale: int, width: int = 128) -> tuple[int, Table]:
    return 7, Table({0: ("i", precision), 1: ("i", scale), 2: ("i", width)})


def timestamp_type(unit: int, zone: str | None = None) -> tuple[int, Table]:
    return 10, Table({0: ("h", unit)} | ({} if zone is None else {1: zone}))


# --------------------------------------------------------------------------- schema
def field(
    name: str | None,
    kind: tuple[int, Table],
    children: Sequence[Table] = (),
    *,
    nullable: bool = True,
    dictionary: int | None = None,
    index: Table | None = None,
) -> Table:
    """A field; `dictionary` is an id."""
    slots: dict[int, Any] = {} if name is None else {0: name}
    slots |= {1: ("?", nullable), 2: ("B", kind[0]), 3: kind[1], 5: Vector(children)}
    if dictionary is not None:
        slots[4] = Table({0: ("q", dictionary)} | ({} if index is None else {1: index}))
    return Table(slots)


def schema(*fields: Table, endianness: int = 0, metadata: Sequence[tuple[str, str]] = ()) -> Table:
    """A schema table."""
    pairs = Vector([Table({0: key, 1: value}) for key, value in metadata])
    return Table({0: ("h", endianness), 1: Vector(fields)} | ({2: pairs} if metadata else {}))


# --------------------------------------------------------------------------- messages
@dataclass(frozen=True)
class Message:
    """A message's header, its body, and what is to be claimed about both."""

    kind: int
    header: Table
    body: bytes = b""
    version: int = 4  # V5
    body_nbytes: int | None = None
    metadata_nbytes: int | None = None
    continuation: bytes = b"\xff\xff\xff\xff"

    def metadata(self) -> bytes:
        claimed = len(self.body) if self.body_nbytes is None else self.body_nbytes
        return flatbuffer(Table({0: ("h", self.version), 1: ("B", self.kind), 2: self.header, 3: ("q", claimed)}))

    def encode(self) -> bytes:
        metadata = self.metadata()
        claimed = len(metadata) if self.metadata_nbytes is None else self.metadata_nbytes
        return self.continuation + struct.pack("<i", claimed) + metadata + self.body


def schema_message(table: Table, **claims: Any) -> Message:
    return Message(1, table, **claims)


def record_batch(
    nrows: int,
    nodes: Sequence[tuple[int, int]],
    buffers: Sequence[tuple[int, int]],
    *,
    compression: Table | None = None,
    variadic: Sequence[int] | None = None,
    node_count: int | None = None,
    buffer_count: int | None = None,
) -> Table:
    """A RecordBatch table: nodes are (length, null_count), buffers (offset, length)."""
    slots = {0: ("q", nrows), 1: Structs("qq", nodes, node_count), 2: Structs("qq", buffers, buffer_count)}
    if compression is not None:
        slots[3] = compression
    if variadic is not None:
        slots[4] = Structs("q", [(count,) for count in variadic])
    return Table(slots)


def compression(codec: int, method: int = 0) -> Table:
    """0 is an LZ4 frame, 1 is ZSTD."""
    return Table({0: ("b", codec), 1: ("b", method)})


def batch(
    nrows: int, nodes: Sequence[tuple[int, int]], buffers: Sequence[tuple[int, int]], body: bytes = b"", **more: Any
) -> Message:
    """A record batch message; what `Message` takes too goes there."""
    claims = {key: more.pop(key) for key in list(more) if key in Message.__dataclass_fields__}
    return Message(3, record_batch(nrows, nodes, buffers, **more), pad(body), **claims)


def dictionary_batch(number: int, data: Message, *, delta: bool = False) -> Message:
    """A dictionary batch message of what a record batch message holds."""
    table = Table({0: ("q", number), 1: data.header, 2: ("?", delta)})
    return Message(2, table, data.body, data.version, data.body_nbytes)


def pad(body: bytes) -> bytes:
    return body + bytes(-len(body) % 8)


def as_message(head: Table | Message) -> Message:
    return head if isinstance(head, Message) else schema_message(head)


def stream(head: Table | Message, *messages: Message, end: bytes = END) -> bytes:
    """A stream of a schema and messages."""
    return b"".join(message.encode() for message in (as_message(head), *messages)) + end


def file(
    head: Table | Message,
    *messages: Message,
    blocks: dict[int, tuple[int, int, int]] | None = None,
    footer_nbytes: int | None = None,
    footer_version: int | None = None,
    footer_schema: Table | None = None,
    tail: bytes = MAGIC,
) -> bytes:
    """A file of a schema and messages; `blocks` replaces (offset, metadata length, body length) by position."""
    out = bytearray(MAGIC + b"\0\0" + as_message(head).encode())
    found: list[tuple[int, int, int]] = []
    for message in messages:
        found.append((len(out), 8 + len(message.metadata()), len(message.body)))
        out += message.encode()
    out += END
    claimed = [(blocks or {}).get(i, block) for i, block in enumerate(found)]
    listed = [
        Structs("qi4xq", [one for one, m in zip(claimed, messages, strict=True) if m.kind == kind]) for kind in (2, 3)
    ]
    table = footer_schema or as_message(head).header
    version = as_message(head).version if footer_version is None else footer_version
    footer = flatbuffer(Table({0: ("h", version), 1: table, 2: listed[0], 3: listed[1]}))
    return bytes(out) + footer + struct.pack("<i", len(footer) if footer_nbytes is None else footer_nbytes) + tail
