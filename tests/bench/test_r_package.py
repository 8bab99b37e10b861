"""The report on Colonnade for R: its parts on small tables, and what its targets say of made-up records."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from colonnade_bench.engines import ENGINES
from colonnade_bench.r_package.ends import Contestant, in_memory, in_turns, over_a_socket
from colonnade_bench.r_package.frames import as_in_r
from colonnade_bench.r_package.measure import FAST, PARTS, Settings
from colonnade_bench.r_package.report import exponent, memory_above, sections

REASON = ENGINES["R colonnade"].missing()
needs_package = pytest.mark.skipif(REASON is not None, reason=str(REASON))
OURS, _, _, _, PEER, _ = FAST


def small(*names: str) -> dict[str, pd.DataFrame]:
    times = pd.date_range("2013-01-01", periods=50, freq="h", tz="UTC", unit="us")
    frame = pd.DataFrame({"year": 2013, "dep_time": 517.0, "air_time": 22.5, "tailnum": "N1", "time_hour": times})
    frame.loc[3, ["dep_time", "air_time"]] = None
    return {"flights": as_in_r(frame, ("year", "dep_time"))}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        tmp_path, rounds=1, sizes=(100_000, 200_000), peak_nbytes=500_000, tables=small, note=lambda text: None
    )


@needs_package
def test_contestants_take_turns_in_memory(settings: Settings) -> None:
    found = in_memory(settings.handed("flights"), (OURS, PEER), 3, note=lambda text: None)
    assert list(found) == ["colonnade arrow", "serialize xdr=FALSE"]
    for times in found.values():
        assert (len(times.encode), len(times.decode), len(times.total), times.losses) == (3, 3, 3, [])
        assert times.nbytes > 1000


@needs_package
def test_contestants_take_turns_over_a_socket(settings: Settings) -> None:
    found = over_a_socket(settings.handed("flights"), (OURS, PEER), 2, note=lambda text: None)
    assert [len(times.total) for times in found.values()] == [2, 2]
    assert all(seconds > 0 for times in found.values() for seconds in times.total)


@needs_package
@pytest.mark.parametrize("part", ["growth", "memory", "csv"])
def test_a_part_gives_a_table(part: str, settings: Settings) -> None:
    if part == "csv" and (reason := ENGINES["R data.table"].missing()):
        pytest.skip(reason)
    targets, table = sections({part: PARTS[part](settings)})
    assert table.rows
    assert bool(targets.rows) == (part != "growth")  # the sizes are too small for an exponent


# -------------------------------------------------------------------- without R


def test_each_round_begins_with_another_one() -> None:
    asked: list[tuple[str, bool]] = []
    three = [Contestant("a", "", ""), Contestant("b", "", "", rounds=1), Contestant("c", "", "")]

    def run(name: str, check: bool) -> dict[str, Any]:
        asked.append((name, check))
        return {"elapsed_s": 1.0, "nbytes": 10, "losses": []}

    found = in_turns(three, 2, run, lambda text: None)
    assert asked[:3] == [("a", True), ("b", True), ("c", True)]
    assert [name for name, _ in asked[3:]] == ["a", "b", "c", "c", "a"]
    assert {name: len(times.total) for name, times in found.items()} == {"a": 2, "b": 1, "c": 2}


def test_an_exact_contestant_that_changes_the_data_ends_the_run() -> None:
    def run(name: str, check: bool) -> dict[str, Any]:
        return {"elapsed_s": 1.0, "nbytes": 10, "losses": ["x: values changed"]}

    with pytest.raises(AssertionError, match="values changed"):
        in_turns([Contestant("a", "", "")], 1, run, lambda text: None)


def trip(name: str, total: float, losses: tuple[str, ...] = ()) -> dict[str, Any]:
    values = [total] * 5
    halves = {"encode": values, "decode": values}
    return {"contestant": name, "total": values, **halves, "nbytes": 100, "losses": list(losses)}


def test_targets_are_met_or_missed() -> None:
    five = [
        trip("colonnade arrow", 1.0), trip("colonnade npz", 0.5), trip("colonnade msgpack", 1.0),
        trip("serialize xdr=FALSE", 2.0), trip("jsonlite", 19.0, ("x: NaN as NA",)), trip("rjson", 11.0),
    ]  # fmt: skip
    targets, table = sections({"five": five})
    assert [(row[0], row[1], row[-1]) for row in targets.rows] == [
        ("five tables, colonnade npz", "serialize xdr=FALSE", "met"),
        ("five tables, colonnade msgpack", "jsonlite", "missed"),
        ("five tables, colonnade msgpack", "rjson", "met"),
    ]
    assert table.rows[0][4] == "2.00x (2.00 to 2.00)"
    assert "jsonlite loses: x: NaN as NA." in table.notes


def test_the_exponent_leaves_small_frames_out() -> None:
    found = [
        {"contestant": "a", "operation": "round trip", "elapsed_s": seconds, "size": size}
        for size, seconds in ((10**6, 9.0), (16 * 10**6, 1.0), (64 * 10**6, 4.0), (256 * 10**6, 16.0))
        for _ in range(5)
    ]
    fitted = exponent(found, "a")
    assert fitted is not None
    assert fitted.value == pytest.approx(1.0)


def test_memory_counts_above_the_frame() -> None:
    found = [
        {"contestant": "a", "operation": way, "peak_nbytes": peak, "frame_nbytes": 100}
        for way, peak in (("write", 50), ("write", 30), ("read", 220), ("read", 150))
    ]
    assert (memory_above(found, "a", "write"), memory_above(found, "a", "read")) == (0.5, pytest.approx(1.2))
