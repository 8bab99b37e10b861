"""The measurement of Parquet: tables that are the same every time, peers that read what pandas wrote, every state."""

from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytest.importorskip("polars")

from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.parquet import PARQUET
from colonnade_bench.engines import ENGINES
from colonnade_bench.rounds import Rounds
from colonnade_bench.spec import Spec
from tests.helpers.bench_records import kinds, rounds

LOW, BESIDE = "parquet-low", ("parquet-words", "parquet-distinct", "parquet-gaps")


def test_every_table_is_measured() -> None:
    measured = [name for part in Spec.table("parquet").parts() for name in part.datasets()]
    assert sorted(measured) == sorted(dataset.name for dataset in PARQUET)


@pytest.mark.parametrize("name", [LOW, *BESIDE, "parquet-taxi", "parquet-tall-mixed"])
def test_tables_are_the_same_every_time(name: str, tmp_path: Path) -> None:
    dataset = DATASETS[name]
    a, b = (dataset.load("pandas", 0.001, tmp_path) for _ in range(2))
    assert len(a)
    assert a.equals(b)
    table, frame = dataset.load("pyarrow", 0.001, tmp_path), dataset.load("polars", 0.001, tmp_path)
    assert table.num_rows == len(frame) == len(a)
    assert table.column_names == frame.columns


@pytest.mark.parametrize("dataset", ["parquet-gaps", "parquet-square-mixed"])
def test_peers_read_what_pandas_wrote(dataset: str, tmp_path: Path) -> None:
    (part,) = [part for part in Spec.table("parquet").part if part["name"] == "files"]
    part = {**part, "dataset": [dataset], "cells_per_check": 20}
    part["contestant"] = [{**row, "dataset": "*"} for row in part["contestant"]]
    runner = Rounds(Spec.of({"part": [part], "size": [0.001]}), tmp_path / "r", tmp_path)
    entries = [
        entry
        for entry in runner.parts[0].entries(0.001)
        if entry.cell.engine != "colonnade"
        and entry.cell.option.get("of") != "colonnade parquet"
        and not ENGINES[entry.cell.engine].missing()
    ]
    cells = runner.check(runner.parts[0], entries)
    assert set(cells) == {entry.cell for entry in entries}
    assert runner.good(runner.parts[0], cells) == set(cells)
    equal = {cell.engine for cell in cells if not runner.checked[cell]["difference"]}
    assert equal >= {"pyarrow"}
    assert {runner.checked[cell]["difference"] for cell in cells if cell.library != "pandas"} == {None}


def test_a_part_is_measured_in_every_state(tmp_path: Path) -> None:
    common = {"format": "parquet", "codec": "snappy"}
    some = {**common, "engine": "pyarrow", "options": {"of": "pandas parquet", "columns": 200}}
    all_of_them = {**common, "engine": "polars", "library": "polars", "options": {"of": "pandas parquet"}}
    source = {**common, "engine": "pandas", "operation": []}  # the file that both read
    contestants = [source, {**some, "dataset": "parquet-columns"}, {**all_of_them, "dataset": "parquet-gaps"}]
    datasets = ["parquet-columns", "parquet-gaps"]
    runner = rounds(
        tmp_path, *contestants, dataset=datasets, size=0.01, rounds=1, parallel_starts=2, require_equal="colonnade"
    )
    runner.run()
    assert not kinds(runner.records, "error")
    found = {(r["cell"]["engine"], r["state"]) for r in kinds(runner.records, "time")}
    assert found == {(engine, state) for engine in ("pyarrow", "polars") for state in ("first", "repeat")}
