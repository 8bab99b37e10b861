"""Models how elapsed time grows with size: ``seconds ~ size ** exponent``, fitted by least squares on logarithms.

Only the larger half of the sizes is fitted, because the fixed cost of a call hides the growth at small sizes. Every
figure beyond the last measured size is a model and is marked as one. `Growth.at` returns it with its 95 % interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colonnade_bench.intervals import Interval

WARN_ABOVE = 1.1
"""A larger exponent causes a warning: ten times the data takes more than 12.6 times as long."""

FEWEST = 4
"""The number of points to fit, if there are enough. With three points the interval is wide, with two there is none."""

# Student's t, two-sided 95 %, for 1, 2, 3... degrees of freedom.
T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip


@dataclass(frozen=True)
class Growth:
    """A fitted line through logarithms of size and value."""

    exponent: Interval
    intercept: float
    centre: float
    spread: float
    """The sum of squared distances of log size from its mean."""
    error: float
    """The standard deviation of the residuals, in logarithms."""
    n: int

    @property
    def warns(self) -> bool:
        """Whether the exponent is above `WARN_ABOVE`."""
        return self.exponent.value > WARN_ABOVE

    @property
    def certain(self) -> bool:
        """Whether the whole interval is above `WARN_ABOVE`."""
        return self.exponent.low > WARN_ABOVE

    def at(self, size: float) -> Interval:
        """Returns the modelled value at a size, with the 95 % interval of a single new measurement there."""
        x = math.log(size)
        middle = self.intercept + self.exponent.value * x
        half = student(self.n - 2) * self.error * math.sqrt(1 + 1 / self.n + (x - self.centre) ** 2 / self.spread)
        return Interval(math.exp(middle), math.exp(middle - half), math.exp(min(middle + half, 700.0)))


def larger_half(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Returns the points of the larger sizes: half of them, but at least `FEWEST` if there are enough."""
    ordered = sorted(points)
    return ordered[-max(math.ceil(len(ordered) / 2), min(FEWEST, len(ordered))) :]


def fit(points: Sequence[tuple[float, float]]) -> Growth | None:
    """Fits the larger half of ``(size, value)``. Returns None for fewer than three points, which give no interval.

    Examples
    --------
    >>> growth = fit([(size, 3 * size**2) for size in (0.1, 0.2, 0.4, 0.8)])
    >>> round(growth.exponent.value, 6), round(growth.at(1).value, 6)
    (2.0, 3.0)
    """
    used = larger_half([(size, value) for size, value in points if size > 0 and value > 0])
    if len({size for size, _ in used}) < 3:
        return None
    n = len(used)
    xs, ys = [math.log(size) for size, _ in used], [math.log(value) for _, value in used]
    centre, level = math.fsum(xs) / n, math.fsum(ys) / n
    spread = math.fsum((x - centre) ** 2 for x in xs)
    slope = math.fsum((x - centre) * (y - level) for x, y in zip(xs, ys, strict=True)) / spread
    intercept = level - slope * centre
    left = math.fsum((y - intercept - slope * x) ** 2 for x, y in zip(xs, ys, strict=True))
    error = math.sqrt(left / (n - 2))
    half = student(n - 2) * error / math.sqrt(spread)
    return Growth(Interval(slope, slope - half, slope + half), intercept, centre, spread, error, n)


def extrapolated(points: Sequence[tuple[float, float]], size: float = 1.0) -> Interval | None:
    """Returns the modelled value at a size beyond the last point, with the 95 % interval of a single new measurement.

    The line goes through the last point, which is the nearest measurement, with the fitted exponent. None if the points
    reach the size, or if there are too few of them.

    Examples
    --------
    >>> points = [(0.1, 1.0), (0.2, 2.0), (0.4, 4.0), (0.8, 8.0)]
    >>> round(extrapolated(points).value, 6), extrapolated([*points, (1.0, 10.0)])
    (10.0, None)
    """
    ordered = sorted((where, value) for where, value in points if where > 0 and value > 0)
    found = fit(ordered)
    if found is None or ordered[-1][0] >= size:
        return None
    last, value = ordered[-1]
    distance = math.log(size / last)
    middle = math.log(value) + found.exponent.value * distance
    # The last point and the new measurement both deviate from the line, and the exponent is not exact.
    half = student(found.n - 2) * found.error * math.sqrt(2 + distance**2 / found.spread)
    return Interval(math.exp(middle), math.exp(middle - half), math.exp(min(middle + half, 700.0)))


def student(freedom: int) -> float:
    """Returns the factor of a 95 % interval.

    >>> student(1), student(20), student(500)
    (12.706, 2.086, 2.086)
    """
    return T95[min(freedom, len(T95)) - 1]
