"""Connects the two ends of a shaped cell with namespaces or a relay process."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from colonnade_bench.panel.shaping import Namespaces, Shape, permitted
from colonnade_bench.process import Process


class ShapedLink:
    """One shaped link, used for one point at a time.

    Attributes
    ----------
    how : str
        ``"namespaces"`` or ``"relay"``.
    host : str
        The host on which the reader listens.
    """

    def __init__(self, shape: Shape, number: int, *, relay: bool | None = None) -> None:
        self.shape = shape
        self.namespaces = None if relay or (relay is None and not permitted(shape)) else Namespaces(shape, number)
        self.how = "relay" if self.namespaces is None else self.namespaces.how
        self.host = "127.0.0.1" if self.namespaces is None else self.namespaces.host
        self._relay: Process | None = None

    def prefix(self, *, sends: bool) -> list[str]:
        """Returns the command that starts a process inside the link."""
        return [] if self.namespaces is None else self.namespaces.prefix(sends=sends)

    def __enter__(self) -> ShapedLink:
        if self.namespaces is None:
            task = {"bps": self.shape.bps, "delay_s": self.shape.delay_s}
            self._relay = Process("relay", "colonnade_bench.panel._shaped_link", task)
            self._relay.answer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._relay is not None:
            self._relay.kill()
            self._relay = None

    def through(self, address: Any) -> Any:
        """Returns the address to dial for a reader that listens at `address`."""
        if self._relay is None:
            return address
        self._relay.tell({"word": "to", "to": address})
        return self._relay.answer()["address"]

    def close(self) -> None:
        """Removes the namespaces."""
        if self.namespaces is not None:
            self.namespaces.close()
