"""Transports by name: how bytes get from writer to reader. `file` and `memory` are here; moving ones come later.

A transport makes a `Session` for one cell. `write` and `read` are timed; `clear` and `wire_nbytes` are not.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from colonnade.bench.engines.base import Engine
from colonnade.bench.registry import Registry
from colonnade.bench.spec import Cell


class Session:
    """One cell's passage. `persistent` ones can be read by another process than the one that wrote."""

    persistent = False

    def __init__(self, engine: Engine, cell: Cell, directory: Path) -> None:
        self.engine, self.cell, self.directory = engine, cell, directory

    def write(self, data: Any) -> Any:
        raise NotImplementedError

    def read(self) -> Any:
        raise NotImplementedError

    def clear(self) -> None:
        """Take away what was written, so that the next write meets a fresh name."""

    def exists(self) -> bool:
        """Whether something is there for a write to replace."""
        return True

    def wire_nbytes(self) -> int:
        """Bytes that went over the wire or lie on the disk."""
        raise NotImplementedError


class FileSession(Session):
    """A file (or a directory of files) on a local file system."""

    persistent = True

    @property
    def path(self) -> Path:
        # No suffix of ours: every engine is told its format, none has to guess it.
        return self.directory / self.cell.slug

    def write(self, data: Any) -> Any:
        return self.engine.write(data, self.path, self.cell)

    def read(self) -> Any:
        return self.engine.read(self.path, self.cell)

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
    """Conversion in memory: encode to one bytes-like object, decode from it."""

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
