"""The one place where adapters, formats and sources meet: `read`, `write`, and what is made of them."""

from typing import Any, Literal

from .._formats.options import make_options
from .._formats.writers import write_format
from .._frame.frame import Frame
from .._io.detection import check_format
from .._io.progress import reporting
from .._io.sources import Source
from .._io.targets import Target, as_target, released, settle
from .chunks import chunks_of, whole
from .open_source import read_frame
from .store import encode_bytes, store
from .store_chunks import encode_chunks, store_chunks
from .write_options import written_as


def read(
    source: Source, *, format: str | None = None, columns: Any = None, rows: slice | None = None, **options: Any
) -> Frame:
    """Open a frame. Its structure is checked and described; data is decoded by the frame's ``to_*`` methods, but text
    (csv, json, ndjson, yaml) here.

    Parameters
    ----------
    source : path, URL, bytes-like, BufferSink, binary file object, Connection, socket or file descriptor
        A directory is one of NPY members. Pipes and sockets are read to their end at once. Of a `Connection` the next
        message is taken; ``tcp://host:port``, ``tls://host:port`` and ``unix:/path`` are dialled for one message.
    format : {"npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"}, optional
        Default: told by the first bytes, then by the suffix. Text, and MessagePack that others wrote, have no magic:
        they are told by the suffix (``.csv``, ``.csv.gz``...) or by this alone; JSON and NDJSON also by the first line.
        A message of a connection says its format itself: no other than the default is taken here.
    columns : label or iterable of labels, optional
        These columns alone, in this order, or leaves of nested ones (``"muon.pt"``, ``"jet[].eta"``); see
        `Frame.select`. Others are not touched.
    rows : slice, optional
        A slice of positions, step 1.
    **options
        Those of reading: see `NpzOptions`, `NpyOptions`, `ArrowOptions`, `ArrowsOptions`, `ParquetOptions`,
        `MsgpackOptions`, `CsvOptions`, `JsonOptions`, `NdjsonOptions` and `YamlOptions`. In short: ``mmap`` (default:
        local files are mapped), ``verify=False``, ``threads``, ``limits``, ``progress``; ``allow_truncated=False``
        (arrow, arrows); ``filter``, ``categories`` and keys (parquet); ``ext`` and ``invalid_utf8`` (msgpack);
        ``orient`` (msgpack, json, yaml); ``encoding`` (text); and what a dialect of CSV is.

    Returns
    -------
    Frame
        Lazy where the source can be looked at again (a file, memory). Text is decoded at once and whole: ``columns``
        and ``rows`` are taken out of it then.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError
        The bytes are not a file of this format, end early, ask for too much, or hold what is not built. Of text with
        line, column and byte.
    ColumnNotFound
        A column that is not there; the nearest is named.
    OptionError
        An unknown option, or a value outside its range. Nothing of a stream was taken.
    EOFError
        A connection whose peer sends nothing more.
    OSError
        As the system gives it.

    Notes
    -----
    A mapped file must not be changed in place while the frame is in use: a program that shortens it ends this process
    (SIGBUS), one that rewrites it changes the data. `write` replaces files and never rewrites them; read a file
    that others rewrite with ``mmap=False``. Files under 1 MiB and files on network file systems are read, not mapped.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> data = cn.encode({"a": np.arange(3), "b": np.ones(3)}, "npz")
    >>> cn.read(data, columns=["b"], rows=slice(0, 2)).to_numpy()
    {'b': array([1., 1.])}
    >>> cn.read(b"day;price\\n2020-01-31;1,5\\n", format="csv", delimiter=";", decimal=",", dates=True).to_numpy()
    array([('2020-01-31T00:00:00.000000', 1.5)],
          dtype=[('day', '<M8[us]'), ('price', '<f8')])
    """
    return read_frame(source, format, columns, rows, options)


