"""The machine's own limits, run like engines, so that they stand in the same rounds as what they bound."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines.base import Engine
from colonnade_bench.libraries import LIBRARIES


def threads() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


class Limit(Engine):
    """As many bytes as the frame holds, and nothing done with them.

    Formats: ``write`` (a bare write), ``write-reserve`` (one that reserves its space first); both read back by a bare
    parallel `pread`. Option ``fresh=True`` reads into memory that was never touched.
    ``copy``: a given stream's bytes copied into recycled huge-page memory by all threads, with ordinary stores or
    (``streaming=True``) with stores that bypass the cache. ``fill``: as many bytes as the frame has, written once into
    recycled huge-page memory by all threads.
    The calls return the seconds the helper itself measured: making its source memory is outside.
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

        if cell.format == "fill":  # there is nothing to be read: the file says how many bytes it would be
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

        # As many bytes as the frame has: a stream of small chunks is longer, by its headers.
        nbytes = getattr(DATASETS[cell.dataset], "frame_nbytes", lambda size: len(buffer))(cell.size)
        source = memoryview(buffer)[: min(nbytes, len(buffer))]
        return limit_copy(source, threads(), 1, bool(cell.option.get("streaming", False)))[0]

    def forget(self) -> None:
        from colonnade_bench._native import release

        release()
