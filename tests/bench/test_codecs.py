"""The codec table: who keeps what, reading by column and by leaf, files of their own each round, marks and report."""

import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("awkward")
pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.importorskip("pyarrow")

import awkward as ak
import polars as pl
import pyarrow as pa
from colonnade_bench.marks_codecs import CODEC_MARKS, TABLES
from colonnade_bench.paper_codecs import BALANCED, PARTS, calls, checked, contestants, entries, load, measure_round
from colonnade_bench.report_codecs import sections, write_report
from colonnade_bench.run import Run

from colonnade_bench import jagged, maxima
from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.codecs import ARANGE, CODECS, EVENTS, FLIGHTS, TAXI
from colonnade_bench.engines import ENGINES
from colonnade_bench.engines.leaves import field_of_items
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.page_cache import resident, set_cache
from colonnade_bench.summary import Summary

SMALL = {ARANGE: 1e-5, TAXI: 1e-4, FLIGHTS: 1e-4, EVENTS: 2e-4}
NAMES = list(SMALL)


@pytest.mark.parametrize("dataset", NAMES)
def test_everybody_is_asked_for_what_there_is(dataset: str) -> None:
    cells = contestants(dataset)
    assert len(set(cells)) == len(cells)
    for cell in cells:
        engine = ENGINES[cell.engine]
        assert cell.codec in engine.formats[cell.format], cell
        assert cell.library in engine.libraries, cell
        assert engine.supports(cell), cell
        assert cell.library in DATASETS[dataset].libraries
        assert [call for _, call in entries(cell)] == ["write", *calls(cell)]
    assert {cell.engine for cell in cells if cell.library == "awkward"} == {
        "colonnade", "awkward", "dask-awkward", "uproot"
    }  # fmt: skip
    assert any(cell.options == BALANCED for cell in cells)


@pytest.mark.parametrize("dataset", NAMES)
def test_tables_are_the_same_every_time_and_in_every_library(dataset: str, tmp_path: Path) -> None:
    made, size = DATASETS[dataset], SMALL[dataset]
    table = made.load("pyarrow", size, tmp_path)
    assert table.num_rows == made.nrows(size)  # type: ignore[attr-defined]
    assert table.equals(made.load("pyarrow", size, tmp_path))
    assert table.column_names == made.names  # type: ignore[attr-defined]
    array, frame = made.load("awkward", size, tmp_path), made.load("pandas", size, tmp_path)
    assert array.fields == list(frame) == made.load("polars", size, tmp_path).columns == table.column_names
    first = [{key: value for key, value in row.items() if "time" not in key} for row in table.slice(0, 5).to_pylist()]
    again = [{key: value for key, value in row.items() if "time" not in key} for row in ak.to_list(array[:5])]
    assert first == again
    assert LIBRARIES["awkward"].nbytes(array) > 0


def test_events_are_jagged_and_optional_only_where_cells_are_missing(tmp_path: Path) -> None:
    array = DATASETS[EVENTS].load("awkward", 1e-3, tmp_path)
    types = {name: str(array[name].type).partition("* ")[2] for name in array.fields}
    assert types["muon"] == "var * {pt: float32, eta: float32, phi: float32, charge: int8}"
    assert types["trigger"] == "option[var * string]"
    assert "constituents: option[var * int32]" in types["jet"]
    assert (types["run"], types["weight"]) == ("int32", "float64")
    counts = np.asarray(ak.num(array.jet))
    assert counts.min() == 0
    assert counts.max() > 8
    assert ak.any(ak.is_none(array.jet.constituents, axis=1))
    assert ak.all(array.jet.pt[:, :-1] >= array.jet.pt[:, 1:])


@pytest.mark.parametrize("dataset", NAMES)
def test_peers_give_back_what_was_written_each_way_it_is_read(dataset: str, tmp_path: Path) -> None:
    run = Run(tmp_path)
    peers = [cell for cell in contestants(dataset, SMALL[dataset]) if cell.engine != "colonnade"]
    peers = [cell for cell in peers if not ENGINES[cell.engine].missing()]
    good = checked(run, peers, at_once=100)
    assert sorted(map(repr, good)) == sorted(map(repr, peers))
    told = {(cell.engine, cell.format): run.checked[cell]["difference"] for cell in peers}
    wrong = {key: text for key, text in told.items() if text}
    # Known of the peers themselves; anything more is news.
    assert all(text.startswith("types differ in t") for (engine, _), text in wrong.items() if engine == "uproot"), wrong
    assert wrong.keys() <= {("uproot", "rntuple"), ("uproot", "ttree"), ("awkward", "parquet")}
    assert wrong.get(("awkward", "parquet"), "") in ("", "the leaf jet[].eta differs")
    assert not [path for path in run.files.rglob("*") if path.is_file()]


