"""CSV and NDJSON chunk by chunk, through the core's writers."""

from __future__ import annotations

from . import _core
from ._link_ends import LinkTarget
from ._options_csv import CsvOptions
from ._options_json import NdjsonOptions
from ._targets import AnyTarget, ByTarget, opened_by
from ._text_files import writing
from .errors import UnsupportedError

_WRITERS: ByTarget[_core.TextWriter] = opened_by(_core.TextWriter)
Chunked = CsvOptions | NdjsonOptions


def open_text_writer(where: AnyTarget, made: Chunked) -> _core.TextWriter:
    """The core's writer for this kind of target."""
    options = writing(made, where)
    if isinstance(where, LinkTarget):
        raise UnsupportedError("a connection takes no text chunk by chunk: send each chunk as a message of its own.")
    to, place = _WRITERS.of(where)
    return to(place, options)
