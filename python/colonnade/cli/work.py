"""The commands that work through a whole file: `verify`, `convert`, `cat`."""

import argparse
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import colonnade as cn

from .._core import Axis
from .._io.detection import FORMAT_NAMES, check_format, from_suffix
from .._io.progress import Bar, Callback
from .._values.terminal_text import clean
from .reading import format_of_file, read_options, source_of, written_keywords
from .show import match_columns
from .standard_streams import standard

_BAR_AFTER_S = 1.0
_WITH_CHECKSUMS = ("npz", "parquet")
_PRINTED = ("csv", "json", "ndjson", "yaml")


def verify(options: argparse.Namespace) -> int:
    """``colonnade verify``: checks every file, also after one that is invalid."""
    from ..cli import FAILED, OK, os_error_text, say
    from .words import in_own_words

    status = OK
    for name in options.files:
        try:
            with bar(f"verifying {name}") as progress:
                cn.verify(source_of(name), **read_options(options), progress=progress)
        except (BrokenPipeError, cn.OptionError):  # the same error for all files
            raise
        except (cn.ColonnadeError, OSError) as error:
            if options.debug:
                raise
            status = FAILED
            text = os_error_text(error) if isinstance(error, OSError) else str(error)
            text = text if name in text else f"{name}: {text}"
            say(in_own_words(text, ["verify"]))
        else:
            if not options.quiet:
                print(f"{clean(name)}: ok{_extent(name, options.source_format)}")
    return status


def _extent(name: str, format: str | None) -> str:
    """Returns a note on what the check could not cover, because the format has no checksums."""
    if name.endswith((".gz", ".zst")) or not (os.path.isfile(name) or os.path.isdir(name)):
        return ""  # a pipe is not opened again, because that would wait for another writer
    found = format_of_file(name, format)
    if found in _WITH_CHECKSUMS:
        return ""
    if found not in FORMAT_NAMES:
        return f" (structure only: what the plug-in {found} checks while it reads)"
    return f" (structure only: {found} has no checksums)"


def convert(options: argparse.Namespace) -> int:
    """``colonnade convert``."""
    from ..cli import OK
    from .datasets import is_dataset, opened, write_parts

    to_dataset = options.target != "-" and options.target.endswith("/")
    if is_dataset(options.source) or to_dataset:
        if options.rows is not None:
            raise cn.OptionError("--rows: expected no rows of a dataset. Use --filter.")
        source: Any = opened(options.source, options) if is_dataset(options.source) else None
        if source is None:
            source = cn.read(source_of(options.source), **read_options(options))
        if options.columns:
            source = source.select(match_columns(source.head(0), options.columns))
        if to_dataset:
            write_parts(source, options.target, options, write_options(options))
        else:
            with bar("converting") as progress:
                cn.write(source, target_of(options), **write_options(options), progress=progress)
        return OK
    if options.columns or options.rows is not None:
        return _write_part(options, write_options(options))
    with bar("converting") as progress:
        cn.convert(
            source_of(options.source),
            target_of(options),
            read_options=read_options(options),
            write_options=write_options(options),
            progress=progress,
        )
    return OK


def cat(options: argparse.Namespace) -> int:
    """``colonnade cat``. Its output is for people and programs, so plain text may lose values without a warning."""
    writing = write_options(options)
    if options.target_format in _PRINTED:
        writing.setdefault("on_loss", "ignore")
    return _write_part(options, writing)


def _write_part(options: argparse.Namespace, writing: dict[str, Any]) -> int:
    """Writes the requested columns and rows of a file."""
    from ..cli import OK

    frame = cn.read(source_of(options.source), **read_options(options))
    if options.columns:
        frame = frame.select(match_columns(frame, options.columns))
    if options.rows is not None:
        frame = _counted_anew(frame.slice(options.rows.start, options.rows.stop))
    with bar("writing") as progress:
        cn.write(frame, target_of(options), **writing, progress=progress)
    return OK


def _counted_anew(frame: cn.Frame) -> cn.Frame:
    """The frame with automatic row labels from 0 on, if they are automatic: a part of a file begins its own count."""
    if not frame.index.is_auto:
        return frame
    return cn.Frame._make(frame._load().with_axes(Axis.auto(0, len(frame), 1), None))


def write_options(options: argparse.Namespace) -> dict[str, Any]:
    """The keywords of writing that the command line names."""
    found = written_keywords(options)
    if options.target_format:
        found["format"] = options.target_format
    if options.compression and options.compression != "none":
        found["compression"] = options.compression
    elif options.compression and _format_of_target(options) == "parquet":
        found["compression"] = None  # everywhere else it is the default
    elif options.compression and found.get("profile") and _format_of_target(options) == "npz":
        raise cn.OptionError(
            "--compression: expected a codec with --profile, which compresses npz, found none. Leave one of the "
            "two out."
        )
    return found


def _format_of_target(options: argparse.Namespace) -> str | None:
    """The format of the target, if its name or suffix gives one."""
    format_name = options.target_format
    return check_format(format_name) if format_name else from_suffix(getattr(options, "target", None) or "")


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
    """A progress bar on stderr for work of more than a second, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with Bar(clean(what), delay_s=_BAR_AFTER_S) as progress:
        yield progress.update
