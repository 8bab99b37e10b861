"""What a runner measures of a published table: its parts, each in the states *first*, *repeat* and *memory*.

State *first* comes from fresh processes, one for each contestant, round and call; *repeat* from one process that
alternates contestants. Both belong to the same run, and contestants of one round ran within the same seconds.
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
from colonnade_bench.part import Entry, Part, together
from colonnade_bench.runner import Runner
from colonnade_bench.spec import Spec

ALONGSIDE_NBYTES = 2 << 30
"""Of larger frames no second process holds one, or a result, beside the one that is measured."""


class Rounds(Runner):
    """The parts of a table. One that is complete is not measured again; one that was interrupted begins anew."""

    def __init__(
        self, spec: Spec, out: Path, directory: Path, note: Callable[[str], None] | None = None, seed: int = 1
    ) -> None:
        self.parts = spec.parts()
        engines = sorted({name for part in self.parts for name in part.engines()})
        super().__init__(spec, out, directory, engines, note, seed)
        self.part = ""
        self.files = directory / "files"
        self.files.mkdir(exist_ok=True)
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
        """A record says which part it is of; a measured one, which build of the core, and how busy the machine was."""
        if kind in ("time", "error"):
            record |= {"load": machine.load()[0], "build": machine.build()}
        super().emit(kind, **({"part": self.part} if self.part else {}), **record)

    def pass_on(self, records: Iterator[Mapping[str, Any]], *kinds: str) -> None:
        """Records of a measuring process that are to be kept."""
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
        """Everything of one dataset, and its files go, before the next; of all together where they alternate."""
        if "dataset" not in part.meet:
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
            self.calls.first(there, together=part.together, **warm(part))
            for group in together(in_state(there, "repeat"), part.meet):
                self.calls.repeat(group, **warm(part))
            self.calls.memory(in_state(there, "memory"))
        self.empty()
        for dataset in dict.fromkeys(entry.cell.dataset for entry in entries):
            DATASETS[dataset].forget(self.cache)

    def check(self, part: Part, entries: Sequence[Entry]) -> list[Cell]:
        """Each cell's round trip, in each way of reading that is measured."""
        calls: dict[Cell, list[str]] = {}
        for entry in entries:
            ways = calls.setdefault(entry.cell, [])
            if entry.call in ("read", "columns", "leaf"):
                ways.append(entry.call)
        alike: dict[tuple[str, ...], list[Cell]] = {}
        for cell, ways in calls.items():
            alike.setdefault((cell.library, *ways) if part.measure == "files" else (), []).append(cell)
        out: list[Cell] = []
        at_once = part.at_once if self.spec.size[-1] <= 1 else 1  # a process holds the data of all that it is given
        for key, cells in alike.items():
            more = {"calls": list(key[1:]) or ["read"], "discard": True} if part.measure == "files" else {}
            out += self.calls.check(cells, together=part.together, at_once=at_once, **more)
        return out

    def good(self, part: Part, cells: Sequence[Cell]) -> set[Cell]:
        """Those that are measured. What is not equal is reported in any case."""
        wrong = {cell for cell in cells if self.checked[cell].get("difference")}
        if part.equal == "ours":
            wrong = {cell for cell in wrong if cell.engine == "colonnade"}
        for cell in wrong if part.equal != "any" else ():
            self.note(f"not equal: {cell.dataset} {cell.library} {cell.contestant}: {self.checked[cell]['difference']}")
        return set(cells) - (wrong if part.equal != "any" else set())

    def on_files(self, part: Part, entries: Sequence[Entry]) -> None:
        """Each contestant writes a file, which is then read in every way, in a fresh process each, and goes.

        Two contestants at a time, so that one starts while the other does; what is timed never overlaps.
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
                    self.calls.round(now, number, together=side_by_side, **state, **warm(part))
                shutil.rmtree(self.files / folder, ignore_errors=True)
                os.sync()

    def empty(self) -> None:
        """A dataset is done: its files go, and what is left of them for the disk is written now rather than later."""
        shutil.rmtree(self.files)
        self.files.mkdir()
        os.sync()


def in_state(entries: Sequence[Entry], state: str) -> list[Entry]:
    """Entries that are measured in a state; of the limits of the machine no memory is."""
    limits = state == "memory"
    return [e for e in entries if state in e.rounds and not (limits and ENGINES[e.cell.engine].self_timed)]


def warm(part: Part) -> dict[str, float]:
    """What the task of a measuring process says of memory to be touched before."""
    return {} if part.warm is None else {"warm": part.warm}
