"""A channel: one way for data to go from one process to another, through the ordinary API of what is measured.

Both processes hold one object of the same class. The serving end listens and accepts, the other one dials; then the
sending end sends what the receiving end receives, any number of times.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.registry import Registry
from colonnade_bench.transports.moving import MOVING, Plan, Stream


class Channel:
    """Subclasses fill in the calls.

    Attributes
    ----------
    engine, format : str
        As in a cell.
    transports : tuple of str
    sender_serves : bool
        The sending end is the one that listens.
    pulls : bool
        The receiving end asks and the time begins there; `send` does nothing.
    opaque : bool
        Bytes go over, not a frame: the receiver gives a buffer, and `held` is what the sender sends.
    """

    engine = ""
    format = ""
    transports: tuple[str, ...] = ("pipe", "unix", "tcp", "tls")
    sender_serves = False
    pulls = False
    opaque = False
    about: ClassVar[str] = ""

    def __init__(self, cell: Cell, plan: Plan) -> None:
        self.cell, self.plan, self.moving = cell, plan, MOVING[cell.transport]
        sizes = {name: size for name, size in cell.option.items() if name.endswith("_nbytes")}
        self.moving = dataclasses.replace(self.moving, **sizes)
        self.nbytes = 0
        self.held: Any = None

    def listen(self) -> Any:
        """Begin to listen; gives the address as JSON."""
        raise NotImplementedError

    def accept(self) -> None:
        """Take the peer in."""
        raise NotImplementedError

    def dial(self, address: Any) -> None:
        """Go to the peer."""
        raise NotImplementedError

    def load(self, data: Any, nbytes: int) -> None:
        """Sending end: what shall be sent, made ready as a program would have it. Not timed."""
        self.data, self.nbytes = data, nbytes

    def expect(self, nbytes: int) -> None:
        """Receiving end: how much will come, for those who have to be told. Not timed."""
        self.nbytes = nbytes

    def send(self) -> None:
        """Timed: the whole of it, once."""
        raise NotImplementedError

    def receive(self) -> Any:
        """Timed: an object of ``cell.library``, or a buffer."""
        raise NotImplementedError

    def forget(self) -> None:
        """Give cached memory back."""

    def close(self) -> None:
        """Let go of the peer."""


class StreamChannel(Channel):
    """Over a plain stream of the standard library."""

    stream: Stream

    def listen(self) -> Any:
        self.listener, address = self.moving.listen(self.plan)
        return address

    def accept(self) -> None:
        self.stream = self.moving.accept(self.listener, self.plan)
        self.ready()

    def dial(self, address: Any) -> None:
        self.stream = self.moving.dial(address, self.plan)
        self.ready()

    def ready(self) -> None:
        """The stream is there."""

    def close(self) -> None:
        self.stream.close()


CHANNELS: Registry[Callable[[Cell, Plan], Channel]] = Registry("channel")


def register_channel(cls: type[Channel]) -> type[Channel]:
    """Make a channel known under its engine and format."""
    CHANNELS.add(f"{cls.engine} {cls.format}", cls)
    return cls
