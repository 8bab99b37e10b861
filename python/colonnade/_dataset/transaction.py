"""Writes parts in one or many processes, and makes them visible at once.

One process begins a transaction. Any process that has it writes parts. The first one commits what they wrote.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .._api.many_files import difference
from .._frame.frame import Frame
from .._io.stores import Access
from ..errors import ConflictError, EncodeError
from .hive import keys_of
from .listing import format_of, is_part
from .manifest import Entry, Manifest, commit, latest, name_of
from .part_writer import PartWriter
from .places import Place, place_of
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
        The version when the transaction began.
    """

    target: Any
    format: str
    keys: tuple[Hashable, ...]
    rows_per_part: int
    mode: str
    table: str | None
    options: dict[str, Any]
    before: Manifest

    @classmethod
    def begin(
        cls,
        target: Any,
        format: str,
        keys: tuple[Hashable, ...],
        rows_per_part: int,
        mode: str,
        table: str | None,
        options: dict[str, Any],
    ) -> Transaction:
        """Check that the target can take the parts. A folder without a manifest gets one, with the files that it has.

        From then on readers take parts from manifests, so what is written next is not visible before it is committed.

        Raises
        ------
        FileExistsError
            There are parts, and mode is "error".
        """
        before = Manifest()
        if table is None:
            place = place_of(target, Access.of(options))
            before = latest(place) or _begun(place)
            if mode == "error" and before.parts:
                advice = 'The dataset has parts. Pass mode="append" or mode="overwrite"'
                raise FileExistsError(17, advice, place.target(""))
        made = cls(target, format, keys, rows_per_part, mode, table, options, before)
        if table is not None:
            made._delta().check_mode(mode)
        return made

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
        empty = first.slice(0, 0)
        split = Split.of(first, self.keys)
        if is_first:
            self._check_alike(empty, split)
        writer = self._writer(split)
        try:
            for frame in _chained(first, remaining):
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
            Another writer has committed since the transaction began, and mode is "overwrite".
        EncodeError
            The processes wrote different schemas, or others than the parts that are there.
        """
        # By folder, and in a folder as the rows came.
        parts = sorted((part for each in written for part in each.parts), key=lambda part: part.name.rpartition("/")[0])
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
            if self.table is not None:
                self._delta().commit(first.empty, first.split.labels, parts, self.mode)
            else:
                self._commit(parts, first.split)
        except BaseException:
            self._remove(parts)
            raise

    def abort(self, written: Iterable[Written]) -> None:
        """Remove the parts. What cannot be removed is left for `remove_leftovers`."""
        self._remove([part for each in written for part in each.parts])

    def _commit(self, parts: Sequence[Entry], split: Split) -> None:
        place = self._place()

        def change(base: Manifest) -> Manifest:
            if self.mode == "append":
                old = base
                _check_keys(old, self.format, split)
            elif base.version != self.before.version:
                raise ConflictError(
                    f"write_dataset: {place.target('')}: expected version {self.before.version} of the dataset, found "
                    f'version {base.version}: another writer was first. Read it and write again, or use mode="append".'
                )
            else:
                old = Manifest()
            return Manifest(0, self.format, (*old.parts, *parts), split.types, split.columns)

        commit(place, change)

    def _check_alike(self, empty: Frame, split: Split) -> None:
        """The columns must be those of the parts that are there, if these stay."""
        if self.mode != "append":
            return
        if self.table is not None:
            self._delta().check_schema(empty, split.labels)
            return
        if self.before.parts:
            _check_keys(self.before, self.format, split)
            there = _columns_there(self._place(), self.before, self.options)
            _check_same(there, empty, "of the parts that are there")

    def _writer(self, split: Split) -> PartWriter:
        # Delta Lake has the keys in its log, and some of its readers undo the escapes of folders twice.
        in_folders = self.table is None
        return PartWriter(self._place(), self.format, split.labels, self.rows_per_part, self.options, in_folders)

    def _place(self) -> Place:
        return place_of(self.target, Access.of(self.options))

    def _delta(self) -> Any:
        from .delta import DeltaTarget

        return DeltaTarget(self.target, self.format, self.options.get("storage_options"))

    def _remove(self, parts: Iterable[Entry]) -> None:
        place = self._place()
        for part in parts:
            with contextlib.suppress(OSError):
                place.remove(part.name)


def _begun(place: Place) -> Manifest:
    """The first manifest of a folder, which lists the files that are there."""
    parts = tuple(
        Entry(each.name, each.nbytes, None, keys_of(each.name)) for each in place.files("") if is_part(each.name)
    )
    format = format_of([part.name for part in parts], None) if parts else ""
    place.create(name_of(1), Manifest(0, format, parts).to_json())
    # Another writer may have been first.
    return latest(place)


def _columns_there(place: Place, known: Manifest, options: dict[str, Any]) -> Frame:
    from .open_dataset import dataset

    reading = {name: options[name] for name in ("storage_options", "filesystem") if options.get(name) is not None}
    return dataset(place.target(""), partition_types=known.key_types or None, **reading).head(0)


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


def _chained(first: Frame, rest: Iterator[Frame]) -> Iterator[Frame]:
    yield first
    yield from rest
