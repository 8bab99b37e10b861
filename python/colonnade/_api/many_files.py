"""One frame of several files of one schema: a list of sources, or a pattern such as ``"dir/*.parquet"``."""

import errno
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

from .. import _core
from .._frame.frame import Frame
from .._frame.select import row_range
from .._io.connection_io import url_scheme
from .._io.paths import matching
from .._io.sources import Source, expand_home
from ..errors import DecodeError

_WILDCARDS = frozenset("*?[")


def several(source: Any) -> list[Any] | None:
    """The sources of a list or tuple, or the sorted paths of a pattern; None for a single source.

    A path that exists is itself, even if it has the letters of a pattern.

    Raises
    ------
    FileNotFoundError
        No file matches the pattern, or the list is empty.
    """
    if isinstance(source, list | tuple):
        sources = list(source)
        if not sources:
            raise FileNotFoundError(errno.ENOENT, "expected one source at least, found an empty list")
        return sources
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fsdecode(source)
    if _WILDCARDS.isdisjoint(path) or url_scheme(path) is not None:
        return None
    path = expand_home(path)
    if os.path.lexists(path):
        return None
    found = matching(path)
    if not found:
        raise FileNotFoundError(errno.ENOENT, "No file matches the pattern", path)
    return list(found)


def joined(sources: Sequence[Source], rows: slice | None, read_one: Callable[[Source], Frame]) -> Frame:
    """The rows of all sources, in order, in one frame in memory. One source is open at a time.

    Raises
    ------
    DecodeError
        Labels or types of a source differ from those of the first; the message names both sources.
    """
    first: Frame | None = None
    cores: list[_core.CoreFrame] = []
    for position, source in enumerate(sources):
        frame = read_one(source)
        if first is None:
            first = frame
        else:
            _check_same(first, frame, (_name(sources, 0), _name(sources, position)))
        cores.append(frame._load())
    try:
        whole = Frame._make(_core.concat_frames(cores))
    except DecodeError as error:
        raise DecodeError(f"{_name(sources, 0)} and the sources after it: {error}") from None
    span = row_range(rows, len(whole))
    return whole if span is None else whole._sliced(span)


def _check_same(first: Frame, frame: Frame, names: tuple[str, str]) -> None:
    found = difference(first, frame)
    if found is not None:
        what, one, other = found
        raise DecodeError(
            f"{names[1]}: expected {what} as in {names[0]}, {one}, found {other}. Files that are read together have "
            "one schema; read them one by one, and convert them."
        )


Difference = tuple[str, str, str]
"""What differs between two frames, and both sides."""


def difference(first: Frame, frame: Frame) -> Difference | None:
    """The first difference of the labels and types of columns."""
    ours, theirs = list(first), list(frame)
    if ours != theirs:
        missing = [label for label in ours if label not in theirs]
        extra = [label for label in theirs if label not in ours]
        if not missing and not extra:
            return "the order of columns", repr(ours[:5]), repr(theirs[:5])
        return "the columns", repr(ours[:5]), f"no {missing[0]!r}" if missing else f"{extra[0]!r} too"
    for label, one, other in zip(ours, first.dtypes.names(), frame.dtypes.names(), strict=True):
        if one != other and _values_of(one) != _values_of(other):
            return f"column {label!r}", one, other
    return None


def _values_of(dtype: str) -> str:
    """The name of a type that is the same in NumPy's layout and in Arrow's."""
    if dtype.startswith("<U"):
        return "utf8"
    unit = _OF_UNIT.fullmatch(dtype)
    if unit is not None:
        return f"{'datetime64' if unit[1] == 'timestamp' else 'timedelta64'}[{unit[2]}]"
    return _IN_NUMPY.get(dtype, dtype)


_OF_UNIT = re.compile(r"(timestamp|duration)\[(s|ms|us|ns)\]")
_IN_NUMPY = {
    "halffloat": "float16",
    "float": "float32",
    "double": "float64",
    "date32[day]": "datetime64[D]",
    "large_utf8": "utf8",
    "utf8_view": "utf8",
}


def _name(sources: Sequence[Source], position: int) -> str:
    source = sources[position]
    return repr(os.fsdecode(source)) if isinstance(source, str | os.PathLike) else f"source {position}"
