"""Chunk by chunk: `open_writer` and `open_reader`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from .._formats.options import Options, format_of
from .._formats.registry import FORMATS
from .._formats.writers import write_format
from .._io.connection_io import LinkSource
from .._io.detection import STREAMED
from .._io.http_source import HttpSource
from .._io.sources import AnySource, Source
from .._io.store_source import StoreSource
from .._io.stores import Access
from .._io.streams import CallSource, StreamSource
from .._io.targets import Target, as_target, released
from .._io.threads import resolve_threads
from ..errors import UnsupportedError
from .batch_reader import FileReader, Reader
from .chunk_writer import Writer
from .msgpack_frames import series_reader
from .open_source import check_beginning, lazy_frame, open_checked, open_frame, received, resolve_source
from .stream_reader import StreamReader
from .write_options import written_as

if TYPE_CHECKING:
    from typing import Literal, overload

    from typing_extensions import Unpack

    from .. import typing as kw

_ROWS = 65_536  # rows of a chunk, if the source has no batches


if TYPE_CHECKING:

    @overload
    def open_writer(target: Target, *, format: None = None, **options: Unpack[kw.AnyWriting]) -> Writer: ...
    @overload
    def open_writer(target: Target, *, format: kw.Arrow, **options: Unpack[kw.ArrowWriting]) -> Writer: ...
    @overload
    def open_writer(target: Target, *, format: Literal["parquet"], **options: Unpack[kw.ParquetWriting]) -> Writer: ...
    @overload
    def open_writer(target: Target, *, format: Literal["msgpack"], **options: Unpack[kw.MsgpackWriting]) -> Writer: ...
    @overload
    def open_writer(target: Target, *, format: Literal["csv"], **options: Unpack[kw.CsvWriting]) -> Writer: ...
    @overload
    def open_writer(target: Target, *, format: Literal["ndjson"], **options: Unpack[kw.NdjsonWriting]) -> Writer: ...
    @overload
    def open_writer(target: Target, *, format: kw.Other, **options: Unpack[kw.Writing]) -> Writer: ...


def open_writer(target: Target, *, format: str | None = None, **options: Any) -> Writer:
    """Open a writer for a table that is too large for memory, or that arrives in pieces.

    Parameters
    ----------
    target
        As for `write`. Over a `Connection` the chunks are one message of ``arrows``, sent chunk by chunk.
    format : one of {"arrow", "arrows", "parquet", "msgpack", "csv", "ndjson"}, optional
        Default: by the suffix; ``arrows`` over a connection. Other formats are only written as a whole.
    **options
        Options of writing; see `ArrowOptions`, `ArrowsOptions`, `ParquetOptions`, `MsgpackOptions`, `CsvOptions` and
        `NdjsonOptions`.

    Returns
    -------
    Writer
        A context manager. ``.write(data)`` appends a chunk, of any library, or rows. The first chunk fixes the schema.
        The end of the ``with`` block closes the file; an exception inside discards it, and an old file stays complete.
        ``.nrows`` and ``.nbatches`` count the rows and batches that were written. The writer splits or joins chunks to
        batches of ``batch_nbytes`` in Arrow, and to row groups of ``row_group_size`` in Parquet.

    Raises
    ------
    UnsupportedError
        The format cannot be written in chunks.
    OptionError
        The same errors as `write`.
    EncodeError
        From ``.write``: the schema of the chunk differs from the first chunk's; the message shows both. From
        ``.close``: no chunk was written.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> sink = cn.BufferSink()
    >>> with cn.open_writer(sink, format="arrows") as writer:
    ...     for start in (0, 3):
    ...         writer.write({"a": np.arange(start, start + 3)})
    >>> cn.read(sink)["a"].to_numpy()
    array([0, 1, 2, 3, 4, 5])
    """
    where = as_target(target, Access.of(options))
    try:
        settings = written_as(where, format, options)
        name = format_of(settings)
        if name not in STREAMED and not write_format(settings).is_batched:
            raise UnsupportedError(
                f"{name}: expected a format that is written chunk by chunk ({', '.join(STREAMED)}); "
                f"{name} needs the whole frame first. Use cn.write, or write {STREAMED[1]} and convert it."
            )
    except BaseException:
        with released(where):
            raise
    return Writer(where, settings)


if TYPE_CHECKING:

    @overload
    def open_reader(source: Source, *, format: None = None, **options: Unpack[kw.AnyReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: kw.Arrow, **options: Unpack[kw.ArrowReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: Literal["parquet"], **options: Unpack[kw.ParquetReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: Literal["msgpack"], **options: Unpack[kw.MsgpackReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: Literal["csv"], **options: Unpack[kw.CsvReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: Literal["json"], **options: Unpack[kw.JsonReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: Literal["ndjson"], **options: Unpack[kw.NdjsonReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: Literal["yaml"], **options: Unpack[kw.YamlReading]) -> Reader: ...
    @overload
    def open_reader(source: Source, *, format: kw.Other, **options: Unpack[kw.Reading]) -> Reader: ...


def open_reader(
    source: Source, *, format: str | None = None, columns: Any = None, rows: slice | None = None, **options: Any
) -> Reader:
    """Open a reader that returns the frames of a file, a pipe or a socket, one in memory at a time.

    Parameters
    ----------
    source
        As for `read`. From a pipe, a socket or a decompressing file object only the requested batch is read. From a
        `Connection` the next message is read; its unread rest is skipped before the message after it.
    format : one of {"npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"}, optional
        Default: detected by the first bytes, then by the suffix. A chunk is a record batch of ``arrow`` and ``arrows``,
        a row group of ``parquet``, a value of ``msgpack``, or ``chunk_rows`` records of ``csv`` and ``ndjson``. The
        types of ``csv`` and ``ndjson`` are those of the first chunk, of ``dtype`` or of a header. Other formats are one
        chunk.
    columns : label or iterable of labels, optional
        The columns to read, in this order, or leaves of nested columns; see `Frame.select`.
    rows : slice, optional
        A slice of positions, with step 1. Positions of a stream count from the front.
    **options
        Options of reading; see `ArrowOptions`, `ParquetOptions`, `MsgpackOptions`, `CsvOptions` and `NdjsonOptions`.
        ``allow_truncated=True`` accepts an Arrow stream that ends early. ``verify=True`` checks a file before anything
        is returned. Pipes, ``csv``, ``ndjson`` and a series of ``msgpack`` cannot be checked ahead: an error is raised
        when its batch is read. ``progress`` is called for each batch.

    Returns
    -------
    Reader
        A context manager. Iteration returns a `Frame` for each chunk. ``.schema`` has the fields and axes.
        ``.read_all()`` returns one frame with all rows. Pipes, connections, ``csv``, ``ndjson`` and series of
        ``msgpack`` can be read only once: then this frame has the rows that were not read yet. Files and bytes of
        arrow, arrows and parquet also have ``len(reader)`` and ``reader[i]``, which reads only that batch.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError, ColumnNotFound, OSError
        The same errors as `read`; from a stream, while it is read. TruncatedError counts the received batches and rows.
        DecodeError also if a later chunk of text does not fit the types of the first one: declare them with ``dtype``.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> sink = cn.BufferSink()
    >>> with cn.open_writer(sink, format="arrows", batch_nbytes=1) as writer:
    ...     for start in (0, 3):
    ...         writer.write({"a": np.arange(start, start + 3)})
    >>> with cn.open_reader(sink) as reader:
    ...     print(sum(len(frame) for frame in reader), reader.schema.fields[0].label)
    6 a
    """
    where, found, settings = resolve_source(source, format, options)
    reader = _reader(where, found, settings, columns, rows)
    reader._progress = settings.progress
    return reader


_FRONT_TO_BACK = StreamSource | CallSource | HttpSource | StoreSource
"""Sources that are read batch by batch, because a whole one may not fit in memory."""


def _reader(where: AnySource, found: str, options: Options, columns: Any, rows: slice | None) -> Reader:
    if isinstance(where, LinkSource):
        return _message_reader(where, options, columns, rows)
    reads = FORMATS[found].reads
    if reads == "series" and (series := series_reader(where, found, options, columns, rows)) is not None:
        return series
    if reads == "chunks":
        return _plugin_reader(where, found, options, columns, rows)
    if reads == "rows" or (reads == "stream" and isinstance(where, _FRONT_TO_BACK)):
        lenient = getattr(options, "allow_truncated", False)
        # The error of a stream that breaks off says where, so it is caught there and becomes a warning.
        strict: Any = replace(cast(Any, options), allow_truncated=False) if lenient else options
        core_options = {
            "options": FORMATS[found].read_options(strict, where.name),
            "max_rows": getattr(options, "chunk_rows", None) or _ROWS,
        }
        return StreamReader(
            where,
            columns,
            rows,
            core_options,
            lambda: lazy_frame(open_checked(where, found, options), options, columns, rows),
            settled=reads == "stream",
            lenient=lenient,
            conditions=options.conditions,
        )
    return FileReader(open_frame(where, found, options, columns, rows))


def _plugin_reader(where: AnySource, format: str, options: Options, columns: Any, rows: slice | None) -> Reader:
    from .._plugins.discovery import FORMAT_PLUGINS
    from .plugin_reader import PluginReader

    check_beginning(where, format, options)
    loaded = FORMAT_PLUGINS.get(format)
    assert loaded is not None
    return PluginReader(loaded, where, options, columns, rows)


def _message_reader(where: LinkSource, options: Options, columns: Any, rows: slice | None) -> Reader:
    """A reader of the next message of a connection."""
    if where.has_pending():
        return FileReader(received(where, options, columns, rows))
    core_options = {"limits": options.limits, "threads": resolve_threads(options.threads)}
    open_whole = lambda: received(where, options, columns, rows)  # noqa: E731
    return StreamReader(where, columns, rows, core_options, open_whole, conditions=options.conditions)
