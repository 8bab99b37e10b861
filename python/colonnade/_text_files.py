"""The text formats through the core: opened from any source."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from typing import Any

from . import _core
from ._options_csv import CsvOptions
from ._options_json import JsonOptions, NdjsonOptions, YamlOptions
from ._options_text import Text, is_tabbed
from ._progress import Callback

SIDECAR = ".schema.json"
_logger = logging.getLogger("colonnade")


@dataclass(frozen=True)
class TextOpener:
    """What a source opens (see `colonnade._sources`): the options, and the name that says what they leave open.

    Text is decoded when it is opened, so `progress` is told here.
    """

    made: Text
    name: str | None = None
    progress: Callback | None = None

    def open_path(self, path: str, *, mmap: bool, **told: Any) -> _core.TextFile:
        path = beside_sidecar(path, self.made)
        return self._told(_core.TextFile.open_path(path, mmap=mmap, **self._keywords(**told)))

    def open_buffer(self, buffer: object, **told: Any) -> _core.TextFile:
        return self._told(_core.TextFile.open_buffer(buffer, **self._keywords(**told)))

    def open_fd(self, fd: int, *, head: bytes | None = None, **told: Any) -> _core.TextFile:
        return self._told(_core.TextFile.open_fd(fd, head=head, **self._keywords(**told)))

    def open_http(self, file: _core.HttpFile, **told: Any) -> _core.TextFile:
        return self._told(_core.TextFile.open_http(file, **self._keywords(**told)))

    def _keywords(self, *, verify: bool, limits: _core.Limits, threads: int) -> dict[str, Any]:
        options = reading(self.made, self.name, limits, threads)
        return {"verify": verify, "options": options, "progress": self.progress}

    def _told(self, file: _core.TextFile) -> _core.TextFile:
        warn_of_losses(file, self.name)
        return file


def beside_sidecar(path: str, made: Text) -> str:
    """The path to read `path` by: of an open file the one it was opened by, where its schema stands beside that."""
    if not isinstance(made, CsvOptions) or not path.startswith("/proc/self/fd/"):
        return path
    try:
        named = os.readlink(path)
        # Another file may have that name by now.
        same = os.path.samestat(os.stat(named), os.stat(path))
    except OSError:
        return path
    return named if same and os.path.exists(named + SIDECAR) else path


def warn_of_losses(file: _core.TextFile | _core.TextReader, name: str | None) -> None:
    """Nothing is left out in silence."""
    place = f"{name!r}: " if name else ""
    if file.dropped:
        _logger.warning("%s: %s%s records do not fit and were left out.", file.layout, place, f"{file.dropped:,}")
    if file.nulled:
        _logger.warning("%s: %s%s values do not fit and are null.", file.layout, place, f"{file.nulled:,}")


def reading(made: Text, name: str | None, limits: _core.Limits, threads: int) -> _core.TextReadOptions:
    """The core's options of reading."""
    common: dict[str, Any] = {"limits": limits, "threads": threads}
    if isinstance(made, CsvOptions):
        return _reading_csv(made, name, common)
    assert isinstance(made, JsonOptions | NdjsonOptions | YamlOptions)
    common["encoding"] = made.encoding
    if isinstance(made, YamlOptions):
        return _core.YamlReadOptions(orient=made.orient, **common)
    common |= {"allow_nonfinite": made.allow_nonfinite, "big_ints": made.big_ints}
    if isinstance(made, JsonOptions):
        return _core.JsonReadOptions(orient=made.orient, **common)
    return _core.NdjsonReadOptions(**common)


def _reading_csv(made: CsvOptions, name: str | None, common: dict[str, Any]) -> _core.CsvReadOptions:
    as_they_are = (
        "quotechar escapechar doublequote comment decimal thousands keep_default_na header_rows skip_rows date_format "
        "on_error big_ints schema"
    )
    index_columns = made.index_columns
    return _core.CsvReadOptions(
        delimiter=made.delimiter or ("\t" if is_tabbed(name) else None),
        # A mark at the beginning is told by itself.
        encoding=made.encoding.removesuffix("-sig"),
        na_values=list(made.na_values),
        index_columns=index_columns if isinstance(index_columns, int) or index_columns is None else list(index_columns),
        dtypes=list((made.dtypes or {}).items()),
        dates=made.dates if isinstance(made.dates, bool) else list(made.dates),
        **{option: getattr(made, option) for option in as_they_are.split()},
        **common,
    )
