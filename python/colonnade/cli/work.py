"""The commands that work through a whole file: `verify`, `convert`."""

import argparse
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import colonnade as cn

from .._io.detection import check_format, from_suffix
from .._io.progress import Bar, Callback
from .._values.terminal_text import clean
from .show import source_of
from .standard_streams import standard

_BAR_AFTER_S = 1.0
_PRINTED = ("csv", "json", "ndjson", "yaml")
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
_WRITING = (
    "level",
    "filter",
    "compat",
    "batch_nbytes",
    "profile",
    "row_group_rows",
    "orient",
    "numbers",
    "schema",
    "nonfinite",
    "indent",
)


def verify(options: argparse.Namespace) -> int:
    """``colonnade verify``: every file is checked, whatever the ones before said."""
    from ..cli import FAILED, OK, os_error_text

    status = OK
    for name in options.files:
        try:
            with bar(f"verifying {name}") as progress:
                cn.verify(source_of(name), format=options.source_format, threads=options.threads, progress=progress)
        except (BrokenPipeError, cn.OptionError):  # the same error for all files
            raise
        except (cn.ColonnadeError, OSError) as error:
            if options.debug:
                raise
            status = FAILED
            text = os_error_text(error) if isinstance(error, OSError) else str(error)
            text = text if name in text else f"{name}: {text}"
            print(f"colonnade: {clean(text)}", file=sys.stderr)
        else:
            if not options.quiet:
                print(f"{clean(name)}: ok")
    return status


def convert(options: argparse.Namespace) -> int:
    """``colonnade convert``."""
    from ..cli import OK

    with bar("converting") as progress:
        cn.convert(
            source_of(options.source),
            target_of(options),
            read_options=read_options(options),
            write_options=write_options(options),
            progress=progress,
        )
    return OK


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
        found["delimiter"] = _character(options.delimiter)
    for name in ("dates", "allow_nonfinite"):
        if getattr(options, name):
            found[name] = True
    return found


def write_options(options: argparse.Namespace) -> dict[str, Any]:
    """The keywords of writing that the command line names."""
    found: dict[str, Any] = {"threads": options.threads}
    if options.target_format:
        found["format"] = options.target_format
    if options.compression and options.compression != "none":
        found["compression"] = options.compression
    elif options.compression and _format_of_target(options) == "parquet":
        found["compression"] = None  # everywhere else it is the default
    elif options.compression and getattr(options, "profile", None) and _format_of_target(options) == "npz":
        raise cn.OptionError(
            "--compression: expected a codec beside --profile, which is a way to compress npz, found none. Leave one "
            "of the two out."
        )
    for name in _WRITING:
        if getattr(options, name, None) is not None:
            found[name] = getattr(options, name)
    for name in ("fsync", "mkdir", "compatible", "lossy"):
        if getattr(options, name, False):
            found[name] = True
    if getattr(options, "no_header", False):
        found["header"] = False
    if getattr(options, "to_delimiter", None) is not None:
        found["delimiter"] = _character(options.to_delimiter)
    return found


def _format_of_target(options: argparse.Namespace) -> str | None:
    """The format of the target as far as it is said: by name or suffix."""
    format_name = options.target_format
    return check_format(format_name) if format_name else from_suffix(getattr(options, "target", None) or "")


def _character(text: str) -> str:
    """A tab is hard to type."""
    return "\t" if text == "\\t" else text


def target_of(options: argparse.Namespace) -> Any:
    """The target that a file name on the command line means."""
    if options.target != "-":
        return options.target
    if not options.target_format:
        raise cn.OptionError(
            "--to: stdout has no suffix to tell the format from. Pass --to arrows, --to csv, --to ndjson, --to json, "
            "--to npz or another."
        )
    fd = standard(1)
    if options.target_format not in _PRINTED and os.isatty(fd) and stat.S_ISCHR(os.fstat(fd).st_mode):
        raise cn.OptionError("stdout: binary data is not written to a terminal. Redirect it, or name a file.")
    return fd


@contextmanager
def bar(what: str) -> Iterator[Callback | None]:
    """A bar on stderr for work of more than a second, where someone watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with Bar(clean(what), delay_s=_BAR_AFTER_S) as progress:
        yield progress.update
