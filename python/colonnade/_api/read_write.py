"""`read`, `write`, and the functions built on them. Joins adapters, formats and sources."""

from typing import TYPE_CHECKING, Any

from .._formats.options import make_options, spread
from .._formats.writers import write_format
from .._frame.frame import Frame
from .._io.detection import check_format
from .._io.progress import reporting
from .._io.sources import Source
from .._io.stores import Access
from .._io.targets import Target, as_target, released, settle
from .chunks import chunks_of, whole_frame
from .many_files import joined, several
from .open_source import read_frame
from .store import encode_bytes, store
from .store_chunks import encode_chunks, store_chunks
from .write_options import written_as

if TYPE_CHECKING:
    from typing import Literal, overload

    from typing_extensions import Buffer, Unpack

    from .. import typing as kw


if TYPE_CHECKING:

    @overload
    def read(source: Source, *, format: None = None, **options: Unpack[kw.AnyReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: kw.Arrow, **options: Unpack[kw.ArrowReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: Literal["parquet"], **options: Unpack[kw.ParquetReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: Literal["msgpack"], **options: Unpack[kw.MsgpackReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: Literal["csv"], **options: Unpack[kw.CsvReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: Literal["json"], **options: Unpack[kw.JsonReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: Literal["ndjson"], **options: Unpack[kw.NdjsonReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: Literal["yaml"], **options: Unpack[kw.YamlReading]) -> Frame: ...
    @overload
    def read(source: Source, *, format: kw.Other, **options: Unpack[kw.Reading]) -> Frame: ...


def read(
    source: Source, *, format: str | None = None, columns: Any = None, rows: slice | None = None, **options: Any
) -> Frame:
    """Open a frame.

    `read` checks the structure and reads the labels. The frame's ``to_*`` methods decode the data. Text (csv, json,
    ndjson, yaml) is decoded at once.

    Parameters
    ----------
    source : path, URL, bytes-like, BufferSink, binary file object, Connection, socket or file descriptor
        A directory has NPY members. A pipe or a socket is read to its end at once. From a `Connection`, and from the
        addresses ``tcp://host:port``, ``tls://host:port`` and ``unix:/path``, one message is received. URLs of
        object stores (``s3://``, ``gs://``, ``az://``) and of web servers are read by ranges. A list of sources, or a
        pattern such as ``"trips/*.parquet"`` (sorted), is one frame of all their rows; all sources must have one
        schema. ``~`` is the home folder. ``bytes`` are data, never a path.
    format : one of {"npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"}, optional
        Default: detected by the first bytes, then by the suffix. Text and third-party MessagePack have no magic number,
        so they need a suffix (``.csv``, ``.csv.gz``...) or this parameter; JSON and NDJSON are also detected by the
        first line. A message of a connection declares its format, so only the default is accepted.
    columns : label or iterable of labels, optional
        The columns to read, in this order, or leaves of nested columns (``"muon.pt"``, ``"jet[].eta"``); see
        `Frame.select`. Other columns are not read.
    rows : slice, optional
        A slice of positions, with step 1.
    **options
        Options of reading. The class of each format documents them: `NpzOptions`, `NpyOptions`, `ArrowOptions`,
        `ArrowsOptions`, `ParquetOptions`, `MsgpackOptions`, `CsvOptions`, `JsonOptions`, `NdjsonOptions`,
        `YamlOptions`. ``options=`` takes an object of the class. All formats have ``mmap`` (default: local files are
        mapped), ``verify=False``, ``filters``, ``threads``, ``limits``, ``timeout_s``, ``storage_options``,
        ``filesystem`` and ``progress``. Others are
        ``allow_truncated=False`` (arrow, arrows), ``categories`` and keys (parquet), ``ext`` and ``invalid_utf8``
        (msgpack), ``orient`` (msgpack, json, yaml), ``encoding`` (text), and the dialect of CSV.

    Returns
    -------
    Frame
        A frame over a file or over memory is lazy. Text and several sources are decoded at once and as a whole; then
        ``rows``, and ``columns`` of text, are selected.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError
        The bytes are not a valid file of this format, end early, exceed a limit, or use an unsupported feature. Errors
        in text have line, column and byte.
    ColumnNotFound
        A column does not exist; the message has the nearest names.
    OptionError
        An option is unknown, or a value is outside its range. No byte of a stream was read.
    EOFError
        The peer of a connection has ended sending.
    OSError
        Errors of the operating system are raised unchanged.

    Notes
    -----
    Other programs must not change a mapped file in place while the frame is in use. A program that shortens the file
    ends this process (SIGBUS), and a program that rewrites it changes the data. `write` replaces files and never
    rewrites them. Read a file that other programs rewrite with ``mmap=False``. Files under 1 MiB and files on network
    file systems are read, not mapped.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> data = cn.encode({"a": np.arange(3), "b": np.ones(3)}, "npz")
    >>> cn.read(data, columns=["b"], rows=slice(0, 2)).to_numpy()
    {'b': array([1., 1.])}
    >>> cn.read(b"day;price\\n2020-01-31;1,5\\n", format="csv", sep=";", decimal=",").to_numpy()
    array([('2020-01-31T00:00:00.000000', 1.5)],
          dtype=[('day', '<M8[us]'), ('price', '<f8')])
    """
    sources = several(source)
    if sources is not None:
        return joined(sources, rows, lambda one: read_frame(one, format, columns, None, options))
    return read_frame(source, format, columns, rows, options)


if TYPE_CHECKING:

    @overload
    def write(data: Any, target: Target, *, format: None = None, **options: Unpack[kw.AnyWriting]) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: Literal["npz"], **options: Unpack[kw.NpzWriting]) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: Literal["npy"], **options: Unpack[kw.NpyWriting]) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: kw.Arrow, **options: Unpack[kw.ArrowWriting]) -> None: ...
    @overload
    def write(
        data: Any, target: Target, *, format: Literal["parquet"], **options: Unpack[kw.ParquetWriting]
    ) -> None: ...
    @overload
    def write(
        data: Any, target: Target, *, format: Literal["msgpack"], **options: Unpack[kw.MsgpackWriting]
    ) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: Literal["csv"], **options: Unpack[kw.CsvWriting]) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: Literal["json"], **options: Unpack[kw.JsonWriting]) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: Literal["ndjson"], **options: Unpack[kw.NdjsonWriting]) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: Literal["yaml"], **options: Unpack[kw.YamlWriting]) -> None: ...
    @overload
    def write(data: Any, target: Target, *, format: kw.Other, **options: Unpack[kw.Writing]) -> None: ...


