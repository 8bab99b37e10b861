"""Connections as sources and targets: an open connection, or a URL that is dialled on first use."""

import os
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..errors import OptionError, UnsupportedError
from .progress import Callback
from .raw_connection import Link, ReceivedFrame, dial
from .redact_url import redact_url

_FETCHED = ("http", "https")


@dataclass
class LinkSource:
    """The next message of a connection. A connection dialled from a URL is closed after the message."""

    link: Link | None
    url: str | None = field(default=None, repr=False)  # it may hold a password
    is_dialled: bool = field(default=False, init=False)
    timeout_s: float | None = field(default=None, init=False)
    """Maximum silence of the peer of a URL, or maximum time of one message; None: the limit of the connection."""

    is_stream = True
    name = None

    def connected(self, limits: _core.Limits | None, threads: int) -> Link:
        """The connection. A URL is dialled on the first call."""
        if self.link is None:
            assert self.url is not None
            self.link = dial(self.url, limits, threads, timeout_s=self.timeout_s)
            self.is_dialled = True
        elif limits is not None and not self.is_dialled:
            raise OptionError(
                "limits: pass the limits of a connection to cn.connect or cn.listen, not to each message."
            )
        return self.link

    def receive(
        self, limits: _core.Limits | None, threads: int, progress: Callback | None, private: bool, pandas: bool
    ) -> ReceivedFrame:
        """The next message whole, which must be a frame."""
        try:
            return self.connected(limits, threads)._receive_frame(self._limit_s, progress, private, pandas)
        finally:
            self.release()

    @property
    def _limit_s(self) -> float | None:
        """Time limit of the whole message. For a dialled URL the connection already limits the silence."""
        return None if self.is_dialled else self.timeout_s

    def has_pending(self) -> bool:
        """Whether an earlier call received the next message and left it."""
        return self.link is not None and self.link._pending is not None

    def keep(self, message: ReceivedFrame) -> None:
        """Leave a message for the next call."""
        if self.link is not None and not self.is_dialled:
            self.link._pending = message

    def read_batches(
        self, opener: Any, *, limits: _core.Limits | None, threads: int, **_: Any
    ) -> _core.ConnectionReader:
        """The next message batch by batch."""
        return self.connected(limits, threads)._batches(self._limit_s)

    def release(self) -> None:
        """Close the connection if it was dialled here."""
        if self.is_dialled and self.link is not None:
            self.link._core.close()

    def head(self) -> bytes:
        raise self._once()

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        raise self._once()

    def _once(self) -> UnsupportedError:
        what = redact_url(self.url) if self.url else (self.link and self.link._core.peer)
        return UnsupportedError(
            f"{what}: a message of a connection is read once, as a frame: with cn.read, cn.open_reader, cn.convert, or "
            "the connection's own receive(). Look at the frame that they give."
        )


@dataclass
class LinkTarget:
    """A connection for one message. A connection dialled from a URL is closed after the message."""

    link: Link | None
    url: str | None = field(default=None, repr=False)  # it may hold a password
    is_dialled: bool = field(default=False, init=False)

    name = None

    def connected(self, threads: int) -> Link:
        """The connection. A URL is dialled on the first call."""
        if self.link is None:
            assert self.url is not None
            self.link = dial(self.url, None, threads)
            self.is_dialled = True
        return self.link

    def release(self) -> None:
        """Close the connection if it was dialled here."""
        if self.is_dialled and self.link is not None:
            self.link._core.close()


def url_scheme(text: str) -> str | None:
    """The scheme of a URL; None for a path. An existing path that looks like a URL is a path."""
    scheme, found, _ = text.partition("://")
    if not found:
        scheme = "unix" if text.startswith("unix:") else ""
    if len(scheme) < 2 or not scheme.replace("+", "").isalnum() or os.path.lexists(text):
        return None
    return scheme.lower()


def check_dialled(text: str, scheme: str) -> None:
    """Raise if the transport of a URL carries no messages."""
    if scheme in _FETCHED:
        raise UnsupportedError(
            f"{redact_url(text)!r}: {scheme}:// is read from, as source of cn.read; it takes no messages."
        )
    if scheme in _STORES:
        raise UnsupportedError(
            f"{redact_url(text)!r}: {scheme}:// is not built into this version. Open its file system with fsspec, and "
            "pass it as filesystem=."
        )
    if scheme not in DIALLED:
        raise UnsupportedError(
            f"{redact_url(text)!r}: {scheme}:// is not built into this version; there are {', '.join(URLS)}, "
            "s3://, gs://, az://, file:// and, to read from, http:// and https://."
        )


_STORES = ("gcs", "hf", "r2", "ftp", "sftp", "hdfs", "webhdfs")
DIALLED = ("tcp", "tls", "unix")
URLS = ("tcp://host:port", "tls://host:port", "unix:/path")
