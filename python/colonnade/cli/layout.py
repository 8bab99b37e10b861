"""Fits the columns of a table into a width: wraps and cuts cells, and leaves columns out where that is not enough."""

from __future__ import annotations

from dataclasses import dataclass

from .._values.terminal_text import truncate, width_of

GAP = 2
"""Spaces between two columns."""
_LEAST = 12
"""A column that may be wrapped or cut keeps this width if it can: less is hard to read."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        The heading, of one or more lines.
    is_right : bool
        Set cells to the right.
    is_bold : bool
        Print cells in bold on a terminal.
    fit : {"keep", "wrap", "cut"}
        What happens to a cell that is wider than the column may be. ``keep``: the column is never narrower than a cell.
    rank : int
        Columns with the highest rank are left out first where the table is too wide. 0: never.
    least : int
        The width that a column of ``wrap`` or ``cut`` keeps if it can.
    """

    name: str = ""
    is_right: bool = False
    is_bold: bool = False
    fit: str = "keep"
    rank: int = 0
    least: int = _LEAST


def choose(columns: list[Column], natural: list[int], width: int) -> dict[int, int]:
    """The positions of the columns that are shown, each with its width.

    `natural` are the widths of the widest cells.
    """
    shown = list(range(len(columns)))
    least = [w if c.fit == "keep" else min(w, c.least) for c, w in zip(columns, natural, strict=True)]

    def left() -> int:
        return width - GAP * (len(shown) - 1) - sum(least[i] for i in shown)

    while left() < 0 and any(columns[i].rank for i in shown):
        shown.remove(max(shown, key=lambda i: (columns[i].rank, i)))
    found = {i: least[i] for i in shown}
    _spread(found, natural, left())
    _squeeze(found, [i for i in shown if columns[i].fit != "keep"], -left())
    return found


def _spread(widths: dict[int, int], natural: list[int], room: int) -> None:
    """Gives the room that is left to the narrowest columns first, none more than it can use."""
    while room > 0:
        growing = [i for i in widths if widths[i] < natural[i]]
        if not growing:
            return
        widths[min(growing, key=lambda i: (widths[i], i))] += 1
        room -= 1


def _squeeze(widths: dict[int, int], flexible: list[int], excess: int) -> None:
    """Takes what is too much from the widest columns that may be narrower. Two characters are left of each."""
    while excess > 0:
        shrinking = [i for i in flexible if widths[i] > 2]
        if not shrinking:
            return
        widths[max(shrinking, key=lambda i: widths[i])] -= 1
        excess -= 1


def fitted(text: str, column: Column, width: int) -> list[str]:
    """The lines of a cell in a column of `width`."""
    if column.fit == "cut":
        return [truncate(line, width) for line in text.split("\n")]
    return [part for line in text.split("\n") for part in (wrap(line, width) if column.fit == "wrap" else [line])]


def wrap(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` columns, broken at spaces, then after punctuation, then anywhere."""
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if width_of(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *whole, line = _pieces(word, width)
        lines += whole
    return [*lines, line]


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces of at most `width` columns. Each ends with punctuation if it has some in its second half."""
    pieces = []
    while width_of(word) > width:
        end, taken = 0, 0
        while end < len(word) and taken + width_of(word[end]) <= width:
            taken += width_of(word[end])
            end += 1
        end = max(end, 1)
        nice = max((i + 1 for i in range(end // 2, end) if word[i] in "_.,/-:<>"), default=end)
        pieces.append(word[:nice])
        word = word[nice:]
    return [*pieces, word] if word or not pieces else pieces
