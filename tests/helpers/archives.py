"""Archives built byte by byte with `struct`, so that a test can put one wrong value in one known place.

Nothing here uses the code under test or `zipfile`: every field can be set to what no honest writer would write.
"""

import io
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

STORED, DEFLATE, ZSTD = 0, 8, 93


def npy(array: np.ndarray) -> bytes:
    """What `numpy.save` writes. Object arrays are pickled, as numpy does: tests need hostile files."""
    sink = io.BytesIO()
    np.save(sink, array, allow_pickle=True)
    return sink.getvalue()


def npy_with(header: str, data: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    """An NPY file with this header text, padded as the format asks."""
    prefix = 10 if version == (1, 0) else 12
    text = header.encode("utf-8" if version == (3, 0) else "latin1")
    text += b" " * (-(prefix + len(text) + 1) % 64) + b"\n"
    length = struct.pack("<H" if prefix == 10 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text + data


def deflated(data: bytes) -> bytes:
    """A raw deflate stream, as ZIP method 8 holds it."""
    encoder = zlib.compressobj(9, zlib.DEFLATED, -15)
    return encoder.compress(data) + encoder.flush()


def zstd(data: bytes) -> bytes:
    """One zstd frame, as ZIP method 93 holds it."""
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.compress(data, codec="zstd", asbytes=True)


@dataclass
class Member:
    """One member. `stored` is what lies in the archive; `local` and `central` override single header fields."""

    name: str
    data: bytes
    method: int = STORED
    flags: int = 0
    stored: bytes | None = None
    extra: bytes = b""
    local: dict[str, Any] = field(default_factory=dict)
    central: dict[str, Any] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        packed = self.packed()
        return {
            "version": 20,
            "flags": self.flags,
            "method": self.method,
            "time": 0,
            "date": 0x21,
            "crc": zlib.crc32(self.data),
            "csize": len(packed),
            "usize": len(self.data),
            "name": self.name.encode(),
            "extra": self.extra,
        }

    def packed(self) -> bytes:
        if self.stored is not None:
            return self.stored
        return deflated(self.data) if self.method == DEFLATE else self.data


@dataclass
class Archive:
    """The bytes, and where each record of each member lies: (start, stop) pairs."""

    data: bytes = b""
    local: dict[str, tuple[int, int]] = field(default_factory=dict)
    payload: dict[str, tuple[int, int]] = field(default_factory=dict)
    central: dict[str, tuple[int, int]] = field(default_factory=dict)
    end: tuple[int, int] = (0, 0)

    def anywhere(self, name: str) -> list[tuple[int, int]]:
        """Where an error about this member may point: its local header, its payload, its directory record."""
        return [spans[name] for spans in (self.local, self.payload, self.central) if name in spans]


def archive(*members: Member, end: dict[str, int] | None = None, comment: bytes = b"") -> Archive:
    """Lay the members one after the other, then the directory; `end` overrides fields of its closing record."""
    out = Archive()
    buffer = bytearray()
    records = []
    for member in members:
        fields = member.fields()
        at = len(buffer)
        f = fields | member.local
        buffer += struct.pack(
            "<4s5H3I2H",
            *(b"PK\x03\x04", f["version"], f["flags"], f["method"], f["time"], f["date"]),
            *(f["crc"], f["csize"], f["usize"], len(f["name"]), len(f["extra"])),
        )
        buffer += f["name"] + f["extra"]
        out.local[member.name] = (at, len(buffer))
        buffer += member.packed()
        out.payload[member.name] = (out.local[member.name][1], len(buffer))
        records.append(
            (member.name, {"offset": at, "disk": 0, "comment": b""} | fields | {"extra": b""} | member.central)
        )

    directory = len(buffer)
    for name, f in records:
        at = len(buffer)
        buffer += struct.pack(
            "<4s6H3I5H2I",
            *(b"PK\x01\x02", 20, f["version"], f["flags"], f["method"], f["time"], f["date"]),
            *(f["crc"], f["csize"], f["usize"], len(f["name"]), len(f["extra"]), len(f["comment"])),
            *(f["disk"], 0, 0, f["offset"]),
        )
        buffer += f["name"] + f["extra"] + f["comment"]
        out.central[name] = (at, len(buffer))

    e = {"disk": 0, "start_disk": 0, "here": len(records), "count": len(records)}
    e |= {"size": len(buffer) - directory, "offset": directory} | (end or {})
    out.end = (len(buffer), len(buffer) + 22 + len(comment))
    values = (e["disk"], e["start_disk"], e["here"], e["count"], e["size"], e["offset"], len(comment))
    buffer += struct.pack("<4s4H2IH", b"PK\x05\x06", *values) + comment
    out.data = bytes(buffer)
    return out
