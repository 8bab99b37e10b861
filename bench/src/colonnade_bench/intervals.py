"""Computes bootstrap intervals: of a median, and of the ratio of two medians.

The percentile bootstrap of B. Efron and R. Tibshirani ("An Introduction to the Bootstrap", 1993, chapter 13): draw as
many values with replacement as there are, take the median, repeat, and cut 2.5 % off both ends. The draws have a fixed
seed, so that a report of the same records is always the same.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

RESAMPLES = 2000
LEVEL = 0.95
FEWEST = 3
"""With fewer values there is no interval: the range of the values is given instead."""
CLEAR = 3.0
"""With fewer values two engines count as tied, unless every value of one is this many times every value of the other.
Repetitions of one engine in two processes differ by less, but for its first call."""


@dataclass(frozen=True)
class Interval:
    """A value and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def holds(self, value: float) -> bool:
        """Whether the interval contains `value`."""
        return self.low <= value <= self.high


def of_median(values: Sequence[float]) -> Interval:
    """Returns the median of the values and its interval.

    >>> of_median([1.0, 1.0, 1.0, 1.0])
    Interval(value=1.0, low=1.0, high=1.0)
    """
    middle = statistics.median(values)
    if len(values) < FEWEST:
        return Interval(middle, min(values), max(values))
    return Interval(middle, *ends(_medians(tuple(values), 0)))


def of_ratio(values: Sequence[float], base: Sequence[float]) -> Interval:
    """Returns the median of `values` divided by the median of `base`, and the interval of this ratio.

    The two are drawn independently, because they were measured in different processes.

    >>> of_ratio([3.0, 3.0, 3.0], [2.0, 2.0, 2.0])
    Interval(value=1.5, low=1.5, high=1.5)
    """
    ratio = statistics.median(values) / statistics.median(base)
    if min(len(values), len(base)) < FEWEST:
        return Interval(ratio, min(values) / max(base), max(values) / min(base))
    return Interval(ratio, *ends(_medians(tuple(values), 1) / _medians(tuple(base), 2)))


def told_apart(values: Sequence[float], base: Sequence[float]) -> bool:
    """Whether the interval of the ratio excludes 1. Otherwise the two are tied.

    >>> told_apart([1.0, 1.1, 1.2], [2.0, 2.1, 2.2]), told_apart([1.0], [2.0]), told_apart([1.0], [20.0])
    (True, False, True)
    """
    if min(len(values), len(base)) < FEWEST:
        return min(values) > CLEAR * max(base) or min(base) > CLEAR * max(values)
    return not of_ratio(values, base).holds(1.0)


def ends(draws: Any) -> tuple[float, float]:
    """Returns the ends of the middle 95 % of the draws."""
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@lru_cache(maxsize=4096)
def _medians(values: tuple[float, ...], seed: int) -> Any:
    """Returns the medians of the draws. Every ratio of a ranking has the same base, so draws are kept."""
    draws = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    return np.median(np.asarray(values)[draws], axis=1)
