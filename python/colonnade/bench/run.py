"""The parent: starts measuring processes, passes their records on as they come, holds no large memory itself."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from colonnade.bench import machine
from colonnade.bench.engines import ENGINES
from colonnade.bench.memory import Watch
from colonnade.bench.spec import OPERATIONS, Cell, Spec

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
            reason = ENGINES[name].missing()
            if reason:
                self.emit({"kind": "missing", "engine": name, "reason": reason})

    def check(self, cells: Sequence[Cell]) -> list[Cell]:
        """Write every cell's file and compare what is read back. Gives the cells that work."""
        there = [cell for cell in dict.fromkeys(cells) if ENGINES[cell.engine].missing() is None]
        for cell in there:
            self.note(f"check {cell.dataset} {cell.library}: {cell.contestant}")
            # One process a cell: an engine that fails or crashes takes no other one with it.
            seen = False
            for record in self.worker("check", [(cell, "write")]):
                if record["kind"] == "check":
                    seen = True
                    self.checked[cell] = record
                    self.emit(record)
            if not seen:
                self.checked[cell] = {"ok": False}
        return [cell for cell in there if self.checked[cell]["ok"]]

    def first(self, entries: Sequence[Entry], rounds: int, repetitions: int = 0) -> None:
        """Fresh processes: each round starts one for every contestant, in random order."""
        for number in range(rounds):
            shuffled = list(entries)
            self.random.shuffle(shuffled)
            for cell, operation in shuffled:
                self.note(f"round {number + 1}/{rounds} {cell.dataset} {cell.library} {operation}: {cell.contestant}")
                task = {"round": number, "repetitions": 1 + repetitions, "alternate": False}
                self.pass_on(self.worker("measure", [(cell, operation)], **task))

    def repeat(self, entries: Sequence[Entry], rounds: int) -> None:
        """One process holds all contestants and alternates them, in random order within each round."""
        if entries:
            cell = entries[0][0]
            self.note(f"alternating {len(entries)} contestants on {cell.dataset}, {rounds} rounds")
            self.pass_on(self.worker("measure", entries, round=0, repetitions=rounds, alternate=True))

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

    def pass_on(self, records: Iterator[dict[str, Any]]) -> None:
        for record in records:
            if record["kind"] in ("time", "error"):
                record["load"] = machine.load()[0]
                record["build"] = machine.build()
                self.emit(record)

    def spawn(self, task: str, entries: Sequence[Entry], **more: Any) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "colonnade.bench._worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
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
        process = self.spawn(task, entries, **more)
        ended = False
        for line in process.stdout or ():
            record = json.loads(line)
            ended = ended or record["kind"] in ("end", "error")
            if record["kind"] == "error":
                record["cell"] = entries[0][0].to_json()
            yield record
        status = process.wait()
        if not ended:
            yield {"kind": "error", "cell": entries[0][0].to_json(), "error": f"the process ended with status {status}"}

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
    entries = [
        (cell, name) for cell in good for name in operations if not (name == "replace" and cell.transport == "memory")
    ]
    session.first(entries, spec.rounds, spec.repetitions)
    if memory:
        session.memory([entry for entry in entries if not ENGINES[entry[0].engine].self_timed])
    return session.records
