"""The formats: how each is opened and written, and what `inspect` shows of it.

Every other module asks by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._io.sources import AnySource
from .._io.threads import resolve_threads
from .arrow import ArrowOptions, ArrowsOptions
from .arrow_info import ArrowInfo
from .bundle_writers import check_zip
from .csv import CsvOptions
from .json import JsonOptions, NdjsonOptions
from .msgpack import MsgpackOptions
from .msgpack_files import msgpack_options
from .npy import NpyOptions
from .npy_writer import is_directory
from .npz import NpzOptions
from .opener import open_source, read_keywords
from .options import Options, is_default
from .parquet import ParquetOptions
from .parquet_files import open_chosen, open_parquet, parquet_options
from .parquet_info import ParquetInfo
from .text_files import csv_options, json_options, ndjson_options, open_text, yaml_options
from .text_info import TextInfo
from .writers import (
    CHECK_TEXT,
    CHECK_VALUE,
    TEXT_BY_TEXT,
    VALUE_BY_VALUE,
    Request,
    WriteFormat,
    arrow_to_core,
    arrows_to_core,
    csv_to_core,
    json_to_core,
    msgpack_to_core,
    ndjson_to_core,
    npy_to_core,
    npz_to_core,
    parquet_to_core,
    yaml_to_core,
)
from .yaml import YamlOptions


@dataclass(frozen=True)
class FormatEntry:
    """One format.

    Attributes
    ----------
    noun : str
        The noun for a file of this format in messages.
    read_options : callable
        The core's options of reading, from the format's own and the name of the source.
    write : WriteFormat
        How it is written.
    open : callable, optional
        Opens a source with the format's own options and the core's, where there is more to it. Parquet looks for the
        names that a filter misses; text warns of what was left out.
    open_columns : callable, optional
        Opens a source for some columns alone, and answers the labels that they have in it, where that spares something.
    is_decoded_when_opened : bool
        Opening decodes everything, and tells the progress of it.
    reads : {"stream", "rows", "series"}, optional
        What `open_reader` reads while it comes: batches of a stream; of any source so many rows, or one value, a frame.
    info : tuple of (str, callable), optional
        The attribute of `Info` that only this format fills, and what fills it from an opened file and its members.
    """

    noun: str
    read_options: Callable[[Any, str | None], _core.ReadOptions]
    write: WriteFormat
    open: Callable[[AnySource, Any, _core.ReadOptions], _core.File] | None = None
    open_columns: Callable[[AnySource, Any, Any], tuple[_core.File, Any]] | None = None
    info: tuple[str, Callable[[_core.File, list[dict[str, Any]]], Any]] | None = None
    is_decoded_when_opened: bool = False
    reads: str | None = None


def _of_arrow(cls: Any) -> Callable[[Any, str | None], _core.ReadOptions]:
    return lambda options, _: cls(allow_truncated=options.allow_truncated, **read_keywords(options))


def _text(
    noun: str,
    read_options: Callable[[Any, str | None], _core.ReadOptions],
    write: WriteFormat,
    reads: str | None = None,
) -> FormatEntry:
    return FormatEntry(
        noun, read_options, write, open_text, info=("text", TextInfo.of), is_decoded_when_opened=True, reads=reads
    )


FORMATS = {
    "npz": FormatEntry(
        "an NPZ file",
        lambda options, _: _core.NpzReadOptions(**read_keywords(options)),
        WriteFormat(NpzOptions, npz_to_core, check_bundle=check_zip),
    ),
    "npy": FormatEntry(
        "an NPY file",
        lambda options, _: _core.NpyReadOptions(**read_keywords(options)),
        WriteFormat(NpyOptions, npy_to_core, is_directory=is_directory),
    ),
    "arrow": FormatEntry(
        "an Arrow file",
        _of_arrow(_core.ArrowReadOptions),
        WriteFormat(ArrowOptions, arrow_to_core, is_batched=True),
        info=("arrow", ArrowInfo.of),
    ),
    "arrows": FormatEntry(
        "an Arrow stream",
        _of_arrow(_core.ArrowsReadOptions),
        WriteFormat(ArrowsOptions, arrows_to_core, is_batched=True),
        info=("arrow", ArrowInfo.of),
        reads="stream",
    ),
    "parquet": FormatEntry(
        "a Parquet file",
        lambda options, _: parquet_options(options),
        WriteFormat(ParquetOptions, parquet_to_core, is_batched=True),
        open=lambda where, options, _: open_parquet(where, options),
        open_columns=open_chosen,
        info=("parquet", ParquetInfo.of),
    ),
    "msgpack": FormatEntry(
        "MessagePack",
        msgpack_options,
        WriteFormat(MsgpackOptions, msgpack_to_core, check_bundle=CHECK_VALUE, no_message=VALUE_BY_VALUE),
        reads="series",
    ),
    "csv": _text("csv", csv_options, WriteFormat(CsvOptions, csv_to_core, no_message=TEXT_BY_TEXT), "rows"),
    "json": _text("json", json_options, WriteFormat(JsonOptions, json_to_core, check_bundle=CHECK_TEXT)),
    "ndjson": _text(
        "ndjson", ndjson_options, WriteFormat(NdjsonOptions, ndjson_to_core, no_message=TEXT_BY_TEXT), "rows"
    ),
    "yaml": _text("yaml", yaml_options, WriteFormat(YamlOptions, yaml_to_core, check_bundle=CHECK_TEXT)),
}
_WRITE = {entry.write.options: entry.write for entry in FORMATS.values()}


def open_as(format: str, where: AnySource, settings: Any) -> _core.File:
    """The source, opened as `format` with the format's own options."""
    entry = FORMATS[format]
    options = entry.read_options(settings, where.name)
    return open_source(where, settings, options) if entry.open is None else entry.open(where, settings, options)


def core_options(options: Options, request: Request) -> _core.WriteOptions:
    """The options of the core that `options` are for this request.

    Raises
    ------
    OptionError
        An option that this target does not take.
    ColumnNotFound
        A label in the options that no column has.
    """
    threads = resolve_threads(options.threads, request.threads)
    if request.where is not None or request.nrows is not None or not is_default(options):
        return _WRITE[type(options)].to_core(options, request, threads)
    # Of a small frame, making the core's options anew would be a tenth of the time.
    key = (type(options), threads, request.is_message, request.bundle)
    found = _PLAIN.get(key)
    if found is None:
        found = _PLAIN[key] = _WRITE[type(options)].to_core(options, request, threads)
    return found


_PLAIN: dict[tuple[type, int, bool, tuple[str, str | None]], _core.WriteOptions] = {}


def write_format(options: Options) -> WriteFormat:
    """The entry of the format that these options are of."""
    return _WRITE[type(options)]
