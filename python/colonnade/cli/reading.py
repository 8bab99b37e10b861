"""Turns parsed options into the source and the keywords of the library's functions."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from .option_specs import READING, WRITING, Spec
from .standard_streams import standard


def source_of(name: str) -> Any:
    """The source that a file name on the command line means."""
    return standard(0) if name == "-" else name


def format_of_file(name: str, format: str | None) -> str:
    """The format of a file or a directory, which is `format` if that is given."""
    from .._io.detection import detect
    from .._io.sources import PathSource, as_source

    source = as_source(name)
    assert isinstance(source, PathSource)
    head = source.head()
    return format or ("npy" if head is None else detect(head, name, source.json_or_lines))


def read_options(options: argparse.Namespace) -> dict[str, Any]:
    """The keywords of reading that the command line names."""
    found: dict[str, Any] = {"threads": options.threads}
    if getattr(options, "source_format", None):
        found["format"] = options.source_format
    found |= _given(options, READING)
    if "limits" in found:
        found["limits"] = _limits_of(found["limits"])
    return found


def written_keywords(options: argparse.Namespace) -> dict[str, Any]:
    """The keywords of writing that the command line names, but for the format and the compression."""
    return {"threads": options.threads, **_given(options, WRITING)}


def _given(options: argparse.Namespace, specs: Iterable[Spec]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for spec in specs:
        value = getattr(options, spec.dest, _ABSENT)
        if value is not _ABSENT:
            found[spec.field] = value
    return found


def _limits_of(given: dict[str, int]) -> Any:
    import colonnade as cn

    from .._io.nearest import nearest_hint

    known = [name for name in dir(cn.Limits) if name.startswith("max_")]
    for name in given:
        if name not in known:
            raise cn.OptionError(
                f"--limits: {name!r} is no limit{nearest_hint(name, known)}. Known: {', '.join(known)}."
            )
    return cn.Limits(**given)


_ABSENT = object()
