"""`convert`: one file read, another written, with one progress for both halves."""

from collections.abc import Mapping
from typing import Any

from . import _core
from ._batched import Batches
from ._chunks import Chunks, chunks_of
from ._facade_chunks import open_reader
from ._frame import Frame
from ._link_ends import LinkSource
from ._open import framed, received, told
from ._options import Options, as_keywords, format_of
from ._progress import Callback, joined, reporting
from ._sources import Source
from ._store import store
from ._store_chunks import Batched, store_chunks
from ._targets import AnyTarget, Target, as_target, released
from ._written import written_as


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
            if isinstance(made, Batched):
                _stream(source, where, source_format, reading, made, report)
            else:
                _whole(source, where, source_format, reading, made, report)


def _stream(
    source: Source, where: AnyTarget, format: str | None, reading: dict[str, Any], made: Batched, report: Any
) -> None:
    """Batch by batch; a source without batches is one, and so is one whose types only all of its rows tell."""
    with open_reader(source, format=format, **reading) as reader:
        chunks = Chunks(reader.cores(), *reader.size()) if reader.settled else chunks_of(reader.read_all(), made)
        store_chunks(chunks, where, made, report)


def _whole(
    source: Source, where: AnyTarget, format: str | None, reading: dict[str, Any], made: Options, report: Any
) -> None:
    columns, rows = reading.pop("columns", None), reading.pop("rows", None)
    place, found, opening = told(source, format, reading)
    if isinstance(place, LinkSource):
        frame = received(place, opening, columns, rows)
        store(frame._load(), frame._lookup, where, made, report)
        return
    frame = framed(place, found, opening, columns, rows)
    source = frame._source
    members = [] if isinstance(source, _core.CoreFrame | Batches) else source.members()
    compressed = any(member["method"] != "stored" for member in members)
    first, last = joined(report, source.nbytes if compressed else 0, source.nbytes)
    core = _load(frame, first)
    store(core, frame._lookup, where, made, last)
    if last is not None:
        last(1, 1)  # compressed bytes were counted without knowing their sum


def _load(frame: Frame, progress: Callback | None) -> _core.CoreFrame:
    frame._progress = progress
    return frame._load()