def write(data: Any, target: Target, *, format: str | None = None, **options: Any) -> None:
    """Write one frame.

    Parameters
    ----------
    data
        Anything that `Frame` takes, or an open reader. What makes its batches when asked (rows, a reader of record
        batches) streams into ``arrow``, ``arrows`` and ``parquet``, and never stands in memory as a whole.
    target : path, URL, BufferSink, binary file object, Connection, socket or file descriptor
        A regular file is written beside its target and then renamed: the old file stays whole until the new one is,
        and whoever has the old one mapped keeps it. Symbolic links are followed. Pipes, sockets, devices and open
        files are written directly. Over a `Connection` it goes as one message; ``tcp://host:port``,
        ``tls://host:port`` and ``unix:/path`` are dialled for one message.
    format : {"npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"}, optional
        Default: told by the suffix; ``arrows`` over a connection, which takes ``msgpack``, ``csv`` and ``ndjson`` too.
        ``npy`` writes a lone array where the frame is one, else a directory. Text that ends in ``.gz`` or ``.zst`` is
        packed.
    **options
        Those of writing: see `NpzOptions`, `NpyOptions`, `ArrowOptions`, `ArrowsOptions`, `ParquetOptions`,
        `MsgpackOptions`, `CsvOptions`, `JsonOptions`, `NdjsonOptions` and `YamlOptions`. In short:
        ``compression=None`` (parquet: ``"auto"``), ``level`` (npz, arrow, arrows, parquet, text), ``filter`` and
        ``profile`` (npz), ``fsync=False``, ``densify_sparse=False``, ``batch_rows``, ``threads``, ``progress``;
        ``compat`` (npz, npy), ``directory`` (npy), ``batch_nbytes`` (arrow, arrows); ``orient`` (msgpack, json, yaml);
        ``header`` (msgpack, text); ``numbers`` and ``compatible`` (msgpack); ``schema`` and ``lossy`` (csv), as plain
        CSV holds little exactly.

    Raises
    ------
    EncodeError
        The format cannot hold a column exactly; it is named, and nothing is written.
    OptionError
        An unknown option, a value outside its range, or a target that does not say its format.
    OSError
        As the system gives it; the old file is whole and no temporary file is left.

    Examples
    --------
    >>> import colonnade as cn, numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "prices.npz")
    >>> cn.write({"price": np.array([1.5, 2.5])}, path)
    >>> cn.read(path).columns[0]
    'price'
    >>> cn.write({"day": np.array(["2020-01-31"], "M8[D]")}, path + ".csv")
    Traceback (most recent call last):
    colonnade.EncodeError: csv: "day": plain CSV would not bring it back: ...
    """
    where = as_target(target)
    with released(where):
        made = written_as(where, format, options)
        if write_format(made).is_batched:
            with reporting(made.progress, "writing") as progress:
                store_chunks(chunks_of(data, made), where, made, progress)
        else:
            frame = whole(data, made)
            with reporting(made.progress, "writing") as progress:
                store(frame._load(), frame._lookup, where, made, progress)
        settle(where, made.fsync)


def encode(data: Any, format: str, **options: Any) -> bytes:
    """The bytes of one frame.

    Parameters
    ----------
    data, format, **options
        As for `write`; the format must be named.

    Returns
    -------
    bytes
        What `write` would put into a file. A `BufferSink` given to `write` spares a copy.

    Raises
    ------
    EncodeError, OptionError
        As `write` does.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.encode({"a": np.arange(3)}, "npz")[:2]
    b'PK'
    """
    made = make_options(check_format(format), "write", options)
    if write_format(made).is_batched:
        with reporting(made.progress, "encoding") as progress:
            return encode_chunks(chunks_of(data, made), made, progress)
    frame = whole(data, made)
    with reporting(made.progress, "encoding") as progress:
        return encode_bytes(frame._load(), frame._lookup, made, progress)


def decode(
    buffer: Any, format: str | None = None, *, columns: Any = None, rows: slice | None = None, **options: Any
) -> Frame:
    """A frame over bytes in memory. The buffer is kept alive, not copied.

    Parameters
    ----------
    buffer : bytes-like
        C-contiguous. Do not change it while the frame or arrays from it are in use.
    format, columns, rows, **options
        As for `read`.

    Raises
    ------
    TypeError
        `buffer` has no buffer protocol.
    DecodeError, TruncatedError, LimitError, UnsupportedError, ColumnNotFound
        As `read` does.

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


def read_pandas(
    source: Source,
    *,
    format: str | None = None,
    columns: Any = None,
    rows: slice | None = None,
    dtype_backend: Literal["numpy_nullable", "pyarrow"] | None = None,
    **options: Any,
) -> Any:
    """``read(source, ...).to_pandas()``: a pandas DataFrame.

    Parameters, Raises
    ------------------
    As `read`; `dtype_backend` as `Frame.to_pandas`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.read_pandas(cn.encode({"a": np.arange(2)}, "npz"))
       a
    0  0
    1  1
    """
    # Nobody else sees this frame: of a message of a connection, its memory becomes the DataFrame's.
    frame = read_frame(source, format, columns, rows, options, private=True)
    return frame.to_pandas(dtype_backend=dtype_backend)


def read_polars(
    source: Source, *, format: str | None = None, columns: Any = None, rows: slice | None = None, **options: Any
) -> Any:
    """``read(source, ...).to_polars()``: a polars DataFrame.

    Parameters, Raises
    ------------------
    As `read`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.read_polars(cn.encode({"a": np.arange(2)}, "arrow"))["a"].to_list()
    [0, 1]
    """
    return read(source, format=format, columns=columns, rows=rows, **options).to_polars()


def read_arrow(
    source: Source, *, format: str | None = None, columns: Any = None, rows: slice | None = None, **options: Any
) -> Any:
    """``read(source, ...).to_arrow()``: a pyarrow Table.

    Parameters, Raises
    ------------------
    As `read`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> cn.read_arrow(cn.encode({"a": np.arange(2)}, "arrows")).column("a").to_pylist()
    [0, 1]
    """
    return read(source, format=format, columns=columns, rows=rows, **options).to_arrow()
