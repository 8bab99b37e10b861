"""Defines the parts of a published table: contestants, data and states. A part is checked before any measurement."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from colonnade_bench.cell import OPERATIONS, READS, Cell
from colonnade_bench.channels import CHANNELS
from colonnade_bench.datasets import expand
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.registry import unknown
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
EQUAL = ("any", "ours", "all")
"""The results that must equal the written data before a part is measured. Every difference is reported."""
CALLS = tuple(dict.fromkeys((*OPERATIONS, *READS, "channel")))
T = TypeVar("T")


def made(cls: type[T], values: Mapping[str, Any], what: str) -> T:
    """Makes a dataclass from a TOML table.

    Raises KeyError that names the nearest key, and ValueError for a value of another type.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"bench: {what} must be a table, found {values!r}")
    known = {one.name: one for one in fields(cls)}  # type: ignore[arg-type]
    for name, value in values.items():
        if name not in known:
            raise unknown(f"key of {what}", name, list(known))
        kind = known[name].metadata.get("of")
        listed = isinstance(value, list) and known[name].metadata.get("listed", False)
        for one in value if listed else [value]:
            if kind is not None and (not isinstance(one, kind) or (isinstance(one, bool) and kind is not bool)):
                raise ValueError(f"bench: {name} of {what} cannot be {one!r}")
    for name, one in known.items():
        if one.default is MISSING and one.default_factory is MISSING and name not in values:
            raise ValueError(f"bench: {what} needs {name}")
    return cls(**values)


def one(kind: Any, default: Any = MISSING) -> Any:
    """Declares a field that holds one value."""
    return field(default=default, metadata={"of": kind})


def some(kind: Any = str, default: Sequence[Any] | None = ()) -> Any:
    """Declares a field that holds one value or a list of them."""
    told = {"of": kind, "listed": True}
    return field(metadata=told) if default is None else field(default_factory=lambda: list(default), metadata=told)


def listed(value: Any) -> list[Any]:
    """Returns a list unchanged, and one value as a list of it."""
    return list(value) if isinstance(value, list | tuple) else [value]


@dataclass(frozen=True)
class Contestants:
    """The cells of a part and their measurements: the cross product of every factor that is a list.

    Parameters
    ----------
    dataset, without : list of shell patterns
        Selects from the part's datasets. All by default.
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
    beside : bool
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
    without: Any = some()
    operation: Any = some(default=("read",))
    state: Any = some()
    rounds: int | None = one(int, None)
    group: str = one(str, "")
    count: int = one(int, 1)
    beside: bool = one(bool, False)

    def cells(self, datasets: Sequence[str], size: float) -> Iterator[Cell]:
        """Yields the cross product."""
        chosen = [name for name in datasets if any(fnmatchcase(name, pattern) for pattern in listed(self.dataset))]
        chosen = [name for name in chosen if not any(fnmatchcase(name, pattern) for pattern in listed(self.without))]
        levels = (listed(value) for value in (self.library, self.engine, self.format, self.codec, self.transport))
        for dataset, (library, engine, fmt, codec, transport) in itertools.product(chosen, itertools.product(*levels)):
            options = listed(self.options)
            if self.variants and transport in MOVING:
                options = [*options, *({**each, **more} for each in options for more in MOVING[transport].variants)]
            for each in options:
                yield Cell(dataset, library, engine, fmt, codec, transport, size, tuple(sorted(each.items())))


@dataclass(frozen=True)
class Entry:
    """A cell and a call, with the number of rounds in each state."""

    cell: Cell
    call: str
    rounds: Mapping[str, int]
    group: str = ""
    count: int = 1

    def value(self, name: str) -> Any:
        """Returns the value of a factor, the operation or an option.

        Contestants that alternate agree in such values.
        """
        if name == "operation":
            return self.call
        return getattr(self.cell, name, None) or self.cell.option.get(name)


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
    together : int
        Processes that start in parallel. They are measured one after the other.
    at_once : int
        Cells for each checking process.
    warm : float, optional
        Memory that is touched and returned before a call, as a multiple of the frame.
    meet : list of str
        Factors and options. Contestants that agree in them alternate in one process.
    equal : str
        One of `EQUAL`.
    cores_apart : bool
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
    together: int = one(int, 1)
    at_once: int = one(int, 1)
    warm: float | None = one((int, float), None)
    meet: Any = some(default=("dataset", "library"))
    equal: str = one(str, "any")
    cores_apart: bool = one(bool, False)
    count: int = one(int, 1)
    column: Any = some()
    nbytes: int = one(int, 0)
    columns: int = one(int, 1)
    chunk: Any = some(int)

    def __post_init__(self) -> None:
        for kind, value, known in (("measure", self.measure, MEASURES), ("equal", self.equal, EQUAL)):
            if value not in known:
                raise unknown(kind, value, known)
        for column in listed(self.column):
            if column not in COLUMNS:
                raise unknown("column", column, list(COLUMNS))
        expand(listed(self.dataset))
        for contestants in self.contestants():
            self.check(contestants)
        for numbers in ("rounds", "together", "at_once", "count"):
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
            if targets_only and contestants.beside:
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


def possible(cell: Cell, call: str) -> bool:
    """Whether a transport has this call. Memory has nothing to replace, and a given stream can only be read."""
    if cell.transport == "given":
        return call == "read"
    return not (call == "replace" and cell.transport == "memory")


def together(entries: Sequence[Entry], names: Sequence[str]) -> Iterator[list[Entry]]:
    """Yields the entries that alternate in one process: they agree in all of `names` and belong to one group."""
    groups: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((*(entry.value(name) for name in names), entry.group), []).append(entry)
    yield from groups.values()


__all__ = ["MEASURES", "STATES", "Contestants", "Entry", "Part", "possible", "together"]
