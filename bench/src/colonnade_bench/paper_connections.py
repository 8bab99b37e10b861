"""The measurement of connections: a gigabyte, many small frames, messages in pieces, and a relay.

Four parts with results files of their own; a gigabyte has one for each transport too, so that one can be measured again
without the others. Writer and reader are two processes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.pair import PairError, Process
from colonnade_bench.pair_run import PairRun
from colonnade_bench.passages import PASSAGES
from colonnade_bench.relay import relay
from colonnade_bench.run import Run
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Summary
from colonnade_bench.transports import certificates
from colonnade_bench.transports.moving import MOVING

PARTS = ("large", "text", "small", "pieces", "relay")
TRANSPORTS = ("pipe", "unix", "tcp", "tls")
STATES = ("first", "repeat")
ENGINES = ("colonnade", "pyarrow", "pickle", "pandas")
SMALL_TRANSPORTS = ("unix", "pipe")
SMALL_COUNT = 100_000
SLOW = 20  # pyarrow makes a reader and a writer for each small frame: it is asked for that much fewer
PIECE = 1 << 10
RELAY_PIECES, RELAY_TURNS = 100, 3
ROWS = 1 << 16
"""Rows a record batch of pyarrow's second contestants (8 MiB here): so that reading and sending overlap."""


def results(directory: Path, part: str, transport: str = "") -> Path:
    """Where a part's records go."""
    return directory / f"paper-connections-{part}{transport and '-' + transport}.jsonl"


def load(directory: Path) -> Summary:
    """What was measured of all parts."""
    return Summary.load(*sorted(directory.glob("paper-connections-*.jsonl")))


def cell(dataset: str, name: str, transport: str, size: float = 1.0, **options: Any) -> Cell:
    """A contestant; `name` is engine and format."""
    engine, fmt = name.split()
    return Cell(dataset, "pandas", engine, fmt, "none", transport, size, tuple(sorted(options.items())))


def there(cells: Iterable[Cell]) -> list[Cell]:
    """Those that exist over their transport."""
    return [c for c in cells if c.transport in PASSAGES[f"{c.engine} {c.format}"].transports]  # type: ignore[attr-defined]


def large(dataset: str, transport: str, size: float) -> tuple[list[Cell], list[Cell]]:
    """What marks are judged by, and what stands beside it."""
    marked = [
        cell(dataset, "colonnade arrows", transport, size),
        *(cell(dataset, "raw bytes", transport, size, **more) for more in ({}, *MOVING[transport].variants)),
        cell(dataset, "pyarrow arrows", transport, size),
        cell(dataset, "pyarrow arrows", transport, size, rows=ROWS),
    ]
    flights = [
        cell(dataset, "pyarrow flight", transport, size),
        cell(dataset, "pyarrow flight", transport, size, rows=ROWS),
    ]
    beside = [
        cell(dataset, "colonnade arrows", transport, size, via="receive"),
        cell(dataset, "colonnade bytes", transport, size),
        cell(dataset, "pyarrow arrows", transport, size, source="pandas"),
        cell(dataset, "pickle connection", transport, size),
        cell(dataset, "pickle connection", transport, size, protocol=5),
    ]
    # Flight over TCP is of a mark; elsewhere it stands beside.
    (marked if transport == "tcp" else beside).extend(flights)
    return there(marked), there(beside)


def measure_large(
    pairs: PairRun,
    dataset: str,
    transport: str,
    rounds: int,
    size: float,
    states: Sequence[str],
    marks_only: bool = False,
) -> None:
    """A gigabyte by one transport."""
    marked, beside = large(dataset, transport, size)
    beside = [] if marks_only else beside
    good = set(pairs.check([*marked, *beside]))
    if "first" in states:
        pairs.first([c for c in marked if c in good], rounds)
    if "repeat" in states:
        pairs.repeat([c for c in (*marked, *beside) if c in good], rounds)


