"""Reports: the same sections on a terminal and as Markdown; what failed is a row."""

import io

import pytest
from colonnade_bench.paper_npz import marked
from colonnade_bench.plot_npz import nine_fixtures, points
from rich.console import Console

from colonnade_bench.cell import Cell
from colonnade_bench.report import Section, sections, to_markdown, to_terminal
from colonnade_bench.summary import Summary
from tests.bench.test_summary import OUR_CELL, PEER_CELL, record


def test_times_and_ratios_stand_in_one_table():
    records = [record(OUR_CELL, 0.002, k) for k in range(7)] + [record(PEER_CELL, 0.007, k) for k in range(7)]
    (part,) = sections(Summary(records))[-1:]
    assert part.header == ["dataset", "colonnade npz", "pandas feather"]
    assert part.rows == [["fixture-tall-mixed-1e6", "2 [2-2]", "7 [7-7] 3.50x"]]


def test_a_rebuild_during_the_run_is_said():
    cells = (OUR_CELL, PEER_CELL)
    records = [record(cell, 0.1, k, build=build) for cell in cells for k, build in enumerate("ab")]
    assert "mixes builds" in to_markdown(sections(Summary(records)))
    assert "mixes builds" not in to_markdown(sections(Summary([r for r in records if r["build"] == "a"])))


def test_twins_have_tables_of_their_own():
    other = Cell("fixture-tall-mixed-1e6-unique", "pandas", "colonnade", "npz")
    parts = sections(Summary([record(OUR_CELL, 1.0, 0), record(other, 1.0, 0)]))
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
    text = to_markdown(sections(Summary([failed, lossy, missing, died])))
    for expected in ("TypeError: no", "index differs", "install.packages", "status -7", "0.00 (0.50)"):
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


def test_the_picture_of_the_nine_fixtures(tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    records = []
    for fixture in ("tall-mixed", "wide-uniform"):
        for cell, call in marked(f"fixture-{fixture}-1e6", False):
            for number in range(3):
                records.append(record(cell, 0.01 * (number + 1), number, operation=call))
            check = {"ok": True, "losses": [], "frame_nbytes": 8_000_000, "wire_nbytes": 8_100_000}
            records.append({"kind": "check", "cell": cell.to_json(), "run": "r1", **check})
    found = list(points(Summary(records)))
    assert {point["fixture"] for point in found} == {"tall mixed", "wide uniform"}
    assert {point["facet"] for point in found} == {"read", "write", "size"}
    assert "static-frame npz (static-frame)" in {point["name"] for point in found}
    assert nine_fixtures(Summary(records), tmp_path / "nine.png")
    assert (tmp_path / "nine.png").read_bytes().startswith(b"\x89PNG")
    assert not nine_fixtures(Summary([]), tmp_path / "none.png")
