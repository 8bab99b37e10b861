"""Parquet written byte by byte, so that a test can say exactly what is wrong with it.

    file([Column("a", INT64, [data_page(plain("q", 1, 2), 2)], 2)], 2)

Whatever a writer would compute (sizes, offsets, counts, checksums) can be told instead.

Source: https://github.com/apache/parquet-format, parquet.thrift and Encodings.md; Thrift's compact protocol.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MAGIC = b"PAR1"

# Physical types, repetitions, encodings, codecs, kinds of pages: the numbers of parquet.thrift.
BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
REQUIRED, OPTIONAL, REPEATED = range(3)
PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED, DELTA = 0, 2, 3, 4, 5
DELTA_LENGTH, DELTA_BYTES, RLE_DICTIONARY, SPLIT = 6, 7, 8, 9
UNCOMPRESSED, SNAPPY, GZIP, LZO, BROTLI, LZ4, ZSTD, LZ4_RAW = range(8)
DATA, INDEX, DICTIONARY, DATA_V2 = range(4)


# --------------------------------------------------------------------------- Thrift's compact protocol
@dataclass(frozen=True)
class Value:
    """A value with its type's number in the compact protocol, and its bytes."""

    kind: int
    content: bytes


def varint(number: int) -> bytes:
    """Seven bits a byte, the low ones first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number: int) -> bytes:
    return varint((number << 1 ^ number >> 63) & (1 << 64) - 1)


def i32(number: int) -> Value:
    return Value(5, zigzag(number))


def i64(number: int) -> Value:
    return Value(6, zigzag(number))


def flag(value: bool) -> Value:
    return Value(1 if value else 2, b"")


def binary(value: str | bytes, nbytes: int | None = None) -> Value:
    """Text or bytes; `nbytes` is the length that is claimed."""
    content = value.encode() if isinstance(value, str) else value
    return Value(8, varint(len(content) if nbytes is None else nbytes) + content)


def items(kind: int, values: Iterable[Value], count: int | None = None) -> Value:
    """A list; `count` is the length that is claimed."""
    contents = [value.content for value in values]
    size = len(contents) if count is None else count
    head = bytes([size << 4 | kind]) if size < 15 else bytes([0xF0 | kind]) + varint(size)
    return Value(9, head + b"".join(contents))


def record(fields: Mapping[int, Value | None]) -> Value:
    """A struct; fields that are None are left out."""
    out, last = bytearray(), 0
    for number, value in sorted(fields.items()):
        if value is not None:
            step = number - last
            out += bytes([step << 4 | value.kind]) if 0 < step < 16 else bytes([value.kind]) + zigzag(number)
            out += value.content
            last = number
    return Value(12, bytes(out) + b"\0")


# --------------------------------------------------------------------------- values and levels
def plain(form: str, *values: Any) -> bytes:
    """PLAIN numbers of one of `struct`'s formats."""
    return struct.pack(f"<{len(values)}{form}", *values)


def plain_bytes(*values: bytes) -> bytes:
    """PLAIN byte arrays."""
    return b"".join(struct.pack("<I", len(value)) + value for value in values)


