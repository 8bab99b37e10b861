"""Opens files of the core."""

from typing import Any

from .. import _core
from .._io.progress import reporting
from .._io.sources import AnySource
from .._io.threads import resolve_threads
from .._values.option_checks import Common

_LIMITS = _core.Limits()


def read_keywords(options: Common) -> dict[str, Any]:
    """Keywords that the core's options of reading have in all formats."""
    return {
        "limits": options.limits or _LIMITS,
        "threads": resolve_threads(options.threads),
        "verify": options.verify,
    }


def open_source(where: AnySource, settings: Common, options: _core.ReadOptions) -> _core.File:
    """Open a source: check and describe its structure."""
    with reporting(settings.progress, "reading") as progress:
        file: _core.File = where.open(_core.File, settings.mmap, options=options, progress=progress)
    return file
