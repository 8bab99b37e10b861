"""Lists the transports, which move bytes from writer to reader, by name. `moving` has those between processes.

`file` and `memory` return an engine's output to the same engine. `given` gives every engine the same bytes.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.engines.parquet_io import some
from colonnade_bench.registry import Registry
from colonnade_bench.transports.base import Session
from colonnade_bench.transports.given import GivenSession


class FileSession(Session):
    """A file (or a directory of files) on a local file system.

    Option ``of="pandas feather"``: another engine wrote the file, from a library that it supports.
    """

    persistent = True

    @property
    def writer(self) -> Cell:
        """The cell whose engine writes the file."""
        if "of" not in self.cell.option:
            return self.cell
        engine, fmt = self.cell.option["of"].split()
        library = self.cell.library if self.cell.library in ENGINES[engine].libraries else ENGINES[engine].libraries[0]
        return replace(self.cell, engine=engine, format=fmt, library=library, options=())

    @property
    def path(self) -> Path:
        # The file has no suffix. Every engine receives its format, so none has to guess.
        return self.directory / self.writer.slug

    def establish(self, data: Any) -> None:
        if self.writer == self.cell or not self.exists():
            super().establish(data)

    def write(self, data: Any) -> Any:
        return ENGINES[self.writer.engine].write(data, self.path, self.writer)

    def read(self) -> Any:
        return self.engine.read(self.path, self.cell)

    def by_column(self, names: Sequence[str]) -> Iterator[Any]:
        return self.engine.by_column(self.path, self.cell, names)

    def leaf(self, leaf: tuple[str, str]) -> Any:
        return self.engine.leaf(self.path, self.cell, leaf)

    def expected(self, data: Any) -> Any:
        columns = some(self.cell)
        return data if columns is None else data[columns]

    def exists(self) -> bool:
        return self.path.exists()

    def clear(self) -> None:
        if self.path.is_dir():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)

    def wire_nbytes(self) -> int:
        if self.path.is_dir():
            return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())
        return self.path.stat().st_size


class MemorySession(Session):
    """Conversion in memory: encodes to one bytes-like object and decodes from it."""

    payload: Any = None

    def write(self, data: Any) -> None:
        self.payload = self.engine.encode(data, self.cell)

    def read(self) -> Any:
        return self.engine.decode(self.payload, self.cell)

    def clear(self) -> None:
        self.payload = None

    def wire_nbytes(self) -> int:
        return memoryview(self.payload).nbytes


TRANSPORTS: Registry[type[Session]] = Registry("transport")
TRANSPORTS.add("file", FileSession)
TRANSPORTS.add("memory", MemorySession)
TRANSPORTS.add("given", GivenSession)

__all__ = ["TRANSPORTS", "FileSession", "GivenSession", "MemorySession", "Session"]
