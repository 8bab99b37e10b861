"""What this process uses: the peak of its memory, and its descriptors."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class Growth:
    """`nbytes`: by how much the peak of memory in the block was above the memory at its begin."""

    nbytes = 0


@contextmanager
def peak_growth() -> Iterator[Growth]:
    """Skips the test where the system does not tell."""
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("no /proc/self/clear_refs")
    gc.collect()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = memory_nbytes("VmRSS")
    found = Growth()
    yield found
    found.nbytes = memory_nbytes("VmHWM") - before


def memory_nbytes(key: str = "VmRSS") -> int:
    """`VmRSS` is what there is now, `VmHWM` its peak."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(key))


def descriptors() -> int:
    """How many are open."""
    return len(os.listdir("/proc/self/fd"))
