"""Measures a published table: its parts, each in the states *first*, *repeat* and *memory*.

State *first* comes from fresh processes, one for each contestant, round and call. *repeat* comes from one process that
alternates contestants. Both belong to the same run. Contestants of one round ran within the same seconds.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench import machine
from colonnade_bench.calls import Calls
from colonnade_bench.cell import Cell
from colonnade_bench.channels.messages import Messages
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.entry import Entry, alternating
from colonnade_bench.part import Part
from colonnade_bench.runner import Runner
from colonnade_bench.spec import Spec

ALONGSIDE_NBYTES = 2 << 30
"""While a larger frame is measured, no second process holds such a frame or a result."""


class Rounds(Runner):
    """The runner of a table's parts. A complete part is not measured again. An interrupted part begins anew."""

    def __init__(
        self, spec: Spec, out: Path, directory: Path, note: Callable[[str], None] | None = None, seed: int = 1
    ) -> None:
        self.parts = spec.parts()
        engines = sorted({name for part in self.parts for name in part.engines()})
        super().__init__(spec, out, directory, engines, note, seed)
        self.part = ""
        self.files, self.cache = directory / "files", directory / "data"  # generated data, never a user's
        for folder in (self.files, self.cache):
            folder.mkdir(exist_ok=True)
        self.complete = {record["name"] for record in self.records if record["kind"] == "part"}
        self.gone: dict[str, str] = {}
        self.checked: dict[Cell, dict[str, Any]] = {}
        self.calls, self.messages = Calls(self), Messages(self)

    def plan(self) -> dict[str, Any]:
        return {"parts": [part.name for part in self.parts]}

    def measure(self) -> int:
        self.gone = self.missing()
        left = [part for part in self.parts if part.name not in self.complete]
        for number, part in enumerate(left):
            self.left, self.part = len(left) - number, part.name
            self.emit("begin")
            self.measure_part(part)
            self.emit("part", name=part.name)
        return 0

    def emit(self, kind: str, **record: Any) -> None:
        """Adds the part to a record. A measured record also gets the build of the core and the load of the machine."""
        if kind in ("time", "error"):
            record |= {"load": machine.load()[0], "build": machine.build()}
        super().emit(kind, **({"part": self.part} if self.part else {}), **record)

    def pass_on(self, records: Iterator[Mapping[str, Any]], *kinds: str) -> None:
        """Emits the records of a measuring process that are of the given kinds."""
        for record in records:
            if record["kind"] in kinds:
                self.emit(**record)

    def note_entry(self, what: str, entry: Entry) -> None:
        cell = entry.cell
        self.note(f"{self.part}, {what}: {cell.dataset} {cell.library} {entry.call}: {cell.contestant}")

    # ---------------------------------------------------------------- parts

    def measure_part(self, part: Part) -> None:
        size, targets_only = self.spec.size[-1], self.spec.targets_only
        entries = [entry for entry in part.entries(size, targets_only) if entry.cell.engine not in self.gone]
        if part.measure == "copies":
            nbytes = round(part.nbytes * size)
            self.calls.copies(nbytes, part.columns, list(part.chunk))
        elif part.measure == "pieces":
            self.messages.pieces([entry.cell for entry in entries], part.rounds)
        elif part.measure == "relay":
            self.messages.relay(part, size)
        else:
            for group in self.by_dataset(part, entries):
                self.measure_group(part, group)

    def by_dataset(self, part: Part, entries: Sequence[Entry]) -> Iterator[list[Entry]]:
        """Yields the entries of one dataset after another, so that files are deleted before the next dataset.

        Yields all entries together if the datasets alternate.
        """
        if "dataset" not in part.group_by:
            yield list(entries)
            return
        for dataset in part.datasets():
            if chosen := [entry for entry in entries if entry.cell.dataset == dataset]:
                yield chosen

    def measure_group(self, part: Part, entries: Sequence[Entry]) -> None:
        if part.measure == "channels":
            self.messages.measure(part, entries)
            return
        good = self.good(part, self.check(part, entries))
        there = [entry for entry in entries if entry.call and entry.cell in good]
        if part.measure == "files":
            self.on_files(part, there)
        else:
            self.calls.first(there, parallel_starts=part.parallel_starts, **warm(part))
            for group in alternating(in_state(there, "repeat"), part.group_by):
                self.calls.repeat(group, **warm(part))
            self.calls.memory(in_state(there, "memory"))
        self.empty()
        for dataset in dict.fromkeys(entry.cell.dataset for entry in entries):
            DATASETS[dataset].forget(self.cache)

    def check(self, part: Part, entries: Sequence[Entry]) -> list[Cell]:
        """Checks the round trip of each cell, in each measured way of reading."""
        calls: dict[Cell, list[str]] = {}
        for entry in entries:
            ways = calls.setdefault(entry.cell, [])
            if entry.call in ("read", "columns", "leaf"):
                ways.append(entry.call)
        alike: dict[tuple[str, ...], list[Cell]] = {}
        for cell, ways in calls.items():
            alike.setdefault((cell.library, *ways) if part.measure == "files" else (), []).append(cell)
        out: list[Cell] = []
        cells_per_check = (
            part.cells_per_check if self.spec.size[-1] <= 1 else 1
        )  # one process holds the data of all its cells
        for key, cells in alike.items():
            more = {"calls": list(key[1:]) or ["read"], "discard": True} if part.measure == "files" else {}
            out += self.calls.check(
                cells, parallel_starts=part.parallel_starts, cells_per_check=cells_per_check, **more
            )
        return out

    def good(self, part: Part, cells: Sequence[Cell]) -> set[Cell]:
        """Returns the cells to measure, according to `require_equal`. Every difference is reported in any case."""
        wrong = {cell for cell in cells if self.checked[cell].get("difference")}
        if part.require_equal == "colonnade":
            wrong = {cell for cell in wrong if cell.engine == "colonnade"}
        for cell in wrong if part.require_equal != "none" else ():
            self.note(f"not equal: {cell.dataset} {cell.library} {cell.contestant}: {self.checked[cell]['difference']}")
        return set(cells) - (wrong if part.require_equal != "none" else set())

    def on_files(self, part: Part, entries: Sequence[Entry]) -> None:
        """Measures the part on files: each contestant writes one, and fresh processes read it in every way.

        Then the file is deleted. Two contestants run at a time: one starts up while the other works. Timed calls never
        overlap.
        """
        by_cell: dict[Cell, list[Entry]] = {}
        for entry in entries:
            by_cell.setdefault(entry.cell, []).append(entry)
        largest = max((self.checked[cell].get("frame_nbytes") or 0 for cell in by_cell), default=0)
        side_by_side = 1 if largest > ALONGSIDE_NBYTES else 2
        for number in range(part.rounds):
            shuffled, folder = list(by_cell.values()), f"round-{number}"
            self.random.shuffle(shuffled)
            for start in range(0, len(shuffled), side_by_side):
                few = shuffled[start : start + side_by_side]
                for step in range(max(map(len, few))):
                    now = [each[step] for each in few if step < len(each)]
                    state = {"folder": folder, "cache_state": self.spec.cache}
                    self.calls.round(now, number, parallel_starts=side_by_side, **state, **warm(part))
                shutil.rmtree(self.files / folder, ignore_errors=True)
                os.sync()

    def empty(self) -> None:
        """Deletes the files of a finished dataset.

        Writes pending data to the disk now, so that no later call pays for it.
        """
        shutil.rmtree(self.files)
        self.files.mkdir()
        os.sync()


def in_state(entries: Sequence[Entry], state: str) -> list[Entry]:
    """Returns the entries to measure in a state. The machine's own limits have no memory measurement."""
    limits = state == "memory"
    return [e for e in entries if state in e.rounds and not (limits and ENGINES[e.cell.engine].self_timed)]


def warm(part: Part) -> dict[str, float]:
    """Returns the entry of a task that makes its process touch memory before a call."""
    return {} if part.prefault is None else {"warm": part.prefault}