def write(data: Any, target: Target, *, format: str | None = None, **options: Any) -> None:
    """Write one frame.

    Parameters
    ----------
    data
        Anything that `Frame` takes, an open reader or a `Dataset`. Rows, readers and datasets are streamed into
        ``arrow``, ``arrows`` and ``parquet``, batch by batch, and are never in memory as a whole.
    target : path, URL, BufferSink, binary file object, Connection, socket or file descriptor
        A regular file is written to a temporary file, which is renamed at the end. Until then an old file is complete,
        and memory maps of it stay valid. Symbolic links are followed. Pipes, sockets, devices and open files are
        written directly. A `Connection`, and the addresses ``tcp://host:port``, ``tls://host:port`` and
        ``unix:/path``, get one message. An object in a store (``s3://``, ``gs://``, ``az://``) appears when it is
        complete. ``~`` is the home folder. A missing folder is an error, unless ``mkdir=True``
        makes it.
    format : one of {"npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"}, optional
        Default: by the suffix. Over a connection the default is ``arrows``; ``msgpack``, ``csv`` and ``ndjson`` are
        possible too. ``npy`` writes a single array if the frame is one, otherwise a directory. Text with the suffix
        ``.gz`` or ``.zst`` is compressed.
    **options
        Options of writing. The class of each format documents them: `NpzOptions`, `NpyOptions`, `ArrowOptions`,
        `ArrowsOptions`, `ParquetOptions`, `MsgpackOptions`, `CsvOptions`, `JsonOptions`, `NdjsonOptions`,
        `YamlOptions`. ``options=`` takes an object of the class. All formats have ``fsync=False``, ``mkdir=False``,
        ``densify_sparse=False``, ``batch_rows``, ``threads``, ``storage_options``, ``filesystem`` and ``progress``.
        Others are ``compression=None``
        (parquet: ``"auto"``) and ``compression_level`` (npz, arrow, arrows, parquet, text), ``transform`` and
        ``profile`` (npz), ``compat`` (npz, npy, msgpack), ``directory`` (npy), ``batch_nbytes`` (arrow, arrows),
        ``orient`` (msgpack, json, yaml), ``header`` (msgpack, csv), ``numbers`` (msgpack), ``schema`` and ``on_loss``
        (text), and the encodings and sizes of Parquet.

    Warns
    -----
    LossWarning
        The target is plain text (without ``schema="header"``), and reading it would not give the same values; see
        `CsvOptions`.

    Raises
    ------
    EncodeError
        The format cannot represent a column exactly. The message names the column, and nothing is written.
    OptionError
        An option is unknown, a value is outside its range, or the target has no known suffix.
    OSError
        Errors of the operating system. An old file stays complete, and the temporary file is removed.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "prices.npz")
    >>> cn.write({"price": np.array([1.5, 2.5])}, path)
    >>> cn.read(path).columns[0]
    'price'
    >>> cn.write({"code": np.array(["007"])}, path + ".csv", on_loss="raise")
    Traceback (most recent call last):
    colonnade.EncodeError: csv: plain text does not bring back everything: code: text whose cells all look like ...
    """
    where = as_target(target, Access.of(options))
    with released(where):
        settings = written_as(where, format, options)
        if write_format(settings).is_batched:
            with reporting(settings.progress, "writing") as progress:
                store_chunks(chunks_of(data, settings), where, settings, progress)
        else:
            frame = whole_frame(data, settings)
            with reporting(settings.progress, "writing") as progress:
                store(frame._load(), frame._lookup, where, settings, progress)
        settle(where, settings.fsync)


