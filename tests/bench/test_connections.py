"""Two processes and what goes between them, the marks of connections and their report: small, and judged by no time."""

import json

import numpy as np
import pytest
from colonnade_bench._papers import PAPERS
from colonnade_bench.pair_run import PairRun
from colonnade_bench.run import Run

from colonnade_bench import marks_connections as marks
from colonnade_bench import paper_connections as paper
from colonnade_bench import report_connections
from colonnade_bench.__main__ import main
from colonnade_bench.cell import Cell
from colonnade_bench.channels import CHANNELS
from colonnade_bench.channels.relay import relay
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.wire import WIRE
from colonnade_bench.process import EndError, Pair, Process, both
from colonnade_bench.report import to_markdown
from colonnade_bench.summary import Summary
from colonnade_bench.transports import certificates
from colonnade_bench.transports.moving import MOVING

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow.flight")
pytest.importorskip("trustme")

SIZE = 0.0005  # of a gigabyte: 500 kB


@pytest.fixture(scope="module")
def trusted(tmp_path_factory):
    return certificates.make(tmp_path_factory.mktemp("certificates"))


def ways(transport):
    """All channels over one transport, less those of MessagePack (test_msgpack.py)."""
    names = [name for name in CHANNELS if transport in CHANNELS[name].transports and "msgpack" not in name]
    cells = [paper.cell("wire-numbers", name, transport, SIZE) for name in names]
    if transport == "unix":
        cells += [paper.cell("wire-text", name, transport, SIZE) for name in ("colonnade arrows", "pyarrow arrows")]
        cells.append(paper.cell("wire-1KiB-mixed", "colonnade arrows", transport, via="receive"))
        cells.append(paper.cell("wire-1KiB-mixed", "pickle connection", transport, protocol=5))
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


@pytest.mark.parametrize("transport", paper.TRANSPORTS)
def test_what_arrives_is_what_was_sent(transport, tmp_path, trusted):
    cells = ways(transport)
    assert len(cells) >= 6
    with Pair(cells, tmp_path, trusted) as pair:
        for k, cell in enumerate(cells):
            pair.pass_(k, tiny=True, forget=True)
            found = pair.pass_(k, check=True)
            assert found["difference"] is None, cell
            assert found["nbytes"] > 0
            # Another, and several in a row.
            again = pair.pass_(k, count=3)
            assert 0 < again["message_s"] < again["open_s"] <= again["usable_s"]


def test_contestants_share_two_processes_and_alternate(tmp_path, trusted):
    names = ("colonnade arrows", "pyarrow arrows", "pickle connection", "raw bytes")
    cells = [paper.cell("wire-1KiB", name, transport) for name in names for transport in ("pipe", "unix")]
    run = Run(tmp_path)
    pairs = PairRun(run, trusted)
    good = pairs.check(cells)
    assert good == cells
    pairs.repeat(good, 2, {cells[0]: 20})
    times = [record for record in run.records if record["kind"] == "time"]
    assert sorted((r["round"], Cell.from_json(r["cell"]).contestant) for r in times) == sorted(
        (number, cell.contestant) for number in range(2) for cell in cells
    )
    assert {r["count"] for r in times} == {1, 20}
    assert {r["state"] for r in times} == {"repeat"}


def test_first_calls_have_processes_of_their_own(tmp_path, trusted):
    run = Run(tmp_path)
    cells = [paper.cell("wire-numbers", name, "unix", SIZE) for name in ("colonnade arrows", "raw bytes")]
    PairRun(run, trusted).first(cells, 2)
    assert [(r["kind"], r["state"]) for r in run.records] == [("time", "first")] * 4


def test_an_end_that_fails_is_an_error_with_its_reason(tmp_path, trusted, monkeypatch):
    unknown = paper.cell("wire-numbers", "colonnade arrows", "tls", SIZE)
    with pytest.raises(EndError, match="receiver"), Pair([unknown], tmp_path, None):
        pass
    # One that fails while others go on: it is left out, and said so.
    run = Run(tmp_path)
    good = [paper.cell("wire-1KiB", name, "unix") for name in ("raw bytes", "pickle connection")]
    bad = paper.cell("wire-1KiB", "pickle connection", "unix", protocol=99)
    PairRun(run, trusted).repeat([*good, bad], 1)
    (error,) = [record for record in run.records if record["kind"] == "error"]
    assert Cell.from_json(error["cell"]) == bad
    assert "protocol" in error["error"]
    done = {Cell.from_json(record["cell"]) for record in run.records if record["kind"] == "time"}
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
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
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


@pytest.mark.parametrize("part", PAPERS["paper-connections"].parts)
def test_every_part_runs(part, tmp_path):
    few = ["--size", "0.0002", "--rounds", "1", "--out", str(tmp_path), "--state", "repeat"]
    transports = ["--transport", "unix"] if part in ("large", "text", "small") else []
    assert main(["paper-connections", "--part", part, *few, *transports]) == 0
    records = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    wrong = [r for r in records if r["kind"] == "error" or r.get("ok") is False or r.get("difference")]
    assert wrong == []
    assert any(r["kind"] in ("time", "relay") for r in records)
    text = (tmp_path / "connections.md").read_text()
    assert "Not measured" not in text
    assert "## Marks" not in text  # nothing is judged by a part of the data


# ---------------------------------------------------------------- marks and report