def test_ours_gives_back_what_was_written(tmp_path: Path) -> None:
    run = Run(tmp_path)
    cells = [c for d in (ARANGE, TAXI, FLIGHTS) for c in contestants(d, SMALL[d], ("pyarrow", "polars", "pandas"))]
    ours = [cell for cell in cells if cell.engine == "colonnade" and not cell.options]
    assert sorted(map(repr, checked(run, ours, at_once=100))) == sorted(map(repr, ours))


def test_maxima_are_those_of_numpy() -> None:
    values = {"i": np.array([3, -1, 7]), "f": np.array([0.5, 2.5, 1.5])}
    table = pa.table(values)
    for column, expected in (("i", 7), ("f", 2.5)):
        assert maxima.maximum(values[column]) == expected
        assert maxima.maximum(pa.concat_tables([table, table])[column]) == expected
        assert maxima.maximum(pl.concat([pl.from_arrow(table)] * 2, rechunk=False)[column]) == expected
        assert maxima.maximum(jagged.from_table(table)[column]) == expected
    times = np.array(["2020-01-02", "2021-01-01"], "M8[us]")
    assert maxima.maximum(pa.table({"t": times})["t"]) == times.astype("i8").max()
    assert maxima.maximum(pl.Series("t", times)) == times.astype("i8").max()


@pytest.mark.parametrize("values", [["a", None, "bc"], [[1, 2], [], None], [1.5, None, 2.5], [True, False]])
def test_all_else_is_passed_over(values: list[Any]) -> None:
    """Its bytes: nothing is converted, and nothing fails."""
    table = pa.table({"c": pa.array(values)})
    for column in (table["c"], pl.from_arrow(table)["c"], jagged.from_table(table)["c"]):
        assert maxima.numbers(column) is None
        assert maxima.raw(column)
        assert isinstance(maxima.maximum(column), int)
        assert maxima.same(column, column)


def test_columns_that_differ_are_told_apart() -> None:
    table = pa.table({"a": [1, 2], "b": [1, 3], "c": pa.array([1, 2], pa.int32())})
    for data in (table, pl.from_arrow(table), jagged.from_table(table)):
        assert maxima.same(data["a"], data["a"])
        assert not maxima.same(data["a"], data["b"])
        assert not maxima.same(data["a"], data["c"])
    assert maxima.same(np.array([1.0, np.nan]), np.array([1.0, np.nan]))
    array = jagged.from_table(table)
    assert jagged.difference(array, array) is None
    assert jagged.difference(array[["a", "b"]], array) == "fields a, b, not a, b, c"
    assert jagged.difference(ak.with_field(array, array.b, "a"), array) == "values differ in a"


def test_a_leaf_of_every_library() -> None:
    rows = [[{"eta": 1.5, "pt": 1}], [], [{"eta": 2.5, "pt": 2}, {"eta": 3.5, "pt": 3}]]
    table = pa.table({"jet": rows})
    for data in (table, pl.from_arrow(table), jagged.from_table(table)):
        column = field_of_items(data["jet"], "eta")
        assert (column.to_pylist() if data is table else column.to_list()) == [[1.5], [], [2.5, 3.5]]


def test_the_page_cache_is_what_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    paths = [tmp_path / "a", tmp_path / "folder" / "b", tmp_path / "empty"]
    for path, nbytes in zip(paths, (1 << 20, 5000, 0), strict=True):
        path.write_bytes(bytes(nbytes))
    set_cache(tmp_path, "warm")
    with open(paths[0], "rb") as file:
        assert resident(file.fileno()) == (1 << 20) // mmap.PAGESIZE
    try:
        set_cache(tmp_path, "cold")
    except OSError:
        pytest.skip("this file system keeps its pages")
    with open(paths[0], "rb") as file:
        assert resident(file.fileno()) == 0


def test_a_read_that_would_not_be_cold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(bytes(3 * mmap.PAGESIZE))
    monkeypatch.setattr(os, "posix_fadvise", lambda *arguments: None)
    set_cache(tmp_path / "a", "warm")
    with pytest.raises(OSError, match=r"3 pages of .*a stay in the page cache"):
        set_cache(tmp_path / "a", "cold")


