"""Intervals of medians and of ratios hold the truth as often as they say, and tie what is alike."""

import numpy as np
import pytest

from colonnade_bench.intervals import of_median, of_ratio, told_apart


def test_the_interval_of_a_ratio_holds_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        slow, quick = (list(factor * rng.lognormal(0, 0.05, 8)) for factor in (1.5, 1.0))
        held += of_ratio(slow, quick).holds(1.5)
    assert held >= 180, "the percentile bootstrap of eight values is a little short of 95 %, never far"


def test_two_runs_of_the_same_are_rarely_told_apart():
    rng = np.random.default_rng(6)
    pairs = [(list(rng.lognormal(0, 0.05, 8)), list(rng.lognormal(0, 0.05, 8))) for _ in range(200)]
    assert sum(told_apart(a, b) for a, b in pairs) <= 20


def test_a_clear_difference_is_told_apart_whatever_the_order():
    quick, slow = [1.0, 1.02, 0.99, 1.01, 1.03], [1.2, 1.22, 1.19, 1.24, 1.21]
    assert told_apart(quick, slow)
    assert told_apart(slow, quick)
    assert of_ratio(slow, quick).low > 1


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.5]])
def test_one_or_two_values_tell_only_clear_differences_apart(values):
    assert not told_apart(values, [3.0, 9.0, 9.0])
    assert not told_apart([3.0, 9.0, 9.0], values)
    assert told_apart(values, [5.0, 9.0, 9.0])
    assert (of_median(values).low, of_median(values).high) == (min(values), max(values))


def test_the_same_values_always_give_the_same_interval():
    values = [1.0, 1.3, 0.9, 1.1, 1.6, 1.2, 1.05]
    assert of_median(values) == of_median(list(values))
