"""Results files of a panel, plain and compressed."""

import lzma
from pathlib import Path

import pytest

from colonnade_bench.panel import publish
from colonnade_bench.panel.report_records import read_records
from tests.helpers.corpora import ROOT

PANEL = (
    b'{"kind": "panel", "run": "a", "cell": {"transport": "file"}, "union_s": 0.5, '
    b'"write": {"user_s": 0.25, "system_s": 0.0}, "read": {"user_s": 0.5, "system_s": 0.25}}'
)
PUBLISHED = ["default-panel", "quick-panel", "r-engines", "reference-figure"]
LINES = b'{"kind": "machine", "run": "a"}\n' + PANEL + b"\n"


@pytest.mark.parametrize("end", [b"", b'{"kind": "poi'])
def test_compressed_records_are_the_same(tmp_path: Path, end: bytes) -> None:
    plain, packed = tmp_path / "panel.jsonl", tmp_path / "panel.jsonl.xz"
    plain.write_bytes(LINES + end)
    packed.write_bytes(lzma.compress(LINES + end))
    assert list(read_records(packed)) == list(read_records(plain)) != []


def test_published_records_omit_what_follows_from_others(tmp_path: Path) -> None:
    path = tmp_path / "panel.jsonl.xz"
    path.write_bytes(lzma.compress(LINES))
    before = list(read_records(path))
    assert [before[1][name] for name in ("user_s", "system_s", "cores_used")] == [0.75, 0.25, 2.0]
    publish.tighten(path)
    assert b"cores_used" not in lzma.decompress(path.read_bytes())
    assert list(read_records(path)) == before


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_records_are_readable(name: str) -> None:
    assert {"machine", "panel"} <= {r["kind"] for r in read_records(ROOT / "examples" / name / "panel.jsonl.xz")}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_reports_are_those_of_their_records(name: str) -> None:
    folder = ROOT / "examples" / name
    assert (folder / "report.md").read_text() == publish.report(folder), "make publish-benchmarks"


def test_the_published_page_is_that_of_its_records() -> None:
    pytest.importorskip("vl_convert")
    assert (ROOT / "examples" / "page.html").read_text() == publish.page_of_all(ROOT / "examples"), (
        "make publish-benchmarks"
    )
