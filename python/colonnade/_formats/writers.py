"""How each format is written: from its options to those of the core. `registry` has the readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core
from .._io.threads import resolve_threads
from .bundle_writers import check_map, check_zip
from .npy_writer import is_directory
from .options import is_default
from .text_writers import csv_options, json_options, ndjson_options, yaml_options

if TYPE_CHECKING:
    from .._frame.select import Columns
    from .._io.targets import AnyTarget
    from .._plugins.contract import FormatPlugin
    from .._plugins.discovery import Loaded
    from .arrow import ArrowOptions, ArrowsOptions
    from .csv import CsvOptions
    from .json import JsonOptions, NdjsonOptions
    from .msgpack import MsgpackOptions
    from .npy import NpyOptions
    from .npz import NpzOptions
    from .options import Options
    from .parquet import ParquetOptions
    from .yaml import YamlOptions


class Request(NamedTuple):
    """What is written where, as far as the core's options depend on it."""

    where: AnyTarget | None = None  # None: bytes, or a message of a connection
    columns: Columns | None = None  # what labels in options mean
    nrows: int | None = None  # of all chunks together, where that is known
    threads: int | None = None  # of the connection, where the options name none
    is_message: bool = False
    bundle: tuple[str, str | None] = ("npz", None)  # layout and outer codec


@dataclass(frozen=True)
class WriteFormat:
    """One format.

    Parameters
    ----------
    to_core
        The core's options of these options, a request and a number of threads.
    is_batched
        Whether `write` streams batches from lazy data, one at a time.
    is_directory
        Whether a frame is written as a directory; None: never.
    check_bundle
        Checks options for several frames; None: a file holds one frame.
    no_message
        Why frames one after the other are not one message of a connection; None: they are.
    plugin
        The plug-in that writes, instead of the core.
    """

    to_core: Callable[[Any, Request, int], _core.WriteOptions]
    is_batched: bool = False
    is_directory: Callable[[_core.CoreFrame, AnyTarget | None, Any], bool] | None = None
    check_bundle: Callable[[Any, str, AnyTarget, str, str | None], None] | None = None
    no_message: str | None = None
    plugin: Loaded[FormatPlugin] | None = None


def npz_to_core(options: NpzOptions, request: Request, threads: int) -> _core.WriteOptions:
    layout, outer = request.bundle
    return _core.NpzWriteOptions(
        compression=_by_position(options.codec, request.columns),
        transform=_by_position(options.transforming, request.columns),
        profile=options.profile,
        level=options.compression_level,
        compat=options.compat,
        layout=layout,
        outer=outer,
        fsync=options.fsync,
        threads=threads,
    )


def _by_position(
    by_column: str | Mapping[Any, str | None] | None, columns: Columns | None
) -> str | dict[int, str | None] | None:
    """Labels have become positions."""
    if not isinstance(by_column, Mapping):
        return by_column
    assert columns is not None
    return {position: name for label, name in by_column.items() for position in columns.of(label)}


def npy_to_core(options: NpyOptions, request: Request, threads: int) -> _core.WriteOptions:
    return _core.NpyWriteOptions(compat=options.compat, fsync=options.fsync)


def arrow_to_core(options: ArrowOptions, request: Request, threads: int) -> _core.WriteOptions:
    return _core.ArrowWriteOptions(
        compression=options.compression,
        level=options.compression_level,
        batch_nbytes=options.batch_nbytes,
        fsync=options.fsync,
        threads=threads,
        nrows=request.nrows,
    )


def arrows_to_core(options: ArrowsOptions, request: Request, threads: int) -> _core.WriteOptions:
    return _core.ArrowsWriteOptions(
        compression=options.compression,
        level=options.compression_level,
        batch_nbytes=options.batch_nbytes,
        fsync=options.fsync,
        threads=threads,
        nrows=request.nrows,
    )


