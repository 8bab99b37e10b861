"""Two processes and what goes between them: small, and judged by no time."""

import json
import os

import pytest

from colonnade_bench.__main__ import main
from colonnade_bench.cell import Cell
from colonnade_bench.channels import CHANNELS
from colonnade_bench.channels.pair import Pair
from colonnade_bench.channels.relay import relay
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.wire import WIRE
from colonnade_bench.process import EndError, Process, both
from colonnade_bench.spec import Spec
from colonnade_bench.transports import certificates
from tests.helpers.bench_records import entries, rounds
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow.flight")
pytest.importorskip("trustme")

SIZE = 0.0005  # of a gigabyte: 500 kB
TRANSPORTS = ("pipe", "unix", "tcp", "tls")


def cell(dataset, name, transport, size=1.0, **options):
    """A contestant; `name` is engine and format."""
    engine, fmt = name.split()
    return Cell(dataset, "pandas", engine, fmt, "none", transport, size, tuple(sorted(options.items())))


def messages(folder, trusted):
    """What measures messages, with its records."""
    measured = rounds(folder)
    measured.messages.certificates = trusted
    return measured.messages, measured.records


@pytest.fixture(scope="module")
def trusted(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


def ways(transport):
    """All channels over one transport, less those of MessagePack (test_msgpack.py)."""
    names = [name for name in CHANNELS if transport in CHANNELS[name].transports and "msgpack" not in name]
    cells = [cell("wire-numbers", name, transport, SIZE) for name in names]
    if transport == "unix":
        cells += [cell("wire-text", name, transport, SIZE) for name in ("colonnade arrows", "pyarrow arrows")]
        cells.append(cell("wire-1KiB-mixed", "colonnade arrows", transport, via="receive"))
        cells.append(cell("wire-1KiB-mixed", "pickle connection", transport, protocol=5))
    return cells


# ---------------------------------------------------------------- data


@pytest.mark.parametrize("dataset", [wire.name for wire in WIRE])
def test_frames_are_as_large_as_they_say(dataset):
    small = "1KiB" in dataset
    frame = DATASETS[dataset].load("pandas", 1.0 if small else SIZE, None)
    assert not frame.isna().any(axis=None)
    again = DATASETS[dataset].load("pandas", 1.0 if small else SIZE, None)
    pd.testing.assert_frame_equal(frame, again)  # both processes must have the same
    wanted = 1024 if small else {"wire-64MB": 64e6, "wire-100MB": 100e6}.get(dataset, 1e9) * SIZE
    assert frame.memory_usage(index=False).sum() == pytest.approx(wanted, rel=0.25 if "mixed" in dataset else 0.05)


# ---------------------------------------------------------------- two processes


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_arrives_is_what_was_sent(transport, tmp_path, trusted):
    cells = ways(transport)
    assert len(cells) >= 6
    with Pair(cells, tmp_path, trusted) as pair:
        for k, one in enumerate(cells):
            pair.send(k, tiny=True, forget=True)
            found = pair.send(k, check=True)
            assert found["difference"] is None, one
            assert found["nbytes"] > 0
            # Another, and several in a row.
            again = pair.send(k, count=3)
            assert 0 < again["message_s"] < again["open_s"] <= again["usable_s"]


def test_contestants_share_two_processes_and_alternate(tmp_path, trusted):
    names = ("colonnade arrows", "pyarrow arrows", "pickle connection", "raw bytes")
    cells = [cell("wire-1KiB", name, transport) for name in names for transport in ("pipe", "unix")]
    pairs, records = messages(tmp_path, trusted)
    good = pairs.check(cells)
    assert good == cells
    pairs.repeat(good, 2, {cells[0]: 20})
    times = [record for record in records if record["kind"] == "time"]
    assert sorted((r["round"], Cell.from_json(r["cell"]).contestant) for r in times) == sorted(
        (number, one.contestant) for number in range(2) for one in cells
    )
    assert {r["count"] for r in times} == {1, 20}
    assert {r["state"] for r in times} == {"repeat"}


def test_first_calls_have_processes_of_their_own(tmp_path, trusted):
    cells = [cell("wire-numbers", name, "unix", SIZE) for name in ("colonnade arrows", "raw bytes")]
    pairs, records = messages(tmp_path, trusted)
    pairs.first(entries(cells, "channel", first=2))
    assert [(r["kind"], r["state"]) for r in records] == [("time", "first")] * 4


def test_an_end_that_fails_is_an_error_with_its_reason(tmp_path, trusted, monkeypatch):
    unknown = cell("wire-numbers", "colonnade arrows", "tls", SIZE)
    with pytest.raises(EndError, match="receiver"), Pair([unknown], tmp_path, None):
        pass
    # One that fails while others go on: it is left out, and said so.
    pairs, records = messages(tmp_path, trusted)
    good = [cell("wire-1KiB", name, "unix") for name in ("raw bytes", "pickle connection")]
    bad = cell("wire-1KiB", "pickle connection", "unix", protocol=99)
    pairs.repeat([*good, bad], 1, {})
    (error,) = [record for record in records if record["kind"] == "error"]
    assert Cell.from_json(error["cell"]) == bad
    assert "protocol" in error["error"]
    done = {Cell.from_json(record["cell"]) for record in records if record["kind"] == "time"}
    assert done >= set(good)


def test_a_process_that_says_nothing_is_not_waited_for():
    process = Process(
        "idle", "colonnade_bench.channels._end", {"sends": True, "cache": "", "folder": "", "contestants": []}
    )
    try:
        with pytest.raises(EndError, match="idle: no answer within 0 s"):
            process.answer(patience_s=0.05)
    finally:
        process.kill()


SAYS_ALL_AT_ONCE = """
import sys
sys.stdin.readline()
sys.stdout.write('{"word": "ready"}\\n{"word": "result"}\\n')
sys.stdout.flush()
sys.stdin.readline()
"""


def test_a_result_that_comes_with_the_ready_is_heard(tmp_path, monkeypatch):
    (tmp_path / "says_all_at_once.py").write_text(SAYS_ALL_AT_ONCE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    processes = [Process(name, "says_all_at_once", {}) for name in ("sender", "receiver")]
    try:
        assert [process.answer()["word"] for process in processes] == ["ready"] * 2
        assert [found["word"] for found in both(*processes)] == ["result"] * 2
    finally:
        for process in processes:
            process.kill()


# ---------------------------------------------------------------- the parts


def test_a_relay_holds_little_and_loses_nothing(tmp_path):
    record = relay(tmp_path, 3, dataset="wire-1KiB")
    assert record["equal"]
    assert record["nrows"] == 3 * 16
    assert record["nbytes"] == 3 * 1024
    assert record["total_nbytes"] < 64 << 20


@each("part", [part.name for part in Spec.table("connections").parts()])
def test_every_part_runs(part, tmp_path):
    few = ["--size", "0.0002", "--rounds", "1", "--out", str(tmp_path), "--state", "repeat"]
    transports = ["--transport", "unix"] if part in ("large", "text", "small") else []
    assert main(["table", "connections", "--part", part, *few, *transports]) == 0
    records = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    wrong = [r for r in records if r["kind"] == "error" or r.get("ok") is False or r.get("difference")]
    assert wrong == []
    assert any(r["kind"] in ("time", "relay") for r in records)
    text = (tmp_path / "connections.md").read_text()
    assert "Not measured" not in text
    assert "## Targets" not in text  # nothing is judged by a part of the data


def test_the_command_reports_what_was_measured_before(tmp_path):
    few = ["--size", "0.001", "--rounds", "1", "--out", str(tmp_path)]
    assert main(["table", "connections", "--part", "pieces", *few]) == 0
    before = (tmp_path / "connections.md").read_text()
    (tmp_path / "connections.md").unlink()
    assert main(["table", "connections", "--report-only", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "connections.md").read_text() == before
