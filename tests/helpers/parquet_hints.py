"""A Parquet file of one flat column whose hints (statistics, page index, bloom filter) a test chooses one by one.

    written(INT64, [plain("q", 1, 2), plain("q", 3, 4)], 2, statistics=bounds(plain("q", 1), plain("q", 4)))

Source: https://github.com/apache/parquet-format, parquet.thrift, PageIndex.md and BloomFilter.md.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import parquet_bytes as pb
from .parquet_bytes import Value, binary, flag, i32, i64, items, record

UNORDERED, ASCENDING, DESCENDING = range(3)
TYPE_ORDER = record({1: record({})})


def bounds(
    low: bytes, high: bytes, *, nulls: int | None = 0, exact: bool | None = None, **more: Any
) -> dict[int, Value]:
    """Statistics. `more`: old_min, old_max, distinct."""
    fields: dict[int, Value | None] = {
        1: None if "old_max" not in more else binary(more["old_max"]),
        2: None if "old_min" not in more else binary(more["old_min"]),
        3: None if nulls is None else i64(nulls),
        4: None if "distinct" not in more else i64(more["distinct"]),
        5: binary(high),
        6: binary(low),
        7: None if exact is None else flag(exact),
        8: None if exact is None else flag(exact),
    }
    return {k: v for k, v in fields.items() if v is not None}


@dataclass(frozen=True)
class Index:
    """A column index and an offset index; what is None follows from the pages."""

    low: Sequence[bytes]
    high: Sequence[bytes]
    order: int | None = UNORDERED
    null_pages: Sequence[int] | None = None
    null_counts: Sequence[int] | None = None
    histograms: Sequence[int] | None = None
    moved: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)
    """By page: added to its offset, size and first row."""
    locations: int | None = None
    """How many are written."""
    cut: int = 0
    """Bytes that are missing at the end of the column index."""

    def columns(self) -> bytes:
        flags = [2] * len(self.low) if self.null_pages is None else self.null_pages
        fields: dict[int, Value | None] = {
            1: items(1, [Value(1, bytes([byte])) for byte in flags]),
            2: items(8, map(binary, self.low)),
            3: items(8, map(binary, self.high)),
            4: None if self.order is None else i32(self.order),
            5: None if self.null_counts is None else items(6, map(i64, self.null_counts)),
            7: None if self.histograms is None else items(6, map(i64, self.histograms)),
        }
        content = record(fields).content
        return content[: len(content) - self.cut]

    def offsets(self, pages: Sequence[bytes], page_rows: int) -> bytes:
        at, out = 4, []
        for k, page in enumerate(pages):
            offset, size, row = self.moved.get(k, (0, 0, 0))
            out.append(record({1: i64(at + offset), 2: i32(len(page) + size), 3: i64(k * page_rows + row)}))
            at += len(page)
        return record({1: items(12, out[: self.locations])}).content


@dataclass(frozen=True)
class Bloom:
    """A bloom filter; what is None follows from its bits."""

    bits: bytes
    nbytes: int | None = None
    kinds: tuple[int, int, int] = (1, 1, 1)
    """Algorithm, hash and compression: the numbers of the unions' fields."""
    footer_nbytes: int | None = None
    """Added to the length that the footer says; None: it says none."""
    at: int | None = None

    def content(self) -> bytes:
        size = len(self.bits) if self.nbytes is None else self.nbytes
        unions = {k: record({kind: record({})}) for k, kind in enumerate(self.kinds, 2)}
        return record({1: i32(size), **unions}).content + self.bits


def written(
    physical: int,
    bodies: Sequence[bytes],
    page_rows: int,
    *,
    optional: bool = False,
    kind: Mapping[str, int] | None = None,
    logical: Value | None = None,
    orders: Sequence[Value] | None = (TYPE_ORDER,),
    statistics: Mapping[int, Value] | None = None,
    index: Index | None = None,
    bloom: Bloom | None = None,
    histograms: Mapping[int, Sequence[int]] | None = None,
) -> bytes:
    """One column "v", one row group, a page for each of `bodies`, each of `page_rows` rows."""
    pages = [pb.data_page(body, page_rows) for body in bodies]
    nrows = page_rows * len(pages)
    front = bytearray(pb.MAGIC + b"".join(pages))
    more: dict[int, Value] = {}
    if statistics is not None:
        more[12] = record(statistics)
    if histograms is not None:
        more[16] = record({k: items(6, map(i64, counts)) for k, counts in histograms.items()})
    if bloom is not None:
        content = bloom.content()
        more[14] = i64(len(front) if bloom.at is None else bloom.at)
        if bloom.footer_nbytes is not None:
            more[15] = i32(len(content) + bloom.footer_nbytes)
        front += content
    told: dict[str, int] = {}
    if index is not None:
        columns, offsets = index.columns(), index.offsets(pages, page_rows)
        told = {"index_at": len(front), "index_nbytes": len(columns)}
        front += columns
        told |= {"offsets_at": len(front), "offsets_nbytes": len(offsets)}
        front += offsets
    repetition = pb.OPTIONAL if optional else pb.REQUIRED
    column = pb.Column("v", physical, pages, nrows, repetition, kind=kind or {}, told=told, more=more)
    node = column.element()
    if logical is not None:
        node = Value(12, node.content[:-1] + bytes([(10 - _last(kind or {})) << 4 | 12]) + logical.content + b"\0")
    schema = items(12, [pb.element("schema", children=1), node])
    groups = items(12, [pb.group(items(12, [column.chunk(4)]), nrows)])
    foot = pb.footer(schema, nrows, groups)
    if orders is not None:
        foot = foot[:-1] + bytes([1 << 4 | 9]) + items(12, orders).content + b"\0"
    return pb.sealed(bytes(front), foot)


def _last(kind: Mapping[str, int]) -> int:
    """The number of the last field of an element."""
    numbers = {"converted": 6, "scale": 7, "precision": 8}
    return max([4, *(numbers[name] for name in kind if name in numbers)])


_PRIMES = (
    11400714785074694791,
    14029467366897019727,
    1609587929392839161,
    9650029242287828579,
    2870177450012600261,
)
_SALT = (0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31)
_ALL = (1 << 64) - 1


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> 64 - bits) & _ALL


def xxh64(eight: bytes) -> int:
    """XXH64 of eight bytes, seed 0."""
    p1, p2, p3, p4, p5 = _PRIMES
    (lane,) = struct.unpack("<Q", eight)
    value = (p5 + 8) ^ _rotated(lane * p2 & _ALL, 31) * p1 & _ALL
    value = (_rotated(value, 27) * p1 + p4) & _ALL
    value = (value ^ value >> 33) * p2 & _ALL
    value = (value ^ value >> 29) * p3 & _ALL
    return value ^ value >> 32


def bits_of(values: Sequence[bytes], nblocks: int = 8) -> bytes:
    """The bits of a bloom filter with these values, of eight bytes each."""
    words = [[0] * 8 for _ in range(nblocks)]
    for value in values:
        found = xxh64(value)
        block = words[(found >> 32) * nblocks >> 32]
        for k, salt in enumerate(_SALT):
            block[k] |= 1 << ((found * salt & 0xFFFFFFFF) >> 27)
    return b"".join(struct.pack("<8I", *block) for block in words)
