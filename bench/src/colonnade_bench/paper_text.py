"""The measurement of text: CSV, NDJSON, JSON and YAML files from and to pandas, against those who read them too.

A part a format. Every reader reads the file that its own writer wrote; what it gives back must be equal to the table
that went in, or it is left out and the report says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.run import Entry, Run, possible
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Summary

PARTS = ("csv", "ndjson", "json", "yaml")
STATES = ("first", "repeat")
LARGE = ("text-flights", "text-taxi", "text-wide", "text-long")
SMALL = ("text-small",)
ENGINES = ("colonnade", "pandas-text", "pyarrow-text", "polars-text", "duckdb-text", "orjson", "pyyaml")
JSON_ORIENTS = ("records", "columns")
AT_ONCE = 8  # cells a checking process


def results(directory: Path, part: str) -> Path:
    """Where a part's records go."""
    return directory / f"paper-text-{part}.jsonl"


def load(directory: Path) -> Summary:
    """What was measured of all parts."""
    return Summary.load(*sorted(directory.glob("paper-text-*.jsonl")))


def cell(dataset: str, name: str, size: float = 1.0, **more: Any) -> Cell:
    """A contestant; `name` is engine and format."""
    engine, fmt = name.split()
    return Cell(dataset, "pandas", engine, fmt, "none", "file", size, tuple(sorted(more.items())))


def contestants(part: str, size: float = 1.0) -> list[Cell]:
    """Everybody of a part, on every table that it is measured with."""
    out: list[Cell] = []
    for dataset in SMALL if part == "yaml" else LARGE:
        if part == "json":
            for orient in JSON_ORIENTS:
                names = ["colonnade json", "pandas-text json", "orjson json"]
                names += ["polars-text json"] if orient == "records" else []
                out += [cell(dataset, name, size, orient=orient) for name in names]
        elif part == "yaml":
            out += [cell(dataset, f"{engine} yaml", size) for engine in ("colonnade", "pyyaml")]
        else:
            peers = ("colonnade", "pandas-text", "polars-text", "duckdb-text")
            out += [cell(dataset, f"{engine} {part}", size) for engine in peers]
            # By default these look at some rows for types; where that will not do, at all of them.
            out += [cell(dataset, f"{engine} {part}", size, infer="all") for engine in ("polars-text", "duckdb-text")]
            # Told only where it is so: it reads by one thread then.
            told = {"newlines": True} if part == "csv" and dataset == "text-long" else {}
            out.append(cell(dataset, f"pyarrow-text {part}", size, **told))
            out += [cell(dataset, "pandas-text csv", size, engine="c")] if part == "csv" else []
    return out


def entries(cells: Iterable[Cell]) -> list[Entry]:
    """A write over what is there, and a read. pyarrow writes no lines of JSON: what it wrote is polars' own."""
    kept = []
    for one in cells:
        for call in ("replace", "read"):
            borrowed = call == "replace" and one.engine == "pyarrow-text" and one.format == "ndjson"
            if possible(one, call) and not borrowed:
                kept.append((one, call))
    return kept


def measure(
    directory: Path,
    *,
    parts: Iterable[str] = PARTS,
    rounds: int = 7,
    size: float = 1.0,
    states: Sequence[str] = STATES,
    note: Callable[[str], None] | None = None,
) -> Summary:
    """Run the parts; results go to ``directory/paper-text-*.jsonl`` as they come.

    Parameters
    ----------
    parts : iterable of {"csv", "ndjson", "json", "yaml"}
    rounds : int
        Seven at least for figures that are to be quoted.
    size : float
        Fraction of each table: below 1 no mark is judged.
    states : sequence of {"first", "repeat"}
        Fresh processes; one process that alternates everybody.
    """
    for part in parts:
        run = Run.anew(directory, results(directory, part), ENGINES, note)
        there = run.check(contestants(part, size), together=2, at_once=AT_ONCE)
        good = [one for one in there if run.checked[one].get("difference") is None]
        if "first" in states:
            run.first(entries(good), rounds, together=2)
        if "repeat" in states:
            for dataset in dict.fromkeys(one.dataset for one in good):
                run.repeat(entries(one for one in good if one.dataset == dataset), rounds)
    return load(directory)
