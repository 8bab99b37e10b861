"""Round trips that are not timed: what is lost, what happens to damaged copies. A process of its own, with limits."""

from __future__ import annotations

import os
import random
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.panel import tables
from colonnade_bench.panel._meter import clock
from colonnade_bench.panel.fidelity import losses, losses_of_tables
from colonnade_bench.panel.point import FAULT_NBYTES
from colonnade_bench.panel.streams import Held, receive_tables, send_tables

CUTS = (0.0, 0.01, 0.25, 0.5, 0.75, 0.99)
"""Where a copy is cut; and one byte before its end."""
FLIPS = 16
"""Copies with one bit flipped, at places that a seed decides."""
DAMAGED_ROWS = 2000


class Trial:
    """Role ``check``: encode, decode, compare, also by the other ways that have calls of their own.

    Role ``fault``: decode damaged copies, one after another.
    """

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        self.say, self.task = parent.say, task
        self.cell = Cell.from_json(task["cell"])
        self.engine = ENGINES[self.cell.engine]
        self.tables = tables.load(Path(task["tables"]))

    def run(self) -> None:
        {"check": self.check, "fault": self.fault}[self.task["role"]]()

    def check(self) -> None:
        payloads = {name: self.engine.encode(frame, self.cell) for name, frame in self.tables.items()}
        found = {name: self.engine.decode(payload, self.cell) for name, payload in payloads.items()}
        lost = losses_of_tables(self.tables, found)
        by_way = {way: losses_of_tables(self.tables, again) for way, again in self.by_other_ways()}
        self.say(
            word="checked",
            ok=True,
            losses=lost,
            by_way={way: more for way, each in by_way.items() if (more := [loss for loss in each if loss not in lost])},
            wire_nbytes=sum(memoryview(payload).nbytes for payload in payloads.values()),
            frame_nbytes=sum(LIBRARIES["pandas"].nbytes(frame) for frame in self.tables.values()),
        )

    def by_other_ways(self) -> Iterator[tuple[str, tables.Tables]]:
        """What comes back of a file and of a stream, where these are calls of their own; one that fails says so when it
        is timed.
        """
        ways: dict[str, Callable[[], tables.Tables]] = {}
        if not self.engine.spooled:
            ways["file"] = self.by_file
        if Held().streams(self.engine, self.cell):
            ways["stream"] = self.by_stream
        for way, call in ways.items():
            try:
                found = call()
            except Exception:
                continue
            yield way, found

    def by_file(self) -> tables.Tables:
        paths = {name: Path(self.task["directory"]) / f"{name}.{self.cell.format}" for name in self.tables}
        for name, frame in self.tables.items():
            self.engine.write(frame, paths[name], self.cell)
        return {name: self.engine.read(path, self.cell) for name, path in paths.items()}

    def by_stream(self) -> tables.Tables:
        held = Held()
        send_tables(held, self.engine, self.cell, self.tables, clock)
        held.seek(0)
        return receive_tables(held, self.engine, self.cell, len(self.tables), clock)[0]

    def fault(self) -> None:
        """Before each copy its number is said: the parent knows which one ended the process, or never came back."""
        frame = next(iter(self.tables.values())).iloc[:DAMAGED_ROWS]
        payload = bytes(self.engine.encode(frame, self.cell))
        clean = self.engine.decode(payload, self.cell)
        resource.setrlimit(resource.RLIMIT_AS, (FAULT_NBYTES, FAULT_NBYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        damaged = copies(payload, self.task["what"])
        for number in range(self.task.get("from", 0), len(damaged)):
            self.say(word="trying", number=number, of=len(damaged))
            try:
                result = self.engine.decode(damaged[number], self.cell)
            except BaseException as error:  # also what is no Exception, such as a panic of a Rust library
                self.say(word="tried", outcome="error", detail=f"{type(error).__name__}: {error}"[:200])
                continue
            self.say(word="tried", outcome="silently wrong" if differs(clean, result) else "unnoticed")
        # Damaged objects may not survive being taken apart: that is no finding about the format.
        sys.stdout.flush()
        os._exit(0)


def differs(clean: Any, result: Any) -> bool:
    """Whether a copy that was decoded without a word is another frame; one that cannot even be compared is."""
    try:
        return bool(losses(clean, result))
    except BaseException:
        return True


def copies(payload: bytes, what: str) -> list[bytes]:
    """Damaged copies: cut short, or with one bit flipped.

    >>> [len(copy) for copy in copies(bytes(100), "truncated")]
    [0, 1, 25, 50, 75, 99, 99]
    """
    if what == "truncated":
        return [payload[: int(len(payload) * share)] for share in CUTS] + [payload[:-1]]
    order = random.Random(20261122)
    out = []
    for _ in range(FLIPS):
        copy, bit = bytearray(payload), order.randrange(len(payload) * 8)
        copy[bit // 8] ^= 1 << bit % 8
        out.append(bytes(copy))
    return out
