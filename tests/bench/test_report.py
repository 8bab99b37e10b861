"""Reports: the same sections on a terminal and as Markdown; what failed is a row."""

import io

import pytest
from rich.console import Console

from colonnade_bench.cell import Cell
from colonnade_bench.chart import Chart, draw, points
from colonnade_bench.report import sections, write_markdown
from colonnade_bench.section import Section, to_markdown, to_terminal
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary
from tests.bench.test_summary import OUR_CELL, PEER_CELL, record
from tests.helpers.bench_records import TABLES, all_entries, check_record, measured
from tests.helpers.each import each

NPZ = Spec.table("npz-1e6")


def test_times_and_ratios_stand_in_one_table():
    records = [record(OUR_CELL, 0.002, k) for k in range(7)] + [record(PEER_CELL, 0.007, k) for k in range(7)]
    (part,) = sections(Summary(records), NPZ)[-1:]
    assert part.header == ["dataset", "colonnade npz", "pandas feather"]
    assert part.rows == [["fixture-tall-mixed-1e6", "2 [2-2]", "7 [7-7] 3.50x"]]


def test_runs_of_the_same_contestants_share_a_table():
    other = [
        Cell("fixture-wide-mixed-1e6", *each)
        for each in (("pandas", "colonnade", "npz"), ("pandas", "pandas", "feather"))
    ]
    records = [record(OUR_CELL, 0.002, 0), record(PEER_CELL, 0.007, 0)]
    records += [{**record(cell, seconds, 0), "run": "s"} for cell, seconds in zip(other, (0.001, 0.004), strict=True)]
    machines = [{"kind": "machine", "run": run, "cores": 2, "load": [load]} for run, load in (("r", 0.5), ("s", 0.25))]
    times, machine = sections(Summary(records + machines), NPZ)[-2:]
    assert [row[-1] for row in times.rows[:2]] == ["7 [7-7] 3.50x", "4 [4-4] 4.00x"]
    assert (machine.title, machine.rows) == ("Machine (runs r, s)", [["cores", "2"], ["load", "0.5; 0.25"]])


def test_a_rebuild_during_the_run_is_said():
    cells = (OUR_CELL, PEER_CELL)
    records = [record(cell, 0.1, k, build=build) for cell in cells for k, build in enumerate("ab")]
    assert "mixes builds" in to_markdown(sections(Summary(records), NPZ))
    assert "mixes builds" not in to_markdown(sections(Summary([r for r in records if r["build"] == "a"]), NPZ))


def test_twins_have_tables_of_their_own():
    other = Cell("fixture-tall-mixed-1e6-unique", "pandas", "colonnade", "npz")
    parts = sections(Summary([record(OUR_CELL, 1.0, 0), record(other, 1.0, 0)]), NPZ)
    assert sum(part.title.startswith("Read") for part in parts) == 2


def test_failures_losses_and_missing_engines_are_rows():
    failed = {"kind": "check", "cell": OUR_CELL.to_json(), "ok": False, "error": "TypeError: no", "run": "r"}
    lossy = {
        "kind": "check",
        "cell": PEER_CELL.to_json(),
        "ok": True,
        "difference": "index differs",
        "run": "r",
        "wire_nbytes": 10,
        "frame_nbytes": 20,
    }
    missing = {
        "kind": "missing",
        "engine": "fst",
        "reason": "install.packages('fst')",
        "run": "r",
    }
    died = {"kind": "error", "cell": OUR_CELL.to_json(), "error": "the process ended with status -7", "run": "r"}
    text = to_markdown(sections(Summary([failed, lossy, missing, died]), NPZ))
    for expected in ("TypeError: no", "index differs", "install.packages", "status -7", "0.00 (0.50; 20 ns)"):
        assert expected in text


def test_markdown_cells_cannot_break_the_table():
    text = to_markdown([Section("t", ["a"], [["x | y\nz"]])])
    assert "| x \\| y z |" in text


