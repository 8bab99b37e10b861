"""The command `completion`: a script for bash, zsh or fish, made from the parser by shtab.

shtab is imported by this command only.
"""

from __future__ import annotations

import argparse

from .._io.detection import CONNECTED, FORMAT_NAMES
from .extras import require
from .option_specs import READING, WRITING
from .parser import parser, subparsers

_FILES = ("FILE", "SRC", "DST", "A", "B", "PATH", "NAME=PATH")
_WORDS: dict[str, tuple[str, ...]] = {
    "big_ints": ("error", "decimal", "text"),
    "compat": ("static-frame", "old-spec"),
    "ext": ("bytes",),
    "transform": ("auto", "shuffle", "delta", "delta-shuffle", "dictionary"),
    "invalid_utf8": ("bytes",),
    "nonfinite": ("null", "literal", "error"),
    "numbers": ("plain", "packed"),
    "on_error": ("raise", "null", "skip"),
    "orient": ("columns", "records", "split"),
    "profile": ("fast", "balanced", "small"),
    "quoting": ("minimal", "nonnumeric", "all"),
}
_COMPRESSIONS = ("none", "auto", "zstd", "lz4", "snappy", "gzip", "brotli", "deflate")
"""Words that some format takes. Another word is no error here, but one of the library."""


def completion(options: argparse.Namespace) -> int:
    """``colonnade completion``."""
    from ..cli import OK

    require("shtab", "completion", "completion")
    import shtab

    print(shtab.complete(completed_parser(), shell=options.shell))
    return OK


def completed_parser() -> argparse.ArgumentParser:
    """The parser of all commands, with the words and files that values may be."""
    found = parser()
    fields = {spec.dest: spec.field for spec in (*READING, *WRITING)}
    for name, command in subparsers(found).items():
        for action in command._actions:
            if action.dest in ("source_format", "target_format"):
                action.choices = CONNECTED if name == "send" and action.dest == "target_format" else FORMAT_NAMES
            elif action.dest == "compression":
                action.choices = _COMPRESSIONS
            elif (words := _WORDS.get(fields.get(action.dest, ""))) is not None:
                action.choices = words
            elif action.metavar in _FILES:
                action.complete = _FILE  # type: ignore[attr-defined]
    return found


_FILE = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}
"""As `shtab.FILE`."""
