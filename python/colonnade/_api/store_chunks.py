"""Writes chunks to a target or a connection, one record batch or row group at a time."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain, islice
from typing import TYPE_CHECKING

from .. import _core
from .._formats.options import Options
from .._formats.writers import Request, core_options, write_format
from .._io.connection_io import LinkTarget
from .._io.progress import Callback, Steps
from .._io.raw_connection import Link
from .._io.targets import AnyTarget, ByTarget, SinkTarget, constructors_of
from .._io.threads import resolve_threads
from ..errors import UnsupportedError
from .chunks import Chunks

if TYPE_CHECKING:
    from .._formats.plugin_writers import PluginWriter

_WRITERS: ByTarget[_core.Writer] = constructors_of(_core.Writer)


def store_chunks(chunks: Chunks, where: AnyTarget, options: Options, progress: Callback | None) -> None:
    """Write `chunks` to `where`. After an error no new file exists, and an old one is complete."""
    if isinstance(where, LinkTarget):
        send_chunks(chunks, where.connected(resolve_threads(options.threads)), options, progress)
        return
    remaining = _with_first_converted(chunks.frames)
    _write_chunks(remaining, open_writer(where, options, chunks.nrows), chunks.nbytes, progress)


def send_chunks(
    chunks: Chunks, link: Link, settings: Options, progress: Callback | None, timeout_s: float | None = None
) -> None:
    """Send `chunks` as one message. An error before the first byte leaves the connection usable."""
    remaining = iter(chunks.frames)
    first_two = list(islice(remaining, 2))
    if len(first_two) == 1:
        options = _message_options(settings, link, first_two[0].nrows)
        with Steps(progress).next(first_two[0].nbytes) if progress else nullcontext() as step:
            link._core.send(first_two[0], options, timeout_s, step)
        return
    writer = _core.Writer.to_connection(link._core, _message_options(settings, link, chunks.nrows), timeout_s)
    _write_chunks(chain(first_two, remaining), writer, chunks.nbytes, progress)


def _write_chunks(
    chunks: Iterable[_core.CoreFrame],
    writer: "_core.Writer | PluginWriter",
    nbytes: int | None,
    progress: Callback | None,
) -> None:
    try:
        steps = Steps(progress, nbytes)
        for chunk in chunks:
            with steps.next(chunk.nbytes) as step:
                writer.write(chunk, step)
            del chunk  # not in memory with the next one
        writer.close()
        steps.finish()
    except BaseException:
        writer.abort()
        raise


def encode_chunks(chunks: Chunks, options: Options, progress: Callback | None) -> bytes:
    """Encode `chunks` to the bytes that `store_chunks` would write."""
    remaining = iter(chunks.frames)
    first_two = list(islice(remaining, 2))
    if len(first_two) == 1 and write_format(options).plugin is None:
        return _core.encode(first_two[0], core_options(options, Request(None, None, first_two[0].nrows)), progress)
    sink = _core.BufferSink()
    store_chunks(Chunks(chain(first_two, remaining), chunks.nbytes, chunks.nrows), SinkTarget(sink), options, progress)
    with memoryview(sink) as view:
        return bytes(view)


def open_writer(where: AnyTarget, options: Options, nrows: int | None = None) -> "_core.Writer | PluginWriter":
    """The writer of the core, or of a plug-in, for this kind of target. `nrows`: rows of all chunks, if known.

    Raises
    ------
    UnsupportedError
        The target is a connection, and the format needs one message per chunk.
    """
    if isinstance(where, LinkTarget):
        refusal = write_format(options).no_message
        if refusal is not None:
            raise UnsupportedError(refusal)
        link = where.connected(resolve_threads(options.threads))
        return _core.Writer.to_connection(link._core, _message_options(options, link, nrows))
    plugin = write_format(options).plugin
    if plugin is not None:
        from .._formats.plugin_writers import PluginWriter

        return PluginWriter(plugin, where, options)
    to, place = _WRITERS.of(where)
    return to(place, core_options(options, Request(where, None, nrows)))


def _message_options(options: Options, link: Link, nrows: int | None) -> _core.WriteOptions:
    return core_options(options, Request(None, None, nrows, link._threads, True))


def _with_first_converted(chunks: Iterable[_core.CoreFrame]) -> Iterator[_core.CoreFrame]:
    """The same chunks, with the first already converted, so that most refusals precede the opening of the target."""
    remaining = iter(chunks)
    return chain([next(remaining)], remaining)
