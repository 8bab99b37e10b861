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
from ._opener import open_source, read_keywords
from ._parquet_files import open_parquet, parquet_options
from ._sources import AnySource


@dataclass(frozen=True)
class FormatEntry:
    """One format.

    Attributes
    ----------
    noun : str
        What messages call something of this format.
    read_options : callable
        The core's options of reading, from the format's own.
    open : callable, optional
        Opens a source with the format's own options, where there is more to it than these. Parquet looks for the names
        that a filter misses.
    info : tuple of (str, callable), optional
        The attribute of `Info` that only this format fills, and what fills it from an opened file and its members.
    """

    noun: str
    read_options: Callable[[Any], _core.ReadOptions]
    open: Callable[[AnySource, Any], _core.File] | None = None
    info: tuple[str, Callable[[_core.File, list[dict[str, Any]]], Any]] | None = None


def _of_arrow(cls: Any) -> Callable[[Any], _core.ReadOptions]:
    return lambda made: cls(allow_truncated=made.allow_truncated, **read_keywords(made))


FORMATS = {
    "npz": FormatEntry("an NPZ file", lambda made: _core.NpzReadOptions(**read_keywords(made))),
    "npy": FormatEntry("an NPY file", lambda made: _core.NpyReadOptions(**read_keywords(made))),
    "arrow": FormatEntry("an Arrow file", _of_arrow(_core.ArrowReadOptions), info=("arrow", ArrowInfo.of)),
    "arrows": FormatEntry("an Arrow stream", _of_arrow(_core.ArrowsReadOptions), info=("arrow", ArrowInfo.of)),
    "parquet": FormatEntry("a Parquet file", parquet_options, open_parquet, ("parquet", ParquetInfo.of)),
}


def open_as(format: str, where: AnySource, made: Any) -> _core.File:
    """The source, opened as `format` with the format's own options."""
    entry = FORMATS[format]
    if entry.open is not None:
        return entry.open(where, made)
    return open_source(where, made, entry.read_options(made))


def file_format(file: Any) -> str:
    """The format of an opened file."""
    return file.format if isinstance(file, _core.File) else str(file.layout)
