"""Colonnade against the fastest other engine of each row, as a table and as a picture."""

from typing import Any

import pytest

from colonnade_bench.best_peer import best_peer_sections, rows
from colonnade_bench.best_peer_chart import COLORS, DARK, NAMES, bars, draw_best_peer
from colonnade_bench.cell import Cell
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary
from tests.bench.test_summary import record

EVERYDAY = Spec.table("everyday")
ORDERS, LONG = "everyday-orders", "everyday-long"


def times(part: str, dataset: str, library: str, operation: str, ms: dict[str, float]) -> list[dict[str, Any]]:
    """Two rounds of each contestant, written as ``engine format`` or ``engine format numbers``."""
    found = []
    for name, value in ms.items():
        engine, fmt, *option = name.split()
        options = (("numbers", option[0]),) if option else ()
        cell = Cell(dataset, library, engine, fmt, options=options)
        for number in range(2):
            each = record(cell, value / 1e3, number, operation=operation, part=part, state="repeat")
            found.append(each)
    return found


RECORDS = [
    *times("csv", ORDERS, "pandas", "read", {"colonnade csv": 2, "polars-text csv": 8, "pyarrow-text csv": 4}),
    *times("csv", LONG, "pandas", "read", {"colonnade csv": 4, "polars-text csv": 2}),
    *times("msgpack", ORDERS, "pandas", "replace", {
        "colonnade msgpack packed": 1, "colonnade msgpack": 3, "pandas feather": 9,
    }),
    *times("nullable", "nullable", "pandas", "read", {"colonnade parquet": 1, "pyarrow parquet": 2}),
]  # fmt: skip


def test_a_row_is_against_the_fastest_other_engine() -> None:
    found = {
        (row.part, row.place.dataset): (row.peer, round(row.ratio.median, 6))
        for row in rows(Summary(RECORDS), EVERYDAY)
    }
    assert found == {
        ("csv", ORDERS): ("pyarrow-text csv", 2.0),
        ("csv", LONG): ("polars-text csv", 0.5),
        ("msgpack", ORDERS): ("pandas feather", 3.0),  # at the defaults
        ("nullable", "nullable"): ("pyarrow parquet", 2.0),
    }


def test_means_are_of_all_rows_and_of_each_format() -> None:
    means, directions = best_peer_sections(Summary(RECORDS), EVERYDAY)
    assert [row[:4] for row in means.rows] == [
        ["all", "4", "1.57x", "1"],
        ["csv", "2", "1.00x", "1"],
        ["msgpack", "1", "3.00x", "0"],
        ["nullable", "1", "2.00x", "0"],
    ]
    assert means.rows[0][4:] == ["0.50x (csv, long to pandas, polars-text csv)", "2"]
    assert ["msgpack none, from pandas", "1", "3.00x", "0"] in [row[:4] for row in directions.rows]
    assert list(best_peer_sections(Summary(RECORDS), Spec.table("text"))) == []


def test_bars_are_of_formats_that_are_read_and_written(tmp_path: Any) -> None:
    found = list(bars(rows(Summary(RECORDS), EVERYDAY), Summary(RECORDS)))
    assert {bar["format"] for bar in found} == {"CSV", "MessagePack"}
    assert {(bar["who"], round(bar["ms"], 2)) for bar in found if bar["format"] == "CSV"} == {
        ("Colonnade", 2.83),
        ("fastest other library", 2.83),
    }
    assert set(NAMES) == {part.name for part in EVERYDAY.parts()} - {"nullable"}


def test_the_picture_follows_the_theme_of_its_page(tmp_path: Any) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    paths = draw_best_peer(Summary(RECORDS), EVERYDAY, tmp_path, "everyday")
    assert [path.name for path in paths] == ["everyday.svg"]
    drawn = paths[0].read_text()
    assert "MessagePack" in drawn
    assert all(color in drawn for color in (*COLORS.values(), *DARK.values()))
    assert draw_best_peer(Summary([]), EVERYDAY, tmp_path, "everyday") == []
