"""Waits until nothing else uses the machine, so that a build in another window does not become a figure.

Linux counts the busy time of all cores. Without the time of the measured processes, it is the time of other work.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_CORES = 0.5
"""Cores that other work may use. The kernel's own threads and an editor stay below this."""
WINDOW_S = 0.2
PATIENCE_S = 1800.0
"""After this time the point is measured in any case. Its record has the load."""


@dataclass(frozen=True)
class Busy:
    """The busy time of all cores, and the time of the clock, both in seconds."""

    busy_s: float
    clock_s: float

    @classmethod
    def now(cls) -> Busy | None:
        """None where the system does not count it."""
        try:
            with open("/proc/stat", encoding="ascii") as file:
                user, nice, system, _idle, _wait, *interrupts = map(int, file.readline().split()[1:8])
        except (OSError, ValueError):
            return None
        return cls((user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK"), time.monotonic())


def cpu_s(pids: Sequence[int]) -> float:
    """Seconds of processor time of these processes and of their ended children."""
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def other_cores(before: Busy, after: Busy, own_s: float = 0.0) -> float:
    """The cores that other work used between two times.

    >>> other_cores(Busy(10.0, 0.0), Busy(13.0, 2.0), own_s=1.0)
    1.0
    """
    return max(0.0, after.busy_s - before.busy_s - own_s) / max(after.clock_s - before.clock_s, 1e-9)


def wait(
    since: Busy | None, pids: Sequence[int], over: Callable[[], bool], note: Callable[[str], None] | None = None
) -> float:
    """Waits while other work uses the machine. Returns the seconds of waiting.

    `since` is a time before the processes `pids` started. If nothing else ran since then, there is no wait at all.
    """
    after = Busy.now()
    if since is None or after is None or other_cores(since, after, cpu_s(pids)) <= MOST_CORES:
        return 0.0
    begin = time.monotonic()
    while time.monotonic() - begin < PATIENCE_S and not over():
        before, own_s = Busy.now(), cpu_s(pids)
        time.sleep(WINDOW_S)
        after = Busy.now()
        if before is None or after is None:
            break
        cores = other_cores(before, after, cpu_s(pids) - own_s)
        if cores <= MOST_CORES:
            break
        if note is not None:
            note(f"waiting: other work uses {cores:.1f} cores")
            note = None
    return time.monotonic() - begin