def test_a_round_gives_everybody_a_file(tmp_path: Path) -> None:
    run = Run(tmp_path)
    size = SMALL[EVENTS]
    cells = [
        Cell(EVENTS, "awkward", "awkward", "parquet", "zstd", size=size),
        Cell(EVENTS, "polars", "polars", "ipc", "none", size=size),
        Cell(EVENTS, "pandas", "pandas", "feather", "zstd", size=size),
    ]
    good = checked(run, cells, at_once=4)
    assert len(good) == len(cells)
    for number in (0, 1):
        measure_round(run, good, number, "warm")
    assert not [record for record in run.records if record["kind"] == "error"]
    times = [record for record in run.records if record["kind"] == "time"]
    found = {(r["cell"]["engine"], r["operation"], r["round"]) for r in times}
    assert found == {(cell.engine, call, n) for cell in cells for _, call in entries(cell) for n in (0, 1)}
    assert {record["state"] for record in times} == {"first"}
    assert {record.get("cache") for record in times if record["operation"] != "write"} == {"warm"}
    assert not any("cache" in record for record in times if record["operation"] == "write")
    assert not list(run.files.glob("round-*"))

    report = sections(Summary(run.records), disk=250.0)
    assert not [section for section in report if section.title == "Marks"]  # part of a dataset is none
    (table,) = [section for section in report if section.title.startswith("events")]
    assert table.header[5:] == ["ideal I/O, 250 MB/s", "write", "read", "one leaf"]
    assert [row[:3] for row in table.rows] == [
        ["awkward parquet", "zstd", "awkward"],
        ["polars ipc", "none", "polars"],
        ["pandas feather", "zstd", "pandas"],
    ]
    assert any("No read is cold" in text for text in table.notes)


def made_up(ours_s: float, peers_s: float) -> Summary:
    """Every contestant's every call: ours in one time, peers in another, and in sizes of 100 and 90 bytes."""
    records: list[dict[str, Any]] = []
    for dataset in NAMES:
        for cell in contestants(dataset):
            ours = cell.engine == "colonnade"
            seconds = ours_s if ours else peers_s
            common = {"cell": cell.to_json(), "run": "r", "load": 0.0, "build": "b", "cache": "warm"}
            for _, call in entries(cell):
                timing = {"kind": "time", "operation": call, "state": "first", "open_s": seconds, "usable_s": seconds}
                records += [common | timing | {"round": number} for number in range(3)]
            nbytes = {"wire_nbytes": 100 if ours else 90, "frame_nbytes": 1000}
            records.append(common | {"kind": "check", "ok": True, "difference": None} | nbytes)
    return Summary(records)


def test_marks_are_judged() -> None:
    verdicts = [mark.judge(made_up(1.0, 4.5)) for mark in CODEC_MARKS]
    assert all(verdict.measured for verdict in verdicts)
    words = {(verdict.work, verdict.wanted): verdict.word for verdict in verdicts}
    for (work, wanted), word in words.items():
        passes = {">= 2x", ">= 2.5x", ">= 3x", ">= 4x", "<= 1.15x"}
        assert word == ("pass" if wanted in passes else "short"), (work, wanted)
    assert set(words.values()) == {"pass", "short"}
    npz = next(verdict for verdict in verdicts if verdict.work == "npz, zstd, balanced: size")
    assert npz.first == "taxi 1.111x, flights 1.111x, events 1.111x"
    table = next(verdict for verdict in verdicts if verdict.work == "the codec table, each codec: write")
    assert table.first == "least 4.50x (parquet none); geomean 4.50x"


def test_what_was_not_measured_in_full_is_no_pass(tmp_path: Path) -> None:
    some = [r for r in made_up(1.0, 50.0).records if r["cell"]["dataset"] == EVENTS and r.get("round") != 2]
    verdicts = [mark.judge(Summary(some)) for mark in CODEC_MARKS]
    jagged_leaf = next(verdict for verdict in verdicts if verdict.work == "jagged events: one leaf")
    assert jagged_leaf.word == "partly"
    assert jagged_leaf.first.endswith("; 2 rounds")
    assert {verdict.word for verdict in verdicts if "codec table" in verdict.work} == {"-"}
    assert not [mark for mark in CODEC_MARKS if mark.judge(Summary([])).measured]


def test_the_report_has_a_table_a_dataset(tmp_path: Path) -> None:
    text = write_report(made_up(1.0, 4.5), tmp_path).read_text()
    assert text.count("\n## ") == 1 + len(PARTS)
    assert "written and read by uproot, not by the C++ ROOT" in text
    assert "| colonnade parquet | auto | awkward | 0.0 | 0.100 |" in text
    assert "| colonnade npz filter=auto profile=balanced | zstd | pandas |" in text
    assert "| uproot ttree | lz4 | awkward |" in text
    assert set(TABLES) < set(NAMES)
    assert len(CODECS) == len(PARTS)
    assert not load(tmp_path).records
