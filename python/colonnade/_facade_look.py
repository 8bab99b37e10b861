"""Look, check, change: `inspect`, `verify`, `convert`."""

from collections.abc import Mapping
from typing import Any

from ._convert import convert_frame
from ._info import Info, info_of
from ._open import open_file
from ._options import Options
from ._progress import reporting
from ._sources import Source
from ._targets import Target
from ._threads import resolve_threads


def inspect(source: Source, *, format: str | None = None, **options: Any) -> Info:
    """What a file holds: shape, schema, labels, sizes, codecs, members or batches. No data is read; but text says what
    it holds only when it is decoded.

    Also tells of files that hold no frame: a bundle's frames, and the members of any ZIP.

    Parameters
    ----------
    source, format, **options
        As for `read`.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError, OSError
        As `read` does.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> info = cn.inspect(cn.encode({"a": np.arange(3)}, "npz"))
    >>> info.shape, info.codecs["stored"] > 0
    ((3, 1), True)
    """
    return info_of(open_file(source, format, options)[0])


def verify(source: Source, *, format: str | None = None, **options: Any) -> None:
    """Check every checksum, length, offset and label, and that text is text; nothing is returned.

    Parameters
    ----------
    source, format, **options
        As for `read`.

    Raises
    ------
    DecodeError, TruncatedError, LimitError, UnsupportedError
        What is wrong, with member or batch, and byte.
    OSError
        As the system gives it.

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
    file, made = open_file(source, format, options)
    with reporting(made.progress, "verifying") as progress:
        file.verify(threads=resolve_threads(made.threads), progress=progress)


def convert(
    source: Source,
    target: Target,
    *,
    read_options: Mapping[str, Any] | Options | None = None,
    write_options: Mapping[str, Any] | Options | None = None,
    progress: Any = None,
) -> None:
    """Read one file and write another, of any format to any other.

    Between ``arrow`` and ``arrows`` the batches go through one at a time, whatever the size of the file. Text is read
    whole, as types are those of all rows.

    Parameters
    ----------
    source, target
        As for `read` and `write`. They may be the same file.
    read_options, write_options : mapping or options object, optional
        Keywords of `read` (``format``, ``columns`` and ``rows`` too) and of `write` (``format`` too).
    progress : True or callable, optional
        Of both halves together.

    Raises
    ------
    ColonnadeError, OSError
        As `read` and `write` do.

    Examples
    --------
    >>> import colonnade as cn, numpy as np
    >>> sink = cn.BufferSink()
    >>> data = cn.encode({"a": np.arange(3)}, "npz")
    >>> cn.convert(data, sink, write_options={"format": "npz", "compression": "deflate"})
    >>> cn.inspect(sink).shape
    (3, 1)
    """
    convert_frame(source, target, read_options, write_options, progress)
