"""Draws the parts of charts: logarithmic scales, axes, marks, lines, and labels that do not overlap.

Colonnade has filled circles and thick lines, other libraries hollow squares and thin lines. So the two differ without
colour, too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scripts.pictures import svg

RADIUS = 6.0
LINE_HEIGHT = 21.0
"""The least distance between the baselines of two labels."""


@dataclass(frozen=True)
class LogScale:
    """Maps positive values to pixels. `first` is the pixel of `low`, `last` that of `high`."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        """Returns the pixel of a value."""
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self, least: float) -> list[float]:
        """Returns round values, as many as fit with `least` pixels between them: 1, 2, 5 of each power, or fewer."""
        for digits in ((1, 2, 5), (1, 3), (1,)):
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [digit * 10.0**power for power in powers for digit in digits]
            found = [value for value in found if self.low * 0.999 <= value <= self.high * 1.001]
            places = [self(value) for value in found]
            if all(abs(b - a) >= least for a, b in itertools.pairwise(places)):
                return found
        return found


def around(values: Sequence[float], room: float = 1.25) -> tuple[float, float]:
    """Returns limits of a scale: the range of the values, times `room` on both sides."""
    return min(values) / room, max(values) * room


def x_axis(scale: LogScale, ticks: Sequence[tuple[float, str]], top: float, bottom: float, unit: str) -> list[str]:
    """Draws vertical grid lines, labels below them, and the unit below these."""
    elements = []
    for value, label in ticks:
        x = scale(value)
        elements += [svg.line(x, top, x, bottom, "grid"), svg.text(x, bottom + 20, label, "tick muted", "middle")]
    middle = (scale.first + scale.last) / 2
    return [*elements, svg.text(middle, bottom + 42, unit, "tick muted", "middle")]


def y_axis(scale: LogScale, ticks: Sequence[tuple[float, str]], left: float, right: float) -> list[str]:
    """Draws horizontal grid lines with labels at their left."""
    elements = []
    for value, label in ticks:
        y = scale(value)
        elements += [svg.line(left, y, right, y, "grid"), svg.text(left - 8, y + 5, label, "tick muted", "end")]
    return elements


def mark(x: float, y: float, kind: str) -> str:
    """Draws the mark of a measured value: a filled circle for Colonnade, else a hollow square."""
    if kind == "colonnade":
        return svg.element("circle", "colonnade solid", cx=x, cy=y, r=RADIUS)
    return svg.rect(x - RADIUS + 0.5, y - RADIUS + 0.5, 2 * RADIUS - 1, 2 * RADIUS - 1, f"{kind} hollow")


def key(x: float, y: float, entries: Sequence[tuple[str, str]]) -> list[str]:
    """Draws what the marks mean, next to each other: kind and words of each."""
    elements = []
    for kind, words in entries:
        elements += [mark(x + RADIUS, y - 6, kind), svg.text(x + 2 * RADIUS + 8, y, words, "note")]
        x += 2 * RADIUS + 8 + svg.text_width(words, "note") + 22
    return elements


def spread(wanted: Sequence[float], least: float, top: float, bottom: float) -> list[float]:
    """Moves positions apart until they have the distance `least`, in their order, between `top` and `bottom`.

    >>> spread([10, 12, 50], 20, 0, 100)
    [1.0, 21.0, 50.0]
    """
    groups = [[position, 1.0] for position in sorted(wanted)]
    merged: list[list[float]] = []
    for group in groups:
        merged.append(group)
        while len(merged) > 1 and merged[-1][0] - merged[-2][0] < least * (merged[-1][1] + merged[-2][1]) / 2:
            middle, count = merged.pop()
            before, others = merged.pop()
            merged.append([(middle * count + before * others) / (count + others), count + others])
    placed = [middle + (number - (count - 1) / 2) * least for middle, count in merged for number in range(int(count))]
    shift = max(0.0, top - placed[0]) - max(0.0, placed[-1] - bottom)
    placed = [round(position + shift, 1) for position in placed]
    order = sorted(range(len(wanted)), key=lambda each: wanted[each])
    return [placed[order.index(each)] for each in range(len(wanted))]


def tick_labels(values: Sequence[float], written: Callable[[float], str]) -> list[tuple[float, str]]:
    """Returns ticks with their labels."""
    return [(value, written(value)) for value in values]
