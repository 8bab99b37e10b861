"""One end of a channel: a process that sends or receives on command, one JSON line each way.

The parent's commands are ``listen``, ``accept``, ``dial``, ``pass`` and ``close``. On ``pass`` the end prepares itself
and reports that it is ready. Then the receiving end waits for data, and the sending end waits for ``go``. Both read the
same clock (CLOCK_MONOTONIC belongs to the machine), so the time runs from the sender's call to the receiver's result.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

from colonnade_bench._end import End, serve
from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.channels import CHANNELS, Channel
from colonnade_bench.datasets import DATASETS
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import settle, touch_all, trim_heap, warm_guest
from colonnade_bench.transports.moving import Plan

TINY_NBYTES = 1000
now = time.monotonic


class ChannelEnd(End):
    """Holds the channels of this process and their common data."""

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        super().__init__(parent, task)
        self.sends, self.cache = task["sends"], Path(task["cache"])
        if task.get("apart"):
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, {cores[0 if self.sends else -1]})
        self.channels: list[Channel] = []
        self._data: dict[tuple[str, str, float], Any] = {}
        self.loaded: dict[int, bool] = {}
        for number, item in enumerate(task["contestants"]):
            cell = Cell.from_json(item["cell"])
            plan = Plan(cell.transport, self.sends, task["folder"], number, item.get("fd"), task.get("certificates"))
            self.channels.append(CHANNELS[f"{cell.engine} {cell.format}"](cell, plan))

    def data(self, cell: Cell) -> Any:
        key = (cell.dataset, cell.library, cell.size)
        if key not in self._data:
            self._data[key] = DATASETS[cell.dataset].load(cell.library, cell.size, self.cache)
        return self._data[key]

    def words(self) -> dict[str, Any]:
        done = {"listen": self.listen, "accept": self.accept, "dial": self.dial, "close": self.close}
        return {**done, "pass": self.send if self.sends else self.receive}

    def listen(self, told: dict[str, Any]) -> None:
        self.say(address=self.channels[told["k"]].listen())

    def accept(self, told: dict[str, Any]) -> None:
        self.channels[told["k"]].accept()
        self.say(word="ok")

    def dial(self, told: dict[str, Any]) -> None:
        self.channels[told["k"]].dial(told["address"])
        self.say(word="ok")

    def close(self, told: dict[str, Any]) -> None:
        self.channels[told["k"]].close()
        self.say(word="ok")

    def load(self, channel: Channel, words: dict[str, Any]) -> None:
        """Makes and converts the data to send, before the clock starts.

        It does so only once, unless the data changes.
        """
        k, tiny = words["k"], bool(words.get("tiny"))
        if self.loaded.get(k) is not tiny:
            library, cell = LIBRARIES[channel.cell.library], channel.cell
            # A sender of plain bytes needs only their number. Making the values would take half of the time of a fresh
            # process.
            known = getattr(DATASETS[cell.dataset], "nbytes", None) if channel.opaque else None
            nbytes = TINY_NBYTES if tiny else known(cell.size) if known else None
            data = library.tiny() if tiny else self.data(cell) if nbytes is None else None
            nbytes = library.nbytes(data) if nbytes is None else nbytes
            channel.load(data, nbytes)
            self.loaded[k] = tiny

    def send(self, words: dict[str, Any]) -> None:
        channel = self.channels[words["k"]]
        self.load(channel, words)
        settle()
        self.say(word="ready", nbytes=channel.nbytes)
        if sys.stdin.readline().strip() != "go":
            raise SystemExit(1)
        send, before = channel.send, cpu()
        started = now()
        for _ in range(words["count"]):
            send()
        ended, after = now(), cpu()
        check = touch_all([channel.held]) if words.get("check") and channel.held is not None else None
        self.say(started=started, ended=ended, user_s=after[0] - before[0], system_s=after[1] - before[1], sum=check)
        if words.get("forget"):
            channel.forget()
            trim_heap()

    def receive(self, words: dict[str, Any]) -> None:
        channel = self.channels[words["k"]]
        channel.expect(words["nbytes"])
        settle()
        warm_guest(words.get("warm", 0))
        self.say(word="ready")
        result: Any = None
        receive, before = channel.receive, cpu()
        started = now()
        for _ in range(words["count"]):
            # Drops the previous result first, so that the next call of any channel can reuse its memory.
            result = None
            result = receive()
        opened, after = now(), cpu()
        library = LIBRARIES[channel.cell.library]
        buffers = [result] if channel.opaque else library.buffers(result)
        total = touch_all(buffers)
        touched = now()
        record: dict[str, Any] = {"started": started if channel.pulls else None, "opened": opened, "touched": touched}
        record.update(user_s=after[0] - before[0], system_s=after[1] - before[1])
        if words.get("check"):
            record.update(sum=total, nbytes=sum(memoryview(b).nbytes for b in buffers) if channel.opaque else None)
            if not channel.opaque:
                record["nbytes"] = library.nbytes(result)
                record["difference"] = library.difference(result, self.data(channel.cell))
        del buffers, result
        self.say(**record)
        if words.get("forget"):
            channel.forget()
            trim_heap()


def cpu() -> tuple[float, float]:
    """Returns user and system seconds of this process so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_stime


if __name__ == "__main__":
    sys.exit(serve(ChannelEnd))
