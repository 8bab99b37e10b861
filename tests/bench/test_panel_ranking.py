"""A ranking names its winner, what is tied with it, what is certainly slower, and what was not measured."""

from colonnade_bench.panel.ranking import ranking
from colonnade_bench.panel.summary import Place, Results
from tests.helpers.panel_records import cell, panel

PLACE = Place("r1", "nycflights13")


def measured(name, seconds, losses=()):
    where = cell((name, name, "none"), "memory", 1.0)
    out = [{"kind": "check", "cell": where, "ok": True, "losses": list(losses), "run": "r1"}]
    for number, value in enumerate(seconds):  # the first value is the first call
        out.append({**panel(where, value / 2, value / 2, 1000, 1.0, number, 1e12), "union_s": value, "run": "r1"})
    return out


def plan(*names):
    curves = [cell((name, name, "none"), "memory", 0.1) for name in names]
    return {"kind": "plan", "spec": {}, "run": "r1", "curves": curves}


QUICK = measured("quick", [9.0, 1.0, 1.01, 0.99, 1.02])
ALIKE = measured("alike", [9.0, 1.0, 1.02, 0.98, 1.01])
SLOW = measured("slow", [9.0, 2.0, 2.1, 1.9, 2.0])
LOSSY = measured("lossy", [9.0, 0.5, 0.51, 0.49, 0.5], ["index"])


def test_who_is_first_who_is_tied_and_who_is_next():
    found = ranking(Results([plan("quick", "alike", "slow", "lossy"), *QUICK, *ALIKE, *SLOW, *LOSSY]), PLACE, "memory")
    assert found.winner is not None
    assert found.winner.contestant.name in ("quick", "alike")
    assert len(found.tied) == 1
    assert found.runner_up.contestant.name == "slow"
    assert 1.8 < found.runner_up.slower.low <= found.runner_up.slower.value <= found.runner_up.slower.high < 2.2
    assert [row.contestant.name for row in found.lossy] == ["lossy"]


def test_the_first_call_is_a_figure_of_its_own():
    (row,) = ranking(Results(QUICK), PLACE, "memory").exact
    assert (row.figure.n, row.first_call_s) == (4, 9.0)
    assert row.figure.high < 2


def test_no_winner_while_a_rival_is_unmeasured():
    found = ranking(Results([plan("quick", "rival"), *QUICK]), PLACE, "memory")
    assert found.winner is None
    assert [each.name for each in found.unmeasured] == ["rival"]
    assert [row.contestant.name for row in found.rows] == ["quick"]


def test_what_failed_or_is_not_installed_does_not_hold_up_the_winner():
    where = cell(("broken", "broken", "none"), "memory", 1.0)
    failed = {"kind": "failed", "cell": where, "reason": "crashed", "run": "r1"}
    missing = {"kind": "missing", "engine": "absent", "reason": "pip install absent", "run": "r1"}
    found = ranking(Results([plan("quick", "broken", "absent"), missing, failed, *QUICK]), PLACE, "memory")
    assert found.winner.contestant.name == "quick"


def test_one_or_two_repetitions_are_only_compared_with_much_slower_ones():
    engines = [*measured("a", [1.0, 1.0]), *measured("b", [2.5, 2.5]), *measured("c", [20.0])]
    found = ranking(Results(engines), PLACE, "memory")
    assert [row.tied for row in found.exact] == [False, True, False]
    assert not found.exact[0].certain
