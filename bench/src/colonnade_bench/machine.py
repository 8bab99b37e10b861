"""Describes the machine of a measurement: processor, memory, page-size policy, kernel, versions, load."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from colonnade_bench.engines import ENGINES

VARIABLES = (
    "COLONNADE_THREADS",
    "ARROW_DEFAULT_MEMORY_POOL",
    "OMP_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "MALLOC_ARENA_MAX",
)


def describe(directory: Path, engines: Iterable[str]) -> dict[str, Any]:
    """Returns the record that opens every results file."""
    versions = {"python": platform.python_version(), "numpy": _numpy()}
    for name in engines:
        if reason_missing(name) is None:
            versions.update(versions_of(name))
    return {
        "kind": "machine",
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "caches": caches(),
        "memory_nbytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "page_nbytes": os.sysconf("SC_PAGE_SIZE"),
        "transparent_hugepage": {name: policy(name) for name in ("enabled", "defrag", "shmem_enabled")},
        "file_system": file_system(directory),
        "load": load(),
        "versions": versions,
        "core_build": build(),
        "environment": {name: os.environ[name] for name in VARIABLES if name in os.environ},
        "byteorder": sys.byteorder,
    }


def reason_missing(engine: str) -> str | None:
    """Says why an engine is missing. If a third-party engine raises an error here, the error is the reason."""
    try:
        return ENGINES[engine].missing()
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:300]


def versions_of(engine: str) -> dict[str, str]:
    """Returns the versions that the engine reports. An error of a third-party engine does not stop the measurement."""
    try:
        return ENGINES[engine].versions()
    except Exception as error:
        return {engine: f"unknown: {type(error).__name__}"}


def load() -> list[float]:
    """Returns load averages of 1, 5 and 15 minutes. Other work at the same time makes figures worthless."""
    return [round(value, 2) for value in os.getloadavg()]


def build() -> str:
    """Identifies the build of the core on disk, so that the report can show a rebuild in the middle of a run."""
    spec = importlib.util.find_spec("colonnade._core")
    if spec is None or spec.origin is None:
        return "none"
    found = os.stat(spec.origin)
    return f"{found.st_size}-{found.st_mtime_ns}"


def processor() -> str:
    """Returns the name that the processor reports."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def caches() -> dict[str, str]:
    """Returns the sizes of the first core's caches as the system reports them, such as ``{"L2": "1024K"}``."""
    out = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind != "Instruction":
            out[f"L{level}"] = size
    return out


def policy(name: str) -> str:
    """Returns the active value of a transparent huge page setting, such as ``madvise``."""
    try:
        text = Path(f"/sys/kernel/mm/transparent_hugepage/{name}").read_text()
    except OSError:
        return "unknown"
    return text.partition("[")[2].partition("]")[0] or text.strip()


def file_system(directory: Path) -> str:
    """Returns the type of the file system that holds `directory`."""
    best, kind = "", "unknown"
    try:
        mounts = Path("/proc/mounts").read_text().splitlines()
    except OSError:
        return kind
    real = str(directory.resolve())
    for line in mounts:
        _, point, name, *_ = line.split()
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, name
    return kind


def _numpy() -> str:
    import numpy as np

    return np.__version__
