"""The default number of threads: the cores that this process may use."""

import functools
import os
import sys
from operator import index

from ..errors import OptionError

_VARIABLE = "COLONNADE_THREADS"


def check_threads(threads: int | None) -> int | None:
    """`threads` as an int of at least 1, or None."""
    if threads is None:
        return None
    if isinstance(threads, bool) or not hasattr(type(threads), "__index__"):
        raise OptionError(f"threads: expected an int of at least 1 or None, found {threads!r}.")
    try:
        count = index(threads)
    except TypeError:  # an array of several values, say
        count = 0
    if count < 1:
        raise OptionError(f"threads: expected an int of at least 1 or None, found {threads!r}.")
    return count


def resolve_threads(threads: int | None, otherwise: int | None = None) -> int:
    """The number of threads: `threads`, else `otherwise`, else the environment variable, else the usable cores."""
    nthreads = check_threads(otherwise if threads is None else threads)
    if nthreads is not None:
        return nthreads
    text = os.environ.get(_VARIABLE, "")
    if text:
        try:
            count = int(text)
        except ValueError:
            count = 0
        if count < 1:
            raise OptionError(f"{_VARIABLE}: expected a whole number of at least 1, found {text!r}.")
        return count
    if _in_worker():
        return 1
    return usable_cores()


def usable_cores() -> int:
    """Cores of this process's affinity mask, or of its cgroup's quota where that is less."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _cgroup_cores()
    return max(1, min(cores, quota) if quota else cores)


@functools.cache
def _cgroup_cores() -> int | None:
    """The whole cores (rounded up) that the cgroups above this process grant; None where there is no quota."""
    try:
        lines = _text("/proc/self/cgroup").splitlines()
    except OSError:
        return None
    found: list[int] = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            root, read = "/sys/fs/cgroup", _quota_v2
        elif "cpu" in controllers.split(","):
            root, read = "/sys/fs/cgroup/cpu", _quota_v1
        else:
            continue
        # Quotas of parent groups apply too. Inside a container the path may not exist; the root is then the group.
        names = path.strip("/").split("/") if path.strip("/") else []
        for length in range(len(names), -1, -1):
            cores = read("/".join([root, *names[:length]]))
            if cores is not None:
                found.append(cores)
    return min(found) if found else None


def _text(path: str) -> str:
    # `pathlib` takes longer to import than all that is done here.
    with open(path) as file:
        return file.read()


def _quota_v2(folder: str) -> int | None:
    try:
        quota, period = _text(f"{folder}/cpu.max").split()
        return None if quota == "max" else max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return None


def _quota_v1(folder: str) -> int | None:
    try:
        quota = int(_text(f"{folder}/cpu.cfs_quota_us"))
        period = int(_text(f"{folder}/cpu.cfs_period_us"))
        return max(1, -(-quota // period)) if quota > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _in_worker() -> bool:
    """Inside a Dask or Ray worker, whose scheduler already runs one task a core. Looks only at what is imported."""
    distributed = sys.modules.get("distributed.worker")
    if distributed is not None:
        try:
            distributed.get_worker()
            return True
        except (AttributeError, ValueError):
            pass
    ray = sys.modules.get("ray")
    if ray is not None:
        try:
            return bool(ray.is_initialized()) and ray.get_runtime_context().worker.mode == ray.WORKER_MODE
        except Exception:  # Not a public API of Ray, so any other result is ignored.
            return False
    return False
