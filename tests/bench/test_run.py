"""The whole way: processes are started, records come back as lines, a failing engine is a row."""

import json
import mmap
import os
import subprocess
import sys
import time

import pytest
from colonnade_bench.run import Run, run

from colonnade_bench import memory
from colonnade_bench.__main__ import main
from colonnade_bench.cell import Cell, Spec
from colonnade_bench.measure import warm_guest

pytest.importorskip("pandas")
pytest.importorskip("static_frame")


def kinds(records, kind):
    return [record for record in records if record["kind"] == kind]


def test_a_small_specification(tmp_path):
    out = tmp_path / "results.jsonl"
    spec = Spec(dataset=["article"], library=["static-frame"], engine=["static-frame"], rounds=1, repetitions=1)
    records = run(spec, tmp_path / "dir", out)
    assert [json.loads(line) for line in out.read_text().splitlines()] == records
    assert records[0]["kind"] == "machine"
    assert records[0]["versions"]["static-frame"]
    assert {r["ok"] for r in kinds(records, "check")} == {True}
    assert {r["difference"] for r in kinds(records, "check")} == {None}

    times = kinds(records, "time")
    npz = [(r["operation"], r["state"]) for r in times if r["cell"]["format"] == "npz"]
    assert sorted(npz) == sorted((o, s) for o in ("write", "replace", "read") for s in ("first", "repeat"))
    assert all(r["wire_nbytes"] > 0 for r in times if r["operation"] != "read")
    assert all(r["usable_s"] >= r["open_s"] > 0 for r in times if r["operation"] == "read")

    # StaticFrame refuses to write over an NPY directory: a row with the reason, and the rest goes on.
    errors = kinds(records, "error")
    assert errors
    assert all("existant directory" in r["error"] for r in errors)
    assert kinds(records, "memory")


def test_memory_transport_in_one_process(tmp_path):
    spec = Spec(dataset=["article"], library=["static-frame"], engine=["pickle"], transport=["memory"], rounds=1)
    records = run(spec, tmp_path, memory=False)
    assert {r["operation"] for r in kinds(records, "time")} == {"write", "read"}
    assert not kinds(records, "error")


def test_alternating_contestants(tmp_path):
    session = Run(tmp_path)
    cells = [
        Cell("article", "static-frame", name, name.replace("static-frame", "npz"))
        for name in ("static-frame", "pickle")
    ]
    assert session.check(cells) == cells
    session.repeat([(cell, "read") for cell in cells], 3)
    times = kinds(session.records, "time")
    assert {r["state"] for r in times} == {"repeat"}
    assert sorted((r["round"], r["cell"]["engine"]) for r in times) == [
        (k, name) for k in range(3) for name in ("pickle", "static-frame")
    ]
    assert {r["position"] for r in times} == {0, 1}

    # One contestant without a peer is no fresh process's first call either.
    session.repeat([(cells[0], "read")], 2)
    assert [r["state"] for r in kinds(session.records, "time")[len(times) :]] == ["repeat"] * 2


def test_a_process_that_dies_is_an_error_record(tmp_path):
    session = Run(tmp_path)
    cell = Cell("article", "static-frame", "pickle", "pickle")
    session.pass_on(session.worker("measure", [(cell, "read")], round=0, repetitions=1, alternate=False))
    (error,) = kinds(session.records, "error")
    assert "FileNotFoundError" in error["error"]


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
    assert "fixture-tall-uniform-1e6" in capsys.readouterr().out
    assert main(["run", "--dataset", "artcle"]) == 2
    assert 'did you mean "article"' in capsys.readouterr().err


def test_report_from_a_file(tmp_path, capsys):
    record = {"kind": "missing", "engine": "fst", "reason": "not here", "run": "r"}
    (tmp_path / "r.jsonl").write_text(json.dumps(record) + "\n")
    assert main(["report", str(tmp_path / "r.jsonl"), "--markdown"]) == 0
    assert "| fst |" in capsys.readouterr().out
