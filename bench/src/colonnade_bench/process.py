"""A measuring process as its parent sees it: started afresh, told and heard in lines of JSON.

The parent never waits for a time to pass: an end says when it is ready. One that fails or hangs is an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

PATIENCE_S = 120.0


class EndError(Exception):
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
                raise EndError(f"{self.name}: {self.last_words()}") from None

    def answer(self, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The next line, as a mapping."""
        line = self.line(patience_s)
        if line is None:
            raise EndError(f"{self.name}: {ended(self.popen.wait())}")
        record: dict[str, Any] = json.loads(line)
        if "error" in record:
            raise EndError(f"{self.name}: {record['error']}")
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
                raise EndError(f"{self.name}: no answer within {patience_s:.0f} s")
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
        except (EndError, subprocess.TimeoutExpired):
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
            raise EndError(f"{' and '.join(p.name for p in waited.values())}: no answer within {patience_s:.0f} s")
        for fd in ready:
            process = waited.pop(fd)
            try:
                found[process] = process.answer()
            except EndError as error:
                # A broken connection is what the other one's failure looks like from here: its reason is the reason.
                for other in waited.values() if "BrokenPipe" in str(error) or "ConnectionReset" in str(error) else ():
                    other.answer(5.0)
                raise
    return found[first], found[second]
