"""`cn.Listener`: accepts peers, with one connection each."""

import time
from collections.abc import Iterator

from .. import _core
from .._io.log import warn
from .connection import Connection


class Listener:
    """Accepts peers. A context manager, created by `listen`. Iteration returns one `Connection` after the other.

    A peer that fails to authenticate is refused, and the reason is logged on the logger ``colonnade``. Peers that are
    refused, or do not finish the handshake, delay no other peer. Handshakes progress only while `accept` or `wait`
    runs, but their time limit includes the time in between. Call one of the two more often than once in
    `handshake_timeout_s`.

    Attributes
    ----------
    url : str
        The address, with the actual port.
    closed : bool
        Whether `close` was called.

    Examples
    --------
    >>> import colonnade as cn
    >>> with cn.listen("tcp://:0") as listener, cn.connect(listener.url) as here, listener.accept() as there:
    ...     here.send_bytes(b"...")
    ...     print(there.receive_bytes())
    b'...'
    """

    def __init__(self, core: _core.Listener, threads: int, timeout_s: float | None) -> None:
        self._core = core
        self._threads = threads
        self._timeout_s = timeout_s
        # `wait` must accept a peer to know that one is ready.
        self._pending: Connection | None = None

    @property
    def url(self) -> str:
        """The address, with the actual port."""
        return self._core.url

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._core.closed

    def accept(self, timeout_s: float | None = None) -> Connection:
        """Accept the next peer that authenticates.

        Parameters
        ----------
        timeout_s : float, optional
            The maximum seconds to wait. Default: no limit.

        Raises
        ------
        TimeoutError
            No peer connected in this time.
        ValueError
            The listener is closed.
        OSError
            Errors of the operating system.
        """
        connection = self._accepted(timeout_s)
        if connection is None:
            raise TimeoutError(f"{self.url}: no peer connected within {timeout_s} s.")
        return connection

    def __iter__(self) -> Iterator[Connection]:
        """Accept peers until the listener is closed."""
        while not self.closed:
            try:
                connection = self._accepted(None)
            except (OSError, ValueError):
                # Another thread closed the listener to end the loop.
                if self._core.closed:
                    return
                raise
            if connection is not None:
                yield connection

    def close(self) -> None:
        """Stop accepting peers, and remove the file of a Unix socket. Accepted connections stay open."""
        pending, self._pending = self._pending, None
        if pending is not None:
            pending.close()
        self._core.close()

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Listener {self.url}{', closed' if self.closed else ''}>"

    # ------------------------------------------------------------------ within

    def _accepted(self, timeout_s: float | None) -> Connection | None:
        if self._pending is not None:
            pending, self._pending = self._pending, None
            return pending
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            core, turned_away = self._core.accept(timeout_s)
            for peer, reason in turned_away:
                warn("%s: turned away %s: %s", self.url, peer, reason)
            if core is not None:
                return Connection(core, self._threads, self._timeout_s)
            # The core also returns without a peer, so that refused peers are logged in time.
            if deadline is not None:
                timeout_s = deadline - time.monotonic()
                if timeout_s <= 0:
                    return None

    # The interface of `wait`.

    def _descriptor(self) -> int | None:
        return self._core.fileno()

    def _has_pending(self) -> bool:
        return True  # Polling is cheap, and advances pending handshakes.

    def _ready(self, timeout_s: float) -> bool:
        if self._pending is None:
            self._pending = self._accepted(timeout_s)
        return self._pending is not None
