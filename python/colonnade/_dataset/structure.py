"""The columns of a dataset: those of its first part, or of all parts together, and its keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

from .._api.many_files import difference
from .._api.read_write import read
from .._frame.frame import Frame
from .._values.conditions import Condition
from ..errors import DecodeError
from .keys import with_keys
from .listing import Listing
from .union import Union


class Structure:
    """The columns of a dataset. The parts that it needs are opened when it is first asked.

    Parameters
    ----------
    listing
        The parts.
    options
        Keywords of `read`.
    is_union
        Parts may lack columns that other parts have.
    empty
        All columns and keys, without rows, if they are known.
    union
        The columns of all parts, if they are known.
    """

    def __init__(
        self,
        listing: Listing,
        options: dict[str, Any],
        is_union: bool,
        empty: Frame | None = None,
        union: Union | None = None,
    ) -> None:
        self._listing = listing
        self._options = options
        self._is_union = is_union
        if empty is not None:
            self.empty = empty
            self._union = union

    def __getstate__(self) -> dict[str, Any]:
        """What a process needs to open the parts itself."""
        kept = ("_listing", "_options", "_is_union", "empty", "_union")
        return {name: self.__dict__[name] for name in kept if name in self.__dict__}

    def only(self, part: int) -> Structure:
        """The same columns, for one part."""
        union = None if self._union is None else self._union.only(part)
        return Structure(self._listing.only(part), self._options, self._is_union, self.empty, union)

    def opened(self, i: int, **options: Any) -> Frame:
        """Part `i`, without its keys. Lazy."""
        part = self._listing.parts[i]
        return read(part.source, format=self._listing.format, **{**self._options, **options})

    @cached_property
    def empty(self) -> Frame:
        """All columns and keys, without rows."""
        own = self._union.empty if self._union is not None else self._first
        return self._ordered(with_keys(own, self._listing.keys, 0))

    def is_of_files(self, wanted: Sequence[Hashable] | None) -> bool:
        """Whether `wanted`, or all columns, are in the file of each part."""
        keys = {key.name for key in self._listing.keys}
        return self._union is None and not (keys if wanted is None else keys.intersection(wanted))

    def column_names(self, wanted: Sequence[Hashable] | None, part: int) -> list[Hashable] | None:
        """The labels to read of part `part`, to have `wanted` or all columns; None for all."""
        if wanted is None:
            return None
        keys = {key.name for key in self._listing.keys}
        names = [label for label in dict.fromkeys(wanted) if label not in keys]
        if self._union is not None:
            names = [label for label in names if self._union.is_in(label, part)]
        return names

    def conditions(self, conditions: list[list[Condition]] | None, part: int) -> list[list[Condition]] | bool | None:
        """The conditions on the columns that part `part` has: None if all its rows match, False if none does."""
        if conditions is None or self._union is None:
            return conditions
        left = []
        for conjunction in conditions:
            absent = [each for each in conjunction if self._union.lacks(each[0], part)]
            if all(comparison == "is" for _, comparison, _ in absent):
                there = [each for each in conjunction if each not in absent]
                if not there:
                    return None
                left.append(there)
        return left or False

    def completed(self, frame: Frame, part: int, wanted: Sequence[Hashable] | None) -> Frame:
        """Rows of a part with its keys and the columns that it lacks, in the order of the dataset or of `wanted`."""
        if self._union is not None:
            frame = self._union.completed(frame, wanted)
        frame = with_keys(frame, self._listing.keys, part)
        return self._ordered(frame) if wanted is None else frame.select(list(wanted))

    def check(self, frame: Frame, part: int, wanted: Sequence[Hashable] | None) -> None:
        """DecodeError if the columns of rows of a part differ from those of the dataset."""
        expected = self.empty if wanted is None else self.empty.select(list(wanted))
        found = difference(expected, frame)
        if found is None:
            return
        what, ours, theirs = found
        parts = self._listing.parts
        advice = "" if self._is_union else ' Pass on_schema="union" if parts may lack columns.'
        raise DecodeError(f"{parts[part].name}: expected {what} as in {parts[0].name}, {ours}, found {theirs}.{advice}")

    @cached_property
    def _first(self) -> Frame:
        return self.opened(0).slice(0, 0)

    @cached_property
    def _union(self) -> Union | None:
        if not self._is_union or len(self._listing.parts) < 2:
            return None
        parts = self._listing.parts
        # One file is open at a time.
        return Union((part.name, Frame._make(self.opened(i).slice(0, 0)._load())) for i, part in enumerate(parts))

    def _ordered(self, frame: Frame) -> Frame:
        order = self._listing.columns
        if order is None or list(frame) == list(order) or set(frame) != set(order):
            return frame
        return frame.select(list(order))
