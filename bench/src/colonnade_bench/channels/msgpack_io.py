"""MessagePack between two processes: Colonnade's messages, those of other libraries, and their three parts.

Messages of other libraries have a length in front. The parts are encoding without sending, decoding without receiving,
and the message's number of raw bytes.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from colonnade_bench.channels.base import Channel, StreamChannel, register_channel
from colonnade_bench.channels.ours import OurChannel
from colonnade_bench.channels.raw import RawBytes, region
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES

FORMAT, LOCAL = "msgpack", ("fifo", "unix", "tcp")
LENGTH = struct.Struct("<Q")
TINY_NBYTES = 1000
"""A frame of at most this size is the four rows that warm code paths."""


def whole(channel: Channel) -> Any:
    """Returns the dataset of the channel, for an end that receives nothing."""
    cell = channel.cell
    return DATASETS[cell.dataset].load(cell.library, cell.size, Path(channel.plan.folder))


@register_channel
class OurMessages(OurChannel):
    """`send(DataFrame, "msgpack")` and `cn.read_pandas(connection)`."""

    engine, format, transports = "colonnade", FORMAT, LOCAL
    about = 'connection.send(frame, "msgpack") to cn.read_pandas(connection)'

    def send(self) -> None:
        self.connection.send(self.data, FORMAT)

    def receive(self) -> Any:
        import colonnade as cn

        return cn.read_pandas(self.connection)


class Alone(Channel):
    """A channel without transfer: the receiving end works on its own data."""

    engine, transports, pulls = "colonnade", LOCAL, True

    def listen(self) -> Any:
        return None

    def accept(self) -> None:
        """Does nothing, because no peer connects."""

    def dial(self, address: Any) -> None:
        """Does nothing, because there is no peer."""

    def send(self) -> None:
        """Does nothing, because the receiving end does all the work."""

    def expect(self, nbytes: int) -> None:
        tiny = nbytes <= TINY_NBYTES
        if self.held is None or (self.nbytes <= TINY_NBYTES) is not tiny:
            self.held = self.made_of(LIBRARIES[self.cell.library].tiny() if tiny else whole(self))
        super().expect(nbytes)

    def made_of(self, frame: Any) -> Any:
        """Returns the input, made before the clock starts."""
        raise NotImplementedError

    def forget(self) -> None:
        import colonnade as cn

        cn.release_memory()

    def close(self) -> None:
        self.held = None


@register_channel
class Encoding(Alone):
    """`cn.encode(frame, "msgpack")`."""

    format, opaque = "msgpack-encode", True
    about = 'cn.encode(frame, "msgpack"), nothing sent'

    def made_of(self, frame: Any) -> Any:
        return frame

    def receive(self) -> Any:
        import colonnade as cn

        return cn.encode(self.held, FORMAT)


@register_channel
class Decoding(Alone):
    """`cn.read_pandas(message)`."""

    format = "msgpack-decode"
    about = "cn.read_pandas(message), nothing received"

    def made_of(self, frame: Any) -> Any:
        import colonnade as cn

        return cn.encode(frame, FORMAT)

    def receive(self) -> Any:
        import colonnade as cn

        return cn.read_pandas(self.held, format=FORMAT)


@register_channel
class RawMessage(RawBytes):
    """Sends as many bytes as Colonnade's message has."""

    format, transports = FORMAT, LOCAL
    about = "the message's bytes, no format"

    def load(self, data: Any, nbytes: int) -> None:
        import colonnade as cn

        super().load(None, memoryview(cn.encode(whole(self) if data is None else data, FORMAT)).nbytes)


class PeerMessages(StreamChannel):
    """A library's message with its length in front, from and to pandas."""

    format, transports = FORMAT, LOCAL

    def send(self) -> None:
        message = ENGINES[self.engine].encode(self.data, self.cell)
        self.stream.sendall(LENGTH.pack(len(message)))
        self.stream.sendall(message)

    def receive(self) -> Any:
        (nbytes,) = LENGTH.unpack(self.take(LENGTH.size))
        return ENGINES[self.engine].decode(self.take(nbytes), self.cell)

    def take(self, nbytes: int) -> Any:
        """Reads a number of bytes into memory that was never written to."""
        held = region(nbytes)
        view, at = memoryview(held), 0
        while at < nbytes:
            count = self.stream.recv_into(view[at:nbytes])
            if count == 0:
                raise EOFError(f"{self.engine}: {at:,} of {nbytes:,} bytes")
            at += count
        return view[:nbytes]


@register_channel
class MsgPackMessages(PeerMessages):
    engine, about = "msgpack", "msgpack.packb behind its length"


@register_channel
class OrMsgPackMessages(PeerMessages):
    engine, about = "ormsgpack", "ormsgpack.packb behind its length"


@register_channel
class MsgSpecMessages(PeerMessages):
    engine, about = "msgspec", "msgspec.msgpack.encode behind its length"
