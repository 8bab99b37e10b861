"""Names to plug-ins, with an error that names the nearest when one is not there."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

MOST = 64
"""Known ones that a message lists."""


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """`'; did you mean "price"?'`, or nothing if no name looks like `word`."""
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f'; did you mean "{found[0]}"?' if found else ""


def unknown(kind: str, name: str, known: Sequence[str]) -> KeyError:
    """The error for a name that is not there."""
    listed = ", ".join(known) if len(known) <= MOST else f"{len(known)}; `colonnade bench list` names them"
    return KeyError(f'bench: unknown {kind} "{name}"{did_you_mean(name, known) or "."} Known: {listed}')


class Registry(Generic[T]):
    """A small table of plug-ins of one kind.

    Parameters
    ----------
    kind : str
        What the plug-ins are ("dataset", "engine", "transport"); used in messages.

    Examples
    --------
    >>> colours = Registry("colour")
    >>> colours.add("red", 1)
    1
    >>> colours["rde"]
    Traceback (most recent call last):
    KeyError: 'bench: unknown colour "rde"; did you mean "red"? Known: red'
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._items: dict[str, T] = {}

    def add(self, name: str, item: T) -> T:
        """Register `item`. Raises ValueError where the name is taken."""
        if name in self._items:
            raise ValueError(f'bench: {self.kind} "{name}" is registered already')
        self._items[name] = item
        return item

    def __getitem__(self, name: str) -> T:
        try:
            return self._items[name]
        except KeyError:
            raise unknown(self.kind, name, list(self._items)) from None

    def get(self, name: str) -> T | None:
        """The item, or None."""
        return self._items.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)
