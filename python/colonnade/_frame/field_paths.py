"""Paths into nested columns: which column a text leads into, and which of its parts.

``muon.pt`` is a field of a struct, ``jet[].eta`` one of the structs in lists, ``m[].key`` and ``m[].value`` those of a
map. Paths are compared as text: names with points or brackets need no quotes, and a path that occurs several times
below a label selects all of these places.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .._io.nearest import nearest

# Paths within a column as child numbers, as the core counts them.
Steps = tuple[tuple[int, ...], ...]
# (text after the label, child numbers, whether it is a leaf)
FieldPath = tuple[str, Sequence[int], bool]


class Chosen(NamedTuple):
    """Selected columns by position, in the requested order, with the projection of some of them."""

    positions: list[int]
    leaves: dict[int, Steps]


class Paths:
    """Finds places within the columns of a frame.

    Parameters
    ----------
    listed
        Lists the paths within the column at a position.
    """

    def __init__(self, list_paths: Callable[[int], Sequence[FieldPath]]) -> None:
        self._list_paths = list_paths
        self._field_paths: dict[int, Sequence[FieldPath]] = {}
        self._places: dict[int, dict[str, Steps]] = {}

    def field_paths(self, position: int) -> Sequence[FieldPath]:
        """The paths within the column at `position`, cached."""
        found = self._field_paths.get(position)
        if found is None:
            found = self._field_paths[position] = self._list_paths(position)
        return found

    def places(self, position: int) -> Mapping[str, Steps]:
        """The paths as a mapping, because thousands of leaves may be looked up one by one."""
        found = self._places.get(position)
        if found is None:
            found = self._places[position] = {}
            for path, steps, _ in self.field_paths(position):
                found[path] = (*found.get(path, ()), tuple(steps))
        return found

    def find(self, text: str, columns: Callable[[str], Sequence[int]]) -> list[tuple[int, Steps]]:
        """The columns that `text` selects, with the selected paths; empty if there are none.

        `columns` returns the positions of a label. Of several labels the longest with such a path is the column.
        """
        for end in reversed([i for i, letter in enumerate(text) if letter in ".["]):
            places = [(position, self.places(position).get(text[end:])) for position in columns(text[:end])]
            if found := [(position, steps) for position, steps in places if steps]:
                return found
        return []

    def near(self, text: str, columns: Callable[[str], Sequence[int]], labels: Sequence[str]) -> list[str]:
        """Full paths for suggestions: those of the columns whose label `text` begins with, exactly or nearly."""
        ends = [i for i, letter in enumerate(text) if letter in ".["]
        if not ends:
            return []
        roots = [text[:end] for end in ends if columns(text[:end])] or nearest(text[: ends[0]], labels)
        return [root + path for root in roots for position in columns(root) for path, *_ in self.field_paths(position)]


def combine(positions: list[int], parts: Mapping[int, Steps]) -> Chosen:
    """Merge a list of columns, some of which (by position in the list) are paths: one column for all of its paths. It
    is whole if the list also has the whole column.
    """
    if not parts:
        return Chosen(positions, {})
    whole = {position for i, position in enumerate(positions) if i not in parts}
    chosen: list[int] = []
    leaves: dict[int, set[tuple[int, ...]]] = {}
    for i, position in enumerate(positions):
        if i not in parts:
            chosen.append(position)
        elif position not in whole:
            if position not in leaves:
                chosen.append(position)
            leaves.setdefault(position, set()).update(parts[i])
    return Chosen(chosen, {position: tuple(sorted(steps)) for position, steps in leaves.items()})


def restrict(projection: Steps | None, requested: Steps | None) -> Steps | None:
    """Project a column further: its paths `requested` after the projection `projection`; None is the whole column."""
    if projection is None or requested is None:
        return projection if requested is None else requested
    below: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for path in projection:
        for end in range(len(path) + 1):
            below.setdefault(path[:end], []).append(path)
    found: set[tuple[int, ...]] = set()
    for steps in requested:
        # A path that is partly projected, or one inside of a projected path.
        found.update(below.get(steps) or [steps])
    return tuple(sorted(found))
