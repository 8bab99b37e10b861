"""Controls a measuring process from its parent: starts it afresh and exchanges lines of JSON with it.

The parent never sleeps for a fixed time, because an end reports when it is ready. An end that fails or hangs is an
error. Its standard error is kept aside: the reason becomes a row, and a terminal shows no stack twice.
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
from typing import Any

PATIENCE_S = 120.0
PRINTED_NBYTES = 4096
"""So much of the end of standard error is looked at."""


class EndError(Exception):
    """One end failed. The message names the end and the reason."""


class Process:
    """The process of one end, and its lines."""

    def __init__(self, name: str, module: str | Sequence[str], task: dict[str, Any], fds: Sequence[int] = ()) -> None:
        """`module` is a module of this package, or a whole command line."""
        self.name = name
        command = [sys.executable, "-m", module] if isinstance(module, str) else list(module)
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process runs
        self.popen = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._printed,
            pass_fds=tuple(fds),
            start_new_session=True,
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
        """Reads the next line as a mapping."""
        line = self.line(patience_s)
        if line is None:
            raise EndError(f"{self.name}: {self.ending()}")
        record: dict[str, Any] = json.loads(line)
        if "error" in record:
            raise EndError(f"{self.name}: {record['error']}")
        return record

    @property
    def has_line(self) -> bool:
        """Whether a line is already in the buffer. Then the pipe itself may be empty."""
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
        """Returns the reason that the process gave before it ended, if any."""
        try:
            line = self.line(5.0)
            return str(json.loads(line).get("error")) if line else self.ending(5)
        except (EndError, subprocess.TimeoutExpired):
            return "it does not listen"

    def ending(self, patience_s: float | None = None) -> str:
        """Describes how the process ended, with the last line that it printed, unless it crashed."""
        status = self.popen.wait(patience_s)
        line = self.printed().rstrip().rpartition("\n")[2]
        return f"{ended(status)}: {line}" if status > 0 and line else ended(status)

    def printed(self) -> str:
        """Returns the end of what the process has printed to standard error."""
        size = os.fstat(self._printed.fileno()).st_size
        return os.pread(self._printed.fileno(), PRINTED_NBYTES, max(0, size - PRINTED_NBYTES)).decode(errors="replace")

    def kill(self) -> None:
        """Kills the process and every process that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.wait()
        for file in (self.popen.stdin, self.popen.stdout, self._printed):
            if file is not None:
                with contextlib.suppress(BrokenPipeError):
                    file.close()


def ended(status: int) -> str:
    """Describes how a process ended.

    >>> ended(-11)
    'crashed (signal 11, SIGSEGV)'
    """
    if status >= 0:
        return f"the process ended with status {status}"
    return f"crashed (signal {-status}, {signal.Signals(-status).name})"


def both(first: Process, second: Process, patience_s: float = PATIENCE_S) -> tuple[dict[str, Any], dict[str, Any]]:
    """Waits for the results of both ends, in any order.

    An end that fails is reported at once, even while the other end still runs.
    """
    waited = {p.popen.stdout.fileno(): p for p in (first, second) if p.popen.stdout is not None}
    found: dict[Process, dict[str, Any]] = {}
    while waited:
        # A receiver that fetches by itself need not wait for `go`. It may have sent its result with its "ready".
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
                # If one end fails, the other one sees a broken connection. The reason of the failed end is the one to
                # report.
                for other in waited.values() if "BrokenPipe" in str(error) or "ConnectionReset" in str(error) else ():
                    other.answer(5.0)
                raise
    return found[first], found[second]
