"""Removes the files of a dataset that no reader needs."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from .._io.stores import Access
from ..errors import OptionError
from .manifest import FOLDER, latest, parse, version_of
from .places import FoundFile, Place, place_of

_WEEK_S = 7 * 86_400.0
_LEAST_S = 7_200.0
_OURS = re.compile(
    r"(?:.*/)?(?:part-[0-9a-f]{32}-[0-9]{5,}\.[a-z]+"
    r"|\.part-[0-9a-f]{32}-[0-9]{2}\.[0-9]+\.[0-9]+\.tmp)"
)
"""The names of parts that `write_dataset` writes, and of their temporary files."""


@dataclass(frozen=True)
class Leftovers:
    """What `remove_leftovers` removed, or would remove: the names of the files, and their bytes together."""

    names: tuple[str, ...]
    nbytes: int


def remove_leftovers(target: Any, *, older_than_s: float = _WEEK_S, dry_run: bool = False, **options: Any) -> Leftovers:
    """Remove the files of a dataset that no reader needs.

    These are the parts of writers that were killed, parts that an overwrite has replaced, and older manifests. Files
    that a writer or a reader of the last `older_than_s` seconds may need stay: those that changed since, and those of
    each version that was the newest one since. Files that `write_dataset` has not written, and a folder without a
    manifest, are not touched.

    Parameters
    ----------
    target : path or URL
        The folder of the dataset.
    older_than_s : float
        Seconds, 7,200 at least, by the clock of the disk or the store. A write must not take longer.
    dry_run : bool
        Remove nothing.
    **options
        ``storage_options`` and ``filesystem``, as for `write_dataset`.

    Returns
    -------
    Leftovers
        The names of the files and their bytes.

    Raises
    ------
    OptionError
        `older_than_s` is below 7,200.
    DecodeError
        A manifest is damaged. Nothing was removed.

    Examples
    --------
    >>> import colonnade as cn, os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "trips")
    >>> for fare in (7.5, 9.0):
    ...     cn.write_dataset({"fare": [fare]}, folder, mode="overwrite")
    >>> cn.remove_leftovers(folder).names
    ()
    """
    if not isinstance(older_than_s, int | float) or not older_than_s >= _LEAST_S:
        raise OptionError(f"older_than_s: expected {_LEAST_S:,.0f} seconds at least, found {older_than_s!r}.")
    if unknown := sorted(set(options) - {"storage_options", "filesystem"}):
        raise OptionError(f"{unknown[0]}: expected storage_options or filesystem.")
    return remove_from(place_of(target, Access.of(options)), older_than_s, dry_run)


def remove_from(place: Place, older_than_s: float, dry_run: bool) -> Leftovers:
    """Implements `remove_leftovers`."""
    files = list(place.files(""))
    manifests = sorted((version, each) for each in files if (version := version_of(each.name)) is not None)
    if not manifests:
        return Leftovers((), 0)
    before = _now_s(place) - older_than_s
    # A reader may have begun with any version that was the newest one within the time. If a clock was set back, later
    # versions may have earlier times.
    recent = [i for i, (_, each) in enumerate(manifests) if each.changed_s >= before]
    first = max(recent[0] - 1, 0) if recent else len(manifests) - 1
    needed = {each.name for _, each in manifests[first:]} | _parts(place, manifests[first:])
    # Files that were there before the first manifest are removed once a manifest has listed them, and none does now.
    ours = _parts(place, manifests[:first])
    nested = tuple({each.name.partition(f"/{FOLDER}/")[0] + "/" for each in files if f"/{FOLDER}/" in each.name})
    old = (each for each in files if each.name not in needed and each.changed_s < before)
    found = [each for each in old if each.name in ours or _is_ours(each.name, nested)]
    if not dry_run:
        # Another writer may have committed parts that seem to be old, because a clock jumped.
        listed = {part.name for part in latest(place).parts}
        found = [each for each in found if each.name not in listed]
        for each in found:
            place.remove(each.name)
    return Leftovers(tuple(each.name for each in found), sum(each.nbytes for each in found))


def _now_s(place: Place) -> float:
    """Seconds since 1970 by the clock that gives files their times: that of the disk or the store, which may be another
    machine's. Without the permission to write there, by the clock of this machine.
    """
    name = f"{FOLDER}/{uuid4().hex}.tmp"
    try:
        place.create(name, name.encode())
        found = [each.changed_s for each in place.files(FOLDER) if each.name == name]
        place.remove(name)
    except OSError:
        return time.time()
    return found[0] if found else time.time()


def _parts(place: Place, manifests: Iterable[tuple[int, FoundFile]]) -> set[str]:
    return {
        part.name
        for version, each in manifests
        for part in parse(place.get(each.name), version, place.shown(each.name)).parts
    }


def _is_ours(name: str, nested: tuple[str, ...]) -> bool:
    """Whether the file is a manifest or a part of this dataset, and not of one in a folder of it."""
    return name.startswith(f"{FOLDER}/") or (bool(_OURS.fullmatch(name)) and not name.startswith(nested))
