"""Warns of the data that `allow_truncated` skips."""

from __future__ import annotations

import os
from typing import Any

from .. import _core
from .._io.log import warn
from .._io.sources import AnySource, PathSource
from ..errors import TruncatedError
from .opener import open_source


def open_arrow(where: AnySource, settings: Any, options: _core.ReadOptions) -> _core.File:
    """Open a file or stream, and warn if its end is missing, which the options allow."""
    file = open_source(where, settings, options)
    if settings.allow_truncated and file.facts()["truncated"]:
        place = f"{where.name!r}: " if where.name else ""
        warn("arrow: %sthe end is missing. %s", place, _losses(where, file))
    return file


class TruncatedStream:
    """A reader of batches, for which the missing end mark is the end."""

    def __init__(self, reader: _core.Reader) -> None:
        self._reader = reader
        self._nbatches = self._nrows = 0

    def schema(self) -> _core.CoreFrame:
        return self._reader.schema()

    def next_batch(self) -> _core.CoreFrame | None:
        self._reader.schema()  # a stream that ends before is an error
        try:
            batch = self._reader.next_batch()
        except TruncatedError as error:
            cause = str(error).partition(". ")[0]
            warn("%s. %s; the rest is lost.", cause, _counted(self._nbatches, self._nrows))
            return None
        if batch is not None:
            self._nbatches += 1
            self._nrows += batch.nrows
        return batch


def _losses(where: AnySource, file: _core.File) -> str:
    read = _counted(len(file.batch_rows() or []), file.nrows)
    left = file.file_nbytes - (_end_of_batches(where, file) or file.file_nbytes)
    if left <= 0:
        return f"{read}; what came after them is lost."
    return f"{read}; the last {left:,} of {file.file_nbytes:,} bytes are part of a batch and were left out."


def _counted(nbatches: int, nrows: int) -> str:
    batches = f"{nbatches:,} batch{'' if nbatches == 1 else 'es'}"
    return f"{batches} with {nrows:,} row{'' if nrows == 1 else 's'} were read"


def _end_of_batches(where: AnySource, file: _core.File) -> int | None:
    """The byte after the last complete message of a file. The length of its header precedes it."""
    members = file.members()
    if not members or not isinstance(where, PathSource):
        return None
    last = members[-1]
    with open(where.path, "rb", buffering=0) as raw:
        length = os.pread(raw.fileno(), 4, last["offset"] - 4)
    return int(last["offset"]) + int.from_bytes(length, "little") + int(last["compressed_nbytes"])