def run(value: int, count: int, width: int) -> bytes:
    """A run of one value."""
    return varint(count << 1) + value.to_bytes(-(-width // 8), "little")


def packed(values: Sequence[int], width: int, groups: int | None = None) -> bytes:
    """Bit-packed groups of eight; `groups` is the number that is claimed."""
    whole = [*values, *[0] * (-len(values) % 8)]
    number = sum(value << k * width for k, value in enumerate(whole))
    return varint((len(whole) // 8 if groups is None else groups) << 1 | 1) + number.to_bytes(
        len(whole) * width // 8, "little"
    )


def levels(content: bytes, nbytes: int | None = None) -> bytes:
    """Levels of a page of version 1: their length stands in front."""
    return struct.pack("<I", len(content) if nbytes is None else nbytes) + content


def deltas(first: int, total: int, *, block: int = 128, minis: int = 4, least: int = 0, widths: bytes = b"") -> bytes:
    """DELTA_BINARY_PACKED: a head, then one block whose packed differences the caller appends."""
    head = varint(block) + varint(minis) + varint(total) + zigzag(first)
    return head + (zigzag(least) + widths if widths else b"")


# --------------------------------------------------------------------------- pages
def page(kind: int, body: bytes, head: Mapping[int, Value | None], **told: int | None) -> bytes:
    """A page. `told`: nbytes and compressed_nbytes instead of the body's own, a crc."""
    nbytes, compressed = told.get("nbytes"), told.get("compressed_nbytes")
    fields: dict[int, Value | None] = {
        1: i32(kind),
        2: i32(len(body) if nbytes is None else nbytes),
        3: i32(len(body) if compressed is None else compressed),
        4: None if told.get("crc") is None else i32(told["crc"] or 0),
        {DATA: 5, INDEX: 6, DICTIONARY: 7, DATA_V2: 8}.get(kind, 5): record(head),
    }
    return record(fields).content + body


def data_page(body: bytes, nvalues: int, encoding: int = PLAIN, level: int = RLE, **told: int | None) -> bytes:
    """A data page of version 1; its levels are part of the body."""
    return page(DATA, body, {1: i32(nvalues), 2: i32(encoding), 3: i32(level), 4: i32(level)}, **told)


def dictionary_page(body: bytes, nvalues: int, encoding: int = PLAIN, **told: int | None) -> bytes:
    return page(DICTIONARY, body, {1: i32(nvalues), 2: i32(encoding)}, **told)


def data_page_v2(
    body: bytes,
    nvalues: int,
    *,
    nulls: int = 0,
    nrows: int | None = None,
    encoding: int = PLAIN,
    definition: int = 0,
    repetition: int = 0,
    compressed: bool | None = None,
    **told: int | None,
) -> bytes:
    """A data page of version 2: `definition` and `repetition` are the bytes of the levels in front of the values."""
    head = {
        1: i32(nvalues),
        2: i32(nulls),
        3: i32(nvalues if nrows is None else nrows),
        4: i32(encoding),
        5: i32(definition),
        6: i32(repetition),
        7: None if compressed is None else flag(compressed),
    }
    return page(DATA_V2, body, head, **told)


# --------------------------------------------------------------------------- footers
def element(
    name: str | bytes,
    physical: int | None = None,
    repetition: int | None = None,
    *,
    children: int | None = None,
    length: int | None = None,
    converted: int | None = None,
    scale: int | None = None,
    precision: int | None = None,
    number: int | None = None,
    logical: Value | None = None,
) -> Value:
    """A node of the schema; `number` is its field id."""
    numbers = {1: physical, 2: length, 3: repetition, 5: children, 6: converted, 7: scale, 8: precision, 9: number}
    fields = {k: None if n is None else i32(n) for k, n in numbers.items()}
    return record({4: binary(name), 10: logical, **fields})


def list_schema(physical: int, repetition: int, **kind: Any) -> Value:
    """The schema of one column, "a": lists, whose elements may be null."""
    nodes = [
        element("schema", children=1),
        element("a", None, repetition, children=1, converted=3),
        element("list", None, REPEATED, children=1),
        element("element", physical, OPTIONAL, **kind),
    ]
    return items(12, nodes)


def logical(number: int, *fields: Value) -> Value:
    """A LogicalType: the number of its kind, and the fields of that kind from 1 on."""
    return record({number: record(dict(enumerate(fields, 1)))})


def unit(number: int) -> Value:
    """A unit of time: 1 is milli-, 2 micro-, 3 nanoseconds."""
    return record({number: record({})})


def byte(number: int) -> Value:
    return Value(3, bytes([number]))


@dataclass(frozen=True)
class Column:
    """A leaf, and its chunk of the one row group. What is not told follows from the pages."""

    name: str
    physical: int
    pages: Sequence[bytes]
    nvalues: int
    repetition: int = REQUIRED
    codec: int = UNCOMPRESSED
    encodings: Sequence[int] = (PLAIN, RLE)
    kind: Mapping[str, Any] = field(default_factory=dict)
    """Of its node in the schema: length, converted, scale, precision."""
    told: Mapping[str, int] = field(default_factory=dict)
    """data_at, dictionary_at, nbytes, compressed_nbytes, index_at, index_nbytes, offsets_at, offsets_nbytes."""
    has_dictionary: bool = False
    file: str | None = None
    path: Sequence[str] | None = None
    more: Mapping[int, Value] = field(default_factory=dict)
    """Fields of its metadata, such as statistics."""

    def element(self) -> Value:
        return element(self.name, self.physical, self.repetition, **self.kind)

    def chunk(self, start: int) -> Value:
        nbytes = sum(map(len, self.pages))
        data_at = start + (len(self.pages[0]) if self.has_dictionary else 0)
        told = {"data_at": data_at, "nbytes": nbytes, "compressed_nbytes": nbytes} | dict(self.told)
        if self.has_dictionary:
            told.setdefault("dictionary_at", start)
        meta: dict[int, Value | None] = {
            1: i32(self.physical),
            2: items(5, map(i32, self.encodings)),
            3: items(8, [binary(name) for name in self.path or (self.name,)]),
            4: i32(self.codec),
            5: i64(self.nvalues),
            6: i64(told["nbytes"]),
            7: i64(told["compressed_nbytes"]),
            9: i64(told["data_at"]),
            11: i64(told["dictionary_at"]) if "dictionary_at" in told else None,
        }
        return record(
            {
                1: None if self.file is None else binary(self.file),
                2: i64(start),
                3: record({**meta, **self.more}),
                4: i64(told["offsets_at"]) if "offsets_at" in told else None,
                5: i32(told["offsets_nbytes"]) if "offsets_nbytes" in told else None,
                6: i64(told["index_at"]) if "index_at" in told else None,
                7: i32(told["index_nbytes"]) if "index_nbytes" in told else None,
            }
        )


def footer(
    schema: Value,
    nrows: int,
    groups: Value,
    *,
    version: int = 1,
    metadata: Mapping[str, str] | None = None,
    created_by: str = "a test",
) -> bytes:
    pairs = [record({1: binary(key), 2: binary(value)}) for key, value in (metadata or {}).items()]
    fields = {1: i32(version), 2: schema, 3: i64(nrows), 4: groups, 6: binary(created_by)}
    return record({**fields, 5: items(12, pairs) if pairs else None}).content


def group(columns: Value, nrows: int, nbytes: int = 0) -> Value:
    return record({1: columns, 2: i64(nbytes), 3: i64(nrows)})


def sealed(front: bytes, foot: bytes, nbytes: int | None = None, tail: bytes = MAGIC) -> bytes:
    """A footer behind what stands before it; `nbytes` is the length that is claimed."""
    return front + foot + struct.pack("<I", len(foot) if nbytes is None else nbytes) + tail


def schema_of(columns: Sequence[Column]) -> Value:
    return items(12, [element("schema", children=len(columns)), *(column.element() for column in columns)])


def file(
    columns: Sequence[Column],
    nrows: int,
    *,
    group_rows: int | None = None,
    schema: Value | None = None,
    groups: Value | None = None,
    **more: Any,
) -> bytes:
    """One row group of `columns`. `nrows` is the file's, `group_rows` the group's where it differs."""
    front, chunks = bytearray(MAGIC), []
    for column in columns:
        chunks.append(column.chunk(len(front)))
        front += b"".join(column.pages)
    rows = nrows if group_rows is None else group_rows
    own = items(12, [group(items(12, chunks), rows, len(front) - 4)])
    foot = footer(schema or schema_of(columns), nrows, own if groups is None else groups, **more)
    return sealed(bytes(front), foot)
