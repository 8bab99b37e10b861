"""Samples the peak memory of another process from /proc.

The parent watches from outside. A thread of the measured process would wait for the interpreter's lock while the engine
works. `RssAnon` counts the private dirty pages (anonymous memory and private copies of file pages). `RssFile` counts
the file-backed pages. Both are sampled about every 0.2 ms, so a shorter peak can be missed. `VmHWM`, the kernel's own
high-water mark of both together, misses only some pages that each processor has not yet summed up. It is recorded too.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

FIELDS = ("RssAnon", "RssFile", "VmHWM")
INTERVAL_S = 0.0002


def status(pid: int) -> dict[str, int]:
    """Returns the bytes of the `FIELDS` of a process. Empty if the process has gone or the system has no /proc."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    out = {}
    for line in text.splitlines():
        key, _, rest = line.partition(":")
        if key in FIELDS:
            out[key] = int(rest.split()[0]) * 1024
    return out


def private_dirty(pid: int | str = "self") -> int:
    """Reads `Private_Dirty` from /proc/PID/smaps_rollup.

    It is exact and slow, so it measures the state after a call.
    """
    return _rollup(pid, "Private_Dirty")


def anonymous(pid: int | str = "self") -> int:
    """Reads `Anonymous` from /proc/PID/smaps_rollup: memory of no file. It is exact, as `status` is not."""
    return _rollup(pid, "Anonymous")


def _rollup(pid: int | str, field: str) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def reset_peak(pid: int) -> bool:
    """Sets the kernel's high-water mark to the present size. False if the system does not permit it."""
    try:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    except OSError:
        return False
    return True


class Watch:
    """Samples a process from entering the block to leaving it.

    After the block, `growth` gives the bytes by which each field's peak exceeds its value at the start.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.growth: dict[str, int] = {}
        self.samples = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Watch:
        reset_peak(self.pid)
        self._start = status(self.pid)
        self._peak = dict(self._start)
        self._thread.start()
        return self

    def _sample(self) -> None:
        while not self._stop.is_set():
            self._take()
            time.sleep(INTERVAL_S)

    def _take(self) -> None:
        for key, value in status(self.pid).items():
            self._peak[key] = max(self._peak.get(key, 0), value)
        self.samples += 1

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._thread.join()
        self._take()
        base = self._start.get("RssAnon", 0) + self._start.get("RssFile", 0)
        self.growth = {key: self._peak.get(key, 0) - self._start.get(key, 0) for key in ("RssAnon", "RssFile")}
        self.growth["total"] = self._peak.get("VmHWM", 0) - base
