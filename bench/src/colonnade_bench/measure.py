"""One timed call: elapsed, user and system seconds; open, collect, touch and usable for a read."""

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
    """Seconds of one call. `cpu` beyond `elapsed` means that several cores worked."""

    elapsed_s: float
    user_s: float
    system_s: float


def timed(call: Callable[[], Any]) -> tuple[Any, Timing]:
    """The result of `call` and what it took."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    result = call()
    elapsed = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return result, Timing(elapsed, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime)


def touch_all(buffers: list[Any]) -> int:
    """One pass over every byte, by the one compiled helper."""
    from colonnade_bench._native import touch

    return touch(buffers)


def measure_read(
    read: Callable[[], Any], library: Library, self_timed: bool = False, touched: bool = True
) -> tuple[Any, dict[str, float]]:
    """Read once: *open* is a usable object of the library, *usable* adds one pass over every buffer and label.

    Collecting the list of buffers counts in *usable* (what an engine leaves undone until then is its own work),
    except where the library makes it slow through no fault of a reader (`Library.collect_timed`). Not `touched`: *open*
    alone.
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
    """Write once."""
    result, timing = timed(write)
    seconds = result if self_timed else timing.elapsed_s
    return {"usable_s": seconds, "user_s": timing.user_s, "system_s": timing.system_s}


def settle() -> None:
    """Before each timed call, for every engine alike: no garbage left over, what lives on is not scanned again."""
    gc.collect()
    gc.freeze()


def trim_heap() -> None:
    """Give the C library's free memory back, where it is glibc."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


WARM_MULTIPLE = 2.5
"""Memory that a call may ask for, as a multiple of the frame: what is sent, and what becomes of it."""


def prepare(nbytes: int, engine: Any = None) -> None:
    """Before a repetition: nothing is left over, and the host backs the memory that will be asked for."""
    if engine is not None:
        engine.forget()
    trim_heap()
    settle()
    warm_guest(int(nbytes * WARM_MULTIPLE))


def warm_guest(nbytes: int) -> None:
    """Have the host back `nbytes` of memory, then give all of it back to the guest's kernel.

    On a virtual machine, memory that the guest had freed may be gone to the host, and its first touch is many times
    slower than the second: an accident of the machine, not a property of an engine. The memory is mapped, touched
    and unmapped, so that the process's own pools stay empty; the call timed must follow within about two seconds.
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
