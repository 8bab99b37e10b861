"""CSV and NDJSON chunk by chunk, through the core's readers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _core
from ._options_csv import CsvOptions
from ._options_json import NdjsonOptions
from ._text_files import beside_sidecar, reading

ROWS = 65_536
Chunked = CsvOptions | NdjsonOptions


@dataclass(frozen=True)
class ChunkOpener:
    """What a source opens to be read chunk by chunk (see `colonnade._sources`)."""

    made: Chunked
    name: str | None = None

    def open_path(self, path: str, **told: Any) -> _core.TextReader:
        return _core.TextReader.open_path(beside_sidecar(path, self.made), **self._options(**told))

    def open_buffer(self, buffer: object, **told: Any) -> _core.TextReader:
        return _core.TextReader.open_buffer(buffer, **self._options(**told))

    def open_fd(self, fd: int, *, head: bytes | None = None, **told: Any) -> _core.TextReader:
        return _core.TextReader.open_fd(fd, head=head, **self._options(**told))

    def open_callable(self, read_into: Callable[[memoryview], int], **told: Any) -> _core.TextReader:
        return _core.TextReader.open_callable(read_into, **self._options(**told))

    def open_http(self, file: _core.HttpFile, **told: Any) -> _core.TextReader:
        return _core.TextReader.open_http(file, **self._options(**told))

    def _options(self, *, limits: _core.Limits, threads: int) -> dict[str, Any]:
        options = reading(self.made, self.name, limits, threads)
        return {"options": options, "max_rows": self.made.chunk_rows or ROWS}