def test_terminal_shows_brackets_as_they_are():
    out = io.StringIO()
    part = Section("t", ["dataset", "a"], [["d", "1 [2-3]"]], ["median [quartiles]"])
    to_terminal([part], Console(file=out, width=100))
    assert "1 [2-3]" in out.getvalue()
    assert "median [quartiles]" in out.getvalue()


def drawn_records(table):
    """A whole table: ours in 10 ms, everybody else in 20."""
    out = {}
    for entry in all_entries(table):
        out.setdefault(entry.cell, []).append(check_record(entry.cell))
        out[entry.cell] += measured(entry, 0.01 if entry.cell.engine == "colonnade" else 0.02, 3)
    return [record for records in out.values() for record in records]


@each("table", TABLES)
def test_every_chart_has_its_points(table):
    spec = Spec.table(table)
    for chart in spec.chart:
        found = list(points(Summary(drawn_records(table)), Chart(**chart)))
        assert {point["contestant"].split()[0] for point in found} >= {"colonnade"}
        assert len({point["x"] for point in found}) >= 3


def test_pictures_are_drawn_where_there_is_something_to_draw(tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    summary = Summary(drawn_records("parquet"))
    (path,) = draw(summary, Spec.table("parquet"), tmp_path, "parquet")
    assert path.suffix == ".svg"
    assert path.read_text().startswith("<svg")
    assert draw(Summary([]), Spec.table("parquet"), tmp_path, "parquet") == []


@each("table", TABLES)
def test_every_table_is_a_page_with_its_targets(table, tmp_path):
    spec, summary = Spec.table(table), Summary(drawn_records(table))
    text = write_markdown(tmp_path / "page.md", spec, sections(summary, spec)).read_text()
    assert text.startswith(f"# {spec.title}\n\n{spec.introduction.strip()}\n\n## Targets\n")
    assert "| short |" in text or "| partly |" in text
    assert "2.00x" in text


def test_many_contestants_stand_in_rows():
    summary = Summary(drawn_records("codecs"))
    titles = {part.title: part for part in sections(summary, Spec.table("codecs"))}
    part = titles[
        "Read column by column, with the maximum of each: awkward, first call of a fresh process, empty pools"
    ]
    assert part.header == ["dataset", "contestant", "ms", "vs Colonnade", "rounds"]
    assert ["codecs-arange", "uproot ttree lz4", "20 [20-20]", "2.00x", "3"] in part.rows
    assert titles["Sizes"].header == ["dataset", "library", "frame MB", "contestant", "MB"]


def test_contestants_of_one_transport_are_compared():
    parts = sections(Summary(drawn_records("connections")), Spec.table("connections"))
    (part,) = [p for p in parts if "pandas, first" in p.title and p.title.endswith(", pipe")]
    assert {row[1].rpartition(" ")[2] for row in part.rows} <= {"(pipe)"} or "(pipe)" in part.header[1]


def test_given_streams_are_compared_by_the_time_of_the_call():
    cell = Cell("stream-floats-1MiB", "polars", "polars", "ipc-stream", transport="given")
    told = record(cell, 0.1, 0, open_s=0.2)
    del told["usable_s"]
    (part,) = [part for part in sections(Summary([told]), Spec.table("arrow")) if part.title.startswith("Read")]
    assert part.title.startswith("Read, the time of the call: polars")
    assert part.rows == [["stream-floats-1MiB", "200 [200-200]"]]


def test_a_relay_has_its_table():
    one = {"kind": "relay", "run": "r", "nbytes": 10**10, "private_nbytes": 0, "total_nbytes": 64 << 20}
    record = {**one, "seconds": 4.0, "nbatches": 5, "equal": True, "size": 1.0}
    assert "| 10.00 | 0.0 | 64.0 | 4.00 | 2.50 | 5 | equal |" in to_markdown(
        sections(Summary([record]), Spec.table("connections"))
    )
