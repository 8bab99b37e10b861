"""Connections as source and target: one that is open, or a URL that is dialled when it is needed."""

import os
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..errors import OptionError, UnsupportedError
from .progress import Callback
from .raw_connection import Landed, Link, dial
from .redact_url import shown

_FETCHED = ("http", "https")


@dataclass
class LinkSource:
    """The next message of a connection. A connection that a URL made is closed after it."""

    link: Link | None
    url: str | None = field(default=None, repr=False)  # it may hold a password
    ours: bool = field(default=False, init=False)
    timeout_s: float | None = field(default=None, init=False)
    """How long the peer of a URL may be silent, or a whole message of a connection take; None leaves it to that."""

    is_stream = True
    name = None

    def opened(self, limits: _core.Limits | None, threads: int) -> Link:
        """The connection. Nothing is dialled before this."""
        if self.link is None:
            assert self.url is not None
            self.link = dial(self.url, limits, threads, timeout_s=self.timeout_s)
            self.ours = True
        elif limits is not None and not self.ours:
            raise OptionError("limits: of a connection they are told to cn.connect or cn.listen, not to each message.")
        return self.link

    def receive(
        self, limits: _core.Limits | None, threads: int, progress: Callback | None, private: bool, pandas: bool
    ) -> Landed:
        """The next message whole, which must be a frame."""
        try:
            return self.opened(limits, threads)._landed(self._limit_s, progress, private, pandas)
        finally:
            self.release()

    @property
    def _limit_s(self) -> float | None:
        """Of the whole message. A connection of our own was told of silence when it was dialled."""
        return None if self.ours else self.timeout_s

    def is_kept(self) -> bool:
        """Whether the next message came whole already, and was left by another call."""
        return self.link is not None and self.link._kept is not None

    def keep(self, landed: Landed) -> None:
        """Leave a message for the next call."""
        if self.link is not None and not self.ours:
            self.link._kept = landed

    def read_batches(
        self, opener: Any, *, limits: _core.Limits | None, threads: int, **_: Any
    ) -> _core.ConnectionReader:
        """The next message batch by batch."""
        return self.opened(limits, threads)._batches(self._limit_s)

    def release(self) -> None:
        """Close the connection, if it is ours."""
        if self.ours and self.link is not None:
            self.link._core.close()

    def head(self) -> bytes:
        raise self._once()

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        raise self._once()

    def _once(self) -> UnsupportedError:
        what = shown(self.url) if self.url else (self.link and self.link._core.peer)
        return UnsupportedError(
            f"{what}: a message of a connection is read once, as a frame: with cn.read, cn.open_reader, cn.convert, or "
            "the connection's own receive(). Look at the frame that they give."
        )


@dataclass
class LinkTarget:
    """A connection to send one message over. One that a URL made is closed after it."""

    link: Link | None
    url: str | None = field(default=None, repr=False)  # it may hold a password
    ours: bool = field(default=False, init=False)

    name = None

    def opened(self, threads: int) -> Link:
        """The connection. Nothing is dialled before this."""
        if self.link is None:
            assert self.url is not None
            self.link = dial(self.url, None, threads)
            self.ours = True
        return self.link

    def release(self) -> None:
        """Close the connection, if it is ours."""
        if self.ours and self.link is not None:
            self.link._core.close()


def url_scheme(text: str) -> str | None:
    """The scheme of a URL; None of a path, even of one that looks like a URL and is there."""
    scheme, found, _ = text.partition("://")
    if not found:
        scheme = "unix" if text.startswith("unix:") else ""
    if len(scheme) < 2 or not scheme.replace("+", "").isalnum() or os.path.lexists(text):
        return None
    return scheme.lower()


def check_dialled(text: str, scheme: str) -> None:
    """Raise where a URL is of a transport that carries no messages."""
    if scheme in _FETCHED:
        raise UnsupportedError(
            f"{shown(text)!r}: {scheme}:// is read from, as source of cn.read; it takes no messages."
        )
    if scheme not in DIALLED:
        raise UnsupportedError(
            f"{shown(text)!r}: {scheme}:// is not built into this version; there are {', '.join(URLS)} and, to read "
            "from, http:// and https://."
        )


DIALLED = ("tcp", "tls", "unix")
URLS = ("tcp://host:port", "tls://host:port", "unix:/path")
