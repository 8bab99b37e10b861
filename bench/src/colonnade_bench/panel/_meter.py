"""Measures one repetition in one process: time, processor time, memory."""

from __future__ import annotations

import os
import resource
import time
from typing import Any

from colonnade_bench.memory import reset_peak, status

clock = time.monotonic


class Meter:
    """Measures the block that it surrounds.

    It records seconds by the clock that all processes share, processor time, and the growth of memory to its peak.
    """

    def __enter__(self) -> Meter:
        self.found: dict[str, Any] = {}
        reset_peak(os.getpid())
        held = status(os.getpid())
        self.base = held.get("RssAnon", 0) + held.get("RssFile", 0)
        self.usage = resource.getrusage(resource.RUSAGE_SELF)
        self.start = clock()
        return self

    def __exit__(self, *exc: object) -> None:
        end, usage = clock(), resource.getrusage(resource.RUSAGE_SELF)
        self.found = {
            "start": self.start,
            "end": end,
            "elapsed_s": end - self.start,
            "user_s": usage.ru_utime - self.usage.ru_utime,
            "system_s": usage.ru_stime - self.usage.ru_stime,
            "peak_nbytes": max(0, status(os.getpid()).get("VmHWM", 0) - self.base),
        }
