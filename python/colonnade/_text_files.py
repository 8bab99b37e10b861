"""The text formats through the core: opened from any source, written to any target, packed as the suffix says."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, replace
from typing import Any

from . import _core
from ._link import Link
from ._link_ends import LinkTarget
from ._options_csv import CsvOptions
from ._options_json import JsonOptions, NdjsonOptions, YamlOptions
from ._options_text import Text
from ._progress import Callback
from ._targets import AnyTarget, ByTarget, CallTarget, PathTarget, send_all
from ._threads import resolve_threads
from .errors import OptionError, UnsupportedError

PACKED = {".gz": "gzip", ".zst": "zstd"}
SIDECAR = ".schema.json"
_TABBED = (".tsv", ".tsv.gz", ".tsv.zst")
_WRITERS = ByTarget(_core.text_write_path, _core.text_write_fd, _core.text_write_sink, _core.text_write_callable)
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
        delimiter=made.delimiter or ("\t" if _is_tabbed(name) else None),
        # A mark at the beginning is told by itself.
        encoding=made.encoding.removesuffix("-sig"),
        na_values=list(made.na_values),
        index_columns=index_columns if isinstance(index_columns, int) or index_columns is None else list(index_columns),
        dtypes=list((made.dtypes or {}).items()),
        dates=made.dates if isinstance(made.dates, bool) else list(made.dates),
        **{option: getattr(made, option) for option in as_they_are.split()},
        **common,
    )


def writing(made: Text, where: AnyTarget | None = None, threads: int | None = None) -> _core.TextWriteOptions:
    """The core's options of writing to `where` (None: to bytes). `threads`: where `made` names none."""
    name: str | None = getattr(where, "name", None)
    # An object with a method of its own (a gzip.GzipFile, say) packs by itself.
    packing = made.compression or (None if isinstance(where, CallTarget) else _packing_of(name))
    if made.level is not None and packing is None:
        raise OptionError(
            f"level: expected None where nothing is compressed, found {made.level}. Pass compression= too, or write to "
            "a name that ends in .gz or .zst."
        )
    common: dict[str, Any] = {
        "packing": packing,
        "level": made.level,
        "fsync": made.fsync,
        "threads": resolve_threads(made.threads, threads),
    }
    if isinstance(made, CsvOptions):
        return _writing_csv(made, where, name, common)
    assert isinstance(made, JsonOptions | NdjsonOptions | YamlOptions)
    common["header"] = made.header
    if isinstance(made, YamlOptions):
        return _core.YamlWriteOptions(orient=made.orient or "records", **common)
    common["nonfinite"] = made.nonfinite
    if isinstance(made, JsonOptions):
        return _core.JsonWriteOptions(orient=made.orient or "columns", indent=made.indent, **common)
    return _core.NdjsonWriteOptions(**common)


def _writing_csv(
    made: CsvOptions, where: AnyTarget | None, name: str | None, common: dict[str, Any]
) -> _core.CsvWriteOptions:
    if made.schema == "sidecar" and not isinstance(where, PathTarget):
        raise OptionError(
            "schema: expected 'header' or None where the target is no path of a file, found 'sidecar', which stands "
            "beside one."
        )
    if made.schema == "ignore":
        raise OptionError("schema: 'ignore' is of reading. Pass lossy=True to write plain CSV whatever it loses.")
    if made.quotechar is None:
        raise OptionError("quotechar: expected one ASCII character for writing, found None.")
    as_they_are = "header index quoting quotechar lineterminator na_rep decimal encoding schema lossy"
    return _core.CsvWriteOptions(
        delimiter=made.delimiter or ("\t" if _is_tabbed(name) else ","),
        **{option: getattr(made, option) for option in as_they_are.split()},
        **common,
    )


def _packing_of(name: str | None) -> str | None:
    return next((codec for suffix, codec in PACKED.items() if name is not None and name.lower().endswith(suffix)), None)


def _is_tabbed(name: str | None) -> bool:
    return name is not None and name.lower().endswith(_TABBED)


def store_text(core: _core.CoreFrame, where: AnyTarget, made: Text, progress: Callback | None) -> None:
    """Write `core` to `where`."""
    if isinstance(where, LinkTarget):
        send_text(core, where.opened(resolve_threads(made.threads)), made, progress)
        return
    write, place = _WRITERS.of(where)
    write(core, place, writing(made, where), progress)


def send_text(
    core: _core.CoreFrame, link: Link, made: Text, progress: Callback | None, timeout_s: float | None = None
) -> None:
    """Send `core` as one message: behind a header, which says how many rows come."""
    format = "csv" if isinstance(made, CsvOptions) else "ndjson"
    if isinstance(made, CsvOptions) and made.schema is None:
        made = replace(made, schema="header")
    options: Any = writing(made, threads=link._threads)
    link._core.send(core, format, options, timeout_s, progress)


def store_text_bundle(
    frames: list[tuple[str, _core.CoreFrame]], where: AnyTarget, made: Text, progress: Callback | None
) -> None:
    """Write frames by their labels to `where`, as one map."""
    if isinstance(where, LinkTarget):
        raise UnsupportedError("a bundle does not go over a connection as one message: send each frame.")
    options: Any = writing(made, where)
    if isinstance(where, PathTarget):
        _core.text_bundle_path(frames, where.path, options, progress)
        return
    with memoryview(_core.text_bundle_encode(frames, options, progress)) as view:
        send_all(where, view)
