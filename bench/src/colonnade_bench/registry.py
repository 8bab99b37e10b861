"""Maps names to plug-ins. The error for an unknown name suggests the nearest one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")

MOST = 24
"""The most known names in a message."""


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Returns `'; did you mean "price"?'`, or an empty text if no name resembles `word`."""
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f'; did you mean "{found[0]}"?' if found else ""


def unknown(kind: str, name: str, known: Sequence[str]) -> KeyError:
    """Returns the error for an unknown name. Of many known names it gives the nearest, and where all are listed."""
    hint = did_you_mean(name, known) or "."
    if len(known) <= MOST:
        return KeyError(f'bench: unknown {kind} "{name}"{hint} Known: {", ".join(known)}')
    return KeyError(f'bench: unknown {kind} "{name}"{hint} `colonnade bench list` names all {len(known)}')


class Registry(Generic[T]):
    """A small table of plug-ins of one kind.

    Parameters
    ----------
    kind : str
        The kind of plug-in ("dataset", "engine", "transport") for messages.

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
        """Registers `item`. Raises ValueError if the name is taken."""
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
        """Returns the item, or None."""
        return self._items.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)
