"""What a command reads: the source that a name means, and the keywords of reading."""

import argparse
from typing import Any

from .standard_streams import standard

_READING = (
    "ext",
    "invalid_utf8",
    "encoding",
    "header_rows",
    "index_columns",
    "skip_rows",
    "decimal",
    "on_error",
    "big_ints",
)


def source_of(name: str) -> Any:
    """The source that a file name on the command line means."""
    return standard(0) if name == "-" else name


def read_options(options: argparse.Namespace) -> dict[str, Any]:
    """The keywords of reading that the command line names."""
    found: dict[str, Any] = {"threads": options.threads}
    if options.source_format:
        found["format"] = options.source_format
    if options.allow_truncated:
        found["allow_truncated"] = True
    for name in _READING:
        if getattr(options, name) is not None:
            found[name] = getattr(options, name)
    if options.delimiter is not None:
        found["delimiter"] = character(options.delimiter)
    for name in ("dates", "allow_nonfinite"):
        if getattr(options, name):
            found[name] = True
    return found


def character(text: str) -> str:
    """A tab is hard to type."""
    return "\t" if text == "\\t" else text
