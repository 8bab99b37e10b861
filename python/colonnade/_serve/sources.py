"""What a path of a URL names: a file, the rows of a file or a folder, or data in memory."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from zlib import crc32

from .._dataset.dataset import Dataset
from .._dataset.open_dataset import dataset
from .._frame.frame import Frame


@dataclass(frozen=True)
class Found:
    """What is at a path.

    Attributes
    ----------
    path : str or None
        A local file, whose bytes can be sent.
    rows : Dataset or Frame or None
        The rows; None if they are opened by `opened`.
    tag : str
        Changes when the data does.
    """

    path: str | None
    rows: Dataset | Frame | None
    tag: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def opened(self) -> Dataset | Frame:
        """The rows."""
        return dataset(self.path, **self.options) if self.rows is None else self.rows


class Source(Protocol):
    """Finds what a path names."""

    def find(self, path: str) -> Found:
        """FileNotFoundError if there is nothing."""

    def names(self, path: str) -> list[str] | None:
        """The names below a folder, those of folders with a slash; None if it is no folder."""


class FolderSource:
    """The files and folders below a folder. Symbolic links that lead out of it are not there."""

    def __init__(self, root: Any, options: Mapping[str, Any]) -> None:
        self._root = os.path.realpath(os.path.expanduser(os.fsdecode(root)))
        self._options = options
        if not os.path.isdir(self._root):
            raise FileNotFoundError(errno.ENOENT, "No such folder", os.fsdecode(root))

    def find(self, path: str) -> Found:
        place = self._place(path)
        if os.path.isdir(place):
            found = dataset(place, **self._options)
            if any(not self._holds(os.path.realpath(part.source)) for part in found.parts):
                raise FileNotFoundError(errno.ENOENT, "No such file", path)  # a link that leads out of the folder
            known = [(part.name, part.nbytes, _changed(part.source)) for part in found.parts]
            return Found(None, found, f"{crc32(repr(known).encode()):x}")
        return Found(place, None, tag_of(os.stat(place)), self._options)

    def names(self, path: str) -> list[str] | None:
        place = self._place(path)
        if not os.path.isdir(place):
            return None
        with os.scandir(place) as entries:
            return sorted(each.name + ("/" if each.is_dir() else "") for each in entries if _is_shown(each.name))

    def _place(self, path: str) -> str:
        pieces = [piece for piece in path.split("/") if piece]
        if any(not _is_shown(piece) or "\0" in piece for piece in pieces):
            raise FileNotFoundError(errno.ENOENT, "No such file", path)
        place = os.path.realpath(os.path.join(self._root, *pieces))
        if not self._holds(place) or not os.path.exists(place):
            raise FileNotFoundError(errno.ENOENT, "No such file", path)
        return place

    def _holds(self, place: str) -> bool:
        return place == self._root or place.startswith(self._root.rstrip(os.sep) + os.sep)


class NamedSources:
    """Datasets and frames in memory, by name. The name ``""`` is the path ``/``."""

    def __init__(self, named: Mapping[str, Any]) -> None:
        self._named = {
            name.strip("/"): data if isinstance(data, Dataset | Frame) else Frame(data) for name, data in named.items()
        }

    def find(self, path: str) -> Found:
        name = path.strip("/")
        if name not in self._named:
            raise FileNotFoundError(errno.ENOENT, "No such data", path)
        return Found(None, self._named[name], "")

    def names(self, path: str) -> list[str] | None:
        return sorted(self._named) if path.strip("/") == "" and "" not in self._named else None


def tag_of(status: os.stat_result) -> str:
    """Changes when a file does."""
    return f"{status.st_ino:x}-{status.st_size:x}-{status.st_mtime_ns:x}"


def _is_shown(name: str) -> bool:
    """Hidden files and manifests are not served, nor what leads upwards."""
    return not name.startswith((".", "_"))


def _changed(source: Any) -> int:
    try:
        return os.stat(source).st_mtime_ns
    except (OSError, TypeError, ValueError):
        return 0