if TYPE_CHECKING:

    @overload
    def encode(data: Any, format: Literal["npz"], **options: Unpack[kw.NpzWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: Literal["npy"], **options: Unpack[kw.NpyWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: kw.Arrow, **options: Unpack[kw.ArrowWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: Literal["parquet"], **options: Unpack[kw.ParquetWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: Literal["msgpack"], **options: Unpack[kw.MsgpackWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: Literal["csv"], **options: Unpack[kw.CsvWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: Literal["json"], **options: Unpack[kw.JsonWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: Literal["ndjson"], **options: Unpack[kw.NdjsonWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: Literal["yaml"], **options: Unpack[kw.YamlWriting]) -> bytes: ...
    @overload
    def encode(data: Any, format: kw.Other, **options: Unpack[kw.Writing]) -> bytes: ...


def encode(data: Any, format: str, **options: Any) -> bytes:
    """Encode one frame as bytes.

    `data` and the options are those of `write`. The format is required.

    Returns
    -------
    bytes
        The content of the file that `write` would produce. `write` to a `BufferSink` avoids a copy.

    Raises
    ------
    EncodeError, OptionError
        The same errors as `write`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.encode({"a": np.arange(3)}, "npz")[:2]
    b'PK'
    """
    settings = make_options(check_format(format), "write", spread(format, "write", options)[1])
    if write_format(settings).is_batched:
        with reporting(settings.progress, "encoding") as progress:
            return encode_chunks(chunks_of(data, settings), settings, progress)
    frame = whole_frame(data, settings)
    with reporting(settings.progress, "encoding") as progress:
        return encode_bytes(frame._load(), frame._lookup, settings, progress)


if TYPE_CHECKING:

    @overload
    def decode(buffer: Buffer, format: None = None, **options: Unpack[kw.AnyReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: kw.Arrow, **options: Unpack[kw.ArrowReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: Literal["parquet"], **options: Unpack[kw.ParquetReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: Literal["msgpack"], **options: Unpack[kw.MsgpackReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: Literal["csv"], **options: Unpack[kw.CsvReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: Literal["json"], **options: Unpack[kw.JsonReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: Literal["ndjson"], **options: Unpack[kw.NdjsonReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: Literal["yaml"], **options: Unpack[kw.YamlReading]) -> Frame: ...
    @overload
    def decode(buffer: Buffer, format: kw.Other, **options: Unpack[kw.Reading]) -> Frame: ...


def decode(
    buffer: Any, format: str | None = None, *, columns: Any = None, rows: slice | None = None, **options: Any
) -> Frame:
    """Open a frame over bytes in memory, without a copy.

    All other parameters are those of `read`.

    Parameters
    ----------
    buffer : bytes-like
        A C-contiguous buffer. The frame keeps it alive. Do not change it while the frame or arrays from it are in use.

    Raises
    ------
    TypeError
        `buffer` does not support the buffer protocol.
    DecodeError, TruncatedError, LimitError, UnsupportedError, ColumnNotFound
        The same errors as `read`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.decode(cn.encode({"a": np.arange(3)}, "npz")).shape
    (3, 1)
    """
    try:
        memoryview(buffer).release()
    except TypeError:
        advice = (
            " Use cn.read for paths and file objects." if isinstance(buffer, str) or hasattr(buffer, "read") else ""
        )
        raise TypeError(f"buffer: expected a bytes-like object, found {type(buffer).__name__}.{advice}") from None
    return read(buffer, format=format, columns=columns, rows=rows, **options)
