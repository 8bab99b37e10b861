"""Files behind http:// and https:// as sources: of a server that gives ranges, what is asked for alone is fetched."""

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
    """A URL. Nothing is asked of its server before the first look."""

    url: str = field(repr=False)  # it may hold a password
    timeout_s: float | None = None
    _file: _core.HttpFile | None = field(default=None, init=False)

    is_stream = False

    @property
    def name(self) -> str:
        """What messages and the suffix go by: no password, no query."""
        return redact_url(self.url)

    def head(self) -> bytes:
        """The first bytes: one request, which brings all of a small file."""
        return self._opened().head(MAGIC_NBYTES)

    def json_or_lines(self) -> str:
        """What begins as JSON does: ``"json"``, ``"ndjson"``, or empty where it is neither."""
        file = self._opened()
        head = file.head(_FIRST_NBYTES)
        found = json_or_lines(head, len(head) == file.nbytes)
        return "json" if found is None else found

    def open(self, opener: Any, mmap: bool | None, **options: Any) -> Any:
        """What `opener` (a class of the core) makes of it."""
        return opener.open_http(self._opened(), **options)

    def read_batches(self, opener: Any, **options: Any) -> Any:
        """The reader of `opener` that holds one batch at a time."""
        return opener.open_http(self._opened(), **options)

    def release(self) -> None:
        """Close the connection; what reads from it keeps its own."""
        self._file = None

    def _opened(self) -> _core.HttpFile:
        if self._file is None:
            self._file = _core.HttpFile.open(self.url, timeout_s=self.timeout_s)
        return self._file
