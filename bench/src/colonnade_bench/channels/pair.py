"""Controls two processes and the channels between them from their parent.

The parent holds no data. It makes the pipes, starts both ends, and starts the sender when both are ready.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.channels import CHANNELS, Channel
from colonnade_bench.channels.byte_counter import ByteCounter
from colonnade_bench.process import Process, both


class Pair:
    """Both ends of some contestants, connected.

    Parameters
    ----------
    cells : sequence of Cell
        The contestants. `send` takes the index of one.
    cache : path
        The folder of datasets.
    certificates : mapping, optional
        For TLS.
    apart : bool
        Whether each end stays on a core of its own.
    counted : bool
        Whether every connection passes through a `ByteCounter`. It must not be timed then.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        cache: Path,
        certificates: dict[str, str] | None = None,
        apart: bool = False,
        counted: bool = False,
    ) -> None:
        self.cells = list(cells)
        self.counters: list[ByteCounter] = []
        self.folder = tempfile.TemporaryDirectory(prefix="cn-bench-")
        sides: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
        fds: dict[bool, list[int]] = {True: [], False: []}
        for k, cell in enumerate(self.cells):
            if counted:
                self.counters.append(ByteCounter(cell.transport, self.folder.name, self.channel(k).sender_serves))
            ends: tuple[int | None, int | None] = (None, None)
            if cell.transport == "pipe":
                ends = self.counters[k].pipes() if counted else os.pipe()
            for sends, fd in zip((False, True), ends, strict=True):
                sides[sends].append({"cell": cell.to_json(), "fd": fd})
                fds[sends] += [] if fd is None else [fd]
        common = {"cache": str(cache), "folder": self.folder.name, "certificates": certificates, "apart": apart}
        self.ends = {
            sends: Process(
                "sender" if sends else "receiver",
                "colonnade_bench.channels._end",
                {**common, "sends": sends, "contestants": sides[sends]},
                fds[sends],
            )
            for sends in (True, False)
        }
        # Only the ends hold the pipes. If the parent kept them open, an end whose peer has died would wait for ever.
        for fd in (*fds[True], *fds[False]):
            os.close(fd)

    def __enter__(self) -> Pair:
        try:
            for k in range(len(self.cells)):
                self.connect(k)
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def kill(self) -> None:
        for process in self.ends.values():
            process.kill()
        for counter in self.counters:
            counter.close()
        self.folder.cleanup()

    def channel(self, k: int) -> type[Channel]:
        cell = self.cells[k]
        return CHANNELS[f"{cell.engine} {cell.format}"]  # type: ignore[return-value]

    def connect(self, k: int) -> None:
        """Connects the two ends of one contestant."""
        serves = self.channel(k).sender_serves
        server, client = self.ends[serves], self.ends[not serves]
        server.tell({"word": "listen", "k": k})
        address = server.answer()["address"]
        if self.counters:
            address = self.counters[k].through(address)
        server.tell({"word": "accept", "k": k})
        client.tell({"word": "dial", "k": k, "address": address})
        server.answer()
        client.answer()

    def send(
        self, k: int, *, count: int = 1, tiny: bool = False, check: bool = False, warm: int = 0, forget: bool = False
    ) -> dict[str, Any]:
        """Sends `count` messages of one contestant, from the first call of `send` to the last result.

        Returns
        -------
        dict
            open_s (until the last object exists), usable_s (until every byte was touched), send_s (until the sender
            finished), user and system seconds of both ends. With `check` the difference, if any, the bytes of the
            result, and, if the connections are counted, the bytes that the sender has sent.
        """
        sender, receiver = self.ends[True], self.ends[False]
        words = {"word": "pass", "k": k, "count": count, "tiny": tiny, "check": check, "forget": forget}
        sender.tell(words)
        nbytes = sender.answer()["nbytes"]
        before = self.counters[k].nbytes if self.counters else 0  # a receiver that pulls begins once it has answered
        receiver.tell({**words, "nbytes": nbytes, "warm": warm})
        receiver.answer()
        sender.tell("go")
        sent, got = both(sender, receiver)
        began = got["started"] if got["started"] is not None else sent["started"]
        out = {
            "open_s": got["opened"] - began,
            "usable_s": got["touched"] - began,
            "message_s": (got["opened"] - began) / count,
            "send_s": sent["ended"] - sent["started"],
            "count": count,
            "user_s": got["user_s"] + sent["user_s"],
            "system_s": got["system_s"] + sent["system_s"],
            "receiver_s": got["user_s"] + got["system_s"],
            "sender_s": sent["user_s"] + sent["system_s"],
        }
        if check:
            out["difference"], out["nbytes"] = got.get("difference"), got["nbytes"]
            out["wire_nbytes"] = self.counters[k].nbytes - before if self.counters else None
            if sent["sum"] is not None and sent["sum"] != got["sum"]:
                out["difference"] = "the bytes differ (by their check sum)"
        return out
