"""Several tables one after another: each has its name and length in front of it, for every transport and engine.

A text engine that would have to look for the end of a table is told where it is, as is everybody else.
"""

from __future__ import annotations

import struct
from typing import Protocol

HEAD = struct.Struct("<HQ")
"""Length of the name, length of the payload (`UNKNOWN` where a stream engine writes it)."""
UNKNOWN = (1 << 64) - 1


class Readable(Protocol):
    """What can be read from: a whole `read(n)` gives n bytes unless the end is reached."""

    def read(self, size: int, /) -> bytes: ...


def head(name: str, nbytes: int | None) -> bytes:
    """What stands before a table.

    >>> head("a", 3).hex()
    '0100030000000000000061'
    """
    text = name.encode()
    return HEAD.pack(len(text), UNKNOWN if nbytes is None else nbytes) + text


def read_head(stream: Readable) -> tuple[str, int | None]:
    """Name and length of the table that follows; None where a stream engine finds its end by itself.

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
    """`nbytes` bytes, or EOFError saying how many came."""
    found = stream.read(nbytes)
    if len(found) != nbytes:
        raise EOFError(f"bench: the stream ended after {len(found)} of {nbytes} bytes of a table")
    return found
