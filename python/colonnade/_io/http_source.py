"""Sources behind http:// and https://. If the server supports ranges, only the required bytes are fetched."""

from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .detection import MAGIC_NBYTES
from .json_detection import json_or_lines
from .redact_url import redact_url

SCHEMES = ("http", "https")
_FIRST_NBYTES = 1 << 16  # what the first answer has


@dataclass
class HttpSource:
    """A URL. The first access sends the first request."""

    url: str = field(repr=False)  # it may hold a password
    timeout_s: float | None = None
    _file: _core.HttpFile | None = field(default=None, init=False)

    is_stream = False

    @property
    def name(self) -> str:
        """The URL for messages and for the suffix, without password and query."""
        return redact_url(self.url)

    def head(self) -> bytes:
        """The first bytes. This takes one request, which fetches all of a small file."""
        return self._opened().head(MAGIC_NBYTES)

    def json_or_lines(self) -> str:
        """``"json"`` or ``"ndjson"``; empty if the bytes are neither."""
        file = self._opened()
        head = file.head(_FIRST_NBYTES)
        found = json_or_lines(head, len(head) == file.nbytes)
        return "json" if found is None else found

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        """Open the source with `opener`, a class of the core."""
        return opener.open_http(self._opened(), **options)

    def read_batches(self, opener: Any, **options: Any) -> Any:
        """The reader of `opener` that holds one batch at a time."""
        return opener.open_http(self._opened(), **options)

    def release(self) -> None:
        """Close the connection. Open files and readers have their own."""
        self._file = None

    def _opened(self) -> _core.HttpFile:
        if self._file is None:
            self._file = _core.HttpFile.open(self.url, timeout_s=self.timeout_s)
        return self._file
