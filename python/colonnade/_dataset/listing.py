"""The parts of a dataset: the files below a folder, of a pattern, of a list, or below a prefix of a store."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._io.detection import from_suffix
from .._io.sources import expand_home
from .._io.stores import Access, is_store, path_of_file_url
from ..errors import OptionError, UnsupportedError
from .hive import key_columns, keys_of
from .keys import KeyColumn
from .manifest import FOLDER, Manifest, latest
from .places import Place, place_of

_HIDDEN = (".", "_")
"""Files and folders that begin so are no parts: temporary ones, manifests, checksums."""
_WILDCARDS = frozenset("*?[")


@dataclass(frozen=True)
class Part:
    """One file of a dataset.

    Attributes
    ----------
    source
        What `read` takes: a path, or a URL.
    name : str
        The path below the folder of the dataset, for messages.
    nbytes, nrows : int or None
        The size of the file and its number of rows, where they are known without opening it.
    """

    source: Any
    name: str
    nbytes: int | None = None
    nrows: int | None = None


@dataclass(frozen=True)
class Listing:
    """The parts of a dataset in the order of their names, their format, and their keys.

    Attributes
    ----------
    parts : tuple of Part
    format : str
    keys : tuple of KeyColumn
        Each has a value for each part.
    columns : tuple of str or None
        The order of all columns, where a manifest has it.
    """

    parts: tuple[Part, ...]
    format: str
    keys: tuple[KeyColumn, ...] = ()
    columns: tuple[str, ...] | None = None

    def only(self, part: int) -> Listing:
        """One part alone."""
        keys = tuple(replace(key, values=[key.values[part]]) for key in self.keys)
        return replace(self, parts=(self.parts[part],), keys=keys)


def list_parts(
    source: Any, format: str | None, partitioning: str | None, types: Mapping[str, Any] | None, access: Access
) -> Listing:
    """The parts that `source` names.

    Raises
    ------
    FileNotFoundError
        There is no file.
    UnsupportedError
        Files of several formats.
    """
    if partitioning not in ("hive", None):
        raise OptionError(f"partitioning: expected 'hive' or None, found {partitioning!r}.")
    if isinstance(source, str | os.PathLike):
        place = _folder(os.fsdecode(source), access)
        manifest = Manifest() if place is None else latest(place)
        if place is not None and manifest:
            if not manifest.parts:
                raise FileNotFoundError(errno.ENOENT, "expected the files of a dataset, found none", _shown(source))
            return _of_manifest(place, manifest, format, partitioning, types)
    parts = list(_files(source, access))
    if not parts:
        raise FileNotFoundError(errno.ENOENT, "expected the files of a dataset, found none", _shown(source))
    return Listing(
        tuple(parts),
        format_of([part.name for part in parts], format),
        tuple(key_columns([keys_of(part.name) for part in parts], types)) if partitioning == "hive" else (),
    )


def is_part(name: str) -> bool:
    """Whether a file of this name below a folder is a part of its dataset."""
    return not any(piece.startswith(_HIDDEN) for piece in name.split("/"))


def _folder(path: str, access: Access) -> Place | None:
    """The folder, or the prefix of a store, that `path` names."""
    if is_store(path, access):
        return None if hasattr(access.filesystem, "find") else place_of(path, access)
    path = expand_home(path_of_file_url(path))
    return place_of(path, access) if os.path.isdir(path) else None


def _of_manifest(
    place: Place, manifest: Manifest, format: str | None, partitioning: str | None, types: Mapping[str, Any] | None
) -> Listing:
    if format not in (None, manifest.format):
        raise UnsupportedError(f"dataset: expected format={manifest.format!r}, as its manifest says, found {format!r}.")
    parts = [Part(place.target(each.name), each.name, each.nbytes, each.nrows) for each in manifest.parts]
    keys: Sequence[KeyColumn] = ()
    if partitioning == "hive":
        declared = {**manifest.key_types, **(types or {})}
        keys = key_columns([each.keys for each in manifest.parts], declared if manifest.parts else None)
    return Listing(tuple(parts), manifest.format, tuple(keys), manifest.columns)


def format_of(names: Sequence[str], format: str | None) -> str:
    """The format of files of these names.

    Raises
    ------
    UnsupportedError
        They have several.
    """
    formats = {from_suffix(name) for name in names} if format is None else {format}
    if len(formats) > 1 or formats == {None}:
        names = ", ".join(sorted(str(each) for each in formats))
        raise UnsupportedError(
            f"dataset: expected files of one format, found {names}. Pass a pattern such as '**/*.parquet', or format=."
        )
    (found,) = formats
    assert found is not None
    return found


def _files(source: Any, access: Access) -> Iterator[Part]:
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        for each in source:
            yield Part(each, os.fsdecode(each) if isinstance(each, str | os.PathLike) else f"source {each!r}")
        return
    path = os.fsdecode(source)
    if is_store(path, access):
        yield from _objects(path, access)
        return
    path = expand_home(path_of_file_url(path))
    if os.path.isdir(path):
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith(_HIDDEN))
            for name in sorted(names):
                if not name.startswith(_HIDDEN):
                    place = os.path.join(folder, name)
                    yield Part(place, os.path.relpath(place, path).replace(os.sep, "/"), os.path.getsize(place))
        return
    if os.path.lexists(path):
        yield Part(path, os.path.basename(path), os.path.getsize(path))
        return
    if not _WILDCARDS.isdisjoint(path):
        for place in sorted(glob.glob(path, recursive=True)):
            if os.path.isfile(place) and not os.path.basename(place).startswith(_HIDDEN):
                yield Part(place, place.replace(os.sep, "/"), os.path.getsize(place))


def _objects(url: str, access: Access) -> Iterator[Part]:
    if access.filesystem is not None and hasattr(access.filesystem, "find"):
        below = access.filesystem.find(url, detail=True)
        for path in sorted(below):
            name = path[len(url) :].lstrip("/")
            if is_part(name):
                yield Part(path, name, below[path].get("size"))
        return
    place = place_of(url, access)
    for found in place.files(""):
        if is_part(found.name) and not found.name.startswith(FOLDER):
            yield Part(place.target(found.name), found.name, found.nbytes)


def _shown(source: Any) -> str:
    return os.fsdecode(source) if isinstance(source, str | os.PathLike) else repr(source)
