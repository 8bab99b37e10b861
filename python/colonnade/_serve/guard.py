"""Limits on what clients of the server can hold: the time of a request, of silence, and the number of connections."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol


@dataclass(frozen=True)
class Bounds:
    """What one client, or all of them, may take.

    Attributes
    ----------
    request_s : float
        Seconds until the head of a request is here, from the connection or from the end of the answer before it. The
        handshake of TLS is a part of them.
    silent_s : float
        Seconds in which a client takes no byte of an answer.
    connections : int
        The most open connections.
    """

    request_s: float = 10.0
    silent_s: float = 60.0
    connections: int = 512


class Guarded(Protocol):
    """A connection of the server."""

    def is_answered(self) -> bool:
        """Whether a request is here, and its answer is not complete."""

    def waiting_nbytes(self) -> int:
        """The bytes of an answer that the client has not taken."""

    def abort(self) -> None:
        """Close the connection at once."""


@dataclass
class _State:
    """When a connection went on, and what it was then."""

    moved_at: float
    is_answered: bool = False
    waiting_nbytes: int = 0


class Guard:
    """Closes connections that are beyond the bounds. It belongs to one event loop.

    Clients that send their requests a byte at a time, or nothing, or take no answers, hold descriptors. Without limits
    a thousand of them keep all others out.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._tick_s = min(1.0, bounds.request_s / 4, bounds.silent_s / 4)
        self._states: dict[Guarded, _State] = {}
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._states)

    def add(self, connection: Guarded) -> bool:
        """Take a connection in. False if there are too many, and all others go on: then it is closed."""
        self._look()
        if len(self._states) >= self._bounds.connections and not self._make_room():
            connection.abort()
            return False
        self._states[connection] = _State(monotonic())
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._tick_s, self._tick)
        return True

    def remove(self, connection: Guarded) -> None:
        """A connection has ended."""
        self._states.pop(connection, None)

    def _tick(self) -> None:
        self._timer = None
        self._look()
        for connection, state in list(self._states.items()):
            allowed_s = self._bounds.silent_s if state.is_answered else self._bounds.request_s
            if monotonic() - state.moved_at > allowed_s:
                self._close(connection)
        if self._states:
            self._timer = asyncio.get_running_loop().call_later(self._tick_s, self._tick)

    def _look(self) -> None:
        """Note which connections have gone on. One whose answer is made is at work, not silent."""
        now = monotonic()
        for connection, state in self._states.items():
            is_answered, nbytes = connection.is_answered(), connection.waiting_nbytes()
            has_moved = nbytes == 0 or nbytes != state.waiting_nbytes if is_answered else state.is_answered
            if has_moved:
                state.moved_at = now
            state.is_answered, state.waiting_nbytes = is_answered, nbytes

    def _make_room(self) -> bool:
        """Close the connection that has waited longest: for its request, or for its client to read the answer."""
        late = monotonic() - 2 * self._tick_s
        held = [
            (state.moved_at, connection)
            for connection, state in self._states.items()
            if not state.is_answered or state.moved_at < late
        ]
        if not held:
            return False
        self._close(min(held, key=_first)[1])
        return True

    def _close(self, connection: Guarded) -> None:
        self.remove(connection)
        connection.abort()


def _first(pair: tuple[float, Any]) -> float:
    return pair[0]
