"""The measuring process of a table: one task as JSON on standard input, records as JSON lines on standard output.

Each process starts afresh. After a fork that holds a large destination, every later write to it causes a copy-on-write
fault. A forked process with thread pools may hang. Tasks:

- ``check``: write each cell's file, read it back, compare with the original. Files stay for later tasks,
  unless the task says ``discard``. ``calls`` lists the ways to read the file, by default only the whole.
- ``measure``: time the contestants in random order within each round. A single contestant starts with an empty
  pool: its first call is state *first*, later ones are *repeat*. If several alternate, an unrecorded round comes
  first, and all recorded calls are *repeat*. ``folder`` separates the files of the rounds. ``cache_state`` says
  whether a file is in the page cache before it is read.
- ``gather``: the machine's own limit: copies laid out like streams.
- ``memory``: one call while the parent samples memory (they exchange ready, go, done and exit over the pipes).
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path
from typing import Any

from colonnade_bench._contestant import Contestant
from colonnade_bench._parent import Parent
from colonnade_bench.cell import READS, Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines.limits import threads
from colonnade_bench.measure import WARM_MULTIPLE, measure_read, settle, warm_guest
from colonnade_bench.memory import private_dirty
from colonnade_bench.page_cache import set_cache

WARM_MARGIN = 32 << 20
LARGE_NBYTES = 64 << 20


class Worker:
    """Holds the channel to the parent and the data that several contestants share."""

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        self.emit, self.task = parent.say, task
        self.directory, self.cache = Path(task["directory"]) / task.get("folder", ""), Path(task["cache"])
        self.directory.mkdir(exist_ok=True)
        self._data: dict[tuple[str, str, float], Any] = {}

    def data(self, cell: Cell) -> Any:
        key = (cell.dataset, cell.library, cell.size)
        if key not in self._data:
            self._data[key] = DATASETS[cell.dataset].load(cell.library, cell.size, self.cache)
        return self._data[key]

    def contestants(self) -> list[Contestant]:
        out = []
        for item in self.task["contestants"]:
            contestant = Contestant(Cell.from_json(item["cell"]), item["operation"], self.directory)
            needs = contestant.operation not in READS or not contestant.session.persistent
            contestant.data = self.data(contestant.cell) if needs else None
            out.append(contestant)
        return out

    def check(self) -> None:
        for item in self.task["contestants"]:
            cell = Cell.from_json(item["cell"])
            record: dict[str, Any] = {"kind": "check", "cell": cell.to_json(), "ok": True, "difference": None}
            try:
                contestant = Contestant(cell, "write", self.directory, self.data(cell))
                contestant.session.establish(contestant.data)
                if not contestant.engine.self_timed:
                    found = (contestant.compare(call) for call in self.task.get("calls", ["read"]))
                    record["difference"] = "; ".join(text for text in found if text) or None
                record["wire_nbytes"] = contestant.session.wire_nbytes()
                record["frame_nbytes"] = contestant.library.nbytes(contestant.data)
                if self.task.get("discard"):
                    contestant.session.clear()
            except Exception as error:  # a failed engine becomes a row with its reason
                record.update(ok=False, error=f"{type(error).__name__}: {error}"[:400])
            self.emit(**record)

    def measure(self) -> None:
        contestants = self.contestants()
        order = random.Random(self.task["seed"])
        alone = not self.task["alternate"]
        for contestant in contestants:
            contestant.rehearse()
            if contestant.operation in READS and not contestant.session.persistent:
                contestant.session.write(contestant.data)
                contestant.engine.forget()
        if self.task.get("hold"):
            for contestant in contestants:
                contestant.session.prepare()
            self.say("ready", "go")
        first_round = 0 if alone else -1
        for number in range(first_round, self.task["repetitions"]):
            order.shuffle(contestants)
            for position, contestant in enumerate(contestants):
                first = alone and number == 0
                record = self.once(contestant, first)
                if number >= 0:
                    state = "first" if first else "repeat"
                    self.emit(
                        kind="time",
                        cell=contestant.cell.to_json(),
                        operation=contestant.operation,
                        state=state,
                        round=self.task["round"] + (0 if alone else number),
                        position=position,
                        **record,
                    )

    def once(self, contestant: Contestant, first: bool) -> dict[str, Any]:
        contestant.prepare()
        if contestant.operation not in READS or self.task["frame_nbytes"] >= LARGE_NBYTES:
            os.sync()  # otherwise the next engine pays for writing back this engine's file
        settle()
        # Large frames need this also before repeated calls: the host may have reclaimed the memory that the last call
        # freed.
        if first or self.task["frame_nbytes"] >= LARGE_NBYTES:
            warm_guest(int(self.task["frame_nbytes"] * self.task.get("warm", WARM_MULTIPLE)) + WARM_MARGIN)
        state = self.task.get("cache_state") if contestant.operation in READS else None
        if state is None:
            return contestant.call()
        set_cache(contestant.session.path, state)  # type: ignore[attr-defined]
        return {**contestant.call(), "cache": state}

    def memory(self) -> None:
        (contestant,) = self.contestants()
        contestant.rehearse()
        contestant.prepare()
        settle()
        before = private_dirty()
        self.say("ready", "go")
        kept: Any
        if contestant.operation == "read":
            kept = measure_read(contestant.session.read, contestant.library)[0]
        else:
            kept = contestant.session.write(contestant.data)
        self.say("done", "exit")
        held = private_dirty() - before
        del kept
        self.emit(kind="held", held_nbytes=held)

    def gather(self) -> None:
        """Times copies with ordinary and streaming stores, by chunk, by column, and from a chunk in the cache."""
        from colonnade_bench._native import limit_copy

        columns, source = self.task["columns"], b"\1" * self.task["nbytes"]
        variants = [{}, {"by_column": True}, {"hot": True}]
        for chunk in (chunk for chunk in self.task["chunks"] if chunk <= len(source)):
            for streaming in (False, True):
                for variant in variants:
                    seconds = limit_copy(source, threads(), 5, streaming, columns, max(1, chunk // columns), **variant)
                    order = next(iter(variant), "by_chunk")
                    self.emit(
                        kind="gather", chunk=chunk, columns=columns, streaming=streaming, order=order,
                        nbytes=len(source), seconds=seconds,
                    )  # fmt: skip

    def say(self, word: str, until: str) -> None:
        self.emit(kind="word", word=word)
        if sys.stdin.readline().strip() != until:
            raise SystemExit(1)


def main() -> int:
    """Runs the task. Prints of an engine go to standard error. An error becomes a record."""
    parent = Parent()
    task = parent.task()
    worker = Worker(parent, task)
    start = time.perf_counter()
    try:
        tasks = {"check": worker.check, "measure": worker.measure, "memory": worker.memory, "gather": worker.gather}
        tasks[task["task"]]()
    except Exception as error:  # the parent turns the error into a row
        return parent.failed(error, kind="error")
    worker.emit(kind="end", seconds=time.perf_counter() - start)
    return 0


if __name__ == "__main__":
    sys.exit(main())
