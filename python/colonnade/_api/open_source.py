"""From a source to an opened file: which format it is, and which of the core's readers it gets."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .. import _core
from .._formats.options import Options, check_keywords, make_options
from .._formats.registry import FORMATS, open_as
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
from .._io.streams import StreamSource
from .._io.threads import resolve_threads
from .._values.option_checks import check_timeout
from ..errors import ColumnNotFound, DecodeError, OptionError

File = _core.File


def open_file(source: Source, format: str | None, options: Mapping[str, Any]) -> tuple[File, Options]:
    """The opened file and its checked options; what every function that reads a frame begins with."""
    where, found, made = resolve_source(source, format, options)
    return opened(where, found, made), made


def read_frame(
    source: Source,
    format: str | None,
    columns: Any,
    rows: slice | None,
    options: Mapping[str, Any],
    private: bool = False,
    pandas: bool = False,
) -> Frame:
    """The work of `read`. `private`: the frame is for one use, so its memory may be given away. `pandas`: that use is a
    DataFrame with NaN and NaT for nulls."""
    where, found, made = resolve_source(source, format, options)
    if isinstance(where, LinkSource):
        return received(where, made, columns, rows, private, pandas)
    if private and columns is None and rows is None and _is_decoded_as_it_comes(where, found, made):
        check_beginning(where, found, made)
        core = FORMATS[found].read_options(made, where.name)
        with reporting(made.progress, "reading") as progress:
            return Frame._make(where.open(_core.CoreFrame, None, options=core, progress=progress, pandas=pandas))
    return open_frame(where, found, made, columns, rows)


def _is_decoded_as_it_comes(where: AnySource, format: str, made: Options) -> bool:
    """Whether the frame can be decoded while it comes: for one use, of a whole stream."""
    is_lenient = made.verify or getattr(made, "allow_truncated", False)
    return isinstance(where, StreamSource) and FORMATS[format].reads == "stream" and not is_lenient


def open_frame(where: AnySource, format: str, made: Options, columns: Any, rows: slice | None) -> Frame:
    """A frame over the opened source, or a part of it."""
    open_columns = FORMATS[format].open_columns
    if open_columns is None or columns is None:
        return lazy_frame(opened(where, format, made), made, columns, rows)
    check_beginning(where, format, made)
    file, labels = open_columns(where, made, columns)
    try:
        return lazy_frame(file, made, labels, rows)
    except ColumnNotFound:
        if where.is_stream:
            raise
    return lazy_frame(open_as(format, where, made), made, columns, rows)


def received(
    where: LinkSource,
    made: Options,
    columns: Any = None,
    rows: slice | None = None,
    private: bool = False,
    pandas: bool = False,
) -> Frame:
    """The next message of a connection. Where `columns` or `rows` are wrong, it stays for the next call."""
    with reporting(made.progress, "receiving") as progress:
        # A column that is asked for twice must not be one memory in two places.
        alone = private and columns is None
        # Whether integers become floats depends on the nulls of the rows that are asked for.
        missing = alone and pandas and rows is None
        landed = where.receive(made.limits, resolve_threads(made.threads), progress, alone, missing)
    try:
        if isinstance(landed, _core.CoreFrame):
            return select_frame(Frame._make(landed), columns, rows)
        if made.threads is None and where.link is not None:
            made = replace(made, threads=where.link._threads)
        if made.verify:
            landed.verify(threads=made.threads)
        return lazy_frame(landed, made, columns, rows)
    except BaseException:
        where.keep(landed)
        raise


def resolve_source(source: Source, format: str | None, options: Mapping[str, Any]) -> tuple[AnySource, str, Options]:
    """What the source is, its format, and the checked options. Of a stream no more than the first bytes is taken."""
    asked = None if format is None else check_format(format)
    # Options are checked before anything is opened: a typo must not consume a pipe.
    if asked is None:
        check_keywords("read", options, _likely(source))
    else:
        make_options(asked, "read", options)
    where = as_source(source)
    if isinstance(where, LinkSource | HttpSource):
        where.timeout_s = check_timeout(options.get("timeout_s"))
    if isinstance(where, LinkSource):
        return where, _of_message(asked), _for_message(options)
    if asked is None:
        head = where.head()
        found = "npz" if head is None else detect(head, where.name, where.json_or_lines)
    else:
        head = None if where.is_stream else where.head()
        found = _checked(asked, head, where)
    return where, found, make_options(found, "read", options)


def _likely(source: Source) -> str | None:
    """The format that the suffix of a path says, before anything is opened."""
    found = from_suffix(os.fsdecode(source)) if isinstance(source, str | os.PathLike) else None
    return found if found in FORMAT_NAMES else None


def check_beginning(where: AnySource, format: str, made: Options) -> None:
    """Look at the first bytes of a stream before all of it is collected, which may never end.

    Raises
    ------
    DecodeError
        No file of the format begins so.
    """
    if not where.is_stream:
        return
    head, encoding = where.head() or b"", getattr(made, "encoding", "utf-8")
    if not may_begin(format, head, encoding.startswith("utf-8")):
        zipped = " A ZIP behind other bytes is read from a file or from memory." if format == "npz" else ""
        raise DecodeError(
            f"{format}: {repr(where.name) if where.name else 'source'}: expected a stream of {format}, found the first "
            f"bytes {head.hex(' ')} ({head!r}) at byte 0. Pass the format that it is.{zipped}"
        )


def opened(where: AnySource, format: str, made: Options) -> File:
    """The opened file: its structure is checked and described."""
    check_beginning(where, format, made)
    return open_as(format, where, made)


def lazy_frame(file: File, made: Options, columns: Any = None, rows: slice | None = None) -> Frame:
    """A frame over an opened file, or a part of it."""
    if file.kind == "bundle":
        file.load()  # refuses it by name: described lazily, several frames would look like one of nothing
    return select_frame(Frame._make(file=file, threads=made.threads, progress=made.progress), columns, rows)


def select_frame(frame: Frame, columns: Any, rows: slice | None) -> Frame:
    """`columns=` and `rows=` of the reading functions."""
    if columns is not None:
        frame = frame.select(columns)
    span = row_range(rows, len(frame))
    return frame if span is None else frame._sliced(span)


def _checked(asked: str, head: bytes | None, where: AnySource) -> str:
    # Only a certain contradiction is an error here: a ZIP may have other bytes in front of it.
    what = repr(where.name) if where.name else "source"
    if asked not in DIRECTORIES and isinstance(where, PathSource) and where.is_directory:
        raise DecodeError(f"{asked}: {what}: expected a file, found a directory. A directory is of NPY members.")
    found = from_magic(head) if head and not is_text(asked, head) else None
    if found == FEATHER_V1:
        refuse_unbuilt(found, what)
    if found is not None and found != asked:
        raise DecodeError(
            f"{asked}: {what}: expected {asked}, found the first bytes of {found}. Leave format= out to have it told."
        )
    return asked


def _of_message(asked: str | None) -> str:
    format = for_connection(asked)
    if format != CONNECTED[0]:
        raise OptionError(
            f"format: expected None for a message of a connection, which says itself what it is, found {format!r}. "
            "Leave format= out."
        )
    return format


def _for_message(options: Mapping[str, Any]) -> Options:
    made = make_options(CONNECTED[0], "read", options)
    if getattr(made, "allow_truncated", False):
        raise OptionError(
            "allow_truncated: expected False for a message of a connection, which is whole or an error. Read its "
            "batches with cn.open_reader: those that came are yours before the error comes."
        )
    return made
