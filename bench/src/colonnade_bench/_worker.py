"""A measuring process: one task as JSON on standard input, records as JSON lines on standard output.

It is always started afresh, never forked: a fork while a large destination is held makes every later write to it a
copy-on-write fault, and a fork of a process with thread pools may hang. Tasks:

- ``check``: write each cell's file, read it back, compare with the original. Files stay for the tasks that follow,
  unless the task says ``discard``; ``calls`` are the ways it is read, the whole by default.
- ``measure``: time the contestants in random order within each round. One alone, with an empty pool: the first call is
  state *first*, later ones are *repeat*. Where they alternate, a round that is not recorded comes before, and all
  recorded ones are *repeat*. ``folder`` keeps the files of one round apart from those of another; ``cache_state``
  says whether a file that is read shall lie in the kernel's memory.
- ``gather``: the machine's own limit: copies laid out as streams are.
- ``memory``: one call, watched from outside (the words ready, go, done, exit pass over the pipes).
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
            except Exception as error:  # an engine that fails is a row with its reason
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
            os.sync()  # else the write-back of one engine's file is paid by the next
        settle()
        # Large frames also before repeated calls: what the call before gave back may be gone to the host again.
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
        """Both kinds of stores, chunk by chunk, column by column, and out of a chunk that is in the cache."""
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
    """Take the channel away from anything an engine prints, run the task, report an error as a record."""
    parent = Parent()
    task = parent.task()
    worker = Worker(parent, task)
    start = time.perf_counter()
    try:
        tasks = {"check": worker.check, "measure": worker.measure, "memory": worker.memory, "gather": worker.gather}
        tasks[task["task"]]()
    except Exception as error:  # the parent turns it into a row
        return parent.failed(error, kind="error")
    worker.emit(kind="end", seconds=time.perf_counter() - start)
    return 0


if __name__ == "__main__":
    sys.exit(main())
