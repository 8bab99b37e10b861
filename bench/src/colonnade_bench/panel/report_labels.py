"""Labels at the last points of lines, where no two of them may overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LINE = 12.0
"""Height of a label, in pixels."""
LETTER = 5.7
"""Width of a letter of ten points, in pixels; a little more than most are."""
GAP = 8.0
"""From a point to its label."""
NEAR = 60
"""Pixels that a label may be away from its point."""


@dataclass(frozen=True)
class Label:
    """A text for a point that stands so many pixels from the left and from above."""

    text: str
    x: float
    y: float

    @property
    def width(self) -> float:
        return LETTER * len(self.text)


Spot = tuple[float, float, float]
"""Left end, middle and width."""


def spread(labels: Sequence[Label], height: float, avoid: Sequence[Spot] = ()) -> list[tuple[float, float]]:
    """Where each label goes: its left end and its middle.

    Those of the points furthest to the right stand in a column, as near to their points as they can all be. Those of
    lines that end earlier stand above their ends, or below where that is full, clear of what is to be avoided. Where
    one of these finds no place near its point, all stand in one column, behind everything.

    Examples
    --------
    >>> spread([Label("a", 10, 50), Label("b", 10, 52), Label("c", 2, 50)], height=100)
    [(18.0, 45.0), (18.0, 57.0), (0, 39.0)]
    """
    right = max((label.x for label in labels), default=0.0)
    column = [k for k, label in enumerate(labels) if label.x > right - 1]
    middles = apart([labels[k].y for k in column], height)
    out = {k: (labels[k].x + GAP, middle) for k, middle in zip(column, middles, strict=True)}
    taken = [*avoid, *((left, y, labels[k].width) for k, (left, y) in out.items())]
    for k in sorted(set(range(len(labels))) - set(column), key=lambda k: labels[k].x):
        label = labels[k]
        left = max(label.x - 4, 0)
        above = [label.y - LINE + 1 - step for step in range(NEAR)]
        below = [label.y + LINE + step for step in range(NEAR)]
        inside = [y for y in (*above, *below) if LINE / 2 <= y <= height - LINE / 2]
        y = next((y for y in inside if not any(meet((left, y, label.width), spot) for spot in taken)), None)
        if y is None:
            behind = max(right, *(left + width for left, _, width in avoid)) + GAP if avoid else right + GAP
            return [(behind, middle) for middle in apart([label.y for label in labels], height)]
        taken.append((left, y, label.width))
        out[k] = (left, y)
    return [out[k] for k in range(len(labels))]


def apart(wanted: Sequence[float], height: float) -> list[float]:
    """Middles that are a line apart and as near to what was wanted as they can be (least squares)."""
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    # Less its rank times a line, each place may not be less than the one before: an isotonic regression.
    pools: list[tuple[float, int]] = []
    for rank, k in enumerate(order):
        total, count = wanted[k] - rank * LINE, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            more, number = pools.pop()
            total, count = total + more, count + number
        pools.append((total, count))
    flat = [total / count for total, count in pools for _ in range(count)]
    low, high = LINE / 2, max(height - LINE / 2 - (len(wanted) - 1) * LINE, LINE / 2)
    places = {k: min(max(flat[rank], low), high) + rank * LINE for rank, k in enumerate(order)}
    return [places[k] for k in range(len(wanted))]


def meet(one: Spot, other: Spot) -> bool:
    """Whether two labels would overlap."""
    beside = one[0] + one[2] <= other[0] or other[0] + other[2] <= one[0]
    return not beside and abs(one[1] - other[1]) < LINE - 1e-6
