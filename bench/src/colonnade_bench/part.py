"""Defines the parts of a published table: contestants, data and states. A part is checked before any measurement."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from colonnade_bench.cell import OPERATIONS, READS, Cell
from colonnade_bench.channels import CHANNELS
from colonnade_bench.datasets import expand
from colonnade_bench.engines import ENGINES
from colonnade_bench.entry import Entry, possible
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.registry import unknown
from colonnade_bench.spec_fields import listed, made, one, some
from colonnade_bench.table_columns import COLUMNS
from colonnade_bench.transports import TRANSPORTS
from colonnade_bench.transports.moving import MOVING

MEASURES = ("calls", "files", "channels", "pieces", "relay", "copies")
"""The kinds of measurement.

- ``calls``: calls of one process.
- ``files``: calls on a file of each round.
- ``channels``: messages between two processes.
- ``pieces``: messages from memory in pieces.
- ``relay``: a message through three processes.
- ``copies``: copies laid out like streams.
"""
STATES = ("first", "repeat", "memory")
REQUIRE_EQUAL = ("none", "colonnade", "all")
"""The engines whose results must equal the written data to be measured. Every difference is reported in any case."""
CALLS = tuple(dict.fromkeys((*OPERATIONS, *READS, "channel")))


@dataclass(frozen=True)
class Contestants:
    """The cells of a part and their measurements: the cross product of every factor that is a list.

    Parameters
    ----------
    dataset, exclude_dataset : list of shell patterns
        Shell patterns that select from the part's datasets, and that leave some out. All by default.
    options : table or list of tables
        Options of the engine itself.
    variants : bool
        For a channel: measure it also with each other setting of the transport that was sometimes fastest.
    operation : list
        write, replace, read, columns, leaf. None if only the round trip is checked.
    state : list, optional
        first, repeat, memory. The part's states by default. An operation is measured in the states of all tables that
        name it.
    rounds : int, optional
        An upper limit for the number of rounds.
    group : str
        Only contestants of the same group alternate in a process.
    count : int
        Messages in one timing.
    reference_only : bool
        No target depends on these contestants: ``--targets-only`` leaves them out.
    """

    engine: Any = some(default=None)
    format: Any = some(default=None)
    codec: Any = some(default=("none",))
    library: Any = some(default=("pandas",))
    transport: Any = some(default=("file",))
    options: Any = some(Mapping, ({},))
    variants: bool = one(bool, False)
    dataset: Any = some(default=("*",))
    exclude_dataset: Any = some()
    operation: Any = some(default=("read",))
    state: Any = some()
    rounds: int | None = one(int, None)
    group: str = one(str, "")
    count: int = one(int, 1)
    reference_only: bool = one(bool, False)

    def cells(self, datasets: Sequence[str], size: float) -> Iterator[Cell]:
        """Yields the cross product."""
        chosen = [name for name in datasets if any(fnmatchcase(name, pattern) for pattern in listed(self.dataset))]
        excluded = listed(self.exclude_dataset)
        chosen = [name for name in chosen if not any(fnmatchcase(name, pattern) for pattern in excluded)]
        levels = (listed(value) for value in (self.library, self.engine, self.format, self.codec, self.transport))
        for dataset, (library, engine, fmt, codec, transport) in itertools.product(chosen, itertools.product(*levels)):
            options = listed(self.options)
            if self.variants and transport in MOVING:
                options = [*options, *({**each, **more} for each in options for more in MOVING[transport].variants)]
            for each in options:
                yield Cell(dataset, library, engine, fmt, codec, transport, size, tuple(sorted(each.items())))


@dataclass(frozen=True)
class Part:
    """One part of a table.

    Parameters
    ----------
    name : str
    dataset : list of names and shell patterns
    contestant : list of `Contestants`
    measure : str
        One of `MEASURES`.
    rounds : int
        At least seven for figures that are quoted.
    parallel_starts : int
        Processes that start in parallel. They are measured one after the other.
    cells_per_check : int
        Cells for each checking process.
    prefault : float, optional
        Memory that is touched and returned before a call, as a multiple of the frame.
    group_by : list of str
        Factors and options. Contestants that agree in them alternate in one process.
    require_equal : str
        One of `REQUIRE_EQUAL`.
    pin_cores : bool
        Each of two processes stays on a core of its own.
    column : list of str
        The columns of the report, from `COLUMNS`. If none are given, it shows only times.
    nbytes, columns, chunk
        The shape of copies.
    """

    name: str = one(str)
    dataset: Any = some()
    contestant: Any = some(Mapping)
    measure: str = one(str, "calls")
    state: Any = some(default=("first", "repeat"))
    rounds: int = one(int, 7)
    parallel_starts: int = one(int, 1)
    cells_per_check: int = one(int, 1)
    prefault: float | None = one((int, float), None)
    group_by: Any = some(default=("dataset", "library"))
    require_equal: str = one(str, "none")
    pin_cores: bool = one(bool, False)
    count: int = one(int, 1)
    column: Any = some()
    nbytes: int = one(int, 0)
    columns: int = one(int, 1)
    chunk: Any = some(int)

    def __post_init__(self) -> None:
        levels = (("measure", self.measure, MEASURES), ("require_equal", self.require_equal, REQUIRE_EQUAL))
        for kind, value, known in levels:
            if value not in known:
                raise unknown(kind, value, known)
        for column in listed(self.column):
            if column not in COLUMNS:
                raise unknown("column", column, list(COLUMNS))
        expand(listed(self.dataset))
        for contestants in self.contestants():
            self.check(contestants)
        for numbers in ("rounds", "parallel_starts", "cells_per_check", "count"):
            if getattr(self, numbers) < 1:
                raise ValueError(f"bench: {numbers} must be 1 or more, found {getattr(self, numbers)}")

    def contestants(self) -> list[Contestants]:
        return [made(Contestants, each, f'a contestant of "{self.name}"') for each in listed(self.contestant)]

    def check(self, contestants: Contestants) -> None:
        """Raises KeyError for an unknown level. Without the check, it would leave out a row silently."""
        levels = {
            "library": list(LIBRARIES),
            "operation": CALLS,
            "state": STATES,
            "transport": [*TRANSPORTS, *MOVING],
        }
        for factor, known in levels.items():
            for level in listed(getattr(contestants, factor)):
                if level not in known:
                    raise unknown(factor, level, list(known))
        for state in listed(self.state):
            if state not in STATES:
                raise unknown("state", state, STATES)
        between = self.measure in ("channels", "pieces", "relay")
        # The engine that wrote the file chooses its codec.
        foreign = all("of" in options for options in listed(contestants.options))
        for engine, fmt in itertools.product(listed(contestants.engine), listed(contestants.format)):
            if between:
                CHANNELS[f"{engine} {fmt}"]
            elif fmt not in ENGINES[engine].formats:
                raise unknown(f"format of {engine}", fmt, list(ENGINES[engine].formats))
            for codec in () if between or foreign else listed(contestants.codec):
                if codec not in ENGINES[engine].formats[fmt]:
                    raise unknown(f"codec of {engine} {fmt}", codec, list(ENGINES[engine].formats[fmt]))
        names = expand(listed(self.dataset))
        for pattern in listed(contestants.dataset):
            if not any(fnmatchcase(name, pattern) for name in names):
                raise unknown(f'dataset of "{self.name}"', pattern, names)

    def datasets(self) -> list[str]:
        """Returns the datasets in the order of measurement."""
        return expand(listed(self.dataset))

    def entries(self, size: float = 1.0, targets_only: bool = False) -> list[Entry]:
        """Returns everything to measure: each call of a cell once."""
        found: dict[tuple[Cell, str], Entry] = {}
        for contestants in self.contestants():
            if targets_only and contestants.reference_only:
                continue
            most = min(self.rounds, contestants.rounds or self.rounds)
            states = dict.fromkeys(listed(contestants.state) or listed(self.state), most)
            for cell in contestants.cells(self.datasets(), size):
                if not self.has(cell):
                    continue
                for call in listed(contestants.operation) or [""]:
                    if call and not possible(cell, call):
                        continue
                    before = found.get((cell, call))
                    rounds = {**before.rounds, **states} if before else states
                    found[cell, call] = Entry(cell, call, rounds, contestants.group, contestants.count)
        return list(found.values())

    def has(self, cell: Cell) -> bool:
        """Whether a channel exists over this transport, and the engine supports such data."""
        if self.measure in ("channels", "pieces"):
            ways = CHANNELS[f"{cell.engine} {cell.format}"].transports  # type: ignore[attr-defined]
            return cell.transport in ways or self.measure == "pieces"
        return ENGINES[cell.engine].supports(cell)

    def engines(self) -> list[str]:
        """Returns the engines that must be installed. A channel needs the engine of the same name, if there is one."""
        names = {engine for each in self.contestants() for engine in listed(each.engine)}
        return sorted(name for name in names if name in ENGINES)


__all__ = ["MEASURES", "STATES", "Contestants", "Part"]
