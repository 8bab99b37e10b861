"""The measurement of Parquet: a gigabyte by threads, many tables read and written, a few columns of many.

What is read is what pandas (that is pyarrow at its defaults) wrote, the same file for everybody; what is written is
written by everybody at their own defaults. A part a results file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.datasets.parquet import NINE
from colonnade_bench.paper_arrow import empty
from colonnade_bench.run import Entry, Run
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Summary

PARTS = ("low", "files", "columns")
STATES = ("first", "repeat", "memory")
ENGINES = ("colonnade", "pyarrow", "pandas", "polars", "duckdb", "fastparquet", "limit")
LOW, COLUMNS = "parquet-low", "parquet-columns"
TABLES = tuple(f"parquet-{name}" for name in (*NINE, "10000x10000", "taxi", "flights"))
"""What the marks are judged by."""
BESIDE = tuple(f"parquet-{name}" for name in ("words", "distinct", "gaps"))
LARGEST = ("parquet-taxi", "parquet-flights")
WATCHED = ("parquet-10000x10000", *LARGEST, *BESIDE)
THREADS = (1, 2, 4)
SOME = 200
DEFAULTS = {"colonnade": "auto", "pyarrow": "snappy", "polars": "zstd", "duckdb": "snappy", "fastparquet": "snappy"}
"""The codec that each writes with unless told otherwise."""
BY_PANDAS, PLAIN, BY_OURS = "pandas parquet", "pandas parquet-plain", "colonnade parquet"


def results(directory: Path, part: str) -> Path:
    """Where a part's records go."""
    return directory / f"paper-parquet-{part}.jsonl"


def load(directory: Path) -> Summary:
    """What was measured of all parts."""
    return Summary.load(*sorted(directory.glob("paper-parquet-*.jsonl")))


def reader(dataset: str, engine: str, library: str = "pandas", size: float = 1.0, **more: Any) -> Entry:
    """Somebody who reads the file that pandas wrote, or another `of`."""
    options = {"of": BY_PANDAS} | more
    codec = "auto" if options["of"] == BY_OURS else "snappy"
    return Cell(dataset, library, engine, "parquet", codec, "file", size, tuple(sorted(options.items()))), "read"


def sources(dataset: str, size: float = 1.0, *formats: str) -> list[Cell]:
    """Who writes what others read."""
    names = [of.split() for of in formats or (BY_PANDAS,)]
    return [Cell(dataset, "pandas", engine, fmt, "snappy", "file", size) for engine, fmt in names]


def limit(dataset: str, size: float, threads: int) -> Entry:
    """A bare fill."""
    return Cell(dataset, "pandas", "limit", "fill", "none", "file", size, (("threads", threads),)), "read"


def low(size: float, threads: int) -> list[Entry]:
    """Everybody on so many threads; fastparquet has one."""
    peers = [name for name in DEFAULTS if name != "fastparquet" or threads == 1]
    read = [reader(LOW, name, size=size, of=of, threads=threads) for of in (BY_PANDAS, PLAIN) for name in peers]
    return [*read, limit(LOW, size, threads)]


def feather(dataset: str, size: float, calls: Iterable[str]) -> list[Entry]:
    """The same data as `to_feather` keeps it."""
    return [(Cell(dataset, "pandas", "pandas", "feather", "lz4", "file", size), call) for call in calls]


def files(dataset: str, size: float = 1.0) -> list[Entry]:
    """One table: to pandas, to each one's own frame, written, and ours read by pyarrow."""
    read = [reader(dataset, name, size=size) for name in DEFAULTS]
    own = [reader(dataset, name, library, size) for library in ("pyarrow", "polars") for name in ("colonnade", library)]
    ours = [reader(dataset, name, size=size, of=BY_OURS) for name in ("pyarrow", "colonnade")]
    write = [
        (Cell(dataset, "pandas", name, "parquet", codec, "file", size), "write") for name, codec in DEFAULTS.items()
    ]
    return [*read, *ours, *own, *write, *feather(dataset, size, ("read", "write"))]


