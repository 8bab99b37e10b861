"""The parts of a dataset: the files below a folder, of a pattern, of a list, or below a prefix of a store."""

import errno
import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._io.detection import from_suffix
from .._io.sources import expand_home
from .._io.stores import Access, is_store, path_of_file_url, split
from ..errors import OptionError, UnsupportedError
from .hive import Keys, keys_of, typed

_HIDDEN = (".", "_")
"""Files and folders that begin so are no parts: temporary ones, manifests, checksums."""
_WILDCARDS = frozenset("*?[")


@dataclass(frozen=True)
class Part:
    """One file of a dataset.

    Attributes
    ----------
    source
        What `cn.read` takes: a path, or a URL.
    name : str
        The path below the folder of the dataset, for messages.
    format : str
        The format of its suffix, or the one of the dataset.
    keys : dict
        The values of its folders.
    nbytes : int or None
        The size of the file.
    """

    source: Any
    name: str
    format: str
    keys: Keys = field(default_factory=dict)
    nbytes: int | None = None


def list_parts(
    source: Any, format: str | None, partitioning: str | None, types: Mapping[str, Any] | None, access: Access
) -> list[Part]:
    """The parts in the order of their names.

    Raises
    ------
    FileNotFoundError
        There is no file.
    UnsupportedError
        Files of several formats.
    """
    if partitioning not in ("hive", None):
        raise OptionError(f"partitioning: expected 'hive' or None, found {partitioning!r}.")
    found = list(_files(source, access))
    if not found:
        raise FileNotFoundError(errno.ENOENT, "No file of a dataset there", str(source))
    texts = [keys_of(name) if partitioning == "hive" else {} for _, name, _ in found]
    formats = {from_suffix(name) for _, name, _ in found} if format is None else {format}
    if len(formats) > 1 or formats == {None}:
        names = ", ".join(sorted(str(each) for each in formats))
        raise UnsupportedError(
            f"dataset: expected files of one format, found {names}. Pass a pattern such as '**/*.parquet', or format=."
        )
    (name_of_format,) = formats
    assert name_of_format is not None
    keys = typed(texts, types)
    return [
        Part(place, name, name_of_format, each, nbytes) for (place, name, nbytes), each in zip(found, keys, strict=True)
    ]


def _files(source: Any, access: Access) -> Iterator[tuple[Any, str, int | None]]:
    """(source, name below the dataset, bytes) of each file."""
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        for each in source:
            yield each, str(each), None
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
                    yield place, os.path.relpath(place, path).replace(os.sep, "/"), os.path.getsize(place)
        return
    if os.path.lexists(path):
        yield path, os.path.basename(path), os.path.getsize(path)
        return
    if not _WILDCARDS.isdisjoint(path):
        for place in sorted(glob.glob(path, recursive=True)):
            if os.path.isfile(place) and not os.path.basename(place).startswith(_HIDDEN):
                yield place, place.replace(os.sep, "/"), os.path.getsize(place)


def _objects(url: str, access: Access) -> Iterator[tuple[Any, str, int | None]]:
    from .._io.stores import import_obstore, open_store

    if access.filesystem is not None and hasattr(access.filesystem, "find"):
        below = access.filesystem.find(url, detail=True)
        for path in sorted(below):
            yield path, path[len(url) :].lstrip("/"), below[path].get("size")
        return
    obstore = import_obstore(url)
    if access.filesystem is not None:
        store, prefix, root = access.filesystem, url.strip("/"), ""
    else:
        store, prefix = open_store(url, access.storage_options, None)
        root = split(url)[0] + "/"
    rows = [meta for chunk in obstore.list(store, prefix or None, chunk_size=1000) for meta in chunk]
    for meta in sorted(rows, key=lambda each: each["path"]):
        name = meta["path"][len(prefix) :].lstrip("/")
        if not any(piece.startswith(_HIDDEN) for piece in name.split("/")):
            yield root + meta["path"], name, meta["size"]
