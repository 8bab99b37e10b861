"""The parts of a dataset: the files below a folder, of a pattern, of a list, or below a prefix of a store."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._io.detection import from_suffix
from .._io.paths import is_file, is_folder, matching, walk
from .._io.redact_url import redact_url
from .._io.sources import as_source, expand_home
from .._io.stores import Access, is_store, path_of_file_url
from .._values.option_checks import is_one_of
from ..errors import OptionError, UnsupportedError
from .hive import key_columns, keys_of
from .keys import KeyColumn
from .manifest import Manifest, latest
from .places import Place, counted, place_of

_HIDDEN = (".", "_")
"""Files and folders that begin so are no parts: temporary ones, manifests, checksums."""
_WILDCARDS = frozenset("*?[")
_DELTA_LOG = "_delta_log"


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
    home : str or None
        The folder whose manifest listed the parts, as `Place.target` names it.
    version : int
        The version of the manifest; 0 without one.
    """

    parts: tuple[Part, ...]
    format: str
    keys: tuple[KeyColumn, ...] = ()
    columns: tuple[str, ...] | None = None
    home: str | None = None
    version: int = 0

    def only(self, part: int) -> Listing:
        """Only one part."""
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
        Files of several formats, or a Delta Lake table.
    """
    if partitioning is not None and not is_one_of(partitioning, ("hive",)):
        raise OptionError(f"partitioning: expected 'hive' or None, found {partitioning!r}.")
    if isinstance(source, str | os.PathLike):
        place = _folder(os.fsdecode(source), access)
        manifest = Manifest() if place is None else latest(place)
        if place is not None and manifest:
            return of_manifest(place, manifest, format, partitioning, types)
    parts = list(_files(source, access))
    if not parts:
        raise _nothing(source)
    return Listing(
        tuple(parts),
        format_of([part.name for part in parts], format),
        tuple(key_columns([keys_of(part.name) for part in parts], types)) if partitioning == "hive" else (),
    )


def of_manifest(
    place: Place, manifest: Manifest, format: str | None, partitioning: str | None, types: Mapping[str, Any] | None
) -> Listing:
    """The parts that a manifest lists.

    Raises
    ------
    FileNotFoundError
        It lists none.
    UnsupportedError
        Another format is asked for.
    """
    if not manifest.parts:
        raise _nothing(place.shown(""))
    if format not in (None, manifest.format):
        raise UnsupportedError(f"dataset: expected format={manifest.format!r}, as its manifest says, found {format!r}.")
    parts = [Part(place.target(each.name), each.name, each.nbytes, each.nrows) for each in manifest.parts]
    keys: Sequence[KeyColumn] = ()
    if partitioning == "hive":
        keys = key_columns([each.keys for each in manifest.parts], {**manifest.key_types, **(types or {})})
    return Listing(tuple(parts), manifest.format, tuple(keys), manifest.columns, place.target(""), manifest.version)


def is_part(name: str) -> bool:
    """Whether a file of this name below a folder is a part of its dataset. Keys may have any name."""
    *folders, file = name.split("/")
    return not file.startswith(_HIDDEN) and not any(_is_hidden(folder) for folder in folders)


def format_of(names: Sequence[str], format: str | None) -> str:
    """The format of files of these names.

    Raises
    ------
    UnsupportedError
        They have several.
    """
    formats = {from_suffix(name) for name in names} if format is None else {format}
    if len(formats) > 1 or formats == {None}:
        shown = ", ".join(sorted(str(each) for each in formats))
        raise UnsupportedError(
            f"dataset: expected files of one format, found {shown}. Pass a pattern such as '**/*.parquet', or format=."
        )
    (found,) = formats
    assert found is not None
    return found


def _is_hidden(folder: str) -> bool:
    return folder.startswith(".") or (folder.startswith("_") and "=" not in folder)


def _folder(path: str, access: Access) -> Place | None:
    """The folder, or the prefix of a store, that `path` names."""
    if is_store(path, access):
        return None if hasattr(access.filesystem, "find") else place_of(path, access)
    path = expand_home(path_of_file_url(path))
    return place_of(path, access) if is_folder(path) else None


def _files(source: Any, access: Access) -> Iterator[Part]:
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        for i, each in enumerate(source):
            yield _listed(each, i, access)
        return
    path = os.fsdecode(source)
    if is_store(path, access):
        yield from _objects(path, access)
        return
    path = expand_home(path_of_file_url(path))
    if is_folder(path):
        yield from _Current(access).among(counted(_below(path), path), path)
    elif os.path.lexists(path):
        yield Part(path, os.path.basename(path), os.path.getsize(path))
    elif not _WILDCARDS.isdisjoint(path):
        found = (each for each in matching(path) if is_file(each))
        shown = (each for each in found if not os.path.basename(each).startswith(_HIDDEN))
        parts = (Part(each, each.replace(os.sep, "/"), os.path.getsize(each)) for each in shown)
        yield from _Current(access).among(parts, None)


def _below(path: str) -> Iterator[Part]:
    for folder, folders, names in walk(path):
        if _DELTA_LOG in folders:
            raise _is_delta(folder)
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(names):
            if not name.startswith(_HIDDEN):
                place = os.path.join(folder, name)
                yield Part(place, os.path.relpath(place, path).replace(os.sep, "/"), os.path.getsize(place))


def _objects(url: str, access: Access) -> Iterator[Part]:
    if access.filesystem is not None and hasattr(access.filesystem, "find"):
        below = access.filesystem.find(url, detail=True)
        for path in sorted(below):
            name = path[len(url) :].lstrip("/")
            if is_part(name):
                yield Part(path, name, below[path].get("size"))
        return
    place = place_of(url, access)
    parts = []
    for found in place.files(""):
        if f"/{_DELTA_LOG}/" in f"/{found.name}":
            raise _is_delta(place.shown(""))
        if is_part(found.name):
            parts.append(Part(place.target(found.name), found.name, found.nbytes))
    yield from _Current(access).among(parts, place.target("").rstrip("/"))


class _Current:
    """Leaves out files that a manifest further up does not list: replaced parts, and those of killed writers.

    Only folders of keys (``year=2024``) are looked through on the way up: `write_dataset` makes no others.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        self._known: dict[str, frozenset[str] | None] = {}

    def among(self, parts: Iterator[Part] | list[Part], folder: str | None) -> Iterator[Part]:
        """The parts that no manifest leaves out. `folder`: the one that was asked for; None: that of each part."""
        for part in parts:
            above = os.path.dirname(part.source) if folder is None else folder
            listed = self._listed(above)
            if listed is None or part.source in listed:
                yield part

    def _listed(self, folder: str) -> frozenset[str] | None:
        """The parts of the dataset that `folder` is a folder of keys in."""
        if folder not in self._known:
            above, _, name = folder.rpartition("/")
            found = None
            manifest = latest(place := place_of(folder, self._access))
            if manifest:
                found = frozenset(place.target(part.name) for part in manifest.parts)
            elif "=" in name and above:
                found = self._listed(above)
            self._known[folder] = found
        return self._known[folder]


def _listed(source: Any, i: int, access: Access) -> Part:
    """A source of a list. Its rows are read more than once, so it must not be a stream."""
    if as_source(source, access).is_stream:
        raise UnsupportedError(
            f"dataset: source {i}: expected a file, found a stream, which can be read once. Read it with cn.read."
        )
    name = _shown(source) if isinstance(source, str | os.PathLike) else f"source {i}"
    return Part(source, name)


def _nothing(source: Any) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "expected the files of a dataset, found none", _shown(source))


def _is_delta(folder: str) -> UnsupportedError:
    return UnsupportedError(
        f"dataset: {folder}: expected the files of a dataset, found a Delta Lake table. Pass "
        "deltalake.DeltaTable(...), which knows its current files."
    )


def _shown(source: Any) -> str:
    return redact_url(os.fsdecode(source)) if isinstance(source, str | os.PathLike) else "an empty list"
