"""One end of a passage: a process that sends or receives what it is told to, one JSON line each way.

It is started afresh, never forked. Words of the parent: ``listen``, ``accept``, ``dial``, ``pass``, ``close``. For
``pass`` the end makes itself ready and says so; the receiving end then waits for what comes, the sending end for
``go``. Both read the same clock (CLOCK_MONOTONIC is the machine's), so the time runs from the sender's call to the
receiver's result.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

from colonnade_bench._channel import Channel
from colonnade_bench.datasets import DATASETS
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import settle, touch_all, trim_heap, warm_guest
from colonnade_bench.passages import PASSAGES, Passage
from colonnade_bench.spec import Cell
from colonnade_bench.transports.moving import Plan

TINY_NBYTES = 1000
now = time.monotonic


class End:
    """The passages of this process, and the data they share."""

    def __init__(self, channel: Channel, task: dict[str, Any]) -> None:
        self.say, self.sends, self.cache = channel.say, task["sends"], Path(task["cache"])
        self.passages: list[Passage] = []
        self._data: dict[tuple[str, str, float], Any] = {}
        self.loaded: dict[int, bool] = {}
        for number, item in enumerate(task["contestants"]):
            cell = Cell.from_json(item["cell"])
            plan = Plan(cell.transport, self.sends, task["folder"], number, item.get("fd"), task.get("certificates"))
            self.passages.append(PASSAGES[f"{cell.engine} {cell.format}"](cell, plan))

    def data(self, cell: Cell) -> Any:
        key = (cell.dataset, cell.library, cell.size)
        if key not in self._data:
            self._data[key] = DATASETS[cell.dataset].load(cell.library, cell.size, self.cache)
        return self._data[key]

    def run(self) -> None:
        for line in sys.stdin:
            words = json.loads(line)
            passage = self.passages[words["k"]]
            if words["do"] == "listen":
                self.say(address=passage.listen())
            elif words["do"] == "accept":
                passage.accept()
                self.say(word="ok")
            elif words["do"] == "dial":
                passage.dial(words["address"])
                self.say(word="ok")
            elif words["do"] == "pass":
                (self.send if self.sends else self.receive)(passage, words)
            else:
                passage.close()
                self.say(word="ok")

    def load(self, passage: Passage, words: dict[str, Any]) -> None:
        """What will be sent, made and converted ahead: only once, unless it changes."""
        k, tiny = words["k"], bool(words.get("tiny"))
        if self.loaded.get(k) is not tiny:
            library, cell = LIBRARIES[passage.cell.library], passage.cell
            # Whoever sends plain bytes need not know which: half of the time of a fresh process goes into making them.
            known = getattr(DATASETS[cell.dataset], "nbytes", None) if passage.opaque else None
            nbytes = TINY_NBYTES if tiny else known(cell.size) if known else None
            data = library.tiny() if tiny else self.data(cell) if nbytes is None else None
            nbytes = library.nbytes(data) if nbytes is None else nbytes
            passage.load(data, nbytes)
            self.loaded[k] = tiny

    def send(self, passage: Passage, words: dict[str, Any]) -> None:
        self.load(passage, words)
        settle()
        self.say(word="ready", nbytes=passage.nbytes)
        if sys.stdin.readline().strip() != "go":
            raise SystemExit(1)
        send, before = passage.send, cpu()
        started = now()
        for _ in range(words["count"]):
            send()
        ended, after = now(), cpu()
        check = touch_all([passage.held]) if words.get("check") and passage.held is not None else None
        self.say(started=started, ended=ended, user_s=after[0] - before[0], system_s=after[1] - before[1], sum=check)
        if words.get("forget"):
            passage.forget()
            trim_heap()

    def receive(self, passage: Passage, words: dict[str, Any]) -> None:
        passage.expect(words["nbytes"])
        settle()
        warm_guest(words.get("warm", 0))
        self.say(word="ready")
        result: Any = None
        receive, before = passage.receive, cpu()
        started = now()
        for _ in range(words["count"]):
            # The one before goes first, so that its memory can be used again, by whoever does.
            result = None
            result = receive()
        opened, after = now(), cpu()
        library = LIBRARIES[passage.cell.library]
        buffers = [result] if passage.opaque else library.buffers(result)
        total = touch_all(buffers)
        touched = now()
        record: dict[str, Any] = {"started": started if passage.pulls else None, "opened": opened, "touched": touched}
        record.update(user_s=after[0] - before[0], system_s=after[1] - before[1])
        if words.get("check"):
            record.update(sum=total, nbytes=sum(memoryview(b).nbytes for b in buffers) if passage.opaque else None)
            if not passage.opaque:
                record["nbytes"] = library.nbytes(result)
                record["difference"] = library.difference(result, self.data(passage.cell))
        del buffers, result
        self.say(**record)
        if words.get("forget"):
            passage.forget()
            trim_heap()


def cpu() -> tuple[float, float]:
    """User and system seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_stime


def main() -> int:
    """Take the channel away from anything a library prints, obey, report an error as a record."""
    channel = Channel()
    faulthandler.enable()  # the parent aborts an end that hangs: then it says where
    task = channel.task()
    if task.get("apart"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[0 if task["sends"] else -1]})
    end = End(channel, task)
    try:
        end.run()
    except Exception as error:  # the parent turns it into a row
        return channel.failed(error)
    # Threads of servers and pools that do not end by themselves shall not keep the process.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
