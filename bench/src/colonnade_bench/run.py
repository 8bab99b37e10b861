"""The parent: starts measuring processes, passes their records on as they come, holds no large memory itself."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench import machine
from colonnade_bench.engines import ENGINES
from colonnade_bench.memory import Watch
from colonnade_bench.spec import OPERATIONS, Cell, Spec

Entry = tuple[Cell, str]
"""A contestant: a cell and an operation."""


class Run:
    """One run: everything compared belongs to the same one.

    Parameters
    ----------
    directory : path
        Where cells write their files (the file system under test) and where datasets are kept.
    out : path or None
        Results file, one JSON record a line, appended as they come.
    note : callable or None
        Called with a line of text before each step.
    """

    def __init__(
        self, directory: Path, out: Path | None = None, *, note: Callable[[str], None] | None = None, seed: int = 1
    ) -> None:
        self.directory = directory
        self.files, self.cache = directory / "files", directory / "data"
        for folder in (self.files, self.cache):
            folder.mkdir(parents=True, exist_ok=True)
        self.out = out
        self.note = note or (lambda text: None)
        self.random = random.Random(seed)
        self.id = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        self.records: list[dict[str, Any]] = []
        self.checked: dict[Cell, dict[str, Any]] = {}

    @classmethod
    def anew(cls, directory: Path, out: Path, engines: Sequence[str], note: Callable[[str], None] | None = None) -> Run:
        """A run whose results begin a file anew, started."""
        out.unlink(missing_ok=True)
        run = cls(directory, out, note=note)
        run.start(engines)
        return run

    def emit(self, record: dict[str, Any]) -> None:
        """Keep a record and append it to the results file."""
        record = {**record, "run": self.id}
        self.records.append(record)
        if self.out is not None:
            self.out.parent.mkdir(parents=True, exist_ok=True)
            with open(self.out, "a") as file:
                file.write(json.dumps(record) + "\n")

    def start(self, engines: Sequence[str]) -> None:
        """The machine's record, and a row for each engine that is not there."""
        self.emit(machine.describe(self.directory, engines))
        for name in engines:
            if (reason := machine.reason_missing(name)) is not None:
                self.emit({"kind": "missing", "engine": name, "reason": reason})

    def check(self, cells: Sequence[Cell], together: int = 1, at_once: int = 1, **more: Any) -> list[Cell]:
        """Write every cell's file and compare what is read back. Gives the cells that work.

        One process a cell: an engine that crashes takes no other one with it. Where making the data takes long, a
        process is given `at_once` of them. `together` processes at a time. What else their task says goes by name.
        """
        there = [cell for cell in dict.fromkeys(cells) if machine.reason_missing(cell.engine) is None]
        # Those that read what another cell wrote come after it.
        groups = [[cell for cell in there if ("of" in cell.option) == late] for late in (False, True)]
        for group in groups:
            shares = [group[start : start + at_once] for start in range(0, len(group), at_once)]
            for start in range(0, len(shares), together):
                self.check_batch(shares[start : start + together], **more)
        return [cell for cell in there if self.checked[cell]["ok"]]

    def check_batch(self, shares: Sequence[Sequence[Cell]], **more: Any) -> None:
        """Check some cells side by side, one process a share."""
        followed = []
        for share in shares:
            for cell in share:
                self.note(f"check {cell.dataset} {cell.library}: {cell.contestant}")
                self.checked[cell] = {"ok": False}
            followed.append(self.worker("check", [(cell, "write") for cell in share], **more))
        for records in followed:
            for record in records:
                if record["kind"] == "check":
                    self.checked[Cell.from_json(record["cell"])] = record
                if record["kind"] in ("check", "error"):
                    self.emit(record)

    def first(
        self, entries: Sequence[Entry], rounds: int | range, repetitions: int = 0, *, together: int = 1, **more: Any
    ) -> None:
        """Fresh processes: each round starts one for every contestant, in random order. A range: these rounds alone.

        `together` of them start up side by side, and are then measured one after the other: nothing else runs during
        a timed call, and half of the time goes where two cores import libraries.
        """
        numbers = range(rounds) if isinstance(rounds, int) else rounds
        for number in numbers:
            shuffled = list(entries)
            self.random.shuffle(shuffled)
            task = {"round": number, "repetitions": 1 + repetitions, "alternate": False, "hold": together > 1, **more}
            for start in range(0, len(shuffled), together):
                started = []
                for cell, call in shuffled[start : start + together]:
                    self.note(
                        f"round {number + 1}/{numbers.stop} {cell.dataset} {cell.library} {call}: {cell.contestant}"
                    )
                    process = self.spawn("measure", [(cell, call)], **task)
                    started.append((process, self.follow(process, [(cell, call)])))
                self.one_by_one(started, held=together > 1)

    def one_by_one(self, started: Sequence[tuple[subprocess.Popen[str], Iterator[dict[str, Any]]]], held: bool) -> None:
        """Let each process measure when all are ready and the one before has ended."""
        heads = [next(records) for _, records in started] if held else [None] * len(started)
        for (process, records), head in zip(started, heads, strict=True):
            if head is not None and head.get("word") == "ready":
                self.tell(process, "go")
            self.pass_on(itertools.chain([] if head is None else [head], records))

    def repeat(self, entries: Sequence[Entry], rounds: int, **more: Any) -> None:
        """One process holds all contestants and alternates them, in random order within each round."""
        if entries:
            cell = entries[0][0]
            self.note(f"alternating {len(entries)} contestants on {cell.dataset}, {rounds} rounds")
            self.pass_on(self.worker("measure", entries, round=0, repetitions=rounds, alternate=True, **more))

    def memory(self, entries: Sequence[Entry]) -> None:
        """Peak memory of one call of each contestant, in a fresh process watched from here."""
        for cell, operation in entries:
            self.note(f"memory {cell.dataset} {cell.library} {operation}: {cell.contestant}")
            process = self.spawn("memory", [(cell, operation)])
            held = None
            try:
                if self.word(process) == "ready":
                    with Watch(process.pid) as watch:
                        self.tell(process, "go")
                        word = self.word(process)
                    self.tell(process, "exit")
                    for line in process.stdout or ():
                        held = json.loads(line).get("held_nbytes", held)
                    if word == "done":
                        self.emit(
                            {
                                "kind": "memory",
                                "cell": cell.to_json(),
                                "operation": operation,
                                "private_nbytes": watch.growth["RssAnon"],
                                "file_nbytes": watch.growth["RssFile"],
                                "total_nbytes": watch.growth["total"],
                                "held_nbytes": held,
                                "frame_nbytes": self.checked.get(cell, {}).get("frame_nbytes"),
                                "samples": watch.samples,
                            }
                        )
            finally:
                process.kill()
                process.wait()

    def gather(self, nbytes: int, columns: int, chunks: Sequence[int]) -> None:
        """Copies laid out like streams of these chunk sizes, without a header to read: what the memory itself costs."""
        self.note(f"gathering {nbytes:,} bytes in {columns} columns, chunks of {', '.join(map(str, chunks))}")
        for record in self.worker("gather", [], nbytes=nbytes, columns=columns, chunks=list(chunks)):
            if record["kind"] in ("gather", "error"):
                self.emit(record)

    def pass_on(self, records: Iterator[dict[str, Any]]) -> None:
        for record in records:
            if record["kind"] in ("time", "error"):
                record["load"] = machine.load()[0]
                record["build"] = machine.build()
                self.emit(record)

    def spawn(self, task: str, entries: Sequence[Entry], **more: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "colonnade_bench._worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        nbytes = [self.checked.get(cell, {}).get("frame_nbytes") or 0 for cell, _ in entries]
        contestants = [{"cell": cell.to_json(), "operation": operation} for cell, operation in entries]
        request = {
            "task": task,
            "contestants": contestants,
            "directory": str(self.files),
            "cache": str(self.cache),
            "seed": self.random.randrange(1 << 30),
            "frame_nbytes": max(nbytes, default=0),
            **more,
        }
        self.tell(process, json.dumps(request))
        return process

    def worker(self, task: str, entries: Sequence[Entry], **more: Any) -> Iterator[dict[str, Any]]:
        """Run a task to its end; its records as they come, and an error record where the process dies."""
        return self.follow(self.spawn(task, entries, **more), entries)

    @staticmethod
    def follow(process: subprocess.Popen[str], entries: Sequence[Entry]) -> Iterator[dict[str, Any]]:
        """The records of a process to its end."""
        ended = False
        for line in process.stdout or ():
            record = json.loads(line)
            ended = ended or record["kind"] in ("end", "error")
            if record["kind"] == "error" and entries:
                record["cell"] = entries[0][0].to_json()
            yield record
        status = process.wait()
        if not ended:
            cell = entries[0][0].to_json() if entries else {}
            yield {"kind": "error", "cell": cell, "error": f"the process ended with status {status}"}

    @staticmethod
    def tell(process: subprocess.Popen[str], line: str) -> None:
        if process.stdin is not None:
            process.stdin.write(line + "\n")
            process.stdin.flush()

    @staticmethod
    def word(process: subprocess.Popen[str]) -> str | None:
        line = process.stdout.readline() if process.stdout else ""
        return json.loads(line).get("word") if line else None


def run(
    spec: Spec,
    directory: Path,
    out: Path | None = None,
    *,
    note: Callable[[str], None] | None = None,
    memory: bool = True,
) -> list[dict[str, Any]]:
    """Measure every cell of `spec`: each in fresh processes, its repetitions inside, cells interleaved at random."""
    session = Run(directory, out, note=note)
    cells = list(spec.cells())
    session.start(sorted({cell.engine for cell in cells}))
    good = session.check(cells)
    operations = [name for name in OPERATIONS if name in spec.operations]
    entries = [(cell, name) for cell in good for name in operations if possible(cell, name)]
    session.first(entries, spec.rounds, spec.repetitions)
    if memory:
        session.memory([entry for entry in entries if not ENGINES[entry[0].engine].self_timed])
    return session.records


def possible(cell: Cell, operation: str) -> bool:
    """Whether a transport has this call: memory has nothing to write over, and what is given is only read."""
    if cell.transport == "given":
        return operation == "read"
    return not (operation == "replace" and cell.transport == "memory")
