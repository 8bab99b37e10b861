"""The Arrow measurement: the sweep of streams over chunk sizes, and the nine fixtures as files.

Three parts with a results file each, so that one can be measured again without the others: streams, uncompressed
files, compressed files. In *first*, processes start up two at a time and are measured one after the other. The streams
are read from memory, the same bytes by all.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.datasets.fixtures import MIXES, SHAPES
from colonnade_bench.datasets.streams import KINDS, label
from colonnade_bench.paper_npz import contestant
from colonnade_bench.run import Entry, Run
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Summary

PARTS = ("streams", "files", "codecs")
STATES = ("first", "repeat", "memory")
ENGINES = ("colonnade", "pyarrow", "pandas", "polars", "limit")
MADE_BY_OURS = ("64KiB", "1MiB")  # streams of the sweep that are also measured as Colonnade writes them
WATCHED = ("16KiB", "1MiB", "16MiB")  # whose peak memory is measured, and polars on the way to pandas
UNMARKED = ("4MiB",)  # a point of the curve, of no mark: not measured in *first*
POLARS_ROUNDS = 3
STREAM_WARM = 1.25
"""Of the frame, before each call on a stream: no contestant needs more of new memory, polars to pandas apart."""


def results(directory: Path, part: str) -> Path:
    """Where a part's records go."""
    return directory / f"paper-arrow-{part}.jsonl"


def load(directory: Path) -> Summary:
    """What was measured of both parts."""
    return Summary.load(*(path for part in PARTS if (path := results(directory, part)).exists()))


def given(dataset: str, library: str, engine: str, fmt: str, size: float, **options: Any) -> Entry:
    """A reader of a given stream."""
    cell = Cell(dataset, library, engine, fmt, "none", "given", size, tuple(sorted(options.items())))
    return cell, "read"


def readers(dataset: str, size: float) -> list[Entry]:
    """The two that marks are judged by."""
    return [
        given(dataset, "pandas", "colonnade", "arrows", size),
        given(dataset, "pandas", "pyarrow", "arrows", size),
    ]


def copies(dataset: str, size: float) -> list[Entry]:
    """The limit, with both kinds of stores."""
    return [
        given(dataset, "pandas", "limit", "copy", size),
        given(dataset, "pandas", "limit", "copy", size, streaming=True),
    ]


def polars(dataset: str, size: float, to_pandas: bool) -> list[Entry]:
    """To its own frame, and on to pandas."""
    libraries = ("polars", "pandas") if to_pandas else ("polars",)
    return [given(dataset, library, "polars", "ipc-stream", size) for library in libraries]


def made_by_ours(dataset: str, size: float) -> list[Entry]:
    """The same table in a stream that Colonnade wrote."""
    return [
        given(dataset, "pandas", "colonnade", "arrows", size, of="colonnade"),
        given(dataset, "pandas", "pyarrow", "arrows", size, of="colonnade"),
    ]


def measure_streams(
    run: Run, rounds: int, size: float, kinds: Iterable[str], chunks: Sequence[str] | None, states: Iterable[str]
) -> None:
    """Every chunk size of every kind; one stream lies on the disk at a time."""
    states = list(states)
    for kind in kinds:
        names = [label(chunk) for chunk in KINDS[kind].chunks]
        for name in names if chunks is None else [name for name in names if name in chunks]:
            dataset, sweep = f"stream-{kind}-{name}", kind == "floats"
            two, apart = readers(dataset, size), polars(dataset, size, sweep and name in WATCHED)
            others = copies(dataset, size)
            if sweep and name in MADE_BY_OURS:
                others += made_by_ours(dataset, size)
            good = set(run.check([cell for cell, _ in (*two, *apart, *others)], together=2, at_once=3))
            there = [entry for entry in (*two, *others) if entry[0] in good]
            if sweep and name not in UNMARKED and "first" in states:
                run.first([entry for entry in there if entry in two], rounds, together=2, warm=STREAM_WARM)
            if "repeat" in states:
                run.repeat(there, rounds, warm=STREAM_WARM)
                # In a process of its own: with its seconds between the others' calls, their warm memory would be given
                # back as idle. No mark hangs on it, so three rounds will do.
                run.repeat([e for e in apart if e[0] in good], min(rounds, POLARS_ROUNDS), warm=STREAM_WARM)
            if sweep and name in WATCHED and "memory" in states:
                run.memory([entry for entry in there if entry in two])
            empty(run)
    if "repeat" in states and "floats" in kinds:
        run.gather(round(KINDS["floats"].nbytes * size), KINDS["floats"].ncols, [*KINDS["floats"].chunks, 64 << 20])


