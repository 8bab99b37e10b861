"""Times one call: elapsed, user and system seconds, and for a read open, collect, touch and usable."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from colonnade_bench.libraries import Library


@dataclass
class Timing:
    """Seconds of one call. If `cpu` exceeds `elapsed`, several cores worked."""

    elapsed_s: float
    user_s: float
    system_s: float


def timed(call: Callable[[], Any]) -> tuple[Any, Timing]:
    """Returns the result of `call` and its timing."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    result = call()
    elapsed = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return result, Timing(elapsed, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime)


def touch_all(buffers: list[Any]) -> int:
    """Passes over every byte once, with the compiled toucher."""
    from colonnade_bench._native import touch

    return touch(buffers)


def measure_read(
    read: Callable[[], Any], library: Library, self_timed: bool = False, touched: bool = True
) -> tuple[Any, dict[str, float]]:
    """Reads once. *open* ends with an object of the library, *usable* adds one pass over every buffer and label.

    *usable* includes collecting the list of buffers, because an engine may leave work undone until then.
    `Library.collect_timed` excludes it where the library itself is slow. Without `touched`, only *open* is measured.
    """
    if self_timed:
        seconds, timing = timed(read)
        return None, {"open_s": seconds, "usable_s": seconds, "user_s": timing.user_s, "system_s": timing.system_s}
    result, timing = timed(read)
    if not touched:
        return result, {"open_s": timing.elapsed_s, "user_s": timing.user_s, "system_s": timing.system_s}
    buffers, collecting = timed(lambda: library.buffers(result))
    _, touching = timed(partial(touch_all, buffers))
    parts = [timing, touching, *([collecting] if library.collect_timed else [])]
    return result, {
        "open_s": timing.elapsed_s,
        "collect_s": collecting.elapsed_s,
        "touch_s": touching.elapsed_s,
        "usable_s": sum(part.elapsed_s for part in parts),
        "user_s": sum(part.user_s for part in parts),
        "system_s": sum(part.system_s for part in parts),
    }


def measure_write(write: Callable[[], Any], self_timed: bool = False) -> dict[str, float]:
    """Writes once."""
    result, timing = timed(write)
    seconds = result if self_timed else timing.elapsed_s
    return {"usable_s": seconds, "user_s": timing.user_s, "system_s": timing.system_s}


def settle() -> None:
    """Collects garbage and freezes living objects before each timed call, for every engine alike."""
    gc.collect()
    gc.freeze()


def trim_heap() -> None:
    """Returns the C library's free memory to the system, if the library is glibc."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


WARM_MULTIPLE = 2.5
"""Memory that a call may need, as a multiple of the frame: the bytes sent plus the result."""


def prepare(nbytes: int, engine: Any = None) -> None:
    """Prepares a repetition: empties caches, and has the host back the memory that the call will need."""
    if engine is not None:
        engine.forget()
    trim_heap()
    settle()
    warm_guest(int(nbytes * WARM_MULTIPLE))


def warm_guest(nbytes: int) -> None:
    """Makes the host back `nbytes` of memory, then returns all of it to the guest's kernel.

    On a virtual machine the host may have reclaimed memory that the guest freed. Its first touch is then many times
    slower than the second. This depends on the machine, not on the engine. The function maps, touches and unmaps the
    memory, so that the process's own pools stay empty. The timed call must follow within about two seconds.
    """
    if nbytes <= 0:
        return
    region = mmap.mmap(-1, nbytes)
    try:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            region.madvise(mmap.MADV_HUGEPAGE)
        view = np.frombuffer(region, dtype=np.uint8)
        view[:: mmap.PAGESIZE] = 1
        del view
    finally:
        region.close()
