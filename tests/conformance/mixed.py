"""Mixed object cells as MessagePack, by hand from `docs/formats/msgpack.md`: what the golden files hold of them."""

from __future__ import annotations

import datetime as dt
import decimal
import struct
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np


def packed(value: Any) -> bytes:
    """The value in the smallest form."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, np.generic):
        return _ext(10, value.dtype.str.encode() + b"\0" + value.tobytes())
    if isinstance(value, int):
        return _int(value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return _head(len(text), 0xA0, 32, (0xD9, 0xDA, 0xDB)) + text
    if isinstance(value, bytes):
        return _sized((0xC4, 0xC5, 0xC6), len(value)) + value
    if isinstance(value, list):
        return _array(value)
    if isinstance(value, dict):
        pairs = b"".join(packed(key) + packed(part) for key, part in value.items())
        return _head(len(value), 0x80, 16, (None, 0xDE, 0xDF)) + pairs
    return _ext(*_extension(value))


def _extension(value: Any) -> tuple[int, bytes]:
    if isinstance(value, tuple):
        return 1, _array(value)
    if isinstance(value, complex):
        return 3, struct.pack(">dd", value.real, value.imag)
    if isinstance(value, dt.datetime):
        zone = value.tzinfo
        if zone is dt.UTC:
            return -1, struct.pack(">I", int(value.timestamp()))  # what the cases have: whole seconds after 1970
        clock = value.replace(tzinfo=None).isoformat()
        return 6, (clock if zone is None else f"{clock}|{value.fold}|{zone}").encode()
    if isinstance(value, dt.date):
        return 4, value.isoformat().encode()
    if isinstance(value, dt.time):
        return 5, value.isoformat().encode()
    if isinstance(value, dt.timedelta):
        return 7, struct.pack(">iii", value.days, value.seconds, value.microseconds)
    if isinstance(value, decimal.Decimal):
        return 8, str(value).encode()
    assert isinstance(value, uuid.UUID), type(value)
    return 9, value.bytes


def _array(values: Sequence[Any]) -> bytes:
    return _head(len(values), 0x90, 16, (None, 0xDC, 0xDD)) + b"".join(map(packed, values))


def _int(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack("b", value)
    forms = "BHIQ" if value >= 0 else "bhiq"
    for i, form in enumerate(forms):
        try:
            return bytes([(0xCC if value >= 0 else 0xD0) + i]) + struct.pack(">" + form, value)
        except struct.error:
            continue
    return _ext(2, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))


def _ext(code: int, payload: bytes) -> bytes:
    size = len(payload)
    fixed = (1, 2, 4, 8, 16)
    head = bytes([0xD4 + fixed.index(size)]) if size in fixed else _sized((0xC7, 0xC8, 0xC9), size)
    return head + struct.pack("b", code) + payload


def _head(size: int, short: int, below: int, markers: tuple[int | None, int, int]) -> bytes:
    return bytes([short | size]) if size < below else _sized(markers, size)


def _sized(markers: tuple[int | None, int, int], size: int) -> bytes:
    for marker, form, most in zip(markers, "BHI", (1 << 8, 1 << 16, 1 << 32), strict=True):
        if marker is not None and size < most:
            return bytes([marker]) + struct.pack(">" + form, size)
    raise ValueError(size)
