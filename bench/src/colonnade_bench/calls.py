"""Calls of one process, measured in processes started afresh: a first call of each, or many that alternate."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from colonnade_bench.cell import Cell
from colonnade_bench.memory import Watch
from colonnade_bench.part import Entry
from colonnade_bench.process import EndError, Process, ended

if TYPE_CHECKING:
    from colonnade_bench.rounds import Rounds

MODULE = "colonnade_bench._worker"
PATIENCE_S = 3600.0
Records = Iterator[dict[str, Any]]


class Calls:
    """Starts measuring processes and passes their records on; holds no large memory itself."""

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds

    def check(self, cells: Sequence[Cell], together: int = 1, at_once: int = 1, **more: Any) -> list[Cell]:
        """Write every cell's file and compare what is read back. Gives the cells that work.

        One process a cell: an engine that crashes takes no other one with it. Where making the data takes long, a
        process is given `at_once` of them. `together` processes at a time. What else their task says goes by name.
        """
        unique = list(dict.fromkeys(cells))
        # Those that read what another cell wrote come after it.
        for late in (False, True):
            group = [cell for cell in unique if ("of" in cell.option) == late]
            shares = [group[start : start + at_once] for start in range(0, len(group), at_once)]
            for start in range(0, len(shares), together):
                self.check_batch(shares[start : start + together], **more)
        return [cell for cell in unique if self.rounds.checked[cell]["ok"]]

    def check_batch(self, shares: Sequence[Sequence[Cell]], **more: Any) -> None:
        """Check some cells side by side, one process a share."""
        followed = []
        for share in shares:
            entries = [Entry(cell, "write", {}) for cell in share]
            for entry in entries:
                self.rounds.note_entry("check", entry)
                self.rounds.checked[entry.cell] = {"ok": False}
            followed.append(self.follow(self.spawn("check", entries, **more), entries))
        for record in itertools.chain.from_iterable(followed):
            if record["kind"] == "check":
                self.rounds.checked[Cell.from_json(record["cell"])] = record
            if record["kind"] in ("check", "error"):
                self.rounds.emit(**record)

    def first(self, entries: Sequence[Entry], **more: Any) -> None:
        """Fresh processes: each round starts one for every contestant, in random order."""
        for number in range(max((entry.rounds.get("first", 0) for entry in entries), default=0)):
            self.round([entry for entry in entries if entry.rounds.get("first", 0) > number], number, **more)

    def round(self, entries: Sequence[Entry], number: int, *, together: int = 1, **more: Any) -> None:
        """One round of first calls.

        `together` processes start up side by side, and are then measured one after the other: nothing else runs during
        a timed call, and half of the time goes where two cores import libraries.
        """
        shuffled = list(entries)
        self.rounds.random.shuffle(shuffled)
        task = {"round": number, "repetitions": 1, "alternate": False, "hold": together > 1, **more}
        for start in range(0, len(shuffled), together):
            started = []
            for entry in shuffled[start : start + together]:
                self.rounds.note_entry(f"round {number + 1}", entry)
                process = self.spawn("measure", [entry], **task)
                started.append((process, self.follow(process, [entry])))
            # Each measures when all are ready and the one before has ended.
            heads = [next(records) for _, records in started] if together > 1 else [None] * len(started)
            for (process, records), head in zip(started, heads, strict=True):
                if head is not None and head.get("word") == "ready":
                    tell(process, "go")
                self.rounds.pass_on(itertools.chain([] if head is None else [head], records), "time", "error")

    def repeat(self, entries: Sequence[Entry], **more: Any) -> None:
        """One process holds all contestants and alternates them, in random order within each round."""
        rounds = max(entry.rounds["repeat"] for entry in entries)
        self.rounds.note(f"alternating {len(entries)} contestants on {entries[0].cell.dataset}, {rounds} rounds")
        process = self.spawn("measure", entries, round=0, repetitions=rounds, alternate=True, **more)
        self.rounds.pass_on(self.follow(process, entries), "time", "error")

    def memory(self, entries: Sequence[Entry]) -> None:
        """Peak memory of one call of each contestant, in a fresh process watched from here."""
        for entry in entries:
            self.rounds.note_entry("memory", entry)
            process = self.spawn("memory", [entry])
            records = self.follow(process, [entry])
            try:
                if (head := next(records)).get("word") != "ready":
                    self.rounds.pass_on(iter([head]), "error")
                    continue
                with Watch(process.popen.pid) as watch:
                    tell(process, "go")
                    head = next(records)
                if head.get("word") != "done":
                    self.rounds.pass_on(iter([head]), "error")
                    continue
                tell(process, "exit")
                held = next((r["held_nbytes"] for r in records if "held_nbytes" in r), None)
                self.rounds.emit(
                    "memory",
                    cell=entry.cell.to_json(),
                    operation=entry.call,
                    private_nbytes=watch.growth["RssAnon"],
                    file_nbytes=watch.growth["RssFile"],
                    total_nbytes=watch.growth["total"],
                    held_nbytes=held,
                    frame_nbytes=self.rounds.checked.get(entry.cell, {}).get("frame_nbytes"),
                    samples=watch.samples,
                )
            finally:
                records.close()  # type: ignore[attr-defined]

    def copies(self, nbytes: int, columns: int, chunks: Sequence[int]) -> None:
        """Copies laid out like streams of these chunk sizes, without a header to read: what the memory itself costs."""
        self.rounds.note(f"copying {nbytes:,} bytes in {columns} columns, chunks of {', '.join(map(str, chunks))}")
        process = self.spawn("gather", [], nbytes=nbytes, columns=columns, chunks=list(chunks))
        self.rounds.pass_on(self.follow(process, []), "gather", "error")

    def spawn(self, task: str, entries: Sequence[Entry], **more: Any) -> Process:
        nbytes = [self.rounds.checked.get(entry.cell, {}).get("frame_nbytes") or 0 for entry in entries]
        contestants = [{"cell": entry.cell.to_json(), "operation": entry.call} for entry in entries]
        request = {
            "task": task,
            "contestants": contestants,
            "directory": str(self.rounds.files),
            "cache": str(self.rounds.cache),
            "seed": self.rounds.random.randrange(1 << 30),
            "frame_nbytes": max(nbytes, default=0),
        }
        return Process(task, MODULE, {**request, **more})

    @staticmethod
    def follow(process: Process, entries: Sequence[Entry]) -> Records:
        """The records of a process to its end, and an error record where it dies or hangs. Then it is gone."""
        cell = entries[0].cell.to_json() if entries else {}
        last = None
        try:
            while (line := process.line(PATIENCE_S)) is not None:
                record = json.loads(line)
                last = record["kind"]
                yield {**record, "cell": cell} if last == "error" and entries else record
            if last not in ("end", "error"):
                yield {"kind": "error", "cell": cell, "error": ended(process.popen.wait())}
        except EndError as error:
            yield {"kind": "error", "cell": cell, "error": str(error)}
        finally:
            process.kill()


def tell(process: Process, word: str) -> None:
    """A word for a process. One that has died meanwhile does not hear it: its records say so."""
    with contextlib.suppress(EndError):
        process.tell(word)
