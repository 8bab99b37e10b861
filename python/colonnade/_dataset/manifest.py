"""The manifest of a dataset: which files are its parts. Each commit makes the next numbered manifest.

``_colonnade/00000007.json`` lists all parts of version 7. A version is made once, by the writer that is first: a file
is linked, or an object put, only if the name is free. Readers take the highest version, so they see the old set of
parts or the new one. A writer that appends and comes second reads the new version and tries the next number. One that
replaces everything and comes second fails, because it has not seen what it would remove.

No clock is needed for that, so one that is wrong or jumps loses nothing. `remove_leftovers` goes by times, but never
removes what the newest manifest lists, and removes manifests in the order of their numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from uuid import uuid4

from ..errors import DecodeError, UnsupportedError
from .places import Place

FOLDER = "_colonnade"
_NAME = re.compile(rf"{FOLDER}/([0-9]{{8,}})\.json")
_FORMAT_VERSION = 1


@dataclass(frozen=True)
class Entry:
    """A part: its name below the folder, its bytes and rows, and the texts of its keys."""

    name: str
    nbytes: int
    nrows: int | None
    keys: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """The parts of one version. Version 0 is a folder without a manifest.

    Attributes
    ----------
    version : int
    format : str
        The format of all parts.
    parts : tuple of Entry
    key_types : dict
        The type of each key, as ``partition_types=`` takes it.
    columns : tuple of str or None
        The order of all columns, keys among them; None where the files have all of them.
    """

    version: int = 0
    format: str = ""
    parts: tuple[Entry, ...] = ()
    key_types: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] | None = None

    def __bool__(self) -> bool:
        """Whether there is a manifest."""
        return self.version > 0

    def to_json(self) -> bytes:
        """The manifest as a file. Its number is in its name."""
        document = {
            "colonnade_dataset": _FORMAT_VERSION,
            "commit": uuid4().hex,  # tells the manifests of two writers apart
            "format": self.format,
            "key_types": dict(self.key_types),
            "columns": None if self.columns is None else list(self.columns),
            "parts": [asdict(part) for part in self.parts],
        }
        return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def latest(place: Place) -> Manifest:
    """The newest version, or version 0.

    Raises
    ------
    DecodeError
        The manifest is damaged, or a name in it leads out of the folder.
    UnsupportedError
        A later version of Colonnade wrote it.
    """
    versions = [(version, name) for name in place.names(FOLDER) if (version := version_of(f"{FOLDER}/{name}"))]
    if not versions:
        return Manifest()
    version, name = max(versions)
    return parse(place.get(f"{FOLDER}/{name}"), version, place.shown(f"{FOLDER}/{name}"))


def name_of(version: int) -> str:
    """The name of the manifest of a version, below the folder of the dataset."""
    return f"{FOLDER}/{version:08d}.json"


def version_of(name: str) -> int | None:
    """The version of a manifest of this name below the folder of the dataset; None for another file."""
    match = _NAME.fullmatch(name)
    return None if match is None else int(match[1])


def parse(data: bytes, version: int, name: str) -> Manifest:
    """The manifest of these bytes."""
    try:
        found = json.loads(data)
        if found["colonnade_dataset"] != _FORMAT_VERSION:
            raise UnsupportedError(
                f"{name}: expected a manifest of version {_FORMAT_VERSION}, found {found['colonnade_dataset']!r}. "
                "A later version of Colonnade wrote it; read it with that version."
            )
        columns = found["columns"]
        manifest = Manifest(
            version,
            str(found["format"]),
            tuple(_entry(part) for part in found["parts"]),
            {str(key): str(type_) for key, type_ in found["key_types"].items()},
            None if columns is None else tuple(map(str, columns)),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DecodeError(
            f"{name}: expected the manifest of a dataset, found {type(error).__name__}: {error}. It is cut or damaged; "
            "remove it to read the version before it."
        ) from None
    for part in manifest.parts:
        if "\\" in part.name or not {"", ".", ".."}.isdisjoint(part.name.split("/")):
            raise DecodeError(f"{name}: expected names of parts below the folder, found {part.name!r}.")
    return manifest


def commit(place: Place, change: Callable[[Manifest], Manifest], on_refused: Callable[[], None]) -> Manifest:
    """Make the next version: `change` of the newest one. If another writer is first, its version is changed instead.

    If `change` returns its argument, there is nothing to do. An exception of `change` ends the commit after
    `on_refused`: nothing is visible of it. An exception while a manifest is made does not tell whether it is there.
    """
    while True:
        base = latest(place)
        try:
            new = change(base)
        except BaseException:
            on_refused()
            raise
        if new is base:
            return base
        if place.create(name_of(base.version + 1), new.to_json()) and _is_there(place, base):
            return replace(new, version=base.version + 1)


def _is_there(place: Place, base: Manifest) -> bool:
    """Whether the manifest after this one was new: if `base` is there, no later one was ever removed.

    Otherwise `remove_leftovers` may have removed one of the same number, and readers take a higher one.
    """
    try:
        return not base or place.nbytes(name_of(base.version)) > 0
    except FileNotFoundError:
        return False


def _entry(part: Mapping[str, Any]) -> Entry:
    keys = {str(name): None if value is None else str(value) for name, value in part["keys"].items()}
    return Entry(str(part["name"]), int(part["nbytes"]), None if part["nrows"] is None else int(part["nrows"]), keys)
