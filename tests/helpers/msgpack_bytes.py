"""MessagePack written by hand: any legal width of any value, and claims that are no truth.

`pack` is the standard's smallest form of a Python value; the other functions take a width (1, 2 or 4 bytes of length)
where the caller wants another one, and a count where it is to say something else than what follows.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Single:
    """Bits of a 32-bit float."""

    bits: int


@dataclass(frozen=True)
class Double:
    """Bits of a 64-bit float."""

    bits: int


@dataclass(frozen=True)
class Stamp:
    """A timestamp: nanoseconds are counted upwards from the second."""

    seconds: int
    nanoseconds: int = 0

    @classmethod
    def of(cls, ticks: int, unit: str) -> Stamp:
        each = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
        seconds, rest = divmod(ticks, each)
        return cls(seconds, rest * (10**9 // each))

    def ticks(self, unit: str) -> int:
        """Raises ValueError where the unit is too coarse."""
        each = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
        rest, lost = divmod(self.nanoseconds, 10**9 // each)
        if lost:
            raise ValueError(unit)
        return self.seconds * each + rest


@dataclass(frozen=True)
class Ext:
    """An extension."""

    code: int
    data: bytes


@dataclass(frozen=True)
class Pairs:
    """A map as it is written: in order, keys of any kind, twice too."""

    pairs: tuple[tuple[Any, Any], ...]


NIL, FALSE, TRUE, RESERVED = b"\xc0", b"\xc2", b"\xc3", b"\xc1"


def _sized(count: int, width: int | None, small: tuple[int, int] | None, wide: dict[int, int]) -> bytes:
    """A head: `small` is the marker and how many counts it holds, `wide` the marker of each width."""
    if width is None and small is not None and count < small[1]:
        return bytes([small[0] | count])
    width = width or next(each for each in sorted(wide) if count < 1 << 8 * each)
    return bytes([wide[width]]) + count.to_bytes(width, "big")


def text(value: str | bytes, width: int | None = None, count: int | None = None) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    head = _sized(len(raw) if count is None else count, width, (0xA0, 32), {1: 0xD9, 2: 0xDA, 4: 0xDB})
    return head + raw


def blob(raw: bytes, width: int | None = None, count: int | None = None) -> bytes:
    return _sized(len(raw) if count is None else count, width, None, {1: 0xC4, 2: 0xC5, 4: 0xC6}) + raw


def array(*items: bytes, width: int | None = None, count: int | None = None) -> bytes:
    head = _sized(len(items) if count is None else count, width, (0x90, 16), {2: 0xDC, 4: 0xDD})
    return head + b"".join(items)


def mapping(
    pairs: Mapping[bytes | str, bytes] | list[tuple[bytes, bytes]],
    width: int | None = None,
    count: int | None = None,
) -> bytes:
    """Keys that are str are text, keys that are bytes are written already."""
    listed = list(pairs.items()) if isinstance(pairs, Mapping) else pairs
    head = _sized(len(listed) if count is None else count, width, (0x80, 16), {2: 0xDE, 4: 0xDF})
    return head + b"".join((text(key) if isinstance(key, str) else key) + value for key, value in listed)


def ext(code: int, raw: bytes, width: int | None = None, count: int | None = None) -> bytes:
    nbytes = len(raw) if count is None else count
    fixed = {1: 0xD4, 2: 0xD5, 4: 0xD6, 8: 0xD7, 16: 0xD8}
    kind = code.to_bytes(1, "big", signed=True)
    if width is None and nbytes in fixed:
        return bytes([fixed[nbytes]]) + kind + raw
    return _sized(nbytes, width, None, {1: 0xC7, 2: 0xC8, 4: 0xC9}) + kind + raw


def integer(value: int, width: int | None = None, signed: bool | None = None) -> bytes:
    """`width` bytes after the marker; 0 is the fixint."""
    if signed is None:
        signed = value < 0
    if width is None:
        if -32 <= value < 128:
            return value.to_bytes(1, "big", signed=value < 0)
        bits = [(each, -(1 << 8 * each - 1) if signed else 0, 1 << 8 * each - signed) for each in (1, 2, 4, 8)]
        width = next(each for each, low, end in bits if low <= value < end)
    marker = {1: 0, 2: 1, 4: 2, 8: 3}[width] + (0xD0 if signed else 0xCC)
    return bytes([marker]) + value.to_bytes(width, "big", signed=signed)


def timestamp(stamp: Stamp, nbytes: int | None = None) -> bytes:
    seconds, nanoseconds = stamp.seconds, stamp.nanoseconds
    if nbytes is None:
        nbytes = 12 if not 0 <= seconds < 1 << 34 else 4 if nanoseconds == 0 and seconds < 1 << 32 else 8
    if nbytes == 4:
        return ext(-1, struct.pack(">I", seconds))
    if nbytes == 8:
        return ext(-1, struct.pack(">Q", nanoseconds << 34 | seconds))
    return ext(-1, struct.pack(">Iq", nanoseconds, seconds))


def pack(value: Any) -> bytes:
    """The smallest form; ints of more than 64 bits raise StopIteration."""
    if value is None:
        return NIL
    if isinstance(value, bool):
        return TRUE if value else FALSE
    if isinstance(value, int):
        return integer(value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, Single):
        return b"\xca" + value.bits.to_bytes(4, "big")
    if isinstance(value, Double):
        return b"\xcb" + value.bits.to_bytes(8, "big")
    if isinstance(value, str):
        return text(value)
    if isinstance(value, bytes):
        return blob(value)
    if isinstance(value, list | tuple):
        return array(*map(pack, value))
    if isinstance(value, Pairs):
        return mapping([(pack(key), pack(item)) for key, item in value.pairs])
    if isinstance(value, dict):
        return mapping([(pack(key), pack(item)) for key, item in value.items()])
    if isinstance(value, Stamp):
        return timestamp(value)
    if isinstance(value, Ext):
        return ext(value.code, value.data)
    raise TypeError(type(value).__name__)


def nested(depth: int, inner: bytes = NIL) -> bytes:
    """`depth` arrays of one entry around `inner`."""
    return b"\x91" * depth + inner


def nested_maps(depth: int, inner: bytes = NIL) -> bytes:
    return b"\x81\xa1k" * depth + inner
