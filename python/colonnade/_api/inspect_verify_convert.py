"""`inspect`, `verify` and `convert`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._formats.options import Options
from .._io.detection import from_magic
from .._io.progress import Steps, reporting
from .._io.sources import AnySource, BufferSource, PathSource, Source
from .._io.threads import resolve_threads
from .batch_reader import Reader
from .inspection import Info, info_of
from .msgpack_frames import open_series
from .open_source import open_checked, resolve_source
from .series_info import checked, inspected

if TYPE_CHECKING:
    from .._io.targets import Target
    from .chunks import Scanned


def inspect(source: Source, *, format: str | None = None, **options: Any) -> Info:
    """Describe a file: shape, schema, labels, sizes, codecs, members or batches.

    Data is not read, except that text is decoded as a whole. Files without a frame are described too: the frames of a
    bundle, and the members of any ZIP. A series of frames in one MessagePack file is decoded frame by frame. Its
    description has the columns of the first frame and the rows of all frames. `source`, `format` and the options are
    those of `read`.

    Returns
    -------
    Info
        The description. ``.to_dict()`` returns it as JSON values.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError, OSError
        The same errors as `read`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> info = cn.inspect(cn.encode({"a": np.arange(3)}, "npz"))
    >>> info.shape, info.codecs["stored"] > 0
    ((3, 1), True)
    """
    where, found, settings = resolve_source(source, format, options)
    where, series = open_series(where, found, settings)
    if series is not None:
        with series:
            return inspected(series, _nbytes(where), from_magic(where.head() or b"") == found)
    return info_of(open_checked(where, found, settings))


def verify(source: Source, *, format: str | None = None, **options: Any) -> None:
    """Check every checksum, length, offset and label, and that text is valid.

    `verify` also checks the ranges of decimals, times of day and dates. It returns nothing, and raises the first error.
    In a series of frames in one MessagePack file, every frame is decoded. `source`, `format` and the options are those
    of `read`.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError
        The first error, with the member or batch, and the byte.
    OSError
        Errors of the operating system are raised unchanged.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> data = bytearray(cn.encode({"a": np.arange(3)}, "npz"))
    >>> cn.verify(data)
    >>> data[-100] ^= 1
    >>> cn.verify(data)
    Traceback (most recent call last):
    colonnade.DecodeError: ...
    """
    where, found, settings = resolve_source(source, format, options)
    where, series = open_series(where, found, settings)
    if series is not None:
        _read_through(series, settings)
        return
    file = open_checked(where, found, settings)
    with reporting(settings.progress, "verifying") as progress:
        file.verify(threads=resolve_threads(settings.threads), progress=progress)


def convert(
    source: Source | Scanned,
    target: Target,
    *,
    read_options: Mapping[str, Any] | Options | None = None,
    write_options: Mapping[str, Any] | Options | None = None,
    progress: Any = None,
) -> None:
    """Read one file and write another, from any format to any other.

    Batches of ``arrow``, ``arrows``, ``parquet``, a connection or a series of ``msgpack`` are converted one at a time
    to ``arrow``, ``arrows`` and ``parquet``, so a file may be larger than memory. All other sources and targets are
    converted as a whole in memory. The types of ``csv`` and ``ndjson`` are inferred from all rows.

    Parameters
    ----------
    source
        As for `read`, or a `Dataset`, whose parts are converted one at a time.
    target
        As for `write`. It may be the same file as `source`.
    read_options, write_options : mapping or options object, optional
        Keywords of `read` (``format``, ``columns`` and ``rows`` too) and of `write` (``format`` too).
    progress : True or callable, optional
        Reports reading and writing as one. If batches are converted one at a time, only writing is reported.

    Raises
    ------
    ColonnadeError, OSError
        The same errors as `read` and `write`.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> sink = cn.BufferSink()
    >>> data = cn.encode({"a": np.arange(3)}, "npz")
    >>> cn.convert(data, sink, write_options={"format": "npz", "compression": "deflate"})
    >>> cn.inspect(sink).shape
    (3, 1)
    """
    from .conversion import convert_frame

    convert_frame(source, target, read_options, write_options, progress)


def _nbytes(where: AnySource) -> int:
    if isinstance(where, PathSource):
        return os.stat(where.path).st_size
    assert isinstance(where, BufferSource)
    with memoryview(where.buffer) as view:
        return view.nbytes


def _read_through(series: Reader, options: Options) -> None:
    with series, reporting(options.progress, "verifying") as progress:
        steps = Steps(progress)
        first = 0
        for core in checked(series.cores()):
            core.check_ranges(first)
            first += core.nrows
            steps.done(core.nbytes)