def time_record(cell, seconds, number, state="repeat", count=1):
    return {
        "kind": "time",
        "run": "r",
        "cell": cell.to_json(),
        "operation": "channel",
        "state": state,
        "round": number,
        "open_s": seconds,
        "usable_s": seconds + 0.1,
        "message_s": seconds / count,
        "count": count,
        "user_s": seconds,
        "system_s": seconds,
        "sender_s": seconds,
        "receiver_s": seconds,
    }


def whole_run(rounds=7, **changed):
    """Records of a run in which every mark is met exactly, unless `changed` says how long somebody took."""
    seconds = {
        "ours": 1.0,
        "raw": 0.8,
        "stream": 1.5,
        "flight": 1.2,
        "pickle": 2.0,
        "pieces": 1.3,
        "relay": 64 << 20,
    } | changed
    out = []
    for number in range(rounds):
        for state in ("first", "repeat"):
            for transport in ("pipe", "unix", "tcp"):
                at = {"state": state, "number": number}
                out.append(
                    time_record(paper.cell("wire-numbers", "colonnade arrows", transport), seconds["ours"], **at)
                )
                out.append(time_record(paper.cell("wire-numbers", "raw bytes", transport), seconds["raw"], **at))
                slower = paper.cell("wire-numbers", "raw bytes", transport, send_nbytes=4096)
                out.append(time_record(slower, 9.0, **at))
                out.append(
                    time_record(paper.cell("wire-numbers", "pyarrow arrows", transport), seconds["stream"], **at)
                )
                handicapped = paper.cell("wire-numbers", "pyarrow arrows", transport, source="pandas")
                out.append(time_record(handicapped, 0.1, **at))
            out.append(time_record(paper.cell("wire-numbers", "pyarrow flight", "tcp"), seconds["flight"], **at))
        for transport in ("unix", "pipe"):
            ours = paper.cell("wire-1KiB", "colonnade arrows", transport, via="receive")
            out.append(time_record(ours, 1e5, number, count=100_000))
            peer = paper.cell("wire-1KiB", "pickle connection", transport)
            out.append(time_record(peer, seconds["pickle"] * 10, number, count=10))
        for cell in paper.in_pieces(1.0)[0]:
            out.append(time_record(cell, seconds["pieces"] if "piece" in cell.option else 1.0, number))
    relayed = {"private_nbytes": 1, "total_nbytes": seconds["relay"], "equal": True, "size": 1.0, "run": "r"}
    out.append({"kind": "relay", "nbytes": 10**10, "seconds": 4.0, "nbatches": 5, **relayed})
    return out


def words(records):
    summary = Summary(records)
    return [mark.judge(summary).word for mark in marks.CONNECTION_MARKS]


def test_marks_are_met_exactly():
    assert words(whole_run()) == ["pass"] * 6
    assert words(whole_run(rounds=6)) == ["partly"] * 5 + ["pass"]
    assert words([]) == ["-"] * 6
    assert not any(mark.judge(Summary([])).measured for mark in marks.CONNECTION_MARKS)


@pytest.mark.parametrize(
    ("changed", "number"),
    [
        ({"raw": 0.79}, 0),
        ({"stream": 1.49}, 1),
        ({"flight": 1.19}, 2),
        ({"pickle": 1.99}, 3),
        ({"pieces": 1.31}, 4),
        ({"relay": (64 << 20) + 1}, 5),
    ],
)
def test_marks_that_are_missed(changed, number):
    wanted = ["pass"] * 6
    wanted[number] = "short"
    assert words(whole_run(**changed)) == wanted


def test_a_relay_that_changes_something_is_short():
    records = whole_run()
    records[-1]["equal"] = False
    assert words(records)[5] == "short"


def test_a_part_of_the_data_is_no_mark():
    records = [json.loads(json.dumps(r)) for r in whole_run()]
    for record in records:
        record.get("cell", record)["size"] = 0.5
    assert words(records) == ["-"] * 6
    assert "0.8" in to_markdown(report_connections.sections(Summary(records)))


def test_the_report_tells_won_and_lost_comparisons(tmp_path):
    checks = [
        {"kind": "check", "run": "r", "ok": True, "difference": None, "frame_nbytes": 10**9, "cell": record["cell"]}
        for record in whole_run(rounds=1)
        if "cell" in record
    ]
    path = report_connections.write_report(Summary([*checks, *whole_run(flight=0.5)]), tmp_path)
    text = path.read_text()
    assert path.name == "connections.md"
    assert "| 1 GB frame to pandas | Flight do_get | >= 1.2x | tcp 0.50x | tcp 0.50x | short |" in text
    assert "| tcp | 1.0 [1.0-1.0] | 1.2 [1.2-1.2] | 80% | 0.7 [0.7-0.7] | 1.50x | 2.0 [2.0-2.0] | 0.50x |" in text
    assert "| 10.0 | 0.0 | 64.0 | 2.50 | 5 | yes |" in text
    assert "1.30x" in text


def test_the_command_reports_what_was_measured_before(tmp_path):
    lines = "".join(json.dumps(record) + "\n" for record in whole_run())
    paper.results(tmp_path, "large", "unix").write_text(lines)
    assert main(["paper-connections", "--report-only", "--out", str(tmp_path)]) == 0
    assert "pass" in (tmp_path / "connections.md").read_text()


def test_parts_are_named_alike():
    assert PAPERS["paper-connections"].parts == paper.PARTS
    assert PAPERS["paper-connections"].transports == paper.TRANSPORTS
    assert {"unix", "pipe"} == set(paper.SMALL_TRANSPORTS)
    assert np.all([transport in MOVING for transport in marks.LOCAL])
