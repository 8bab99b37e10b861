"""The folder of a dataset: on a local disk, or below a prefix of a store."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from .._io.paths import walk
from .._io.redact_url import redact_url
from .._io.sources import expand_home
from .._io.store_objects import as_os_errors
from .._io.stores import Access, import_obstore, is_store, open_store, path_of_file_url, split
from ..errors import LimitError, UnsupportedError

MOST_FILES = 1_000_000
"""More files below a folder are refused: only their names would fill the memory."""

_CALLS_AT_ONCE = 8
_SYNCS_NO_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES, errno.EPERM)
"""Some file systems sync no folders, and a folder that may not be read cannot be opened for it."""

T = TypeVar("T")


@dataclass(frozen=True)
class FoundFile:
    """A file below a folder: its name with ``/`` between folders, its bytes, and the time of its last change."""

    name: str
    nbytes: int
    changed_s: float


class Place(Protocol):
    """A folder that holds files by their names, with ``/`` between folders."""

    def files(self, below: str) -> Iterator[FoundFile]:
        """The files below a folder, at any depth, sorted by name."""

    def names(self, folder: str) -> list[str]:
        """The names of the files in a folder, in no order. Empty if it is not there."""

    def get(self, name: str) -> bytes:
        """The bytes of a file."""

    def nbytes(self, name: str) -> int:
        """The size of a file."""

    def create(self, name: str, data: bytes) -> bool:
        """Make a file, whole or not at all. False if the name is taken. No two calls have equal data."""

    def remove(self, name: str) -> None:
        """Remove a file. One that is gone is no error."""

    def settle(self, names: Sequence[str]) -> None:
        """Wait until files that were written are durable."""

    def target(self, name: str) -> str:
        """What `write` and `read` take for this file."""

    def shown(self, name: str) -> str:
        """The target for messages."""

    def keywords(self) -> Mapping[str, Any]:
        """The keywords of `write` and `read` that the target needs."""


@dataclass(frozen=True)
class Folder:
    """A local folder."""

    path: str

    def files(self, below: str) -> Iterator[FoundFile]:
        return counted(self._files(below), self.shown(below))

    def _files(self, below: str) -> Iterator[FoundFile]:
        for folder, folders, names in walk(os.path.join(self.path, below)):
            folders.sort()
            for name in sorted(names):
                place = os.path.join(folder, name)
                with contextlib.suppress(FileNotFoundError):
                    status = os.stat(place)
                    relative = os.path.relpath(place, self.path).replace(os.sep, "/")
                    yield FoundFile(relative, status.st_size, status.st_mtime)

    def names(self, folder: str) -> list[str]:
        try:
            return os.listdir(os.path.join(self.path, folder))
        except FileNotFoundError:
            return []

    def get(self, name: str) -> bytes:
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def nbytes(self, name: str) -> int:
        return os.stat(os.path.join(self.path, name)).st_size

    def create(self, name: str, data: bytes) -> bool:
        path = os.path.join(self.path, name)
        folder = os.path.dirname(path)
        os.makedirs(folder, exist_ok=True)
        temporary = f"{path}.{os.getpid()}-{time.monotonic_ns()}.tmp"
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            # Unlike a rename, a link fails if the name is taken, so one of several writers wins.
            os.link(temporary, path)
        except FileExistsError:
            # Over NFS the answer to a request that succeeded may have been lost, and the request sent again.
            return os.stat(temporary).st_nlink == 2
        finally:
            # The file is there or not, whether this name goes or stays. `remove_leftovers` removes it later.
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        try:
            _sync_folder(folder)
        except OSError as error:
            where = f"The file is there, but a power failure may remove it: {path}"
            raise OSError(error.errno, f"{error.strerror}. {where}") from error
        return True

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.path, name))

    def settle(self, names: Sequence[str]) -> None:
        paths = [self.target(name) for name in names]
        folders = {os.path.dirname(self.path) or "."}
        for folder in {os.path.dirname(path) for path in paths}:
            while folder not in folders:
                folders.add(folder)
                folder = os.path.dirname(folder) or "."
        # At once: file systems join what several threads sync.
        at_once(_sync, paths)
        at_once(_sync_folder, folders)

    def target(self, name: str) -> str:
        return os.path.join(self.path, *name.split("/"))

    def shown(self, name: str) -> str:
        return self.target(name)

    def keywords(self) -> Mapping[str, Any]:
        return {"mkdir": True}


@dataclass(frozen=True)
class Prefix:
    """A prefix in an obstore store."""

    obstore: Any = field(repr=False)
    store: Any = field(repr=False)
    root: str  # the URL of the store with a slash, or nothing if the store is given
    prefix: str
    access: Access = field(repr=False)

    def files(self, below: str) -> Iterator[FoundFile]:
        with self._errors(below):
            chunks = self.obstore.list(self.store, self._key(below) or None, chunk_size=1000)
            found = (
                (meta["path"], meta["size"], meta["last_modified"].timestamp()) for chunk in chunks for meta in chunk
            )
            rows = list(counted(found, self.shown(below)))
        skipped = len(self.prefix) + 1 if self.prefix else 0
        for path, nbytes, changed_s in sorted(rows):
            yield FoundFile(path[skipped:], nbytes, changed_s)

    def names(self, folder: str) -> list[str]:
        key = self._key(folder)
        with self._errors(folder):
            return [
                meta["path"][len(key) + 1 :]
                for chunk in self.obstore.list(self.store, key, chunk_size=1000)
                for meta in chunk
            ]

    def get(self, name: str) -> bytes:
        with self._errors(name):
            return bytes(self.obstore.get(self.store, self._key(name)).bytes())

    def nbytes(self, name: str) -> int:
        with self._errors(name):
            return int(self.obstore.head(self.store, self._key(name))["size"])

    def create(self, name: str, data: bytes) -> bool:
        with self._errors(name):
            try:
                self.obstore.put(self.store, self._key(name), data, mode="create", use_multipart=False)
            except self.obstore.exceptions.AlreadyExistsError:
                # The answer to a request that succeeded may have been lost, and the request sent again.
                return self.get(name) == data
        return True

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError), self._errors(name):
            self.obstore.delete(self.store, self._key(name))

    def settle(self, names: Sequence[str]) -> None:
        """Nothing is to do: an object is durable when its upload has ended."""

    def target(self, name: str) -> str:
        return self.root + self._key(name)

    def shown(self, name: str) -> str:
        return redact_url(self.target(name))

    def keywords(self) -> Mapping[str, Any]:
        return {"storage_options": self.access.storage_options, "filesystem": self.access.filesystem}

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}".strip("/")

    def _errors(self, name: str) -> contextlib.AbstractContextManager[None]:
        return as_os_errors(self.obstore, self.shown(name))


def counted(files: Iterable[T], folder: str) -> Iterator[T]:
    """The same files.

    Raises
    ------
    LimitError
        There are more than `MOST_FILES`.
    """
    for i, each in enumerate(files):
        if i == MOST_FILES:
            raise LimitError(
                f"dataset: {folder}: expected at most {MOST_FILES:,} files, found more. Name a folder in it, pass a "
                "list of files, or a Delta Lake table."
            )
        yield each


def place_of(target: Any, access: Access) -> Place:
    """The folder that `target` names. Nothing is requested or made.

    Raises
    ------
    UnsupportedError
        An fsspec file system.
    """
    path = os.fsdecode(target)
    if not is_store(path, access):
        return Folder(expand_home(path_of_file_url(path)))
    if access.filesystem is None:
        store, prefix = open_store(path, access.storage_options, None)
        return Prefix(import_obstore(path), store, split(path)[0] + "/", prefix.strip("/"), access)
    if type(access.filesystem).__module__.partition(".")[0] == "obstore":
        return Prefix(import_obstore(path), access.filesystem, "", path.strip("/"), access)
    raise UnsupportedError(
        "write_dataset: expected a path, a URL or an obstore store, found an fsspec file system, which cannot make a "
        "file only if its name is free."
    )


def at_once(call: Callable[[str], object], names: Iterable[str]) -> None:
    """Call it for all names in threads; in this one if the system starts no more."""
    from concurrent.futures import ThreadPoolExecutor

    names = list(names)
    try:
        with ThreadPoolExecutor(_CALLS_AT_ONCE) as pool:
            for _ in pool.map(call, names):
                pass
    except RuntimeError:
        for name in names:
            call(name)


def _sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync_folder(path: str) -> None:
    try:
        _sync(path)
    except OSError as error:
        if error.errno not in _SYNCS_NO_FOLDERS:
            raise
