"""The measurement of text: tables that are the same every time, and formats that are asked of them alone."""

from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.spec import Spec

TABLES = ("text-taxi", "text-wide", "text-long", "text-small")


def test_pyarrow_writes_no_lines_of_json() -> None:
    (part,) = [part for part in Spec.table("text").parts() if part.name == "ndjson"]
    assert {entry.call for entry in part.entries() if entry.cell.engine == "pyarrow-text"} == {"read"}


def test_text_is_asked_of_its_own_tables_alone() -> None:
    for form in ("csv", "ndjson", "json", "yaml"):
        there = {name: ENGINES["colonnade"].supports(Cell(name, "pandas", "colonnade", form)) for name in DATASETS}
        assert there["text-small"]
        assert not there["article"]
        assert not there["nycflights13-airlines"]


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_same_every_time(name: str, tmp_path: Path) -> None:
    a, b = (DATASETS[name].load("pandas", 0.005, tmp_path) for _ in range(2))
    assert a.equals(b)
    assert all(str(dtype) in ("int64", "float64", "str", "object") for dtype in a.dtypes)
