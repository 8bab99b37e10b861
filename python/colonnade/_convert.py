"""`convert`: one file read, another written, with one progress for both halves."""

from collections.abc import Mapping
from typing import Any

from ._facade import open_file, select_frame
from ._formats import for_target
from ._frame import Frame
from ._options import NpyOptions, NpzOptions, Options, as_keywords, make_options
from ._progress import Callback, joined, reporting
from ._sources import Source
from ._store import store
from ._targets import Target, as_target


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
    # What is wrong with the writing half is said before the reading half begins.
    asked = writing.pop("format", None) or {NpzOptions: "npz", NpyOptions: "npy"}.get(type(write_options))
    target_format = for_target(asked, where.name)
    made = make_options(target_format, "write", writing)
    source_format, columns, rows = (reading.pop(name, None) for name in ("format", "columns", "rows"))
    file, _ = open_file(source, source_format, reading)
    frame = select_frame(Frame._make(file=file), columns, rows)
    with reporting(progress, "converting") as report:
        compressed = any(member["method"] != "stored" for member in file.members())
        first, last = joined(report, file.nbytes if compressed else 0, file.nbytes)
        core = _load(frame, reading.get("threads"), first)
        store(core, frame._lookup, where, made, last)
        if last is not None:
            last(1, 1)  # compressed bytes were counted without knowing their sum


def _load(frame: Frame, threads: int | None, progress: Callback | None) -> Any:
    frame._threads, frame._progress = threads, progress
    return frame._load()