def parquet_to_core(options: ParquetOptions, request: Request, threads: int) -> _core.WriteOptions:
    return _core.ParquetWriteOptions(
        compression=options.compression,
        level=options.compression_level,
        encoding=options.encoding if isinstance(options.encoding, str) else dict(options.encoding),
        use_dictionary=options.use_dictionary
        if isinstance(options.use_dictionary, bool)
        else list(options.use_dictionary),
        profile=options.profile,
        row_group_rows=options.row_group_size,
        page_nbytes=options.data_page_size,
        data_page_version=options.data_page_version,
        statistics=options.statistics,
        page_index=options.page_index,
        crc=options.crc,
        fsync=options.fsync,
        threads=threads,
        nrows=request.nrows,
    )


def msgpack_to_core(options: MsgpackOptions, request: Request, threads: int) -> _core.WriteOptions:
    return _core.MsgpackWriteOptions(
        orient=options.orient or "columns",
        header=options.header,
        numbers=options.numbers,
        compatible=options.compat is not None,
        fsync=options.fsync,
        threads=threads,
    )


def csv_to_core(options: CsvOptions, request: Request, threads: int) -> _core.WriteOptions:
    return csv_options(options, request.where, threads, is_message=request.is_message)


def json_to_core(options: JsonOptions, request: Request, threads: int) -> _core.WriteOptions:
    return json_options(options, request.where, threads)


def ndjson_to_core(options: NdjsonOptions, request: Request, threads: int) -> _core.WriteOptions:
    return ndjson_options(options, request.where, threads, is_message=request.is_message)


def yaml_to_core(options: YamlOptions, request: Request, threads: int) -> _core.WriteOptions:
    return yaml_options(options, request.where, threads)


VALUE_BY_VALUE = (
    "msgpack: over a connection every frame is a message of its own, which the peer takes one by one. Send "
    'each with connection.send(frame, format="msgpack"), or the chunks as one message with format="arrows".'
)
TEXT_BY_TEXT = "a connection takes no text chunk by chunk: send each chunk as a message of its own."

CHECK_VALUE = partial(
    check_map,
    no_message="msgpack: a message of a connection is one frame. Send each, or the bundle's bytes.",
)
CHECK_TEXT = partial(check_map, no_message="a bundle does not go over a connection as one message: send each frame.")

WRITE_FORMATS = {
    "npz": WriteFormat(npz_to_core, check_bundle=check_zip),
    "npy": WriteFormat(npy_to_core, is_directory=is_directory),
    "arrow": WriteFormat(arrow_to_core, is_batched=True),
    "arrows": WriteFormat(arrows_to_core, is_batched=True),
    "parquet": WriteFormat(parquet_to_core, is_batched=True),
    "msgpack": WriteFormat(msgpack_to_core, check_bundle=CHECK_VALUE, no_message=VALUE_BY_VALUE),
    "csv": WriteFormat(csv_to_core, no_message=TEXT_BY_TEXT),
    "json": WriteFormat(json_to_core, check_bundle=CHECK_TEXT),
    "ndjson": WriteFormat(ndjson_to_core, no_message=TEXT_BY_TEXT),
    "yaml": WriteFormat(yaml_to_core, check_bundle=CHECK_TEXT),
}


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
        return write_format(options).to_core(options, request, threads)
    # Of a small frame, making the core's options anew would be a tenth of the time.
    key = (type(options), threads, request.is_message, request.bundle)
    found = _PLAIN.get(key)
    if found is None:
        found = _PLAIN[key] = write_format(options).to_core(options, request, threads)
    return found


_PLAIN: dict[tuple[type, int, bool, tuple[str, str | None]], _core.WriteOptions] = {}


def write_format(options: Options) -> WriteFormat:
    """The entry of the format that these options are of."""
    found = WRITE_FORMATS.get(options._FORMAT)
    return found if found is not None else _of_plugin(options._FORMAT)


def _of_plugin(name: str) -> WriteFormat:
    from .._plugins.discovery import FORMAT_PLUGINS

    loaded = FORMAT_PLUGINS.get(name)
    if loaded is None:
        raise KeyError(name)
    return WriteFormat(_no_core, is_batched=loaded.can("open_writer"), plugin=loaded)


def _no_core(options: Options, request: Request, threads: int) -> _core.WriteOptions:
    raise AssertionError(f"{options._FORMAT}: the core does not write it")
