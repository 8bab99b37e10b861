"""Chunks to a target, as arrow, arrows or parquet: one record batch or row group after the other, none of them kept."""

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain, islice

from . import _core
from ._chunks import Chunks
from ._link import Link
from ._link_ends import LinkTarget
from ._options import format_of
from ._options_arrow import ArrowOptions
from ._options_parquet import ParquetOptions
from ._progress import Callback, Steps
from ._targets import AnyTarget, ByTarget, SinkTarget, opened_by
from ._threads import resolve_threads

Batched = ArrowOptions | ParquetOptions
AnyWriter = _core.IpcWriter | _core.ParquetWriter
_WRITERS: ByTarget[_core.IpcWriter] = opened_by(_core.IpcWriter)
_PARQUET_WRITERS: ByTarget[_core.ParquetWriter] = opened_by(_core.ParquetWriter)


def store_chunks(chunks: Chunks, where: AnyTarget, made: Batched, progress: Callback | None) -> None:
    """Write `chunks` to `where`. What goes wrong on the way leaves no file, and the old one whole."""
    if isinstance(where, LinkTarget):
        assert isinstance(made, ArrowOptions)
        send_chunks(chunks, where.opened(resolve_threads(made.threads)), made, progress)
        return
    ahead = _begun(chunks.frames)
    _write_chunks(ahead, open_writer(where, made, chunks.nrows), chunks.nbytes, progress)


def send_chunks(
    chunks: Chunks, link: Link, made: ArrowOptions, progress: Callback | None, timeout_s: float | None = None
) -> None:
    """Send `chunks` as one message. What goes wrong before the first byte leaves the connection as it was."""
    ahead = iter(chunks.frames)
    begun = list(islice(ahead, 2))
    if len(begun) == 1:
        options = _link_options(made, link, begun[0].nrows)
        with Steps(progress).next(begun[0].nbytes) if progress else nullcontext() as step:
            link._core.send(begun[0], _format(made), options, timeout_s, step)
        return
    writer = link._core.writer(_format(made), _link_options(made, link, chunks.nrows), timeout_s)
    _write_chunks(chain(begun, ahead), writer, chunks.nbytes, progress)


def _write_chunks(
    chunks: Iterable[_core.CoreFrame], writer: AnyWriter, nbytes: int | None, progress: Callback | None
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


def encode_chunks(chunks: Chunks, made: Batched, progress: Callback | None) -> bytes:
    """The bytes of the file that `store_chunks` would write."""
    ahead = iter(chunks.frames)
    begun = list(islice(ahead, 2))
    if len(begun) == 1:
        if isinstance(made, ParquetOptions):
            return _core.parquet_encode(begun[0], parquet_options(made, begun[0].nrows), progress)
        return _core.ipc_encode(begun[0], _format(made), ipc_options(made, begun[0].nrows), progress)
    sink = _core.BufferSink()
    store_chunks(Chunks(chain(begun, ahead), chunks.nbytes, chunks.nrows), SinkTarget(sink), made, progress)
    with memoryview(sink) as view:
        return bytes(view)


def open_writer(where: AnyTarget, made: Batched, nrows: int | None = None) -> AnyWriter:
    """The core's writer for this kind of target."""
    if isinstance(made, ParquetOptions):
        open_at, there = _PARQUET_WRITERS.of(where)
        return open_at(there, parquet_options(made, nrows))
    if isinstance(where, LinkTarget):
        link = where.opened(resolve_threads(made.threads))
        return link._core.writer(_format(made), _link_options(made, link, nrows))
    to, place = _WRITERS.of(where)
    return to(place, _format(made), ipc_options(made, nrows))


def ipc_options(made: ArrowOptions, nrows: int | None = None, threads: int | None = None) -> _core.IpcWriteOptions:
    """The core's options. `nrows`: of all chunks together, where that is known. `threads`: where `made` names none."""
    return _core.IpcWriteOptions(
        compression=made.compression,
        level=made.level,
        batch_nbytes=made.batch_nbytes,
        fsync=made.fsync,
        threads=resolve_threads(made.threads, threads),
        nrows=nrows,
    )


def parquet_options(made: ParquetOptions, nrows: int | None = None) -> _core.ParquetWriteOptions:
    """The core's options. `nrows`: of all chunks together, where that is known."""
    return _core.ParquetWriteOptions(
        compression=made.compression,
        level=made.level,
        encoding=made.encoding if isinstance(made.encoding, str) else dict(made.encoding),
        use_dictionary=made.use_dictionary if isinstance(made.use_dictionary, bool) else list(made.use_dictionary),
        profile=made.profile,
        row_group_rows=made.row_group_rows,
        page_nbytes=made.page_nbytes,
        data_page_version=made.data_page_version,
        statistics=made.statistics,
        page_index=made.page_index,
        crc=made.crc,
        fsync=made.fsync,
        threads=resolve_threads(made.threads),
        nrows=nrows,
    )


def _link_options(made: ArrowOptions, link: Link, nrows: int | None) -> _core.IpcWriteOptions:
    return ipc_options(made, nrows, link._threads)


def _begun(chunks: Iterable[_core.CoreFrame]) -> Iterator[_core.CoreFrame]:
    """The same chunks, the first one made: what cannot be held is mostly said before the target is touched."""
    ahead = iter(chunks)
    return chain([next(ahead)], ahead)


def _format(made: ArrowOptions) -> str:
    format = format_of(made)
    assert format is not None
    return format
