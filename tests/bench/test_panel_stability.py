"""Whether two runs rank alike: by the definition, pair by pair, and through the command."""

import itertools
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colonnade_bench.__main__ import main
from colonnade_bench.panel.stability import ALL, agreement, compare
from colonnade_bench.panel.summary import Contestant, Results
from tests.helpers.panel_records import CONTESTANTS, cell, panel


def figures(values):
    return {Contestant(f"engine {k}", "x"): [float(v)] * 3 for k, v in enumerate(values)}


def tau_b(first, second):
    """Maurice Kendall's definition, with a loop over all pairs."""
    score = one = two = 0
    for i, j in itertools.combinations(range(len(first)), 2):
        a, b = (first[i] > first[j]) - (first[i] < first[j]), (second[i] > second[j]) - (second[i] < second[j])
        score, one, two = score + a * b, one + a * a, two + b * b
    return score / math.sqrt(one * two) if one and two else None


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=2, max_size=12))
def test_tau_is_that_of_the_definition(pairs):
    first, second = ([pair[k] for pair in pairs] for k in (0, 1))
    found, wanted = agreement("file", figures(first), figures(second)).tau, tau_b(first, second)
    assert (found is None) == (wanted is None)
    assert wanted is None or found == pytest.approx(wanted)


def test_what_one_run_alone_has_is_left_out():
    found = agreement("file", figures([1, 2, 3]), figures([1, 2]))
    assert (found.contestants, found.pairs, found.tau) == (2, 1, 1.0)


def test_ratios_whose_interval_holds_one_are_ties():
    a, b = Contestant("a", "x"), Contestant("b", "x")
    near = {a: [1.0, 1.4, 1.2], b: [1.2, 1.6, 1.3]}
    apart = {a: [1.0, 1.1, 1.0], b: [2.0, 2.1, 2.0]}
    few = {a: [1.0, 1.1], b: [2.0, 2.1]}
    assert agreement("file", few, apart).tau is None
    assert agreement("file", near, apart).tau is None
    assert agreement("file", apart, apart).tau == 1.0


def written(path, seconds, size=1.0):
    """A results file with a first call and three repetitions of each."""
    lines = []
    for contestant, value in zip(CONTESTANTS, seconds, strict=False):
        for number in range(4):
            record = panel(cell(contestant, "file", size), value / 2, value / 2, 1000, size, number, math.inf)
            lines.append(json.dumps({**record, "run": path.stem}) + "\n")
    path.write_text("".join(lines))
    return path


def test_two_runs_of_a_panel(tmp_path, capsys):
    paths = [written(tmp_path / "r1.jsonl", [1.0, 2.0, 3.0]), written(tmp_path / "r2.jsonl", [1.0, 3.0, 2.0])]
    rows = compare(*map(Results.load, paths))
    assert [(row.same, row.other) for row in rows] == [(2, 1), (2, 1)]
    assert rows[-1].where == ALL
    assert main(["stability", *map(str, paths)]) == 0
    assert "0.333 | not met" in capsys.readouterr().out


def test_runs_of_other_sizes_have_nothing_in_common(tmp_path, capsys):
    paths = [written(tmp_path / "r1.jsonl", [1.0, 2.0]), written(tmp_path / "r2.jsonl", [1.0, 2.0], size=0.5)]
    assert main(["stability", *map(str, paths)]) == 1
    found = capsys.readouterr()
    assert found.out == ""
    assert "no data of the same size in common" in found.err
