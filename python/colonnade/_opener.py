"""Opens files of the core whose options of reading are one object."""

from dataclasses import dataclass
from typing import Any

from . import _core
from ._option_checks import Common
from ._progress import Callback, reporting
from ._sources import AnySource
from ._threads import resolve_threads

_LIMITS = _core.Limits()


def read_keywords(made: Common) -> dict[str, Any]:
    """What the core's options of reading have in every format."""
    return {
        "limits": made.limits or _LIMITS,
        "threads": resolve_threads(made.threads),
        "verify": made.verify,
    }


def open_source(where: AnySource, made: Common, options: _core.ReadOptions) -> _core.File:
    """The opened source: its structure is checked and described."""
    with reporting(made.progress, "reading") as progress:
        file: _core.File = where.open(_core.File, made.mmap, options=options, progress=progress)
    return file


@dataclass(frozen=True)
class Opener:
    """What a source opens (see `colonnade._sources`).

    `file`: a class of the core; `options`: that of its options of reading, whose keywords are `told`.
    """

    file: Any
    options: Any

    def open_path(self, path: str, *, mmap: bool, **told: Any) -> Any:
        return self.file.open_path(path, mmap=mmap, **self._keywords(**told))

    def open_buffer(self, buffer: object, **told: Any) -> Any:
        return self.file.open_buffer(buffer, **self._keywords(**told))

    def open_fd(self, fd: int, *, head: bytes | None = None, **told: Any) -> Any:
        return self.file.open_fd(fd, head=head, **self._keywords(**told))

    def open_http(self, file: _core.HttpFile, **told: Any) -> Any:
        return self.file.open_http(file, **self._keywords(**told))

    def _keywords(self, *, verify: bool, progress: Callback | None, **told: Any) -> dict[str, Any]:
        return {"verify": verify, "progress": progress, "options": self.options(**told)}
