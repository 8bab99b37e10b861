"""The formats as the facade knows them: of each its options of reading for the core, and what `inspect` shows of it.

Every other module asks by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _core
from ._info_arrow import ArrowInfo
from ._info_parquet import ParquetInfo
from ._info_text import TextInfo
from ._msgpack_files import msgpack_options
from ._opener import open_source, read_keywords
from ._parquet_files import open_parquet, parquet_options
from ._sources import AnySource
from ._text_files import csv_options, json_options, ndjson_options, open_text, yaml_options


@dataclass(frozen=True)
class FormatEntry:
    """One format.

    Attributes
    ----------
    noun : str
        What messages call something of this format.
    read_options : callable
        The core's options of reading, from the format's own and the name of the source.
    open : callable, optional
        Opens a source with the format's own options and the core's, where there is more to it. Parquet looks for the
        names that a filter misses; text warns of what was left out.
    is_decoded_when_opened : bool
        Opening decodes everything, and tells the progress of it.
    reads : {"stream", "rows", "series"}, optional
        What `open_reader` reads while it comes: batches of a stream; of any source so many rows, or one value, a frame.
    info : tuple of (str, callable), optional
        The attribute of `Info` that only this format fills, and what fills it from an opened file and its members.
    """

    noun: str
    read_options: Callable[[Any, str | None], _core.ReadOptions]
    open: Callable[[AnySource, Any, _core.ReadOptions], _core.File] | None = None
    info: tuple[str, Callable[[_core.File, list[dict[str, Any]]], Any]] | None = None
    is_decoded_when_opened: bool = False
    reads: str | None = None


def _of_arrow(cls: Any) -> Callable[[Any, str | None], _core.ReadOptions]:
    return lambda made, _: cls(allow_truncated=made.allow_truncated, **read_keywords(made))


def _text(read_options: Callable[[Any, str | None], _core.ReadOptions], noun: str, reads: str | None) -> FormatEntry:
    return FormatEntry(noun, read_options, open_text, ("text", TextInfo.of), is_decoded_when_opened=True, reads=reads)


FORMATS = {
    "npz": FormatEntry("an NPZ file", lambda made, _: _core.NpzReadOptions(**read_keywords(made))),
    "npy": FormatEntry("an NPY file", lambda made, _: _core.NpyReadOptions(**read_keywords(made))),
    "arrow": FormatEntry("an Arrow file", _of_arrow(_core.ArrowReadOptions), info=("arrow", ArrowInfo.of)),
    "arrows": FormatEntry(
        "an Arrow stream", _of_arrow(_core.ArrowsReadOptions), info=("arrow", ArrowInfo.of), reads="stream"
    ),
    "parquet": FormatEntry(
        "a Parquet file",
        lambda made, _: parquet_options(made),
        lambda where, made, _: open_parquet(where, made),
        ("parquet", ParquetInfo.of),
    ),
    "msgpack": FormatEntry("MessagePack", msgpack_options, reads="series"),
    "csv": _text(csv_options, "csv", "rows"),
    "json": _text(json_options, "json", None),
    "ndjson": _text(ndjson_options, "ndjson", "rows"),
    "yaml": _text(yaml_options, "yaml", None),
}


def open_as(format: str, where: AnySource, made: Any) -> _core.File:
    """The source, opened as `format` with the format's own options."""
    entry = FORMATS[format]
    options = entry.read_options(made, where.name)
    return open_source(where, made, options) if entry.open is None else entry.open(where, made, options)
