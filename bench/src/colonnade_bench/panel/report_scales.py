"""Where a value stands in a chart, in pixels: labels are placed before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import altair as alt

SECONDS = (
    "datum.value >= 1 ? format(datum.value, ',~r') + ' s' : datum.value == 0 ? '0' : "
    "datum.value >= 0.9995e-3 ? format(datum.value * 1e3, ',~r') + ' ms' : format(datum.value * 1e6, ',~r') + ' µs'"
)
"""Vega's words for a tick in seconds."""
PERCENT = "format(100 * datum.value, '~r') + ' %'"
LEAST_PLOT = 0.42
"""The share of the width that labels leave to the lines."""


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` over `pixels`; a negative number of pixels begins at the far end, as heights do."""

    low: float
    high: float
    pixels: float
    kind: ClassVar[Literal["linear", "log"]] = "linear"

    def forth(self, value: float) -> float:
        raise NotImplementedError

    def back(self, moved: float) -> float:
        raise NotImplementedError

    def pixel(self, value: float) -> float:
        """Where `value` stands, from the left or from above."""
        share = (self.forth(value) - self.forth(self.low)) / (self.forth(self.high) - self.forth(self.low))
        return share * self.pixels if self.pixels > 0 else (1 - share) * -self.pixels

    def value(self, pixel: float) -> float:
        """What stands at `pixel`."""
        share = pixel / self.pixels if self.pixels > 0 else 1 + pixel / self.pixels
        return self.back(self.forth(self.low) + share * (self.forth(self.high) - self.forth(self.low)))

    def with_room(self, ends: Iterable[tuple[float, float]]) -> Self:
        """A longer scale, whose labels end inside: each is so many pixels wide and begins at that value."""
        span = self.forth(self.high) - self.forth(self.low)
        needed = 1.0
        for width, value in ends:
            share = (self.forth(value) - self.forth(self.low)) / span
            needed = min(needed, (self.pixels - width) / self.pixels / share if share > 0 else 1.0)
        return replace(self, high=self.back(self.forth(self.low) + span / max(needed, LEAST_PLOT)))

    def altair(self) -> alt.Scale:
        return alt.Scale(type=self.kind, domain=[self.low, self.high], nice=False)

    def axis(self, unit: str) -> alt.Axis:
        """Ticks where there is data: none under the labels, one a decade on a logarithmic scale."""
        return alt.Axis(values=self.ticks(unit), labelExpr=SECONDS if unit == "seconds" else PERCENT)

    def ticks(self, unit: str) -> list[float]:
        raise NotImplementedError


class Straight(Scale):
    """Equal steps."""

    def forth(self, value: float) -> float:
        return value

    def back(self, moved: float) -> float:
        return moved

    def ticks(self, unit: str) -> list[float]:
        most = min(self.high, 1.0) if unit == "percent" else self.high
        step = 10.0 ** math.floor(math.log10(most / 2))
        most_ticks = 2 if unit == "percent" else 5
        step *= next(factor for factor in (1, 2, 5, 10, 20) if most / (step * factor) <= most_ticks)
        return [round(k * step, 12) for k in range(int(most / step * 1.0000001) + 1)]


class Log(Scale):
    """Equal factors."""

    kind: ClassVar[Literal["linear", "log"]] = "log"

    def forth(self, value: float) -> float:
        return math.log10(value)

    def back(self, moved: float) -> float:
        return math.pow(10.0, moved)

    def ticks(self, unit: str) -> list[float]:
        most = min(self.high, 1.0) if unit == "percent" else self.high
        found = [10.0**k for k in range(-9, 10) if self.low * 0.999999 <= 10.0**k <= most * 1.000001]
        if len(found) >= 2:
            return found
        return [factor * 10.0**k for k in range(-9, 10) for factor in (1, 2, 5) if self.low <= factor * 10.0**k <= most]
