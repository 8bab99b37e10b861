"""The formats: how each is opened, and what `inspect` shows of it.

Every other module asks by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import _core
from .._io.sources import AnySource
from .on_demand import OnDemand
from .opener import open_source, read_keywords


@dataclass(frozen=True)
class FormatEntry:
    """One format.

    Attributes
    ----------
    noun : str
        The noun for a file of this format in messages.
    read_options : callable
        The core's options of reading, from the format's own and the name of the source.
    open : callable, optional
        The result is a `File` of the core, or of a plug-in a `PluginFile`, which has what the callers of a `File` use.
        Opens a source with the format's own options and the core's, where there is more to it. Parquet looks for the
        names that a filter misses; text warns of what was left out.
    open_columns : callable, optional
        Opens a source for some columns alone, and answers the labels that they have in it, where that spares something.
    is_decoded_when_opened : bool
        Opening decodes everything, and tells the progress of it.
    filters_rows : bool
        Opening applies the conditions on rows: Parquet prunes by its statistics. Otherwise `kept_rows` does.
    reads : {"stream", "rows", "series", "chunks"}, optional
        What `open_reader` reads while it comes: batches of a stream; of any source so many rows, or one value, a frame;
        chunks of a plug-in.
    info : tuple of (str, callable), optional
        The attribute of `Info` that only this format fills, and what fills it from an opened file and its members.
    """

    noun: str
    read_options: Callable[[Any, str | None], _core.ReadOptions]
    open: Callable[[AnySource, Any, Any], Any] | None = None
    open_columns: Callable[[AnySource, Any, Any], tuple[Any, Any]] | None = None
    info: tuple[str, Callable[[Any, list[dict[str, Any]]], Any]] | None = None
    is_decoded_when_opened: bool = False
    filters_rows: bool = False
    reads: str | None = None


def _npz() -> FormatEntry:
    return FormatEntry("an NPZ file", lambda options, _: _core.NpzReadOptions(**read_keywords(options)))


def _npy() -> FormatEntry:
    return FormatEntry("an NPY file", lambda options, _: _core.NpyReadOptions(**read_keywords(options)))


def _arrow() -> FormatEntry:
    from .arrow_info import ArrowInfo
    from .arrow_truncated import open_arrow

    return FormatEntry("an Arrow file", _of_arrow(_core.ArrowReadOptions), open_arrow, info=("arrow", ArrowInfo.of))


def _arrows() -> FormatEntry:
    from .arrow_info import ArrowInfo
    from .arrow_truncated import open_arrow

    return FormatEntry(
        "an Arrow stream",
        _of_arrow(_core.ArrowsReadOptions),
        open_arrow,
        info=("arrow", ArrowInfo.of),
        reads="stream",
    )


def _of_arrow(cls: Any) -> Callable[[Any, str | None], _core.ReadOptions]:
    return lambda options, _: cls(allow_truncated=options.allow_truncated, **read_keywords(options))


def _parquet() -> FormatEntry:
    from .parquet_files import open_chosen, open_parquet, parquet_options
    from .parquet_info import ParquetInfo

    return FormatEntry(
        "a Parquet file",
        lambda options, _: parquet_options(options),
        open=lambda where, options, _: open_parquet(where, options),
        open_columns=open_chosen,
        filters_rows=True,
        info=("parquet", ParquetInfo.of),
    )


def _msgpack() -> FormatEntry:
    from .msgpack_files import msgpack_options

    return FormatEntry("MessagePack", msgpack_options, reads="series")


def _csv() -> FormatEntry:
    from .text_files import csv_options

    return _text("csv", csv_options, "rows")


def _json() -> FormatEntry:
    from .text_files import json_options

    return _text("json", json_options)


def _ndjson() -> FormatEntry:
    from .text_files import ndjson_options

    return _text("ndjson", ndjson_options, "rows")


def _yaml() -> FormatEntry:
    from .text_files import yaml_options

    return _text("yaml", yaml_options)


def _text(
    noun: str,
    read_options: Callable[[Any, str | None], _core.ReadOptions],
    reads: str | None = None,
) -> FormatEntry:
    from .text_files import open_text
    from .text_info import TextInfo

    return FormatEntry(
        noun, read_options, open_text, info=("text", TextInfo.of), is_decoded_when_opened=True, reads=reads
    )


def _of_plugin(name: str) -> FormatEntry:
    from .._plugins.discovery import FORMAT_PLUGINS
    from .plugin_files import open_chosen, open_plugin

    loaded = FORMAT_PLUGINS.get(name)
    if loaded is None:
        raise KeyError(name)
    return FormatEntry(
        f"a file of the plug-in {loaded}",
        lambda options, _: options,
        open=lambda where, options, _: open_plugin(loaded, where, options),
        open_columns=partial(open_chosen, loaded) if loaded.can("columns") else None,
        info=("plugin", lambda file, _: file.plugin),
        is_decoded_when_opened=True,
        reads="chunks" if loaded.can("read_chunks") else None,
    )


FORMATS = OnDemand(
    {
        "npz": _npz,
        "npy": _npy,
        "arrow": _arrow,
        "arrows": _arrows,
        "parquet": _parquet,
        "msgpack": _msgpack,
        "csv": _csv,
        "json": _json,
        "ndjson": _ndjson,
        "yaml": _yaml,
    },
    _of_plugin,
)


def open_as(format: str, where: AnySource, settings: Any) -> Any:
    """Opens the source as `format` with its options. Returns a `File` of the core, or an object with its interface."""
    entry = FORMATS[format]
    options = entry.read_options(settings, where.name)
    file = open_source(where, settings, options) if entry.open is None else entry.open(where, settings, options)
    return file if entry.filters_rows else kept_rows(file, settings)


def kept_rows(file: Any, settings: Any) -> Any:
    """The rows of an opened file that meet the conditions of `settings`."""
    if settings.conditions is None:
        return file
    from .._frame.filtering import filtered

    return filtered(file, settings.conditions, settings.threads)
