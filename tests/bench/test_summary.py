"""Figures from records: medians, quartiles, ratios round by round, never across runs."""

import json

import numpy as np
import pytest

from colonnade_bench.cell import Cell
from colonnade_bench.summary import Figure, Summary

OURS = "colonnade npz"
OUR_CELL = Cell("fixture-tall-mixed-1e6", "pandas", "colonnade", "npz")
PEER_CELL = Cell("fixture-tall-mixed-1e6", "pandas", "pandas", "feather")


def record(cell, seconds, number, *, operation="read", state="first", run="r1", **more):
    return {
        "kind": "time",
        "cell": cell.to_json(),
        "operation": operation,
        "state": state,
        "round": number,
        "usable_s": seconds,
        "run": run,
        **more,
    }


def test_quartiles_agree_with_numpy():
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0]
    figure = Figure.of(values)
    assert (figure.low, figure.median, figure.high) == pytest.approx(tuple(np.quantile(values, [0.25, 0.5, 0.75])))
    assert figure.n == 7
    assert Figure.of([2.0]) == Figure(2.0, 2.0, 2.0, 1)


def test_boxes_that_meet_are_ties():
    assert Figure(2, 1, 3, 7).overlaps(Figure(3.5, 3, 4, 7))
    assert not Figure(2, 1, 3, 7).overlaps(Figure(5, 4, 6, 7))


def test_ratio_is_the_median_of_per_round_ratios():
    ours, peer = [1.0, 10.0, 2.0], [3.0, 40.0, 4.0]
    records = [record(OUR_CELL, s, k) for k, s in enumerate(ours)]
    records += [record(PEER_CELL, s, k) for k, s in enumerate(peer)]
    summary = Summary(records)
    (place,) = summary.places()
    ratio = summary.ratio(place, OURS, "pandas feather")
    assert ratio.median == 3.0  # of 3, 4 and 2; the ratio of the medians would be 2
    assert ratio.n == 3


def test_rounds_that_one_side_lacks_do_not_count():
    summary = Summary([record(OUR_CELL, 1.0, 0), record(PEER_CELL, 2.0, 0), record(PEER_CELL, 100.0, 1)])
    (place,) = summary.places()
    assert summary.ratio(place, OURS, "pandas feather").median == 2.0
    assert summary.ratio(place, OURS, "pandas parquet") is None


def test_runs_are_never_mixed(tmp_path):
    for run, ours, peer in (("r1", 1.0, 2.0), ("r2", 10.0, 50.0)):
        lines = [record(OUR_CELL, ours, 0, run=run), record(PEER_CELL, peer, 0, run=run)]
        (tmp_path / run).write_text("".join(json.dumps(line) + "\n" for line in lines))
    summary = Summary.load(tmp_path / "r1", tmp_path / "r2")
    ratios = {p.run: summary.ratio(p, OURS, "pandas feather").median for p in summary.places()}
    assert ratios == {"r1": 2.0, "r2": 5.0}


def test_repetitions_in_one_process_are_samples_of_their_own():
    records = [record(OUR_CELL, s, 0, state="repeat") for s in (1.0, 2.0, 3.0)]
    summary = Summary(records)
    (place,) = summary.places()
    assert summary.figure(place, OURS).n == 3
    assert summary.figure(place, OURS, "open_s") is None
