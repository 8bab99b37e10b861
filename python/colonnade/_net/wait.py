"""`cn.wait`: waits for several connections and listeners without a thread for each."""

import select
import time
from collections.abc import Iterable

from .connection import Connection
from .listener import Listener

Waitable = Connection | Listener

# Handshakes have deadlines, which no descriptor signals, so listeners are polled at this interval.
_LISTENER_STEP_MS = 250.0


def wait(connections: Iterable[Waitable], timeout_s: float | None = None) -> list[Waitable]:
    """Wait until at least one of several connections or listeners is ready.

    Parameters
    ----------
    connections : iterable of Connection and Listener
        A connection is ready if `receive` would not wait: a message, the end of input or an error is available. A
        connection over a Python file object has no descriptor to poll, and counts as ready. A listener is ready if
        `accept` would not wait.
    timeout_s : float, optional
        The maximum seconds to wait. Default: no limit. 0 returns at once.

    Returns
    -------
    list
        The ready ones, in the given order. Empty after a timeout, or if `connections` is empty.

    Raises
    ------
    TypeError
        An item is neither a connection nor a listener.
    ValueError
        An item is closed, or the time is negative.

    Notes
    -----
    Ctrl-C ends the wait at once. Connections keep the received bytes of incomplete messages.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, socket
    >>> here, there = map(cn.connect, socket.socketpair())
    >>> cn.wait([here, there], timeout_s=0)
    []
    >>> there.send({"a": np.arange(3)})
    >>> cn.wait([here, there]) == [here]
    True
    """
    waitables = _checked(connections)
    deadline = None if timeout_s is None else time.monotonic() + _checked_time(timeout_s)
    poller, by_descriptor, ready = select.poll(), dict[int, list[Waitable]](), set[int]()
    for item in waitables:
        descriptor = item._descriptor()
        if descriptor is not None:
            by_descriptor.setdefault(descriptor, []).append(item)
            poller.register(descriptor, select.POLLIN | select.POLLPRI)
        # Polling a descriptor does not report bytes that were already read from it.
        if descriptor is None or (item._has_pending() and item._ready(0.0)):
            ready.add(id(item))
    # The first poll covers all of them, so that one busy connection does not hide the others.
    left_ms: float | None = 0 if ready or not waitables else None
    listeners = [item for item in waitables if isinstance(item, Listener)]
    while True:
        if left_ms is None and deadline is not None:
            left_ms = max(0.0, (deadline - time.monotonic()) * 1000)
        if listeners:
            left_ms = _LISTENER_STEP_MS if left_ms is None else min(left_ms, _LISTENER_STEP_MS)
        for descriptor, _ in poller.poll(left_ms):
            ready.update(id(item) for item in by_descriptor[descriptor] if id(item) not in ready and item._ready(0.0))
        ready.update(id(item) for item in listeners if id(item) not in ready and item._ready(0.0))
        if ready or not waitables or (deadline is not None and time.monotonic() >= deadline):
            return [item for item in waitables if id(item) in ready]
        left_ms = None


def _checked(connections: Iterable[Waitable]) -> list[Waitable]:
    try:
        given = iter(connections)
    except TypeError:
        found = type(connections).__name__
        raise TypeError(f"connections: expected connections and listeners, found {found}.") from None
    waitables = list(given)
    for item in waitables:
        if not isinstance(item, Connection | Listener):
            raise TypeError(f"connections: expected connections and listeners, found {type(item).__name__}.")
        if item.closed:
            raise ValueError(f"connections: expected open ones, found a closed one ({item!r}).")
    return waitables


def _checked_time(timeout_s: float) -> float:
    if not isinstance(timeout_s, int | float) or not timeout_s >= 0:
        raise ValueError(f"timeout_s: expected a number of seconds from 0 on or None, found {timeout_s!r}.")
    return timeout_s
