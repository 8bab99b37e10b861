"""Two processes and what goes between them, as the parent sees it.

The parent holds no data. It makes the pipes, starts both ends, and lets the sender go when both have said that they are
ready; it never waits for a time to pass. An end that fails or hangs ends the pair, and the reason is an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from colonnade_bench.passages import PASSAGES, Passage
from colonnade_bench.spec import Cell

PATIENCE_S = 120.0


class PairError(Exception):
    """One end failed; the text says which and why."""


class Process:
    """One end's process and its lines."""

    def __init__(self, name: str, module: str | Sequence[str], task: dict[str, Any], fds: Sequence[int] = ()) -> None:
        """`module`: one of ours, or a whole command line."""
        self.name = name
        command = [sys.executable, "-m", module] if isinstance(module, str) else list(module)
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=tuple(fds), start_new_session=True
        )
        self._rest = b""
        self.tell(task)

    def tell(self, words: dict[str, Any] | str) -> None:
        if self.popen.stdin is not None:
            line = words if isinstance(words, str) else json.dumps(words)
            try:
                self.popen.stdin.write(line.encode() + b"\n")
                self.popen.stdin.flush()
            except BrokenPipeError:
                raise PairError(f"{self.name}: {self.last_words()}") from None

    def answer(self, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The next line, as a mapping."""
        line = self.line(patience_s)
        if line is None:
            raise PairError(f"{self.name}: {ended(self.popen.wait())}")
        record: dict[str, Any] = json.loads(line)
        if "error" in record:
            raise PairError(f"{self.name}: {record['error']}")
        return record

    @property
    def has_line(self) -> bool:
        """Whether a line was read already: then the pipe itself may have nothing more to say."""
        return b"\n" in self._rest

    def line(self, patience_s: float) -> bytes | None:
        end = time.monotonic() + patience_s
        while not self.has_line:
            fd = self.popen.stdout.fileno() if self.popen.stdout else -1
            if not select.select([fd], [], [], max(0.0, end - time.monotonic()))[0]:
                raise PairError(f"{self.name}: no answer within {patience_s:.0f} s")
            some = os.read(fd, 1 << 16)
            if not some:
                return None
            self._rest += some
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def last_words(self) -> str:
        """Why it ended, where it said so."""
        try:
            line = self.line(5.0)
            return str(json.loads(line).get("error")) if line else f"ended with status {self.popen.wait(5)}"
        except (PairError, subprocess.TimeoutExpired):
            return "it does not listen"

    def kill(self) -> None:
        """The process and whatever it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        for file in (self.popen.stdin, self.popen.stdout):
            if file is not None:
                with contextlib.suppress(BrokenPipeError):
                    file.close()


def ended(status: int) -> str:
    """How a process went.

    >>> ended(-11)
    'crashed (signal 11, SIGSEGV)'
    """
    if status >= 0:
        return f"the process ended with status {status}"
    return f"crashed (signal {-status}, {signal.Signals(-status).name})"


class Pair:
    """Both ends of some contestants, connected.

    Parameters
    ----------
    cells : sequence of Cell
        The contestants; `pass_` names one by its place in it.
    cache : path
        Where datasets are kept.
    certificates : mapping, optional
        For TLS.
    apart : bool
        Each end keeps to a core of its own.
    """

    def __init__(
        self, cells: Sequence[Cell], cache: Path, certificates: dict[str, str] | None = None, apart: bool = False
    ) -> None:
        self.cells = list(cells)
        self.folder = tempfile.TemporaryDirectory(prefix="cn-bench-")
        sides: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
        fds: dict[bool, list[int]] = {True: [], False: []}
        for cell in self.cells:
            ends: tuple[int | None, int | None] = os.pipe() if cell.transport == "pipe" else (None, None)
            for sends, fd in zip((False, True), ends, strict=True):
                sides[sends].append({"cell": cell.to_json(), "fd": fd})
                fds[sends] += [] if fd is None else [fd]
        common = {"cache": str(cache), "folder": self.folder.name, "certificates": certificates, "apart": apart}
        self.ends = {
            sends: Process(
                "sender" if sends else "receiver",
                "colonnade_bench._end",
                {**common, "sends": sends, "contestants": sides[sends]},
                fds[sends],
            )
            for sends in (True, False)
        }
        # The ends alone hold the pipes: else an end whose peer has died would wait for ever.
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
        self.folder.cleanup()

    def passage(self, k: int) -> type[Passage]:
        cell = self.cells[k]
        return PASSAGES[f"{cell.engine} {cell.format}"]  # type: ignore[return-value]

    def connect(self, k: int) -> None:
        """One contestant's two ends find each other."""
        serves = self.passage(k).sender_serves
        server, client = self.ends[serves], self.ends[not serves]
        server.tell({"do": "listen", "k": k})
        address = server.answer()["address"]
        server.tell({"do": "accept", "k": k})
        client.tell({"do": "dial", "k": k, "address": address})
        server.answer()
        client.answer()

    def pass_(
        self, k: int, *, count: int = 1, tiny: bool = False, check: bool = False, warm: int = 0, forget: bool = False
    ) -> dict[str, Any]:
        """`count` messages of one contestant, from the first call of `send` to the last result.

        Returns
        -------
        dict
            open_s (until the last object is there), usable_s (and every byte was touched), send_s (until the sender was
            through), user and system seconds of both ends, and with `check` the difference, if any.
        """
        sender, receiver = self.ends[True], self.ends[False]
        words = {"do": "pass", "k": k, "count": count, "tiny": tiny, "check": check, "forget": forget}
        sender.tell(words)
        nbytes = sender.answer()["nbytes"]
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
            if sent["sum"] is not None and sent["sum"] != got["sum"]:
                out["difference"] = "the bytes differ (by their check sum)"
        return out


def both(first: Process, second: Process, patience_s: float = PATIENCE_S) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both results. Whoever speaks first is heard first: an end that fails must not be waited for at the other."""
    waited = {p.popen.stdout.fileno(): p for p in (first, second) if p.popen.stdout is not None}
    found: dict[Process, dict[str, Any]] = {}
    while waited:
        # A receiver that need not wait for `go` (it fetches by itself) may have said its result with its "ready".
        ready = [fd for fd, p in waited.items() if p.has_line] or select.select(list(waited), [], [], patience_s)[0]
        if not ready:
            for process in (first, second):
                process.popen.send_signal(signal.SIGABRT)
                process.popen.wait()
            raise PairError(f"{' and '.join(p.name for p in waited.values())}: no answer within {patience_s:.0f} s")
        for fd in ready:
            process = waited.pop(fd)
            try:
                found[process] = process.answer()
            except PairError as error:
                # A broken connection is what the other one's failure looks like from here: its reason is the reason.
                for other in waited.values() if "BrokenPipe" in str(error) or "ConnectionReset" in str(error) else ():
                    other.answer(5.0)
                raise
    return found[first], found[second]
