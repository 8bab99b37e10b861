"""Chunks to a target or a connection: one record batch or row group after the other, none of them kept."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain, islice

from .. import _core
from .._formats.options import Options
from .._formats.writers import Request, core_options, write_format
from .._io.connection_io import LinkTarget
from .._io.progress import Callback, Steps
from .._io.raw_connection import Link
from .._io.targets import AnyTarget, ByTarget, SinkTarget, opened_by
from .._io.threads import resolve_threads
from ..errors import UnsupportedError
from .chunks import Chunks

_WRITERS: ByTarget[_core.Writer] = opened_by(_core.Writer)


def store_chunks(chunks: Chunks, where: AnyTarget, made: Options, progress: Callback | None) -> None:
    """Write `chunks` to `where`. What goes wrong on the way leaves no file, and the old one whole."""
    if isinstance(where, LinkTarget):
        send_chunks(chunks, where.opened(resolve_threads(made.threads)), made, progress)
        return
    ahead = _begun(chunks.frames)
    _write_chunks(ahead, open_writer(where, made, chunks.nrows), chunks.nbytes, progress)


def send_chunks(
    chunks: Chunks, link: Link, made: Options, progress: Callback | None, timeout_s: float | None = None
) -> None:
    """Send `chunks` as one message. What goes wrong before the first byte leaves the connection as it was."""
    ahead = iter(chunks.frames)
    begun = list(islice(ahead, 2))
    if len(begun) == 1:
        options = _message_options(made, link, begun[0].nrows)
        with Steps(progress).next(begun[0].nbytes) if progress else nullcontext() as step:
            link._core.send(begun[0], options, timeout_s, step)
        return
    writer = link._core.writer(_message_options(made, link, chunks.nrows), timeout_s)
    _write_chunks(chain(begun, ahead), writer, chunks.nbytes, progress)


def _write_chunks(
    chunks: Iterable[_core.CoreFrame], writer: _core.Writer, nbytes: int | None, progress: Callback | None
) -> None:
    try:
        steps = Steps(progress, nbytes)
        for chunk in chunks:
            with steps.next(chunk.nbytes) as step:
                writer.write(chunk, step)
        writer.close()
        steps.finish()
    except BaseException:
        writer.abort()
        raise


def encode_chunks(chunks: Chunks, made: Options, progress: Callback | None) -> bytes:
    """The bytes of the file that `store_chunks` would write."""
    ahead = iter(chunks.frames)
    begun = list(islice(ahead, 2))
    if len(begun) == 1:
        return _core.encode(begun[0], core_options(made, Request(None, None, begun[0].nrows)), progress)
    sink = _core.BufferSink()
    store_chunks(Chunks(chain(begun, ahead), chunks.nbytes, chunks.nrows), SinkTarget(sink), made, progress)
    with memoryview(sink) as view:
        return bytes(view)


def open_writer(where: AnyTarget, made: Options, nrows: int | None = None) -> _core.Writer:
    """The core's writer for this kind of target. `nrows`: of all chunks together, where that is known.

    Raises
    ------
    UnsupportedError
        A connection, where every chunk is a message of its own.
    """
    if isinstance(where, LinkTarget):
        refusal = write_format(made).no_message
        if refusal is not None:
            raise UnsupportedError(refusal)
        link = where.opened(resolve_threads(made.threads))
        return link._core.writer(_message_options(made, link, nrows))
    to, place = _WRITERS.of(where)
    return to(place, core_options(made, Request(where, None, nrows)))


def _message_options(made: Options, link: Link, nrows: int | None) -> _core.WriteOptions:
    return core_options(made, Request(None, None, nrows, link._threads, True))


def _begun(chunks: Iterable[_core.CoreFrame]) -> Iterator[_core.CoreFrame]:
    """The same chunks, the first one made: what cannot be held is mostly said before the target is touched."""
    ahead = iter(chunks)
    return chain([next(ahead)], ahead)
