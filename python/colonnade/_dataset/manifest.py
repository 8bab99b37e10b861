"""The manifest of a dataset: which files are its parts. Each commit makes the next numbered manifest.

``_colonnade/00000007.json`` lists all parts of version 7. A version is made once, by the writer that is first: a file is
linked, or an object put, only if the name is free. Readers take the highest version, so they see the old set of parts or
the new one. A writer that appends and comes second reads the new version and tries the next number. One that replaces
everything and comes second fails, because it has not seen what it would remove.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..errors import DecodeError, UnsupportedError
from .places import Place

FOLDER = "_colonnade"
_NAME = re.compile(rf"{FOLDER}/([0-9]{{8}})\.json")
_FORMAT_VERSION = 1
_MOST_NBYTES = 1 << 30


@dataclass(frozen=True)
class Entry:
    """A part: its name below the folder, its bytes and rows, and the texts of its keys."""

    name: str
    nbytes: int
    nrows: int
    keys: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """The parts of one version. Version 0 is a folder without a manifest."""

    version: int = 0
    format: str = ""
    parts: tuple[Entry, ...] = ()

    def to_json(self) -> bytes:
        parts = [asdict(part) for part in self.parts]
        return json.dumps({"colonnade": _FORMAT_VERSION, "format": self.format, "parts": parts}).encode()


def latest(place: Place) -> Manifest:
    """The newest version, or version 0.

    Raises
    ------
    DecodeError
        The manifest is damaged, or a name in it leads out of the folder.
    UnsupportedError
        A later version of Colonnade wrote it.
    """
    versions = [(int(match[1]), name) for name, _, _ in place.names(FOLDER) if (match := _NAME.fullmatch(name))]
    if not versions:
        return Manifest()
    version, name = max(versions)
    return parse(place.get(name), version, name)


def parse(data: bytes, version: int, name: str) -> Manifest:
    """The manifest of these bytes."""
    try:
        found = json.loads(data)
        if found["colonnade"] != _FORMAT_VERSION:
            raise UnsupportedError(
                f"{name}: expected a manifest of version {_FORMAT_VERSION}, found {found['colonnade']!r}. "
                "A later version of Colonnade wrote it."
            )
        parts = tuple(
            Entry(str(part["name"]), int(part["nbytes"]), int(part["nrows"]), _keys(part["keys"]))
            for part in found["parts"]
        )
        manifest = Manifest(version, str(found["format"]), parts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DecodeError(f"{name}: expected a manifest, found {type(error).__name__}: {error}. Is it cut?") from None
    for part in manifest.parts:
        pieces = part.name.split("/")
        if part.name.startswith("/") or "\\" in part.name or not {"", ".", ".."}.isdisjoint(pieces):
            raise DecodeError(f"{name}: expected names below the folder, found {part.name!r}.")
    return manifest


def commit(place: Place, change: Callable[[Manifest], Manifest]) -> Manifest:
    """Make the next version: `change` of the newest one. Another writer's version in between is read, and tried again.

    An exception of `change` ends the commit; nothing is visible of it.
    """
    while True:
        base = latest(place)
        new = change(base)
        name = f"{FOLDER}/{base.version + 1:08d}.json"
        if place.create(name, new.to_json()):
            return Manifest(base.version + 1, new.format, new.parts)


def _keys(found: Any) -> dict[str, str | None]:
    return {str(name): None if value is None else str(value) for name, value in found.items()}


def removed_names(place: Place, manifest: Manifest, names: Sequence[tuple[str, int, float]]) -> list[str]:
    """The files that no version needs: parts that are not in the newest manifest, and older manifests."""
    needed = {part.name for part in manifest.parts}
    newest = f"{FOLDER}/{manifest.version:08d}.json"
    return [name for name, _, _ in names if name not in needed and name != newest]
