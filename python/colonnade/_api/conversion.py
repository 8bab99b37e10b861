"""`convert`: reads one file and writes another, with one progress report for both."""

from collections.abc import Mapping
from typing import Any

from .. import _core
from .._formats.options import Options, as_keywords, format_of
from .._formats.registry import FORMATS
from .._formats.writers import write_format
from .._io.connection_io import LinkSource
from .._io.progress import TwoPhaseProgress, reporting, split_progress
from .._io.sources import Source
from .._io.stores import Access
from .._io.targets import AnyTarget, Target, as_target, released, settle
from ..errors import OptionError
from .chunks import Chunks, Scanned, chunks_of
from .msgpack_frames import open_series
from .open_source import open_frame, received, resolve_source
from .readers_writers import open_reader
from .store import store
from .store_chunks import store_chunks
from .write_options import written_as


def convert_frame(
    source: Source | Scanned,
    target: Target,
    read_options: Mapping[str, Any] | Options | None,
    write_options: Mapping[str, Any] | Options | None,
    progress: Any,
) -> None:
    """Implements `convert`."""
    reading, writing = as_keywords(read_options, "read"), as_keywords(write_options, "write")
    where = as_target(target, Access.of(writing))
    with released(where):
        # Options of writing are checked before the source is read.
        format_name = writing.pop("format", None) or format_of(write_options)
        options = written_as(where, format_name, writing)
        source_format = reading.pop("format", None) or format_of(read_options)
        with reporting(progress, "converting") as report:
            if isinstance(source, Scanned):
                _convert_scanned(source, where, source_format, reading, options, report)
            elif write_format(options).is_batched:
                _convert_batches(source, where, source_format, reading, options, report)
            else:
                _convert_whole(source, where, source_format, reading, options, report)
        settle(where, options.fsync)


def _convert_batches(
    source: Source, where: AnyTarget, format: str | None, reading: dict[str, Any], options: Options, report: Any
) -> None:
    """Convert batch by batch.

    A source without batches is one batch. So is a source whose types depend on all rows.
    """
    phases = TwoPhaseProgress(report)
    with open_reader(source, format=format, **_with_progress(reading, phases)) as reader:
        if reader.settled:
            if "progress" not in reading:
                reader._progress = None  # Reading and writing alternate, so only writing is reported.
            chunks = Chunks(reader.cores(), *reader.size())
        else:
            chunks = chunks_of(reader.read_all(), options)
        store_chunks(chunks, where, options, phases.last)


def _convert_scanned(
    source: Scanned, where: AnyTarget, format: str | None, reading: dict[str, Any], options: Options, report: Any
) -> None:
    """Convert a dataset, which was opened with its options."""
    if given := sorted({**reading, **({} if format is None else {"format": format})}):
        raise OptionError(f"read_options: expected none for a dataset, found {given[0]!r}. Pass it to cn.dataset.")
    if write_format(options).is_batched:
        store_chunks(chunks_of(source, options), where, options, TwoPhaseProgress(report).last)
        return
    frame = source.read()
    store(frame._load(), frame._lookup, where, options, TwoPhaseProgress(report).last)


def _convert_whole(
    source: Source, where: AnyTarget, format: str | None, reading: dict[str, Any], options: Options, report: Any
) -> None:
    columns, rows = reading.pop("columns", None), reading.pop("rows", None)
    phases = TwoPhaseProgress(report)
    place, found, opening = resolve_source(source, format, _with_progress(reading, phases))
    if isinstance(place, LinkSource):
        frame = received(place, opening, columns, rows)
        store(frame._load(), frame._lookup, where, options, phases.last)
        return
    place, series = open_series(place, found, opening, columns, rows)
    if series is not None:
        series._progress = opening.progress
        with series:
            frame = series.read_all()
        store(frame._load(), frame._lookup, where, options, phases.last)
        return
    frame = open_frame(place, found, opening, columns, rows)
    file = frame._source
    members = []
    if isinstance(file, _core.File) and not FORMATS[file.format].is_decoded_when_opened:
        members = file.members()
    compressed = any(member["method"] != "stored" for member in members)
    first, last = split_progress(phases.last, file.nbytes if compressed else 0, file.nbytes)
    if "progress" not in reading:
        frame._progress = first
    store(frame._load(), frame._lookup, where, options, last)
    if last is not None:
        last(1, 1)  # The number of compressed bytes was not known.


def _with_progress(reading: dict[str, Any], phases: TwoPhaseProgress) -> dict[str, Any]:
    """The keywords of reading, with the progress callback."""
    return reading if phases.first is None else {"progress": phases.first} | reading
