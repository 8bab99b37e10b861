"""Leaves out parts whose keys show that no row can match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .. import _core
from .._frame.filter_values import field_name, terms
from .._values.conditions import Condition
from .keys import KeyColumn, key_frame

Conjunctions = list[list[Condition]]


@dataclass(frozen=True)
class Pruned:
    """The conditions that are left for each part.

    The keys of all parts are compared as one frame with a row for each part, so that they compare exactly as columns
    do.
    """

    _left: tuple[tuple[frozenset[int] | None, tuple[Condition, ...]], ...]

    @classmethod
    def of(cls, conditions: Conjunctions, keys: Sequence[KeyColumn]) -> Pruned:
        """Compare the keys.

        Raises
        ------
        OptionError
            A value that does not compare with a key.
        """
        names = {key.name: i for i, key in enumerate(keys)}
        rows = key_frame(keys) if keys else None
        left = []
        for conjunction in conditions:
            of_keys = [condition for condition in conjunction if condition[0] in names]
            others = tuple(condition for condition in conjunction if condition[0] not in names)
            matching = None
            if of_keys and rows is not None:
                wanted = list(dict.fromkeys(field_name(name) for name, _, _ in of_keys))
                found = _core.matching_rows(
                    rows.select([names[name] for name in wanted]), terms([of_keys]), list(range(len(wanted)))
                )
                matching = frozenset(found.tolist())
            left.append((matching, others))
        return cls(tuple(left))

    def of_part(self, part: int) -> Conjunctions | bool | None:
        """The conditions on the columns of part `part`: None if all its rows match, False if none does."""
        left: Conjunctions = []
        for matching, others in self._left:
            if matching is not None and part not in matching:
                continue
            if not others:
                return None
            left.append(list(others))
        return left or False
