"""Runs untimed round trips: finds losses, tries damaged copies, looks for leaks, in a separate process with limits."""

from __future__ import annotations

import gc
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
from colonnade_bench.measure import touch_all, trim_heap
from colonnade_bench.memory import anonymous
from colonnade_bench.panel import tables
from colonnade_bench.panel._meter import clock
from colonnade_bench.panel.fidelity import losses, losses_of_tables
from colonnade_bench.panel.point import FAULT_NBYTES
from colonnade_bench.panel.streams import Held, receive_tables, send_tables

CUTS = (0.0, 0.01, 0.25, 0.5, 0.75, 0.99)
"""The positions at which copies are cut, as fractions. One more copy ends one byte early."""
FLIPS = 16
"""The number of copies with one flipped bit. A seed chooses the positions."""
DAMAGED_ROWS = 2000


class Trial:
    """Role ``check``: encode, decode, compare, also through separate file and stream calls.

    Role ``fault``: decode damaged copies, one after another.

    Role ``leak``: encode and decode again and again, and say how much memory is held after each time.
    """

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        self.say, self.task = parent.say, task
        self.cell = Cell.from_json(task["cell"])
        self.engine = ENGINES[self.cell.engine]
        self.library = LIBRARIES[self.cell.library]
        self.tables = tables.of_library(tables.load(Path(task["tables"])), self.cell.library)

    def run(self) -> None:
        {"check": self.check, "fault": self.fault, "leak": self.leak}[self.task["role"]]()

    def check(self) -> None:
        payloads = {name: self.engine.encode(frame, self.cell) for name, frame in self.tables.items()}
        found = {name: self.engine.decode(payload, self.cell) for name, payload in payloads.items()}
        lost = self.losses(found)
        by_way = {way: self.losses(again) for way, again in self.by_other_ways()}
        self.say(
            word="checked",
            ok=True,
            losses=lost,
            by_way={way: more for way, each in by_way.items() if (more := [loss for loss in each if loss not in lost])},
            wire_nbytes=sum(memoryview(payload).nbytes for payload in payloads.values()),
            frame_nbytes=sum(self.library.nbytes(frame) for frame in self.tables.values()),
        )

    def losses(self, found: tables.Tables) -> list[str]:
        return losses_of_tables(self.tables, found, self.engine.withheld)

    def by_other_ways(self) -> Iterator[tuple[str, tables.Tables]]:
        """Yields the result of reading a file and a stream, if the engine has separate calls for them.

        Errors are ignored here, because the timed call reports them.
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
        """Decodes damaged copies.

        Reports the number of each copy first, so that the parent knows which one crashed or hung.
        """
        frame = self.library.head(next(iter(self.tables.values())), DAMAGED_ROWS)
        payload = bytes(self.engine.encode(frame, self.cell))
        clean = self.engine.decode(payload, self.cell)
        resource.setrlimit(resource.RLIMIT_AS, (FAULT_NBYTES, FAULT_NBYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        damaged = copies(payload, self.task["what"])
        for number in range(self.task.get("from", 0), len(damaged)):
            self.say(word="trying", number=number, of=len(damaged))
            try:
                result = self.engine.decode(damaged[number], self.cell)
            except BaseException as error:  # also errors that are no Exception, such as a panic of a Rust library
                self.say(word="tried", outcome="error", detail=f"{type(error).__name__}: {error}"[:200])
                continue
            self.say(word="tried", outcome="silently wrong" if differs(clean, result) else "unnoticed")
        # Freeing damaged objects may crash. The crash would say nothing about the format, so the process exits at once.
        sys.stdout.flush()
        os._exit(0)

    def leak(self) -> None:
        """Repeats the round trip until the parent ends this process.

        Before the memory is counted, the engine's pools and the C library's free memory go back to the system.
        """
        frame_nbytes = sum(self.library.nbytes(frame) for frame in self.tables.values())
        while True:
            for frame in self.tables.values():
                found = self.engine.decode(self.engine.encode(frame, self.cell), self.cell)
                touch_all(self.library.buffers(found))
                del found
            self.engine.forget()
            gc.collect()
            trim_heap()
            self.say(word="held", held_nbytes=anonymous(), frame_nbytes=frame_nbytes)


def differs(clean: Any, result: Any) -> bool:
    """Whether a copy that was decoded without an error differs from the original, or cannot be compared with it."""
    try:
        return bool(losses(clean, result))
    except BaseException:
        return True


def copies(payload: bytes, what: str) -> list[bytes]:
    """Returns damaged copies: cut short, or with one flipped bit.

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
