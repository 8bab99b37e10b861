"""The codec table: what is kept by each format and codec, written, and read column by column with a maximum of each.

Counting numbers, trips by taxi, flights, and jagged events; a part a results file. A round gives each contestant a file
of its own, written by one fresh process and read by others. What is compared ran in the same rounds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from colonnade_bench.datasets.codecs import ARANGE, EVENTS, FLIGHTS, TAXI
from colonnade_bench.paper_parquet import kept
from colonnade_bench.run import Entry, Run
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Summary

DATASETS = {"arange": ARANGE, "taxi": TAXI, "flights": FLIGHTS, "events": EVENTS}
"""The dataset of each part."""
PARTS = tuple(DATASETS)
LIBRARIES = ("awkward", "pyarrow", "polars", "pandas")
ENGINES = ("colonnade", "awkward", "dask-awkward", "uproot", "pyarrow", "polars", "pandas")
ALONGSIDE_NBYTES = 2 << 30  # of larger frames no second process holds one, or a result, beside the one that is measured
WARM = 1.25  # of the frame is backed by the host before a call: no contestant needs more new memory

BALANCED = (("filter", "auto"), ("profile", "balanced"))
"""NPZ compressed with filters; the codec is zstd."""
FOUR, THREE, TWO = ("none", "snappy", "lz4", "zstd"), ("none", "lz4", "zstd"), ("lz4", "zstd")
PEERS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "awkward": (
        ("awkward parquet", FOUR),
        ("awkward feather", THREE),
        ("awkward npz", ("none",)),
        ("dask-awkward parquet", FOUR),
        ("uproot rntuple", TWO),
        ("uproot ttree", TWO),
    ),
    "pyarrow": (("pyarrow parquet", FOUR), ("pyarrow arrow", THREE)),
    "polars": (("polars parquet", FOUR), ("polars ipc", THREE)),
    "pandas": (("pandas parquet", ("snappy", "zstd")), ("pandas feather", TWO), ("pyarrow parquet", ("zstd",))),
}
"""Who keeps what, and with which codecs, by the library that it is in."""
OURS = {
    "awkward": (("parquet", ("auto", *FOUR)), ("arrow", THREE), ("npz", ("none", "zstd"))),
    "pyarrow": (("parquet", ("auto",)), ("arrow", ("none",)), ("npz", ("none",))),
    "polars": (("parquet", ("auto",)), ("arrow", ("none",)), ("npz", ("none",))),
    "pandas": (("parquet", ("auto",)), ("npz", ("none", "zstd"))),
}


def results(directory: Path, part: str) -> Path:
    """Where a part's records go."""
    return directory / f"paper-codecs-{part}.jsonl"


def load(directory: Path) -> Summary:
    """What was measured of all parts."""
    return Summary.load(*sorted(directory.glob("paper-codecs-*.jsonl")))


def contestants(dataset: str, size: float = 1.0, libraries: Sequence[str] = LIBRARIES) -> list[Cell]:
    """Everybody who keeps a dataset; the counting numbers are no table of pandas."""
    out: list[Cell] = []
    for library in libraries:
        if dataset == ARANGE and library == "pandas":
            continue
        named = [(f"colonnade {fmt}", codecs) for fmt, codecs in OURS[library]] + list(PEERS[library])
        for name, codecs in named:
            engine, fmt = name.split()
            if fmt == "ttree" and dataset != ARANGE:  # it holds neither missing cells nor lists within lists
                continue
            out += [Cell(dataset, library, engine, fmt, codec, "file", size) for codec in codecs]
        if library in ("awkward", "pandas"):
            out.append(Cell(dataset, library, "colonnade", "npz", "zstd", "file", size, BALANCED))
    return out


def calls(cell: Cell) -> list[str]:
    """How a contestant's file is read, after it was written: whole, by column, one field within lists."""
    if cell.library == "pandas":
        return ["read"]
    if cell.dataset == ARANGE:  # whole only where that is what is judged: arrays to NPZ and back
        return ["columns", "read"] if (cell.format, cell.codec) == ("npz", "none") else ["columns"]
    return ["read", "leaf"] if cell.dataset == EVENTS else ["read", "columns"]


def entries(cell: Cell) -> list[Entry]:
    """Its calls, in their order."""
    return [(cell, call) for call in ("write", *calls(cell))]


def checked(run: Run, cells: Sequence[Cell], at_once: int) -> list[Cell]:
    """Write, read in each way that is measured, compare. Ours goes where anything differs; of others it is noted."""
    good: list[Cell] = []
    alike: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        alike.setdefault((cell.library, *calls(cell)), []).append(cell)
    for (_, *ways), group in alike.items():
        entered = [(cell, "write") for cell in group]
        good += [cell for cell, _ in kept(run, entered, at_once=at_once, calls=ways, discard=True)]
    return good


def measure_round(run: Run, cells: Sequence[Cell], number: int, cache: str) -> None:
    """Each contestant writes a file, which is then read in every way, in a fresh process each, and goes.

    Two contestants at a time, so that one starts while the other does; what is timed never overlaps.
    """
    shuffled = list(cells)
    run.random.shuffle(shuffled)
    largest = max((run.checked[cell]["frame_nbytes"] for cell in cells), default=0)
    together, folder = 1 if largest > ALONGSIDE_NBYTES else 2, f"round-{number}"
    for start in range(0, len(shuffled), together):
        few = [entries(cell) for cell in shuffled[start : start + together]]
        for step in range(max(map(len, few))):
            now = [each[step] for each in few if step < len(each)]
            rounds = range(number, number + 1)
            run.first(now, rounds, together=together, folder=folder, cache_state=cache, warm=WARM)
        shutil.rmtree(run.files / folder, ignore_errors=True)
        os.sync()


def measure(
    directory: Path,
    *,
    parts: Iterable[str] = PARTS,
    rounds: int = 3,
    size: float = 1.0,
    libraries: Sequence[str] = LIBRARIES,
    cache: str = "warm",
    note: Callable[[str], None] | None = None,
) -> Summary:
    """Run the parts; results go to ``directory/paper-codecs-*.jsonl`` as they come.

    Parameters
    ----------
    parts : iterable of {"arange", "taxi", "flights", "events"}
    rounds : int
        Files that each contestant writes.
    size : float
        Multiple of each dataset; 5 makes 1e8 rows of `arange`. Below 1 no mark is judged.
    libraries : sequence of {"awkward", "pyarrow", "polars", "pandas"}
        In whose memory it is before and after.
    cache : {"warm", "cold"}
        A file that is read lies in the kernel's memory, or, verified, no page of it does.
    """
    for part in parts:
        run = Run.anew(directory, results(directory, part), ENGINES, note)
        at_once = 1 if size > 1 else 6
        good = checked(run, contestants(DATASETS[part], size, libraries), at_once)
        for number in range(rounds):
            measure_round(run, good, number, cache)
    return load(directory)
