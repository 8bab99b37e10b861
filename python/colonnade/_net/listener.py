"""`cn.Listener`: takes peers in, one connection each."""

import time
from collections.abc import Iterator

from .. import _core
from .._io.log import warn
from .connection import Connection


class Listener:
    """Takes peers in. Made by `listen`. A context manager; iterating gives one `Connection` after the other.

    A peer that does not satisfy what is asked of it gets nothing; it is logged on the logger ``colonnade``, with the
    reason. Peers that are shown the door, or never finish, keep nobody else waiting. Peers come in while `accept` or
    `wait` runs, and the time in between counts for them as well: call one of the two more often than once in
    `handshake_timeout_s`.

    Attributes
    ----------
    url : str
        The address, with the port that it got.
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
        # `wait` must take a peer in to know that there is one.
        self._kept: Connection | None = None

    @property
    def url(self) -> str:
        """The address, with the port that it got."""
        return self._core.url

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._core.closed

    def accept(self, timeout_s: float | None = None) -> Connection:
        """The next peer that satisfies what is asked of it.

        Parameters
        ----------
        timeout_s : float, optional
            Default: as long as it takes.

        Raises
        ------
        TimeoutError
            Nobody came.
        ValueError
            The listener is closed.
        OSError
            As the system gives it.
        """
        connection = self._accepted(timeout_s)
        if connection is None:
            raise TimeoutError(f"{self.url}: nobody connected within {timeout_s} s.")
        return connection

    def __iter__(self) -> Iterator[Connection]:
        """The peers that come, until the listener is closed."""
        while not self.closed:
            try:
                connection = self._accepted(None)
            except (OSError, ValueError):
                # Another thread closed it; it is the way to end such a loop.
                if self._core.closed:
                    return
                raise
            if connection is not None:
                yield connection

    def close(self) -> None:
        """Take no more peers in; a Unix socket's file is removed. Connections that were accepted stay open."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()
        self._core.close()

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Listener {self.url}{', closed' if self.closed else ''}>"

    # ------------------------------------------------------------------ within

    def _accepted(self, timeout_s: float | None) -> Connection | None:
        if self._kept is not None:
            kept, self._kept = self._kept, None
            return kept
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            core, turned_away = self._core.accept(timeout_s)
            for peer, reason in turned_away:
                warn("%s: turned away %s: %s", self.url, peer, reason)
            if core is not None:
                return Connection(core, self._threads, self._timeout_s)
            # It also comes back, with nobody, to tell in time who was turned away.
            if deadline is not None:
                timeout_s = deadline - time.monotonic()
                if timeout_s <= 0:
                    return None

    # What `wait` asks of everything it waits for.

    def _descriptor(self) -> int | None:
        return self._core.fileno()

    def _has_pending(self) -> bool:
        return True  # a look costs little, and moves on those who are still showing that they may come in

    def _ready(self, timeout_s: float) -> bool:
        if self._kept is None:
            self._kept = self._accepted(timeout_s)
        return self._kept is not None
