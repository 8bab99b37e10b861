"""Every way in for MessagePack bytes, and what the columns of a frame look like from pyarrow."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pyarrow as pa

import colonnade as cn
from colonnade.testing._arrow_cells import cells

MIXED = "mixed"


def decoded(content: bytes, **options: Any) -> Any:
    return cn.decode(content, "msgpack", **options).to_arrow()


def _file(content: bytes, **options: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.msgpack"
        path.write_bytes(content)
        return cn.read(path, **options).to_arrow()


def _verify(content: bytes, **options: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.msgpack"
        path.write_bytes(content)
        if options:
            cn.read(path, verify=True, **options)
        else:
            cn.verify(path)


def _pipe(content: bytes, **options: Any) -> Any:
    here, there = os.pipe()

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), open(there, "wb", buffering=0) as pipe:
            pipe.write(content)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        return cn.read(here, format="msgpack", **options).to_arrow()
    finally:
        os.close(here)
        thread.join(60)


def _object(content: bytes, **options: Any) -> Any:
    return cn.read(io.BytesIO(content), format="msgpack", **options).to_arrow()


_HELD = 8 << 10


def received(content: bytes, pieces: int | None = None, **options: Any) -> Any:
    """The message that `content` is to a connection, sent `pieces` bytes at a time."""
    ours, theirs = socket.socketpair()

    def write() -> None:
        with contextlib.suppress(OSError), theirs:
            for start in range(0, len(content), pieces or max(1, len(content))):
                theirs.sendall(content[start : start + (pieces or len(content))])

    # What a socket holds whatever its reader does needs no thread that writes it.
    thread = None if pieces is None and len(content) <= _HELD else threading.Thread(target=write, daemon=True)
    with ours, cn.connect(ours, **options) as connection:
        ours.close()
        if thread is None:
            write()
        else:
            thread.start()
        try:
            return connection.receive().to_arrow()
        finally:
            connection.close()
            if thread is not None:
                thread.join(60)


WAYS: dict[str, Callable[..., Any]] = {
    "decode": decoded,
    "decode with one thread": lambda content, **options: decoded(content, threads=1, **options),
    "a file": _file,
    "a file that is not mapped": lambda content, **options: _file(content, mmap=False, **options),
    "a pipe": _pipe,
    "a file object": _object,
    "verify": _verify,
}

# Here the end of a value is the end of a message, and options of the format cannot be said.
RECEIVED: dict[str, Callable[..., Any]] = {
    "a message": received,
    "a message of single bytes": lambda content, **options: received(content, 1, **options),
    "a message of odd pieces": lambda content, **options: received(content, 7, **options),
}


def unpacked(content: bytes, pairs: bool = False) -> Any:
    """What the package msgpack makes of it: `pairs` keeps maps as tuples of pairs."""
    return msgpack.unpackb(
        content, strict_map_key=False, timestamp=0, object_pairs_hook=tuple if pairs else None, raw=False
    )


def same_cells(found: Any, wanted: Any) -> None:
    """A column of pyarrow has this type and these cells, to the bit."""
    found = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    assert found.type == wanted.type, (found.type, wanted.type)
    assert cells(found) == cells(wanted)


def mixed_cells(table: Any, name: str) -> list[bytes | None]:
    """The cells of a mixed column as they are written, by the tag of its field."""
    field = table.schema.field(name)
    assert field.type == pa.large_binary(), field.type
    tag = (field.metadata or {}).get(b"colonnade", b"")
    assert b"msgpack" in tag, field.metadata
    return list(table.column(name).to_pylist())
