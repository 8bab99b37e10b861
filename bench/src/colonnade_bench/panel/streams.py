"""Wraps one end of a connection between two processes in the form that engines expect."""

from __future__ import annotations

import io
import socket
from collections.abc import Callable
from typing import Any

from colonnade_bench.panel import framing
from colonnade_bench.transports.moving import MIB, PipeEnd, Stream

BUFFERED_NBYTES = 64 << 10
"""Smaller writes are joined. Larger ones go out unchanged."""


class Way:
    """A stream of tables, each with its head.

    Engines receive a file object, or with `ends` the socket or descriptor.
    """

    def __init__(self, stream: Stream, *, sends: bool, ends: bool) -> None:
        self.stream = stream
        self.file: Any = (
            None if ends else stream.makefile("wb" if sends else "rb", MIB if not sends else BUFFERED_NBYTES)
        )

    def streams(self, engine: Any, cell: Any) -> bool:
        """Whether `engine` writes to it and reads from it directly, without a complete buffer."""
        return cell.format in engine.streams and cell.option.get("via") is None

    @property
    def given(self) -> Any:
        """The object that a stream engine writes to or reads from."""
        if self.file is not None:
            return self.file
        return self.stream.fileno() if isinstance(self.stream, PipeEnd) else self.stream

    def send(self, data: Any) -> None:
        if self.file is None:
            self.stream.sendall(data)
        else:
            self.file.write(data)

    def flush(self) -> None:
        if self.file is not None:
            self.file.flush()

    def read(self, size: int, /) -> bytes:
        """Reads `size` bytes, fewer only at the end."""
        if self.file is not None:
            found: bytes = self.file.read(size)
            return found
        out = bytearray(size)
        view, at = memoryview(out), 0
        while at < size and (count := self.stream.recv_into(view[at:])):
            at += count
        return bytes(out[:at])

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
        self.stream.close()


class Held(io.BytesIO):
    """A buffer in memory in the place of a connection.

    With `again`, the buffer is read afterwards. Engines that use the socket itself (`Engine.ends`) read a file object
    to its end, and would take several tables as one. They use a complete buffer instead.
    """

    def __init__(self, *, again: bool = True) -> None:
        super().__init__()
        self.again = again

    @property
    def given(self) -> Held:
        """The object that a stream engine writes to or reads from."""
        return self

    def send(self, data: Any) -> None:
        self.write(data)

    def streams(self, engine: Any, cell: Any) -> bool:
        apart = engine.ends and self.again
        return cell.format in engine.streams and cell.option.get("via") is None and not apart


class Framed:
    """Wraps the stream in Colonnade's message framing: `send_bytes` and `receive_bytes`."""

    def __init__(self, stream: Stream, *, sends: bool) -> None:
        import colonnade as cn

        end = stream if isinstance(stream, socket.socket) else (None, stream.fd) if sends else (stream.fd, None)
        self.stream, self.connection = stream, cn.connect(end)

    def send(self, data: Any) -> None:
        self.connection.send_bytes(data)

    def flush(self) -> None:
        """Does nothing, because every message goes out at once."""

    def streams(self, engine: Any, cell: Any) -> bool:
        """Always false, because messages have a known length."""
        return False

    def message(self) -> Any:
        return self.connection.receive_bytes()

    def close(self) -> None:
        self.connection.close()
        self.stream.close()


Between = Way | Held | Framed


def send_tables(
    way: Between, engine: Any, cell: Any, tables: dict[str, Any], clock: Callable[[], float]
) -> dict[str, Any]:
    """Sends every table, one after another. Returns encode_s and nbytes if encoding and sending are separate."""
    encode_s, nbytes, streaming = 0.0, 0, way.streams(engine, cell)
    for name, frame in tables.items():
        if streaming and not isinstance(way, Framed):
            way.send(framing.head(name, None))
            way.flush()
            engine.write_stream(frame, way.given, cell)
            way.flush()
            continue
        start = clock()
        payload = engine.encode(frame, cell)
        encode_s += clock() - start
        head = framing.head(name, memoryview(payload).nbytes)
        way.send(head)
        way.send(payload)
        nbytes += len(head) + memoryview(payload).nbytes
    way.flush()
    return {} if streaming else {"encode_s": encode_s, "nbytes": nbytes}


def receive_tables(
    way: Between, engine: Any, cell: Any, count: int, clock: Callable[[], float]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Receives `count` tables. Returns them, and decode_s if receiving and decoding are separate."""
    out: dict[str, Any] = {}
    decode_s, apart = 0.0, True
    for _ in range(count):
        if isinstance(way, Framed):
            name, nbytes = framing.read_head(io.BytesIO(way.message()))
            payload = way.message()
        else:
            name, nbytes = framing.read_head(way)
            payload = None if nbytes is None else framing.exactly(way, nbytes)
        start = clock()
        if payload is None and not isinstance(way, Framed):
            out[name], apart = engine.read_stream(way.given, cell), False
        else:
            out[name] = engine.decode(payload, cell)
        decode_s += clock() - start
    return out, {"decode_s": decode_s} if apart else {}
