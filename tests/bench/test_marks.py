"""Marks: judged on *first*, dataset by dataset, pass or short, and not at all where nothing was measured."""

import pytest
from colonnade_bench.marks import MARKS, MemoryMark, OpenMark, RatioMark, is_nine, judge

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.fixtures import MIXES, SHAPES
from colonnade_bench.summary import OURS, Summary
from tests.bench.test_summary import record

NINE = [f"fixture-{shape}-{mix}-1e6" for shape in SHAPES["1e6"] for mix in MIXES]


def ratio_records(
    ratios, library="static-frame", peer=("static-frame", "npz"), state="first", operation="read", rounds=7
):
    out = []
    for dataset, ratio in ratios.items():
        for number in range(rounds):
            more = {"state": state, "operation": operation}
            out.append(record(Cell(dataset, library, "colonnade", "npz"), 1.0, number, **more))
            out.append(record(Cell(dataset, library, *peer), ratio, number, **more))
    return out


def read_mark() -> RatioMark:
    return MARKS[0]


def test_nine_fixtures_are_nine():
    for scale in SHAPES:
        assert sum(is_nine(name, scale) for name in DATASETS) == 9


def test_a_mark_passes_when_every_condition_holds():
    ratios = {name: 3.0 if "uniform" in name else 40.0 for name in NINE}
    verdict = read_mark().judge(Summary(ratio_records(ratios)))
    assert verdict.word == "pass"
    assert verdict.first.startswith("16.87x; least 3.00x")  # (3^3 * 40^6)^(1/9)


@pytest.mark.parametrize(("name", "value"), [("wide-columnar", 29.0), ("tall-uniform", 2.4), ("square-mixed", 4.9)])
def test_one_dataset_below_its_floor_is_short(name, value):
    ratios = dict.fromkeys(NINE, 40.0) | {f"fixture-{name}-1e6": value}
    assert read_mark().judge(Summary(ratio_records(ratios))).word == "short"


def test_a_low_mean_is_short():
    ratios = {key: 31.0 if "wide-columnar" in key else 6.0 for key in NINE}
    assert read_mark().judge(Summary(ratio_records(ratios))).word == "short"


def test_repeat_alone_does_not_pass_a_mark():
    verdict = read_mark().judge(Summary(ratio_records(dict.fromkeys(NINE, 50.0), state="repeat")))
    assert verdict.word == "-"
    assert verdict.first == "-"
    assert verdict.repeat.startswith("50.00x")


def test_a_partial_measurement_says_so():
    verdict = read_mark().judge(Summary(ratio_records({NINE[0]: 50.0})))
    assert verdict.first.endswith("1 of 9")
    assert verdict.word == "partly"
    few = read_mark().judge(Summary(ratio_records(dict.fromkeys(NINE, 50.0), rounds=3)))
    assert few.first.endswith("3 rounds")
    assert few.word == "partly"


def test_twins_do_not_count():
    verdict = read_mark().judge(Summary(ratio_records({f"{NINE[0]}-unique": 50.0})))
    assert not verdict.measured


def open_records(seconds):
    cells = {name: Cell(name, "colonnade", "colonnade", "npz") for name in seconds}
    return [record(cells[name], s, 0, open_s=s) for name, s in seconds.items()]


def test_open_is_judged_by_members():
    few, many = "fixture-tall-uniform-1e8", "fixture-wide-columnar-1e8"
    assert DATASETS[few].member_count() == 4
    assert DATASETS[many].member_count() == 100_003
    assert OpenMark().judge(Summary(open_records({few: 0.5e-3, many: 0.09}))).word == "pass"
    assert OpenMark().judge(Summary(open_records({few: 1.5e-3, many: 0.09}))).word == "short"
    assert OpenMark().judge(Summary(open_records({few: 0.5e-3, many: 0.11}))).word == "short"


def test_memory_is_judged_by_the_worst():
    def one(dataset, private):
        cell = Cell(dataset, "pandas", "colonnade", "npz")
        return {
            "kind": "memory",
            "cell": cell.to_json(),
            "operation": "read",
            "private_nbytes": private,
            "frame_nbytes": 1000,
            "run": "r1",
        }

    mark = MemoryMark("peak", ("read",), 1.05)
    a, b = "fixture-tall-uniform-1e8", "fixture-wide-mixed-1e8"
    assert mark.judge(Summary([one(a, 900), one(b, 1050)])).word == "pass"
    assert mark.judge(Summary([one(a, 900), one(b, 1051)])).word == "short"
    assert not mark.judge(Summary([])).measured


def test_nothing_measured_gives_no_verdict():
    assert not any(verdict.measured for verdict in judge(Summary([])))
    assert OURS == "colonnade npz"