def small(dataset: str, transport: str, size: float) -> dict[Cell, int]:
    """Contestants with small frames, and how many messages each is asked for."""
    count = max(1, round(SMALL_COUNT * size))
    return {
        cell(dataset, "colonnade arrows", transport): count,
        cell(dataset, "colonnade arrows", transport, via="receive"): count,
        cell(dataset, "pickle connection", transport): count,
        cell(dataset, "pickle connection", transport, protocol=5): count,
        cell(dataset, "pyarrow arrows", transport): max(1, count // SLOW),
        cell(dataset, "raw bytes", transport): count,
    }


def measure_small(pairs: PairRun, transports: Iterable[str], rounds: int, size: float) -> None:
    """100,000 of one dtype by each transport; a fifth as many of several dtypes."""
    for dataset, share in (("wire-1KiB", 1.0), ("wire-1KiB-mixed", 0.2)):
        for transport in transports:
            counts = small(dataset, transport, size * share)
            pairs.repeat(pairs.check(list(counts)), rounds, counts)


def in_pieces(size: float) -> tuple[list[Cell], list[Cell]]:
    """From memory, where cutting is all that differs; and over a Unix socket, where the kernel's cost counts too."""
    names = ("frame-message", "bytes-message")
    pieces: list[dict[str, int]] = [{}, {"piece": PIECE}]
    memory = [cell("wire-64MB", f"colonnade {name}", "memory", size, **more) for name in names for more in pieces]
    wire = [f"colonnade {name}" for name in names] + ["raw bytes"]
    return memory, [cell("wire-64MB", name, "unix", size, **more) for name in wire for more in pieces]


def measure_pieces(run: Run, pairs: PairRun, rounds: int, size: float) -> None:
    """64 MB in one piece and in pieces of 1 KiB."""
    memory, wire = in_pieces(size)
    run.note("64 MB in pieces, from memory")
    task = {"cells": [c.to_json() for c in memory], "rounds": rounds, "seed": run.random.randrange(1 << 30)}
    process = Process("pieces", "colonnade_bench._pieces", {**task, "cache": str(run.cache)})
    try:
        for record in follow(process):
            run.emit(record)
    except PairError as error:
        run.emit({"kind": "error", "cell": memory[0].to_json(), "error": str(error)})
    finally:
        process.kill()
    pairs.repeat(pairs.check(wire), rounds)


def follow(process: Process) -> Iterator[dict[str, Any]]:
    """Records to the end of a process's output."""
    while (line := process.line(300.0)) is not None:
        record = json.loads(line)
        if record["kind"] == "error":
            raise PairError(record["error"])
        yield record


def measure_relay(run: Run, size: float) -> None:
    """10 GB through three processes."""
    for number in range(RELAY_TURNS):
        run.note(f"relay, turn {number + 1} of {RELAY_TURNS}")
        try:
            run.emit({**relay(run.cache, max(1, round(RELAY_PIECES * size))), "size": size, "round": number})
        except PairError as error:
            run.emit(
                {"kind": "error", "cell": cell("wire-100MB", "colonnade relay", "unix").to_json(), "error": str(error)}
            )
            return


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
    """Run the parts; results go to ``directory/paper-connections-*.jsonl`` as they come.

    Parameters
    ----------
    parts : iterable of {"large", "text", "small", "pieces", "relay"}
    transports : sequence of {"pipe", "unix", "tcp", "tls"}, optional
        All by default; small frames go over a Unix socket and a pipe unless told otherwise, text over a Unix socket.
    rounds : int
        Seven at least for figures that are to be quoted.
    size : float
        Fraction of each dataset, and of the number of messages: below 1 no mark is judged.
    states : sequence of {"first", "repeat"}
        Of a gigabyte; the rest is repeated only.
    marks_only : bool
        Of a gigabyte, only the contestants that marks are judged by.
    """
    paths = certificates.make(directory / "certificates")

    def begin(part: str, transport: str = "") -> tuple[Run, PairRun]:
        run = Run.anew(directory, results(directory, part, transport), ENGINES, note)
        return run, PairRun(run, paths)

    for part in parts:
        if part == "large":
            for transport in transports or TRANSPORTS:
                measure_large(begin(part, transport)[1], "wire-numbers", transport, rounds, size, states, marks_only)
        elif part == "text":
            for transport in transports or ("unix",):
                measure_large(begin(part, transport)[1], "wire-text", transport, rounds, size, ("repeat",), marks_only)
        elif part == "small":
            measure_small(begin(part)[1], transports or SMALL_TRANSPORTS, rounds, size)
        elif part == "pieces":
            measure_pieces(*begin(part), rounds, size)
        else:
            measure_relay(begin(part)[0], size)
    return load(directory)
