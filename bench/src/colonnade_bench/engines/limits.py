"""The machine's own limits. They run like engines, in the same rounds as the engines that they bound."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines.base import Engine
from colonnade_bench.libraries import LIBRARIES


def threads() -> int:
    """Returns the number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


class Limit(Engine):
    """Moves as many bytes as the frame holds, without any processing.

    Formats: ``write`` (a bare write) and ``write-reserve`` (reserves its space first). A bare parallel `pread` reads
    both. Option ``fresh=True`` reads into memory that was never touched. ``copy`` copies a given stream's bytes into
    recycled huge-page memory with all threads. Its stores are ordinary, or bypass the cache (``streaming=True``).
    ``fill`` writes as many bytes as the frame has once into recycled huge-page memory with all threads. The calls
    return the seconds that the helper measured, which exclude making its source memory.
    """

    name = "limit"
    modules = ("colonnade_bench._native",)
    install = "build it with `make`"
    formats: ClassVar = {"write": ("none",), "write-reserve": ("none",), "copy": ("none",), "fill": ("none",)}
    given = ("copy",)
    libraries = ("static-frame", "pandas")
    security = "not a format"
    self_timed = True

    def supports(self, cell: Cell) -> bool:
        return cell.transport == ("given" if cell.format == "copy" else "file")

    def write(self, data: Any, path: Path, cell: Cell) -> float:
        from colonnade_bench._native import limit_write

        if cell.format == "fill":  # the file only states the number of bytes, so nothing is read
            path.write_text(str(LIBRARIES[cell.library].nbytes(data)))
            return 0.0
        nbytes = LIBRARIES[cell.library].nbytes(data)
        return limit_write(str(path), nbytes, cell.format == "write-reserve", path.exists())

    def read(self, path: Path, cell: Cell) -> float:
        from colonnade_bench._native import limit_fill, limit_pread

        if cell.format == "fill":
            return limit_fill(int(path.read_text()), cell.option.get("threads", threads()))
        return limit_pread(str(path), threads(), bool(cell.option.get("fresh", False)))

    def decode(self, buffer: Any, cell: Cell) -> float:
        from colonnade_bench._native import limit_copy

        # The copy has the frame's number of bytes. A stream of small chunks is longer because of its headers.
        nbytes = getattr(DATASETS[cell.dataset], "frame_nbytes", lambda size: len(buffer))(cell.size)
        source = memoryview(buffer)[: min(nbytes, len(buffer))]
        return limit_copy(source, threads(), 1, bool(cell.option.get("streaming", False)))[0]

    def forget(self) -> None:
        from colonnade_bench._native import release

        release()
