"""Messages with known bytes on the wire, and checks that received messages equal the sent ones."""

import io
import random
import struct
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import colonnade as cn


@dataclass(frozen=True, eq=False)
class Message:
    """The content of a message, and its bytes on the wire."""

    name: str
    content: Any
    wire: bytes
    options: dict[str, Any] = field(default_factory=dict)  # options of `send`

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self.wire)} bytes>"

    @property
    def is_frame(self) -> bool:
        return not isinstance(self.content, bytes)

    def send(self, connection: "cn.Connection", timeout_s: float | None = None) -> None:
        if self.is_frame:
            connection.send(self.content, timeout_s=timeout_s, **self.options)
        else:
            connection.send_bytes(self.content, timeout_s=timeout_s)

    def take(self, connection: "cn.Connection", timeout_s: float | None = None) -> None:
        """Receives a message and asserts that it is this one."""
        if self.is_frame:
            self.check(connection.receive(timeout_s=timeout_s))
        else:
            self.check(connection.receive_bytes(timeout_s=timeout_s))

    def check(self, found: Any) -> None:
        """Asserts that the received content is this message's."""
        if self.is_frame:
            assert isinstance(found, cn.Frame), f"expected a frame ({self.name}), found {found!r}"
            assert found.identical(self.content), f"{self.name}: another frame came: {found!r}"
        else:
            assert isinstance(found, bytes), f"expected bytes ({self.name}), found {found!r}"
            assert found == self.content, f"{self.name}: other bytes came: {found[:40]!r}"


def envelope(data: bytes, kind: bytes = b"B") -> bytes:
    """Opaque bytes as a connection sends them."""
    return b"\xc1CN" + kind + bytes(4) + struct.pack("<Q", len(data)) + data


def bytes_message(name: str, data: bytes) -> Message:
    return Message(name, data, envelope(data))


def frame_message(name: str, data: Any, **options: Any) -> Message:
    """The frame and the bytes that a connection sends for it, which are an Arrow stream."""
    sink = cn.BufferSink()
    with cn.connect((None, sink)) as connection:
        connection.send(data, **options)
    return Message(name, cn.Frame(data), bytes(sink), options)


def unannounced(data: Any) -> bytes:
    """A stream as most programs write it, without the number of rows."""
    file = io.BytesIO()
    with cn.open_writer(file, format="arrows") as writer:
        writer.write(data)
    return file.getvalue()


def columns(nrows: int) -> dict[str, Any]:
    """Columns of fixed width and of text. The text gives a batch's buffers odd lengths."""
    return {
        "x": np.arange(nrows, dtype="i8") * 3 - 7,
        "name": np.array([f"row {i % 17}" for i in range(nrows)], dtype="U6"),
        "ok": np.arange(nrows) % 3 == 0,
    }


@cache
def samples() -> tuple[Message, ...]:
    """Small messages: one for each kind that a connection handles differently."""
    return (
        bytes_message("no bytes", b""),
        bytes_message("one byte", b"\xff"),
        frame_message("frame", columns(11)),
        bytes_message("bytes that look like a frame", b"\xff\xff\xff\xff\x10\x00\x00\x00" * 5),
        frame_message("frame without rows", {"x": np.zeros(0), "name": np.zeros(0, "U1")}),
        frame_message("frame without columns", {}),
        frame_message("frame in batches", columns(40), batch_nbytes=256),
        Message("frame of another writer", cn.Frame(columns(5)), unannounced(columns(5))),
        bytes_message("bytes", bytes(range(256)) + b"\xc1CNB" * 4),
    )


def sent_as_is() -> tuple[Message, ...]:
    """Those of `samples` whose bytes equal what Colonnade sends."""
    return tuple(one for one in samples() if one.name != "frame of another writer")


@cache
def big_frame(mebibytes: int = 8) -> Message:
    """A frame larger than the buffer of any pipe or socket, in several record batches."""
    values = random.Random(mebibytes).randbytes(mebibytes << 20)
    data = {"x": np.frombuffer(values, "i8"), "y": np.frombuffer(values, "f4")[::2].copy()}
    return frame_message(f"frame of {mebibytes} MiB", data, batch_nbytes=1 << 20)


@cache
def big_bytes(mebibytes: int = 4) -> Message:
    """Opaque bytes, larger than the buffer of any pipe or socket."""
    return bytes_message(f"{mebibytes} MiB of bytes", random.Random(mebibytes).randbytes(mebibytes << 20))
