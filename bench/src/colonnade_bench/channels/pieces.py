"""A message that arrives in pieces: the sender is a plain stream, the receiver is Colonnade's connection."""

from __future__ import annotations

import os
from typing import Any

from colonnade_bench.channels.base import StreamChannel, register_channel


class Pieces(StreamChannel):
    """``piece`` gives the bytes of each call of the sender. The default is the fastest number."""

    connection: Any
    message: bytes

    def ready(self) -> None:
        import colonnade as cn

        if not self.plan.sends:
            self.connection = cn.connect((self.stream.fileno(), None) if self.cell.transport == "pipe" else self.stream)

    def send(self) -> None:
        view, send = memoryview(self.message), self.stream.sendall
        piece = int(self.cell.option.get("piece", self.moving.call_nbytes))
        for at in range(0, len(view), piece):
            send(view[at : at + piece])

    def forget(self) -> None:
        import colonnade as cn

        cn.release_memory()

    def close(self) -> None:
        if not self.plan.sends:
            self.connection.close()
        super().close()


@register_channel
class FramePieces(Pieces):
    """A frame in the wire form of `send`."""

    engine, format = "colonnade", "frame-message"

    def load(self, data: Any, nbytes: int) -> None:
        super().load(data, nbytes)
        self.message = frame_message(data)

    def receive(self) -> Any:
        import colonnade as cn

        return cn.read_pandas(self.connection)


@register_channel
class BytesPieces(Pieces):
    """Opaque bytes in their envelope."""

    engine, format, opaque = "colonnade", "bytes-message", True

    def load(self, data: Any, nbytes: int) -> None:
        super().load(data, nbytes)
        self.message = bytes_message(nbytes)
        self.held = memoryview(self.message)[-nbytes:]

    def receive(self) -> Any:
        return self.connection.receive_bytes()


def frame_message(data: Any) -> bytes:
    """Returns the wire form of a frame, as a connection writes it."""
    import colonnade as cn

    sink = cn.BufferSink()
    with cn.connect((None, sink)) as connection:
        connection.send(data)
    return bytes(sink)


def bytes_message(nbytes: int) -> bytes:
    """Returns the wire form of opaque bytes."""
    import colonnade as cn

    sink = cn.BufferSink()
    with cn.connect((None, sink)) as connection:
        connection.send_bytes(os.urandom(nbytes))
    return bytes(sink)
