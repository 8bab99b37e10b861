"""A file that a format plug-in has read, with the reading interface of an opened file of the core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from .. import _core
from .._frame.frame import frame_from
from .._io.http_source import HttpSource
from .._io.network_filesystems import on_network
from .._io.progress import reporting
from .._io.sources import AnySource, BufferSource, PathSource
from .._io.streams import CallSource, StreamSource
from .._plugins.byte_source import ByteSource
from .._plugins.calls import no_frame, reading
from .._plugins.contract import FormatPlugin
from .._plugins.discovery import Loaded
from .._values.option_checks import Common
from .._values.record_batches import Batches
from ..errors import LimitError, UnsupportedError

_MAPPED_NBYTES = 1 << 20  # smaller files are read, as by the core


class PluginFile(Batches):
    """The frame that a plug-in has read, whole or some columns of it."""

    kind = "frame"
    layout = "plug-in"
    version = None

    def __init__(self, loaded: Loaded[FormatPlugin], frames: Sequence[_core.CoreFrame], file_nbytes: int) -> None:
        super().__init__(frames)
        self.format = loaded.name
        self.plugin = loaded.distribution
        self.file_nbytes = file_nbytes

    def load(self, positions: Any = None, rows: Any = None, **keywords: Any) -> _core.CoreFrame:
        """All rows in one frame. A single batch is not copied."""
        if len(self._frames) > 1:
            return super().load(positions, rows, **keywords)
        return self.load_arrow(positions, rows)[0]

    def members(self) -> list[dict[str, Any]]:
        """None: the plug-in does not say how its files are built."""
        return []

    def facts(self) -> dict[str, Any]:
        """None, as `members`."""
        return {}

    def labels(self) -> list[str]:
        """None: a plug-in format holds one frame."""
        return []

    def verify(self, threads: int | None = None, progress: Any = None) -> None:
        """Check what the plug-in returned. It has checked the bytes while it read them."""
        first = 0
        for frame in self._frames:
            frame.check_ranges(first)
            first += frame.nrows


def open_plugin(
    loaded: Loaded[FormatPlugin], where: AnySource, options: Common, columns: list[str] | None = None
) -> PluginFile:
    """The frame that the plug-in reads, or some columns of it.

    Raises
    ------
    UnsupportedError
        The plug-in only writes, or the source is a URL.
    DecodeError, TruncatedError
        The plug-in refuses the bytes.
    PluginError
        The plug-in fails, or returns what is no frame.
    """
    if not loaded.can("read"):
        raise UnsupportedError(f"{loaded}: the plug-in does not read files: expected the capability 'read'.")
    with source_of(loaded, where, options) as source, reporting(options.progress, "reading") as progress:
        with reading(loaded, "read", source.name):
            found = loaded.plugin.read(source, options, columns)
        file = PluginFile(loaded, cores_of(loaded, "read", found), source.nbytes)
        if progress is not None:
            progress(source.nbytes, source.nbytes)
    if options.verify:
        file.verify()
    return file


def open_chosen(
    loaded: Loaded[FormatPlugin], where: AnySource, options: Common, columns: Any
) -> tuple[PluginFile, Any]:
    """The source with only these columns read, if all are text; the columns to select from it.

    A name that is no column may be a path into a nested one, or a typo. All columns are read then, so that `select`
    finds the path or suggests the nearest label.
    """
    names = [columns] if isinstance(columns, str) else list(columns) if isinstance(columns, list | tuple) else []
    if isinstance(columns, tuple) or not names or not all(isinstance(name, str) for name in names):
        return open_plugin(loaded, where, options), columns
    where = rereadable(where, options)
    try:
        file = open_plugin(loaded, where, options, list(dict.fromkeys(names)))
    except Exception:  # the plug-in's own error of an unknown column, or a fault that the second read shows too
        return open_plugin(loaded, where, options), columns
    labels = labels_of(file)
    if set(labels) == set(names) and len(labels) == len(set(names)):
        return file, columns
    whole = open_plugin(loaded, where, options)
    if set(names) <= set(labels_of(whole)):
        raise loaded.error(f"read() was asked for the columns {names}, and returned {labels}: expected those columns")
    return whole, columns


def cores_of(loaded: Loaded[FormatPlugin], method: str, found: Any) -> list[_core.CoreFrame]:
    """The frames of the core over what a reading method returned, without a copy.

    Raises
    ------
    PluginError
        It is no frame.
    """
    try:
        if found is None or isinstance(found, str | bytes):
            raise TypeError(type(found).__qualname__)
        return frame_from(found)._load_batches()
    except TypeError as error:
        raise no_frame(loaded, method, found) from error


def labels_of(file: Batches | _core.CoreFrame) -> list[Any]:
    """The column labels."""
    from .._frame.axes import Labels

    return list(Labels(file.columns))


@contextmanager
def source_of(loaded: Loaded[FormatPlugin], where: AnySource, options: Common) -> Iterator[ByteSource]:
    """The bytes of a source, for a plug-in. A stream is read to its end."""
    where = rereadable(where, options)
    if isinstance(where, PathSource):
        mmap = not on_network(where.device) if options.mmap is None else options.mmap
        source = ByteSource(where.name, where.path, None, mmap=mmap, least_mapped_nbytes=_MAPPED_NBYTES)
    elif isinstance(where, BufferSource):
        source = ByteSource.of_memory(where.buffer, where.name)
    else:
        what = where.name if isinstance(where, HttpSource) else "a connection"
        raise UnsupportedError(
            f"{loaded}: {what}: expected a path, bytes or a stream, found what plug-ins do not read. Save it as a "
            "file first."
        )
    with closing(source):
        most = None if options.limits is None else options.limits.max_nbytes
        if most is not None and source.nbytes > most:
            raise LimitError(f"{loaded}: expected at most max_nbytes = {most:,} bytes, found {source.nbytes:,}.")
        yield source


def rereadable(where: AnySource, options: Common) -> AnySource:
    """The source; a stream as memory that holds all its bytes."""
    if isinstance(where, StreamSource | CallSource):
        return BufferSource(where.collected(options.limits or _core.Limits()), where.name)
    return where
