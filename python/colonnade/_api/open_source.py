"""Opens sources: detects the format, and chooses the reader of the core."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import _core
from .._formats.options import Options, check_keywords, make_options, spread
from .._formats.registry import FORMATS, kept_rows, open_as
from .._frame.filtered_file import FilteredFile
from .._frame.frame import Frame
from .._frame.select import row_range
from .._io.connection_io import LinkSource
from .._io.detection import (
    CONNECTED,
    DIRECTORIES,
    FEATHER_V1,
    FORMAT_NAMES,
    check_format,
    detect,
    for_connection,
    from_magic,
    from_suffix,
    is_text,
    may_begin,
    refuse_unbuilt,
)
from .._io.http_source import HttpSource
from .._io.progress import reporting
from .._io.sources import AnySource, PathSource, Source, as_source
from .._io.stores import Access
from .._io.streams import StreamSource
from .._io.threads import resolve_threads
from .._values.option_checks import check_timeout
from ..errors import ColumnNotFound, DecodeError, OptionError

File = _core.File


def open_file(source: Source, format: str | None, options: Mapping[str, Any]) -> tuple[File, Options]:
    """The opened file and its checked options."""
    where, found, settings = resolve_source(source, format, options)
    return open_checked(where, found, settings), settings


def read_frame(
    source: Source,
    format: str | None,
    columns: Any,
    rows: slice | None,
    options: Mapping[str, Any],
    private: bool = False,
    pandas: bool = False,
) -> Frame:
    """Implements `read`. `private`: the frame is for one use, so its memory may be handed to its result. `pandas`: that
    result is a DataFrame with NaN and NaT for nulls."""
    where, found, settings = resolve_source(source, format, options)
    if isinstance(where, LinkSource):
        return received(where, settings, columns, rows, private, pandas)
    if private and columns is None and rows is None and _is_decoded_as_it_comes(where, found, settings):
        check_beginning(where, found, settings)
        core = FORMATS[found].read_options(settings, where.name)
        with reporting(settings.progress, "reading") as progress:
            return Frame._make(where.open(_core.CoreFrame, None, options=core, progress=progress, pandas=pandas))
    return open_frame(where, found, settings, columns, rows)


def _is_decoded_as_it_comes(where: AnySource, format: str, options: Options) -> bool:
    """Whether the frame can be decoded while its bytes arrive."""
    is_lenient = options.verify or getattr(options, "allow_truncated", False)
    is_stream = isinstance(where, StreamSource) and FORMATS[format].reads == "stream"
    return is_stream and not is_lenient and options.filters is None


def open_frame(where: AnySource, format: str, options: Options, columns: Any, rows: slice | None) -> Frame:
    """A frame over the opened source, or a part of it."""
    open_columns = FORMATS[format].open_columns
    # The columns of conditions need not be among `columns`.
    is_filtered_here = options.conditions is not None and not FORMATS[format].filters_rows
    if open_columns is None or columns is None or is_filtered_here:
        return lazy_frame(open_checked(where, format, options), options, columns, rows)
    check_beginning(where, format, options)
    file, labels = open_columns(where, options, columns)
    try:
        return lazy_frame(file, options, labels, rows)
    except ColumnNotFound:
        if where.is_stream:
            raise
    return lazy_frame(open_as(format, where, options), options, columns, rows)


def received(
    where: LinkSource,
    options: Options,
    columns: Any = None,
    rows: slice | None = None,
    private: bool = False,
    pandas: bool = False,
) -> Frame:
    """The next message of a connection. If `columns` or `rows` are wrong, the next call gets it."""
    with reporting(options.progress, "receiving") as progress:
        # A column that is selected twice must not share writable memory with itself.
        alone = private and columns is None and options.filters is None
        # Whether integers become floats depends on the nulls among the selected rows.
        missing = alone and pandas and rows is None
        threads = resolve_threads(options.threads)
        message = where.receive(options.limits, threads, progress, alone, missing)
    try:
        if isinstance(message, _core.CoreFrame):
            if options.conditions is not None:
                from .._frame.filtering import filtered_core

                message = filtered_core(message, options.conditions, (0, 0))
            return select_frame(Frame._make(message), columns, rows)
        if options.threads is None and where.link is not None:
            options = replace(options, threads=where.link._threads)
        if options.verify:
            message.verify(threads=options.threads)
        return lazy_frame(kept_rows(message, options), options, columns, rows)
    except BaseException:
        where.keep(message)
        raise


def resolve_source(source: Source, format: str | None, options: Mapping[str, Any]) -> tuple[AnySource, str, Options]:
    """The resolved source, its format, and the checked options. Only the first bytes of a stream are read."""
    format, options = spread(format, "read", options)
    format_name = None if format is None else check_format(format)
    # Options are checked before anything is opened: a typo must not consume a pipe.
    if format_name is None:
        check_keywords("read", options, _format_by_suffix(source))
    else:
        make_options(format_name, "read", options)
    timeout_s = check_timeout(options.get("timeout_s"))
    where = as_source(source, Access.of(options), timeout_s)
    if isinstance(where, LinkSource | HttpSource):
        where.timeout_s = timeout_s
    if isinstance(where, LinkSource):
        return where, _of_message(format_name), _for_message(options)
    if format_name is None:
        head = where.head()
        found = "npz" if head is None else detect(head, where.name, where.json_or_lines)
    else:
        head = None if where.is_stream else where.head()
        found = _checked(format_name, head, where)
    return where, found, make_options(found, "read", options)


def _format_by_suffix(source: Source) -> str | None:
    """The format of a path's suffix, before the file is opened."""
    return from_suffix(os.fsdecode(source)) if isinstance(source, str | os.PathLike) else None


