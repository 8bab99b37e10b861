"""Writes parts in one or many processes, and makes them visible at once.

One process begins a transaction. Any process that has it writes parts. The first one commits what they wrote.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from .._api.many_files import difference
from .._frame.frame import Frame
from .._io.stores import Access
from ..errors import ConflictError, EncodeError
from .hive import keys_of
from .listing import format_of, is_part
from .manifest import Entry, Manifest, commit, latest, name_of
from .part_writer import PartWriter, removed
from .places import Place, at_once, place_of
from .split import Split


@dataclass(frozen=True)
class Written:
    """What one process wrote: the parts, and the columns without rows."""

    parts: tuple[Entry, ...]
    empty: Frame
    split: Split


@dataclass(frozen=True)
class Transaction:
    """The arguments of `write_dataset`, and the version that the dataset had. It can be pickled.

    Attributes
    ----------
    before : Manifest
        The version when the transaction began, with one of its parts. A folder without a manifest has version 0.
    delta_version : int or None
        The version of the Delta Lake table; None if there is none.
    """

    target: Any
    format: str
    keys: tuple[Hashable, ...]
    rows_per_part: int
    mode: str
    table: str | None
    options: dict[str, Any] = field(repr=False)
    before: Manifest = field(default_factory=Manifest)
    delta_version: int | None = None

    def begin(self) -> Transaction:
        """Check that the target can take the parts. Nothing is written.

        Raises
        ------
        FileExistsError
            There are parts, and mode is "error".
        """
        if self.table is not None:
            delta = self._delta()
            delta.check_mode(self.mode)
            return replace(self, delta_version=delta.version)
        place = self._place()
        before = latest(place) or _found(place)
        if self.mode == "error" and before.parts:
            advice = 'The dataset has parts. Pass mode="append" or mode="overwrite"'
            raise FileExistsError(17, advice, place.shown(""))
        # Tasks carry the transaction, and need one part to compare the columns.
        return replace(self, before=replace(before, parts=before.parts[:1]))

    def of(self, home: str | None, version: int) -> Transaction:
        """The transaction with the version that was read of the dataset in `home`, if that is the one written.

        Rows that were appended since it was read would be lost otherwise.
        """
        if self.table is not None or home != self._place().target(""):
            return self
        return replace(self, before=replace(self.before, version=version))

    def write(self, frames: Iterable[Frame], is_first: bool = False) -> Written:
        """Write parts. No reader sees them yet. After an error they are removed.

        Parameters
        ----------
        frames
            At least one frame, all of one schema.
        is_first
            Compare the columns with those that are there before the first part is written.

        Raises
        ------
        EncodeError
            Frames of different schemas, or a key that cannot be one.
        """
        remaining = iter(frames)
        first = next(remaining)
        empty = Frame._make(first.slice(0, 0)._load())
        split = Split.of(first, self.keys)
        if is_first:
            self._check_alike(empty, split)
        writer = self._writer(split)
        try:
            for frame in chain((first,), remaining):
                _check_same(empty, frame)
                for texts, piece in split.pieces(frame):
                    writer.add(texts, piece)
            return Written(tuple(writer.finish()), empty, split)
        except BaseException:
            self._remove(writer.written)
            raise

    def commit(self, written: Sequence[Written], is_checked: bool = False) -> None:
        """Make the parts of all processes visible at once.

        Raises
        ------
        ConflictError
            Another writer has committed since the transaction began, and mode is not "append"; or parts are gone.
        EncodeError
            The processes wrote different schemas, or others than the parts that are there.
        """
        # By folder, and in a folder as the rows came.
        parts = sorted((part for each in written for part in each.parts), key=_folder_of)
        if not written:
            raise EncodeError("write_dataset: expected one frame at least, found none, so there are no columns.")
        first = written[0]
        try:
            for each in written[1:]:
                _check_same(first.empty, each.empty)
            if not is_checked:
                self._check_alike(first.empty, first.split)
            if not parts:
                writer = self._writer(first.split)
                writer.add_empty(first.split.without_keys(first.empty))
                parts = writer.finish()
            self._check_there(parts)
        except BaseException:
            self._remove(parts)
            raise
        if self.table is not None:
            self._delta().commit(first.empty, first.split, parts, self.mode, self.delta_version)
        else:
            # Once a manifest may be there, parts are left: an error does not tell whether it is.
            commit(self._place(), lambda base: self._changed(base, parts, first), lambda: self._remove(parts))

    def abort(self, written: Iterable[Written]) -> None:
        """Remove the parts. `remove_leftovers` removes those that cannot be removed now."""
        self._remove([part for each in written for part in each.parts])

    def _changed(self, base: Manifest, parts: Sequence[Entry], first: Written) -> Manifest:
        """The next version."""
        if parts[0].name in {part.name for part in base.parts}:
            return base  # Dask does a task again if its worker ends before it has told that it is done
        seen = max(self.before.version, 1)  # the first manifest lists what was there
        is_newer = base.version > seen or (self.mode == "error" and bool(base.parts))
        if self.mode != "append" and is_newer:
            raise ConflictError(
                f"write_dataset: {self._place().shown('')}: expected version {seen} of the dataset, found version "
                f'{base.version}: another writer was first. Read it and write again, or use mode="append".'
            )
        old = base.parts if self.mode == "append" else ()
        if old:
            _check_keys(base, self.format, first.split)
            if is_newer:
                self._check_columns(base, first.empty, first.split)
        return Manifest(0, self.format, (*old, *parts), first.split.types, first.split.columns)

    def _check_alike(self, empty: Frame, split: Split) -> None:
        """The columns must be those of the parts that are there, if these stay."""
        if self.table is not None:
            self._delta().check_schema(empty, split.labels, self.mode)
        elif self.mode == "append" and self.before.parts:
            _check_keys(self.before, self.format, split)
            self._check_columns(self.before, empty, split)

    def _check_columns(self, known: Manifest, empty: Frame, split: Split) -> None:
        from .open_dataset import columns_of

        there = columns_of(self._place(), known, self.options)
        # Keys are compared by their types: as columns they come back as text, even if they were categories.
        ours, theirs = (frame.select([each for each in frame if each not in split.labels]) for frame in (there, empty))
        _check_same(ours, theirs, "of the parts that are there")

    def _check_there(self, parts: Iterable[Entry]) -> None:
        """ConflictError if a part is gone."""
        place = self._place()
        try:
            at_once(place.nbytes, [part.name for part in parts])
        except FileNotFoundError as error:
            raise removed(place, error) from None

    def _writer(self, split: Split) -> PartWriter:
        place = self._place()
        if self.table is None and not latest(place):
            # From the first manifest on readers take parts from it, so the parts that follow are not visible.
            found = _found(place)
            place.create(name_of(1), found.to_json())
        # Delta Lake has the keys in its log, and some of its readers undo the escapes of folders twice.
        in_folders = self.table is None
        return PartWriter(place, self.format, split.labels, self.rows_per_part, self.options, in_folders)

    def _place(self) -> Place:
        return place_of(self.target, Access.of(self.options))

    def _delta(self) -> Any:
        from .delta import DeltaTarget

        return DeltaTarget(self._place(), self.format, Access.of(self.options))

    def _remove(self, parts: Iterable[Entry]) -> None:
        place = self._place()
        for part in parts:
            with contextlib.suppress(OSError):
                place.remove(part.name)


def _folder_of(part: Entry) -> str:
    return part.name.rpartition("/")[0]


def _found(place: Place) -> Manifest:
    """The files of a folder without a manifest, as version 0."""
    names = [each for each in place.files("") if is_part(each.name)]
    format = format_of([each.name for each in names], None) if names else ""
    parts = tuple(Entry(each.name, each.nbytes, None, keys_of(each.name)) for each in names)
    return Manifest(0, format, parts)


def _check_keys(old: Manifest, format: str, split: Split) -> None:
    """Other parts must have the format and the keys of the new ones."""
    if not old.parts:
        return
    if old.format not in ("", format):
        raise EncodeError(f"write_dataset: expected format={old.format!r}, as the parts have, found {format!r}.")
    names = list(old.parts[0].keys)
    if names != list(split.labels) or (old.key_types and dict(old.key_types) != split.types):
        expected = dict(old.key_types) or names
        raise EncodeError(
            f"write_dataset: expected partition_by of the parts that are there, {expected}, found {split.types}."
        )


def _check_same(first: Frame, frame: Frame, where: str = "as in the first frame") -> None:
    found = difference(first, frame)
    if found is not None:
        what, ours, theirs = found
        raise EncodeError(f"write_dataset: expected {what} {where}, {ours}, found {theirs}.")
