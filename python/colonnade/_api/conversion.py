"""`convert`: one file read, another written, with one progress for both halves."""

from collections.abc import Mapping
from typing import Any

from .. import _core
from .._formats.options import Options, as_keywords, format_of
from .._formats.registry import FORMATS
from .._formats.writers import write_format
from .._io.connection_io import LinkSource
from .._io.progress import Halves, joined, reporting
from .._io.sources import Source
from .._io.targets import AnyTarget, Target, as_target, released, settle
from .chunks import Chunks, chunks_of
from .msgpack_frames import whole_series
from .open_source import open_frame, received, resolve_source
from .readers_writers import open_reader
from .store import store
from .store_chunks import store_chunks
from .write_options import written_as


def convert_frame(
    source: Source,
    target: Target,
    read_options: Mapping[str, Any] | Options | None,
    write_options: Mapping[str, Any] | Options | None,
    progress: Any,
) -> None:
    """The work of `convert`."""
    reading, writing = as_keywords(read_options, "read"), as_keywords(write_options, "write")
    where = as_target(target)
    with released(where):
        # What is wrong with the writing half is said before the reading half begins.
        asked = writing.pop("format", None) or format_of(write_options)
        made = written_as(where, asked, writing)
        source_format = reading.pop("format", None) or format_of(read_options)
        with reporting(progress, "converting") as report:
            if write_format(made).is_batched:
                _stream(source, where, source_format, reading, made, report)
            else:
                _whole(source, where, source_format, reading, made, report)
        settle(where, made.fsync)


def _stream(
    source: Source, where: AnyTarget, format: str | None, reading: dict[str, Any], made: Options, report: Any
) -> None:
    """Batch by batch; a source without batches is one, and so is one whose types only all of its rows tell."""
    halves = Halves(report)
    with open_reader(source, format=format, **_told_of(reading, halves)) as reader:
        if reader.settled:
            if "progress" not in reading:
                reader._progress = None  # batches are read and written in turns: telling of one is enough
            chunks = Chunks(reader.cores(), *reader.size())
        else:
            chunks = chunks_of(reader.read_all(), made)
        store_chunks(chunks, where, made, halves.last)


def _whole(
    source: Source, where: AnyTarget, format: str | None, reading: dict[str, Any], made: Options, report: Any
) -> None:
    columns, rows = reading.pop("columns", None), reading.pop("rows", None)
    halves = Halves(report)
    place, found, opening = resolve_source(source, format, _told_of(reading, halves))
    if isinstance(place, LinkSource):
        frame = received(place, opening, columns, rows)
        store(frame._load(), frame._lookup, where, made, halves.last)
        return
    place, series = whole_series(place, found, opening, columns, rows)
    if series is not None:
        series._progress = opening.progress
        with series:
            frame = series.read_all()
        store(frame._load(), frame._lookup, where, made, halves.last)
        return
    frame = open_frame(place, found, opening, columns, rows)
    file = frame._source
    members = []
    if isinstance(file, _core.File) and not FORMATS[file.format].is_decoded_when_opened:
        members = file.members()
    compressed = any(member["method"] != "stored" for member in members)
    first, last = joined(halves.last, file.nbytes if compressed else 0, file.nbytes)
    if "progress" not in reading:
        frame._progress = first
    store(frame._load(), frame._lookup, where, made, last)
    if last is not None:
        last(1, 1)  # compressed bytes were counted without knowing their sum


def _told_of(reading: dict[str, Any], halves: Halves) -> dict[str, Any]:
    """The keywords of reading, with who is told of it."""
    return reading if halves.first is None else {"progress": halves.first} | reading
