"""The measurement of Parquet: who is asked for what, tables that are the same every time, marks and their report."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytest.importorskip("polars")

from colonnade_bench.marks_parquet import PARQUET_MARKS, named, written
from colonnade_bench.paper_parquet import (
    BESIDE,
    BY_OURS,
    COLUMNS,
    DEFAULTS,
    LOW,
    PLAIN,
    TABLES,
    THREADS,
    apart,
    columns,
    files,
    kept,
    low,
    measure_table,
    reader,
    sources,
)
from colonnade_bench.report_parquet import sections, thread_curve
from colonnade_bench.run import Run

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.parquet import PARQUET
from colonnade_bench.engines import ENGINES
from colonnade_bench.summary import Summary
from tests.bench.test_summary import record

PEERS = [name for name in DEFAULTS if name != "colonnade" and not ENGINES[name].missing()]


def times(entry: Any, seconds: float, operation: str = "read", rounds: int = 7) -> list[dict[str, Any]]:
    cell = entry[0] if isinstance(entry, tuple) else entry
    common = {"kind": "time", "cell": cell.to_json(), "operation": operation, "state": "first", "run": "r"}
    measured = {"open_s": seconds, "usable_s": seconds, "load": 0.0, "build": "b"}
    return [common | measured | {"round": number} for number in range(rounds)]


def test_everybody_is_asked_for_what_there_is() -> None:
    entries = [*columns(), *files("parquet-taxi"), *(entry for threads in THREADS for entry in low(1.0, threads))]
    cells = [cell for cell, _ in entries] + sources(LOW, 1.0, PLAIN)
    assert len(set(entries)) == len(entries)
    for cell in cells:
        engine = ENGINES[cell.engine]
        writer, form = cell.option["of"].split() if "of" in cell.option else (cell.engine, cell.format)
        assert cell.codec in ENGINES[writer].formats[form], cell
        assert cell.format in engine.formats, cell
        assert cell.library in engine.libraries, cell
        assert engine.supports(cell), cell
        assert cell.dataset in DATASETS
    assert {cell.library for cell, _ in files("parquet-taxi")} == {"pandas", "pyarrow", "polars"}
    assert set(TABLES) | set(BESIDE) | {LOW, COLUMNS} == {dataset.name for dataset in PARQUET}
    for group in apart(entries):
        assert len({(cell.library, call, cell.option.get("threads")) for cell, call in group}) == 1


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
    run = Run(tmp_path)
    chosen = [e for e in files(dataset, 0.001) if e[0].engine in PEERS and e[0].option.get("of") != BY_OURS]
    there = kept(run, chosen, sources(dataset, 0.001), at_once=20)
    assert there == chosen
    equal = {cell.engine for cell, _ in there if not run.checked[cell]["difference"]}
    assert equal >= {"pyarrow"}
    assert {run.checked[cell]["difference"] for cell, _ in there if cell.library != "pandas"} == {None}


def test_a_part_is_measured_in_every_state(tmp_path: Path) -> None:
    run = Run(tmp_path)
    chosen = [reader(COLUMNS, "pyarrow", size=0.01, columns=200), reader("parquet-gaps", "polars", "polars", 0.001)]
    made = [*sources(COLUMNS, 0.01), *sources("parquet-gaps", 0.001)]
    measure_table(run, kept(run, chosen, made, at_once=20), (1, 1), ["first", "repeat"], watched=False)
    assert not [record for record in run.records if record["kind"] == "error"]
    found = {(r["cell"]["engine"], r["state"]) for r in run.records if r["kind"] == "time"}
    assert found == {(engine, state) for engine in ("pyarrow", "polars") for state in ("first", "repeat")}


def test_marks_are_judged() -> None:
    records = []
    for dataset in TABLES:
        for library, peer, factor in (("pandas", "pyarrow", 3.5), ("pandas", "polars", 1.5), ("pyarrow", "pyarrow", 2)):
            records += times(reader(dataset, "colonnade", library), 1.0)
            records += times(reader(dataset, peer, library), factor)
        for engine, seconds, nbytes in (("colonnade", 1.0, 100), ("pyarrow", 2.9, 135), ("polars", 3.0, 99)):
            cell = next(c for c, call in files(dataset) if call == "write" and c.contestant == written(engine))
            records += times(cell, seconds, "write")
            check = {"kind": "check", "cell": cell.to_json(), "ok": True, "wire_nbytes": nbytes, "frame_nbytes": 500}
            records.append(check | {"run": "r", "difference": None})
    for threads in THREADS:
        records += [r for e in low(1.0, threads) for r in times(e, 0.5 if e[0].engine == "colonnade" else 0.4)]
    summary = Summary(records)
    found = {(v.work, v.against): v for mark in PARQUET_MARKS if (v := mark.judge(summary)).measured}
    words = {key: verdict.word for key, verdict in found.items()}
    assert words[f"{len(TABLES)} tables to pandas", "`pq.read_table().to_pandas()`"] == "pass"
    assert words[f"{len(TABLES)} tables to pandas", "`pl.read_parquet().to_pandas()`"] == "short"
    assert words[f"{len(TABLES)} tables to pyarrow", "`pq.read_table`"] == "pass"
    assert words["from pandas, at defaults: time", "`pq.write_table`"] == "short"
    assert words["from pandas, at defaults: size", written("pyarrow")] == "pass"
    assert words["from pandas, at defaults: size of taxi and flights", "the smallest peer"] == "short"
    assert words["low entropy with dictionary, snappy, to pandas", "a bare parallel fill"] == "pass"
    assert words["low entropy without dictionary, snappy, to pandas", "`pq.read_table().to_pandas()`"] == "short"
    assert "1.50x" in found[f"{len(TABLES)} tables to pandas", "`pl.read_parquet().to_pandas()`"].first
    titles = [section.title for section in sections(summary)]
    assert titles[0] == "Marks"
    assert {title.partition(":")[0] for title in titles} >= {
        "Low entropy (1 GB, snappy) to pandas",
        "Read to pandas",
        "Read to pyarrow",
        "Written from pandas, at defaults",
        "Bytes",
    }


def test_what_was_not_measured_is_no_mark(tmp_path: Path) -> None:
    summary = Summary([record(Cell("article", "pandas", "pickle", "pickle"), 1.0, 0)])
    assert not [mark for mark in PARQUET_MARKS if mark.judge(summary).measured]
    assert not thread_curve(summary, tmp_path / "curve.png")
    assert named("colonnade") != named("colonnade", of=BY_OURS)
