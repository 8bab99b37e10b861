"""The text formats through the core: opened from any source, written to any target, packed as the suffix says."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from . import _core
from ._link import Link
from ._link_ends import LinkTarget
from ._opener import open_source, read_keywords
from ._options_csv import CsvOptions
from ._options_json import JsonOptions, NdjsonOptions, YamlOptions
from ._options_text import Text
from ._progress import Callback
from ._sources import AnySource
from ._targets import AnyTarget, ByTarget, CallTarget, PathTarget, send_all
from ._threads import resolve_threads
from .errors import OptionError, UnsupportedError

PACKED = {".gz": "gzip", ".zst": "zstd"}
_TABBED = (".tsv", ".tsv.gz", ".tsv.zst")
_WRITERS = ByTarget(_core.text_write_path, _core.text_write_fd, _core.text_write_sink, _core.text_write_callable)
_logger = logging.getLogger("colonnade")


def open_text(where: AnySource, made: Text, options: _core.ReadOptions) -> _core.File:
    """The opened source. Text is decoded when it is opened, so what was left out is known now."""
    file = open_source(where, made, options)
    warn_of_losses(file, where.name)
    return file


def warn_of_losses(file: _core.File | _core.Reader, name: str | None) -> None:
    """Nothing is left out in silence."""
    facts = file.facts()
    place = f"{name!r}: " if name else ""
    if facts.get("dropped"):
        _logger.warning("%s: %s%s records do not fit and were left out.", file.format, place, f"{facts['dropped']:,}")
    if facts.get("nulled"):
        _logger.warning("%s: %s%s values do not fit and are null.", file.format, place, f"{facts['nulled']:,}")


def json_options(made: JsonOptions, name: str | None = None) -> _core.JsonReadOptions:
    """The core's options of reading JSON."""
    return _core.JsonReadOptions(
        orient=made.orient,
        allow_nonfinite=made.allow_nonfinite,
        big_ints=made.big_ints,
        encoding=made.encoding,
        **read_keywords(made),
    )


def ndjson_options(made: NdjsonOptions, name: str | None = None) -> _core.NdjsonReadOptions:
    """The core's options of reading NDJSON."""
    return _core.NdjsonReadOptions(
        allow_nonfinite=made.allow_nonfinite, big_ints=made.big_ints, encoding=made.encoding, **read_keywords(made)
    )


def yaml_options(made: YamlOptions, name: str | None = None) -> _core.YamlReadOptions:
    """The core's options of reading YAML."""
    return _core.YamlReadOptions(orient=made.orient, encoding=made.encoding, **read_keywords(made))


def csv_options(made: CsvOptions, name: str | None = None) -> _core.CsvReadOptions:
    """The core's options of reading CSV. `name`: that of the source, whose suffix may say the delimiter."""
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
        **read_keywords(made),
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