def file_entries(dataset: str, codecs: Iterable[str]) -> tuple[list[Entry], list[Entry]]:
    """Of one fixture: what marks are judged by, and what stands beside it (uncompressed alone)."""
    both, codecs, marked = ("write", "read"), list(codecs), []
    for codec in codecs:
        marked += contestant(dataset, "pandas", "colonnade", "arrow", codec, calls=both)
        marked += contestant(dataset, "pandas", "pandas", "feather", codec, calls=both)
    if "none" not in codecs:
        return marked, []
    marked += contestant(dataset, "polars", "colonnade", "arrow", calls=("read",))
    marked += contestant(dataset, "polars", "polars", "ipc", calls=("read",))
    beside = [
        *contestant(dataset, "pandas", "colonnade", "arrow", calls=("read",), of="pandas feather"),
        *contestant(dataset, "polars", "colonnade", "arrow", calls=("read",), of="polars ipc"),
        *contestant(dataset, "polars", "colonnade", "arrow", calls=("write",)),
        *contestant(dataset, "polars", "polars", "ipc", calls=("write",)),
    ]
    return marked, beside


def measure_files(
    run: Run, rounds: int, fixtures: Iterable[str] | None, states: Iterable[str], codecs: Iterable[str]
) -> None:
    """The nine fixtures of 1e6 elements."""
    states = list(states)
    for name in list(fixtures) if fixtures else [f"{shape}-{mix}" for shape in SHAPES["1e6"] for mix in MIXES]:
        marked, beside = file_entries(f"fixture-{name}-1e6", codecs)
        good = set(run.check([cell for cell, _ in (*marked, *beside)], together=2, at_once=2))
        there = [entry for entry in marked if entry[0] in good]
        if "first" in states:
            run.first(there, rounds, together=2)
        if "repeat" in states:
            all_of_them = [*there, *(entry for entry in beside if entry[0] in good)]
            for library in ("pandas", "polars"):
                run.repeat([entry for entry in all_of_them if entry[0].library == library], rounds)
        empty(run)


def empty(run: Run) -> None:
    """A dataset is done: its files go, and what is left of them for the disk is written now rather than later."""
    shutil.rmtree(run.files)
    run.files.mkdir()
    os.sync()


def measure(
    directory: Path,
    *,
    parts: Iterable[str] = PARTS,
    rounds: int = 7,
    size: float = 1.0,
    kinds: Iterable[str] = tuple(KINDS),
    chunks: Sequence[str] | None = None,
    fixtures: Iterable[str] | None = None,
    states: Iterable[str] = STATES,
    note: Callable[[str], None] | None = None,
) -> Summary:
    """Run the parts; results go to ``directory/paper-arrow-PART.jsonl`` as they come.

    Parameters
    ----------
    parts : iterable of {"streams", "files", "codecs"}
    rounds : int
        Rounds of each state; seven at least for figures that are to be quoted.
    size : float
        Fraction of each stream's rows: below 1 the run shows that all works, and no mark is judged.
    kinds : iterable of {"floats", "wide", "text"}
        Tables of the streams.
    chunks : sequence of str, optional
        Such as ``["16KiB", "1MiB"]``; all by default.
    fixtures : iterable of str, optional
        Such as ``["wide-columnar"]``; all nine by default.
    """
    states = list(states)
    for part in parts:
        run = Run.anew(directory, results(directory, part), ENGINES, note)
        if part == "streams":
            measure_streams(run, rounds, size, list(kinds), chunks, states)
        else:
            measure_files(run, rounds, fixtures, states, ("none",) if part == "files" else ("lz4", "zstd"))
    return load(directory)
