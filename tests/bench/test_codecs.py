"""The codec table: reading by column and by leaf, and files of their own each round."""

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

from colonnade_bench import jagged, maxima
from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.codecs import ARANGE, EVENTS, FLIGHTS, TAXI
from colonnade_bench.engines import ENGINES
from colonnade_bench.engines.leaves import field_of_items
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.page_cache import resident, set_cache
from colonnade_bench.rounds import Rounds
from colonnade_bench.spec import Spec
from tests.helpers.bench_records import kinds, rounds

SMALL = {ARANGE: 1e-5, TAXI: 1e-4, FLIGHTS: 1e-4, EVENTS: 2e-4}
NAMES = list(SMALL)


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


def checked(folder: Path, dataset: str, ours: bool, libraries: tuple[str, ...] = ()) -> tuple[Rounds, list[Cell]]:
    """The round trip of a part's contestants that are here, in each way they are read: those that work."""
    name = dataset.removeprefix("codecs-")
    (part,) = [part for part in Spec.table("codecs").part if part["name"] == name]
    runner = Rounds(
        Spec.of({"part": [{**part, "cells_per_check": 100}], "size": [SMALL[dataset]]}), folder / "r", folder
    )
    entries = [
        entry
        for entry in runner.parts[0].entries(SMALL[dataset])
        if (entry.cell.engine == "colonnade") == ours
        and not ENGINES[entry.cell.engine].missing()
        and (not libraries or (entry.cell.library in libraries and not entry.cell.options))
    ]
    good = runner.check(runner.parts[0], entries)
    assert set(good) == {entry.cell for entry in entries}
    return runner, good


@pytest.mark.parametrize("dataset", NAMES)
def test_peers_give_back_what_was_written_each_way_it_is_read(dataset: str, tmp_path: Path) -> None:
    runner, peers = checked(tmp_path, dataset, ours=False)
    told = {(cell.engine, cell.format): runner.checked[cell]["difference"] for cell in peers}
    wrong = {key: text for key, text in told.items() if text}
    # Known of the peers themselves; anything more is news.
    assert all(text.startswith("types differ in t") for (engine, _), text in wrong.items() if engine == "uproot"), wrong
    assert wrong.keys() <= {("uproot", "rntuple"), ("uproot", "ttree"), ("awkward", "parquet")}
    assert wrong.get(("awkward", "parquet"), "") in ("", "the leaf jet[].eta differs")
    assert not [path for path in runner.files.rglob("*") if path.is_file()]


@pytest.mark.parametrize("dataset", [ARANGE, TAXI, FLIGHTS])
def test_ours_gives_back_what_was_written(dataset: str, tmp_path: Path) -> None:
    runner, ours = checked(tmp_path, dataset, ours=True, libraries=("pyarrow", "polars", "pandas"))
    assert runner.good(runner.parts[0], ours) == set(ours)


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
    calls = {"operation": ["write", "read", "leaf"]}
    contestants = [
        {"engine": "awkward", "format": "parquet", "codec": "zstd", "library": "awkward", **calls},
        {"engine": "polars", "format": "ipc", "library": "polars", **calls},
        {"engine": "pandas", "format": "feather", "codec": "zstd", "operation": ["write", "read"]},
    ]
    told = {"measure": "files", "state": ["first"], "rounds": 2, "cells_per_check": 4}
    runner = rounds(tmp_path, *contestants, dataset=[EVENTS], size=SMALL[EVENTS], **told)
    assert runner.run() == "complete"
    assert not kinds(runner.records, "error")
    times = kinds(runner.records, "time")
    found = {(r["cell"]["engine"], r["operation"], r["round"]) for r in times}
    wanted = [(one["engine"], call) for one in contestants for call in one["operation"]]
    assert found == {(engine, call, number) for engine, call in wanted for number in (0, 1)}
    assert {record["state"] for record in times} == {"first"}
    assert {record.get("cache") for record in times if record["operation"] != "write"} == {"warm"}
    assert not any("cache" in record for record in times if record["operation"] == "write")
    assert not list(runner.files.glob("round-*"))
