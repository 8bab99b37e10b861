"""Defines an entry: one measured call of a cell, with the number of rounds in each state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from colonnade_bench.cell import Cell


@dataclass(frozen=True)
class Entry:
    """A cell and a call, with the number of rounds in each state."""

    cell: Cell
    call: str
    rounds: Mapping[str, int]
    group: str = ""
    count: int = 1

    def value(self, name: str) -> Any:
        """Returns the value of a factor, the operation or an option.

        Contestants that alternate agree in such values.
        """
        if name == "operation":
            return self.call
        return getattr(self.cell, name, None) or self.cell.option.get(name)


def possible(cell: Cell, call: str) -> bool:
    """Whether a transport has this call. Memory has nothing to replace, and a given stream can only be read."""
    if cell.transport == "given":
        return call == "read"
    return not (call == "replace" and cell.transport == "memory")


def alternating(entries: Sequence[Entry], names: Sequence[str]) -> Iterator[list[Entry]]:
    """Yields the entries that alternate in one process: they agree in all of `names` and belong to one group."""
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((*(entry.value(name) for name in names), entry.group), []).append(entry)
    yield from groups.values()
