"""Frames several tables in a stream: each has its name and length in front, for every transport and engine.

A text engine would otherwise have to search for the end of a table. Every engine receives the length.
"""

from __future__ import annotations

import struct
from typing import Protocol

HEAD = struct.Struct("<HQ")
"""Length of the name, length of the payload (`UNKNOWN` if a stream engine writes it)."""
UNKNOWN = (1 << 64) - 1


class Readable(Protocol):
    """A source of bytes. `read(n)` returns n bytes unless the end is reached."""

    def read(self, size: int, /) -> bytes: ...


def head(name: str, nbytes: int | None) -> bytes:
    """Returns the head of a table.

    >>> head("a", 3).hex()
    '0100030000000000000061'
    """
    text = name.encode()
    return HEAD.pack(len(text), UNKNOWN if nbytes is None else nbytes) + text


def read_head(stream: Readable) -> tuple[str, int | None]:
    """Reads name and length of the next table. The length is None if a stream engine finds the end itself.

    Raises
    ------
    EOFError
        The stream has ended.
    """
    found = exactly(stream, HEAD.size)
    length, nbytes = HEAD.unpack(found)
    name = exactly(stream, length).decode()
    return name, None if nbytes == UNKNOWN else nbytes


def exactly(stream: Readable, nbytes: int) -> bytes:
    """Reads `nbytes` bytes. Raises EOFError with the number of bytes received."""
    found = stream.read(nbytes)
    if len(found) != nbytes:
        raise EOFError(f"bench: the stream ended after {len(found)} of {nbytes} bytes of a table")
    return found
