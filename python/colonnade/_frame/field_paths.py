"""Paths into nested columns: which column a text leads into, and which of its parts.

``muon.pt`` is a field of a struct, ``jet[].eta`` one of the structs in lists, ``m[].key`` and ``m[].value`` those of a
map. The text is compared as it stands: names with points or brackets need no quoting, and text that stands twice below
a label means all places that have it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .._io.nearest import nearest

# Places within a column: for each the numbers of the children that lead there, as the core counts them.
Steps = tuple[tuple[int, ...], ...]
# (path behind the label, the numbers of the children, whether nothing stands below)
FieldPath = tuple[str, Sequence[int], bool]


class Chosen(NamedTuple):
    """Columns by position, in the order asked, and of some of them the parts that are wanted."""

    positions: list[int]
    leaves: dict[int, Steps]


class Paths:
    """Finds places within the columns of a frame.

    Parameters
    ----------
    listed
        The places within the column at a position.
    """

    def __init__(self, list_paths: Callable[[int], Sequence[FieldPath]]) -> None:
        self._list_paths = list_paths
        self._field_paths: dict[int, Sequence[FieldPath]] = {}
        self._places: dict[int, dict[str, Steps]] = {}

    def field_paths(self, position: int) -> Sequence[FieldPath]:
        """The places within the column at `position`; looked up once."""
        found = self._field_paths.get(position)
        if found is None:
            found = self._field_paths[position] = self._list_paths(position)
        return found

    def places(self, position: int) -> Mapping[str, Steps]:
        """The same by their paths: thousands of leaves may be asked for, one by one."""
        found = self._places.get(position)
        if found is None:
            found = self._places[position] = {}
            for path, steps, _ in self.field_paths(position):
                found[path] = (*found.get(path, ()), tuple(steps))
        return found

    def find(self, text: str, columns: Callable[[str], Sequence[int]]) -> list[tuple[int, Steps]]:
        """The columns that `text` leads into, with the places in each; none where it leads nowhere.

        `columns` answers the positions of a label. The longest label below which the rest is found is the column.
        """
        for end in reversed([i for i, letter in enumerate(text) if letter in ".["]):
            places = [(position, self.places(position).get(text[end:])) for position in columns(text[:end])]
            if found := [(position, steps) for position, steps in places if steps]:
                return found
        return []

    def near(self, text: str, columns: Callable[[str], Sequence[int]], labels: Sequence[str]) -> list[str]:
        """Full paths that may have been meant: those of the columns that `text` begins with, or nearly does."""
        ends = [i for i, letter in enumerate(text) if letter in ".["]
        if not ends:
            return []
        roots = [text[:end] for end in ends if columns(text[:end])] or nearest(text[: ends[0]], labels)
        return [root + path for root in roots for position in columns(root) for path, *_ in self.field_paths(position)]


def combine(positions: list[int], parts: Mapping[int, Steps]) -> Chosen:
    """What a list of columns means of which some (by their place in the list) are parts: one column for all its parts,
    which is whole where the list has it as a whole, too.
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
    """The places `wanted` of a column of which the places `kept` are left; None is all of it."""
    if projection is None or requested is None:
        return projection if requested is None else requested
    below: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for path in projection:
        for end in range(len(path) + 1):
            below.setdefault(path[:end], []).append(path)
    found: set[tuple[int, ...]] = set()
    for steps in requested:
        # A place that is left in part, or one that lies within what is left.
        found.update(below.get(steps) or [steps])
    return tuple(sorted(found))
