"""Defines a channel: one way to move data from one process to another, through a library's ordinary API.

Both processes hold one object of the same class. The serving end listens and accepts, and the other one dials. Then the
sending end sends and the receiving end receives, any number of times.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.registry import Registry
from colonnade_bench.transports.moving import MOVING, Plan, Stream


class Channel:
    """The base of channels. Subclasses implement the calls.

    Attributes
    ----------
    engine, format : str
        As in a cell.
    transports : tuple of str
    sender_serves : bool
        Whether the sending end listens.
    pulls : bool
        Whether the receiving end makes the request. The time begins there, and `send` does nothing.
    opaque : bool
        Whether bytes are moved instead of a frame. The receiver returns a buffer, and `held` is the sender's data.
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
        """Begins to listen. Returns the address as JSON."""
        raise NotImplementedError

    def accept(self) -> None:
        """Accepts the peer."""
        raise NotImplementedError

    def dial(self, address: Any) -> None:
        """Connects to the peer."""
        raise NotImplementedError

    def load(self, data: Any, nbytes: int) -> None:
        """Prepares the data on the sending end, as a program would hold it. Not timed."""
        self.data, self.nbytes = data, nbytes

    def expect(self, nbytes: int) -> None:
        """Tells the receiving end the size of the data, if its library needs it. Not timed."""
        self.nbytes = nbytes

    def send(self) -> None:
        """Sends all data once. Timed."""
        raise NotImplementedError

    def receive(self) -> Any:
        """Returns an object of ``cell.library``, or a buffer. Timed."""
        raise NotImplementedError

    def forget(self) -> None:
        """Returns cached memory to the system."""

    def close(self) -> None:
        """Disconnects from the peer."""


class StreamChannel(Channel):
    """A channel over a plain stream of the standard library."""

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
        """Called when the stream is connected."""

    def close(self) -> None:
        self.stream.close()


CHANNELS: Registry[Callable[[Cell, Plan], Channel]] = Registry("channel")


def register_channel(cls: type[Channel]) -> type[Channel]:
    """Registers a channel by its engine and format."""
    CHANNELS.add(f"{cls.engine} {cls.format}", cls)
    return cls
