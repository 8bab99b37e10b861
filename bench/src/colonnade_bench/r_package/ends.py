"""Round trips of R's engines in turns: each contestant has processes of its own that wait while another is measured.

The processes are the ends of `colonnade bench` (``r/end.R``). Before a time counts, what comes back is compared with
the data.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines.r_base import REngine
from colonnade_bench.process import Process

PATIENCE_S = 600.0


@dataclass(frozen=True)
class Contestant:
    """A row of an engine. A slow one has fewer `rounds`. Only an `exact` one must bring back identical data."""

    name: str
    engine: str
    format: str
    codec: str = "none"
    exact: bool = True
    rounds: int | None = None

    def cell(self, dataset: str, transport: str) -> Cell:
        return Cell(dataset, "data.frame", self.engine, self.format, self.codec, transport, 1.0)


@dataclass
class Times:
    """The seconds of one contestant, a value for each round, and what its round trip lost."""

    encode: list[float] = field(default_factory=list)
    decode: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)
    nbytes: int = 0
    losses: list[str] = field(default_factory=list)


Rounds = Mapping[str, Times]


def in_memory(handed: Path, contestants: Sequence[Contestant], rounds: int, note: Callable[[str], None]) -> Rounds:
    """Measures conversion to raw vectors and back. Each contestant has one process."""
    with started(handed, contestants, "memory") as ends:
        return in_turns(contestants, rounds, lambda name, check: once(ends[name][0], check), note)


def over_a_socket(handed: Path, contestants: Sequence[Contestant], rounds: int, note: Callable[[str], None]) -> Rounds:
    """Measures from the writer's call to the reader's data frames. Each contestant has two processes and a socket."""
    with started(handed, contestants, "tcp") as ends:
        return in_turns(contestants, rounds, lambda name, check: passed(ends[name], check), note)


def in_turns(
    contestants: Sequence[Contestant],
    rounds: int,
    run: Callable[[str, bool], dict[str, Any]],
    note: Callable[[str], None],
) -> Rounds:
    """Runs everyone once and compares, and then in turns. Each round begins with another contestant.

    Raises
    ------
    AssertionError
        An exact contestant changed the data.
    """
    found = {one.name: Times() for one in contestants}
    for one in contestants:
        note(f"{one.name}: the data comes back")
        losses = found[one.name].losses = run(one.name, True)["losses"]
        assert not (one.exact and losses), f"{one.name}: {losses}"
    for number in range(rounds):
        note(f"round {number + 1} of {rounds}")
        first = number % len(contestants)
        for one in (*contestants[first:], *contestants[:first]):
            if one.rounds is None or number < one.rounds:
                add(found[one.name], run(one.name, False))
    return found


def add(times: Times, done: Mapping[str, Any]) -> None:
    times.total.append(done["elapsed_s"])
    times.nbytes = int(done["nbytes"])
    if "encode_s" in done:
        times.encode.append(done["encode_s"])
        times.decode.append(done["decode_s"])


@contextmanager
def started(
    handed: Path, contestants: Sequence[Contestant], transport: str
) -> Iterator[dict[str, tuple[Process, ...]]]:
    """Starts all processes, and ends them."""
    ends: dict[str, tuple[Process, ...]] = {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            for one in contestants:
                for role in ("both",) if transport == "memory" else ("write", "read"):
                    cell = one.cell(handed.name, transport).to_json()
                    task = {"role": role, "cell": cell, "handed": str(handed), "directory": folder}
                    process = Process(f"{one.name} ({role})", REngine().program(task), task)
                    ends[one.name] = (*ends.get(one.name, ()), process)
                    process.answer(PATIENCE_S)
            yield ends
        finally:
            for process in (each for some in ends.values() for each in some):
                process.kill()


def once(end: Process, check: bool) -> dict[str, Any]:
    """One round trip within a process."""
    end.tell({"word": "go", "check": check})
    end.answer(PATIENCE_S)
    return end.answer(PATIENCE_S)


def passed(ends: tuple[Process, ...], check: bool) -> dict[str, Any]:
    """One round trip between two processes. Both read the same time of day."""
    writer, reader = ends
    reader.tell({"word": "listen"})
    writer.tell({"word": "dial", "address": reader.answer(PATIENCE_S)["address"]})
    writer.answer(PATIENCE_S)
    reader.answer(PATIENCE_S)
    reader.tell({"word": "go", "check": check})
    writer.tell({"word": "go"})
    wrote, read = writer.answer(PATIENCE_S), reader.answer(PATIENCE_S)
    return {
        "elapsed_s": read["end"] - wrote["start"],
        "nbytes": wrote["nbytes"],
        "losses": read.get("losses", []),
    }
