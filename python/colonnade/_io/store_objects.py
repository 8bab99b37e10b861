"""One object of a store, through obstore or fsspec: its size and version, ranges of it, and its replacement."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import DecodeError
from .store_text import public_text

FIRST_NBYTES = 1 << 16
"""Bytes of the first request. A small object comes whole with it."""
PART_NBYTES = 8 << 20
"""Bytes of a part of an upload. Stores take at least 5 MiB and at most 10,000 parts: 80 GB."""


@dataclass(frozen=True)
class Version:
    """Tells whether an object was replaced: its size, and its ETag or the time of its last change."""

    nbytes: int
    tag: str | None


class StoreObject(Protocol):
    """An object that can be read in ranges and replaced."""

    @property
    def name(self) -> str:
        """The URL for messages."""

    def first(self) -> tuple[Version, Any]:
        """The version, and the first bytes."""

    def get(self, start: int, end: int, version: Version) -> Any:
        """The bytes from `start` to `end`. DecodeError if the object is no longer of `version`."""

    def put(self, parts: Iterator[bytes]) -> None:
        """Replace the object by these parts. An exception of `parts` leaves the old one."""

    def put_whole(self, data: bytes) -> None:
        """Replace the object by these bytes, in one request."""


@dataclass(frozen=True)
class ObstoreObject:
    """An object of an obstore store."""

    obstore: Any = field(repr=False)
    store: Any = field(repr=False)
    key: str
    name: str

    def first(self) -> tuple[Version, Any]:
        with self._errors():
            try:
                result = self.obstore.get(self.store, self.key, options={"range": (0, FIRST_NBYTES)})
            except self.obstore.exceptions.GenericError:
                # A range of an empty object cannot be satisfied, and neither can any other request of a broken store.
                meta = self.obstore.head(self.store, self.key)
                if meta["size"] != 0:
                    raise
                return _version(meta), b""
            return _version(result.meta), result.bytes()

    def get(self, start: int, end: int, version: Version) -> Any:
        options: dict[str, Any] = {"range": (start, end)}
        if version.tag is not None and version.tag.startswith('"'):
            options["if_match"] = version.tag
        with self._errors():
            result = self.obstore.get(self.store, self.key, options=options)
            data = result.bytes()
        _check_range(self.name, (start, end), tuple(result.range), len(data))
        _check_version(self.name, version, _version(result.meta))
        return data

    def put(self, parts: Iterator[bytes]) -> None:
        with self._errors():
            self.obstore.put(self.store, self.key, parts, chunk_size=PART_NBYTES, max_concurrency=4)

    def put_whole(self, data: bytes) -> None:
        with self._errors():
            self.obstore.put(self.store, self.key, data, use_multipart=False)

    def _errors(self) -> AbstractContextManager[None]:
        return as_os_errors(self.obstore, self.name)


@contextmanager
def as_os_errors(obstore: Any, name: str) -> Iterator[None]:
    """Errors of obstore as those of files. Their texts hold no credentials."""
    exceptions = obstore.exceptions
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "No such object", name) from None
    except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError) as error:
        why = "The store refuses access (check storage_options and the credentials' end)"
        raise PermissionError(errno.EACCES, f"{why}: {public_text(error)}", name) from None
    except exceptions.PreconditionError:
        raise changed(name) from None
    except exceptions.BaseError as error:
        if "ExpiredToken" in str(error) or "InvalidToken" in str(error):  # S3 answers these with 400
            raise PermissionError(errno.EACCES, f"The credentials have expired: {public_text(error)}", name) from None
        raise OSError(errno.EIO, f"The store failed: {public_text(error)}", name) from None


@dataclass(frozen=True)
class FsspecObject:
    """A file of an fsspec file system."""

    filesystem: Any = field(repr=False)
    path: str
    name: str

    def first(self) -> tuple[Version, Any]:
        version = self._version()
        return version, self.filesystem.cat_file(self.path, start=0, end=min(FIRST_NBYTES, version.nbytes))

    def get(self, start: int, end: int, version: Version) -> Any:
        data = self.filesystem.cat_file(self.path, start=start, end=end)
        _check_range(self.name, (start, end), (start, start + len(data)), len(data))
        _check_version(self.name, version, self._version())
        return data

    def put(self, parts: Iterator[bytes]) -> None:
        # fsspec has no upload that every file system can abort, so nothing is sent before all parts are there.
        self.put_whole(b"".join(parts))

    def put_whole(self, data: bytes) -> None:
        self.filesystem.pipe_file(self.path, data)

    def _version(self) -> Version:
        self.filesystem.invalidate_cache(self.path)
        info = self.filesystem.info(self.path)
        tag = info.get("ETag") or info.get("etag") or info.get("mtime") or info.get("LastModified")
        return Version(int(info["size"]), None if tag is None else str(tag))


def changed(name: str) -> DecodeError:
    """The error of an object that was replaced between two requests."""
    return DecodeError(f"{name}: expected one version of the object, found another in a later request. Read it again.")


def _version(meta: Any) -> Version:
    tag = meta.get("e_tag") or meta.get("version")
    return Version(int(meta["size"]), str(tag if tag is not None else meta.get("last_modified")))


def _check_version(name: str, expected: Version, found: Version) -> None:
    if found != expected:
        raise changed(name)


def _check_range(name: str, expected: tuple[int, int], found: tuple[int, int], nbytes: int) -> None:
    if found != expected or nbytes != expected[1] - expected[0]:
        raise DecodeError(
            f"{name}: expected bytes {expected[0]} to {expected[1]} of the object, found {nbytes} bytes from "
            f"{found[0]} to {found[1]}. The store does not serve ranges."
        )