def check_beginning(where: AnySource, format: str, options: Options) -> None:
    """Check the first bytes of a stream before all of it is read, because it may never end.

    Raises
    ------
    DecodeError
        The bytes are not the start of a file of the format.
    """
    if not where.is_stream:
        return
    head, encoding = where.head() or b"", getattr(options, "encoding", "utf-8")
    if not may_begin(format, head, encoding.startswith("utf-8")):
        zipped = " A ZIP behind other bytes is read from a file or from memory." if format == "npz" else ""
        raise DecodeError(
            f"{format}: {repr(where.name) if where.name else 'source'}: expected a stream of {format}, found the first "
            f"bytes {head.hex(' ')} ({head!r}) at byte 0. Pass the format that it is.{zipped}"
        )


def open_checked(where: AnySource, format: str, options: Options) -> Any:
    """Open a file: check and describe its structure."""
    check_beginning(where, format, options)
    return open_as(format, where, options)


def lazy_frame(file: File | FilteredFile, options: Options, columns: Any = None, rows: slice | None = None) -> Frame:
    """A frame over an opened file, or a part of it."""
    if file.kind == "bundle":
        file.load()  # Refuses a bundle by name. A lazy frame over it would look empty.
    if isinstance(file, FilteredFile) and FORMATS[file.format].is_decoded_when_opened:
        # The rows that are left out need not stay in memory.
        return select_frame(Frame._make(file.load(threads=options.threads)), columns, rows)
    return select_frame(Frame._make(file=file, threads=options.threads, progress=options.progress), columns, rows)


def select_frame(frame: Frame, columns: Any, rows: slice | None) -> Frame:
    """`columns=` and `rows=` of the reading functions."""
    if columns is not None:
        frame = frame.select(columns)
    span = row_range(rows, len(frame))
    return frame if span is None else frame._sliced(span)


def _checked(format_name: str, head: bytes | None, where: AnySource) -> str:
    # Only a clear contradiction is an error here, because other bytes may precede a ZIP.
    what = repr(where.name) if where.name else "source"
    if format_name not in DIRECTORIES and isinstance(where, PathSource) and where.is_directory:
        raise DecodeError(f"{format_name}: {what}: expected a file, found a directory. A directory is of NPY members.")
    found = from_magic(head) if head and not is_text(format_name, head) else None
    if found == FEATHER_V1:
        refuse_unbuilt(found, what)
    if found is not None and found != format_name and format_name in FORMAT_NAMES:
        raise DecodeError(
            f"{format_name}: {what}: expected {format_name}, found the first bytes of {found}. "
            "Leave format= out to have it detected."
        )
    return format_name


def _of_message(format_name: str | None) -> str:
    format = for_connection(format_name)
    if format != CONNECTED[0]:
        raise OptionError(
            f"format: expected None for a message of a connection, which declares its format, found {format!r}. "
            "Leave format= out."
        )
    return format


def _for_message(options: Mapping[str, Any]) -> Options:
    settings = make_options(CONNECTED[0], "read", options)
    if getattr(settings, "allow_truncated", False):
        raise OptionError(
            "allow_truncated: expected False for a message of a connection, which is whole or an error. Read its "
            "batches with cn.open_reader: those that came are yours before the error comes."
        )
    return settings
