"""Times calls in fresh processes: first calls, one process each, or repeated calls that alternate."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from colonnade_bench.cell import Cell
from colonnade_bench.entry import Entry
from colonnade_bench.memory import Watch
from colonnade_bench.process import EndError, Process, ended

if TYPE_CHECKING:
    from colonnade_bench.rounds import Rounds

MODULE = "colonnade_bench._worker"
PATIENCE_S = 3600.0
Records = Iterator[dict[str, Any]]


class Calls:
    """Starts measuring processes and passes their records on. It holds no large memory itself."""

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds

    def check(
        self, cells: Sequence[Cell], parallel_starts: int = 1, cells_per_check: int = 1, **more: Any
    ) -> list[Cell]:
        """Writes the file of every cell and compares it after reading. Returns the cells that work.

        Each cell has its own process, so an engine that crashes affects no other. If making the data takes long, one
        process checks `cells_per_check` cells. `parallel_starts` processes run at a time. `more` adds entries to their
        task.
        """
        unique = list(dict.fromkeys(cells))
        # A cell that reads the file of another cell comes after it.
        for late in (False, True):
            group = [cell for cell in unique if ("of" in cell.option) == late]
            shares = [group[start : start + cells_per_check] for start in range(0, len(group), cells_per_check)]
            for start in range(0, len(shares), parallel_starts):
                self.check_batch(shares[start : start + parallel_starts], **more)
        return [cell for cell in unique if self.rounds.checked[cell]["ok"]]

    def check_batch(self, shares: Sequence[Sequence[Cell]], **more: Any) -> None:
        """Checks some cells in parallel, one process a share."""
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
        """Runs fresh processes: each round starts one for every contestant, in random order."""
        for number in range(max((entry.rounds.get("first", 0) for entry in entries), default=0)):
            self.round([entry for entry in entries if entry.rounds.get("first", 0) > number], number, **more)

    def round(self, entries: Sequence[Entry], number: int, *, parallel_starts: int = 1, **more: Any) -> None:
        """Runs one round of first calls.

        `parallel_starts` processes start in parallel and are then measured one after the other. Nothing else runs
        during a timed call. Importing libraries in parallel on two cores saves half of the time.
        """
        shuffled = list(entries)
        self.rounds.random.shuffle(shuffled)
        task = {"round": number, "repetitions": 1, "alternate": False, "hold": parallel_starts > 1, **more}
        for start in range(0, len(shuffled), parallel_starts):
            started = []
            for entry in shuffled[start : start + parallel_starts]:
                self.rounds.note_entry(f"round {number + 1}", entry)
                process = self.spawn("measure", [entry], **task)
                started.append((process, self.follow(process, [entry])))
            # Each process measures when all are ready and the one before has ended.
            heads = [next(records) for _, records in started] if parallel_starts > 1 else [None] * len(started)
            for (process, records), head in zip(started, heads, strict=True):
                if head is not None and head.get("word") == "ready":
                    tell(process, "go")
                self.rounds.pass_on(itertools.chain([] if head is None else [head], records), "time", "error")

    def repeat(self, entries: Sequence[Entry], **more: Any) -> None:
        """Runs one process that holds all contestants and alternates them, in random order within each round."""
        rounds = max(entry.rounds["repeat"] for entry in entries)
        self.rounds.note(f"alternating {len(entries)} contestants on {entries[0].cell.dataset}, {rounds} rounds")
        process = self.spawn("measure", entries, round=0, repetitions=rounds, alternate=True, **more)
        self.rounds.pass_on(self.follow(process, entries), "time", "error")

    def memory(self, entries: Sequence[Entry]) -> None:
        """Measures the peak memory of one call of each contestant. The parent watches a fresh process."""
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
        """Times copies laid out like streams of these chunk sizes, without headers.

        They show the cost of the memory itself.
        """
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
        """Yields the records of a process until it ends, and an error record if it dies or hangs.

        Then ends the process.
        """
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
    """Sends a command to a process. A dead process does not receive it; its records report the death."""
    with contextlib.suppress(EndError):
        process.tell(word)
