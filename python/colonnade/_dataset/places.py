"""The folder of a dataset: on a local disk, or below a prefix of a store."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from .._io.stores import Access, import_obstore, is_store, open_store, path_of_file_url
from .._io.sources import expand_home
from ..errors import UnsupportedError


class Place(Protocol):
    """A folder that holds files by their names, with ``/`` between folders."""

    def names(self, below: str) -> Iterator[tuple[str, int, float]]:
        """(name, bytes, time of the last change in seconds) of each file below a folder, sorted by name."""

    def get(self, name: str) -> bytes:
        """The bytes of a file."""

    def create(self, name: str, data: bytes) -> bool:
        """Make a file, whole or not at all. False if there is one of this name already."""

    def remove(self, name: str) -> None:
        """Remove a file. One that is gone is no error."""

    def target(self, name: str) -> str:
        """What `cn.write` takes for this file."""


@dataclass(frozen=True)
class Folder:
    """A local folder."""

    path: str

    def names(self, below: str) -> Iterator[tuple[str, int, float]]:
        top = os.path.join(self.path, below)
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                place = os.path.join(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    status = os.stat(place)
                    yield os.path.relpath(place, self.path).replace(os.sep, "/"), status.st_size, status.st_mtime

    def get(self, name: str) -> bytes:
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def create(self, name: str, data: bytes) -> bool:
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = f"{path}.{os.getpid()}.{time.monotonic_ns()}.tmp"
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            # Unlike a rename, a link fails if the name is taken, so one of several writers wins.
            os.link(temporary, path)
        except FileExistsError:
            return False
        finally:
            os.unlink(temporary)
        _sync_folder(os.path.dirname(path))
        return True

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.path, name))

    def target(self, name: str) -> str:
        return os.path.join(self.path, name)


@dataclass(frozen=True)
class Prefix:
    """A prefix in an obstore store."""

    obstore: Any = field(repr=False)
    store: Any = field(repr=False)
    root: str  # the URL of the store with a slash, or nothing if the store is given
    prefix: str

    def names(self, below: str) -> Iterator[tuple[str, int, float]]:
        rows = [meta for chunk in self.obstore.list(self.store, self._key(below) + "/", chunk_size=1000) for meta in chunk]
        for meta in sorted(rows, key=lambda each: each["path"]):
            yield meta["path"][len(self.prefix) :].lstrip("/"), meta["size"], meta["last_modified"].timestamp()

    def get(self, name: str) -> bytes:
        return bytes(self.obstore.get(self.store, self._key(name)).bytes())

    def create(self, name: str, data: bytes) -> bool:
        try:
            self.obstore.put(self.store, self._key(name), data, mode="create", use_multipart=False)
        except self.obstore.exceptions.AlreadyExistsError:
            return False
        return True

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self.obstore.delete(self.store, self._key(name))

    def target(self, name: str) -> str:
        return self.root + self._key(name)

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}".strip("/")


def place_of(target: Any, access: Access) -> Place:
    """The folder that `target` names. Nothing is requested or made."""
    path = os.fsdecode(target)
    if not is_store(path, access):
        return Folder(expand_home(path_of_file_url(path)))
    if access.filesystem is None:
        store, prefix = open_store(path, access.storage_options, None)
        return Prefix(import_obstore(path), store, path.partition("://")[0] + "://" + path.partition("://")[2].partition("/")[0] + "/", prefix)
    if type(access.filesystem).__module__.partition(".")[0] == "obstore":
        return Prefix(import_obstore(path), access.filesystem, "", path.strip("/"))
    raise UnsupportedError(
        "write_dataset: expected a path, a URL or an obstore store: fsspec has no file that only one writer makes."
    )


def _sync_folder(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