def columns(size: float = 1.0) -> list[Entry]:
    """A few of many columns."""
    return [reader(COLUMNS, name, size=size, columns=SOME) for name in DEFAULTS]


def kept(run: Run, entries: Sequence[Entry], made: Sequence[Cell] = (), at_once: int = 4, **more: Any) -> list[Entry]:
    """Write, read back, compare. Ours is measured only where it gives what was asked for; of others it is noted."""
    good = set(run.check([*made, *(cell for cell, _ in entries)], at_once=at_once, **more))
    wrong = [cell for cell in good if cell.engine == "colonnade" and run.checked[cell].get("difference")]
    for cell in wrong:
        run.note(f"not equal: {cell.dataset} {cell.library} {cell.contestant}: {run.checked[cell]['difference']}")
    return [entry for entry in entries if entry[0] in good and entry[0] not in wrong]


def apart(entries: Sequence[Entry]) -> Iterable[list[Entry]]:
    """Who alternates with whom: a process a library, a call, and a number of threads (polars asks once)."""
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    for cell, call in entries:
        groups.setdefault((cell.library, call, cell.option.get("threads")), []).append((cell, call))
    return groups.values()


def measure_table(
    run: Run, entries: Sequence[Entry], rounds: tuple[int, int], states: Sequence[str], watched: bool
) -> None:
    """Every state of one table; its files go when it is done."""
    if "first" in states:
        run.first(entries, rounds[0], together=2)
    if "repeat" in states:
        for group in apart(entries):
            run.repeat(group, rounds[1])
    if "memory" in states and watched:
        run.memory([(cell, call) for cell, call in entries if call == "read" and memorable(cell)])
    empty(run)


def memorable(cell: Cell) -> bool:
    """Whose memory is watched: to pandas, at its defaults or on two threads."""
    inside = cell.library == "pandas" and cell.engine in ("colonnade", "pyarrow", "polars", "duckdb")
    return inside and cell.option.get("threads", 2) == 2 and cell.option.get("of") == BY_PANDAS


def measure(
    directory: Path,
    *,
    parts: Iterable[str] = PARTS,
    rounds: int = 7,
    again: int | None = None,
    size: float = 1.0,
    tables: Sequence[str] | None = None,
    states: Sequence[str] = STATES,
    note: Callable[[str], None] | None = None,
) -> Summary:
    """Run the parts; results go to ``directory/paper-parquet-*.jsonl`` as they come.

    Parameters
    ----------
    parts : iterable of {"low", "files", "columns"}
    rounds, again : int
        Rounds of *first* and of *repeat* (as many, unless told); seven at least for figures that are to be quoted.
    size : float
        Fraction of each table: below 1 no mark is judged.
    tables : sequence of str, optional
        Of *files*, such as ``["tall-mixed", "taxi"]``; all by default.
    states : sequence of {"first", "repeat", "memory"}
        Fresh processes; one process that alternates everybody; one call watched from outside.
    """
    both, states = (rounds, rounds if again is None else again), list(states)
    for part in parts:
        run = Run.anew(directory, results(directory, part), ENGINES, note)
        if part == "low":
            wanted = [entry for threads in THREADS for entry in low(size, threads)]
            wanted += feather(LOW, size, ("read",))
            made = [*sources(LOW, size, BY_PANDAS, PLAIN), reader(LOW, "pyarrow", size=size, of=BY_OURS)[0]]
            measure_table(run, kept(run, wanted, made), both, states, watched=True)
        elif part == "columns":
            measure_table(run, kept(run, columns(size), sources(COLUMNS, size)), both, states, watched=False)
        else:
            for dataset in (*TABLES, *BESIDE) if tables is None else [f"parquet-{name}" for name in tables]:
                entries = kept(run, files(dataset, size), sources(dataset, size))
                measure_table(run, entries, both, states, watched=dataset in WATCHED)
    return load(directory)
