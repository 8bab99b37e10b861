"""Defines a session: a transport applied to one cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine


class Session:
    """One cell's use of a transport. `write` and `read` are timed, the other calls are not.

    Another process than the writer can read `persistent` sessions.
    """

    persistent = False

    def __init__(self, engine: Engine, cell: Cell, directory: Path) -> None:
        self.engine, self.cell, self.directory = engine, cell, directory

    def write(self, data: Any) -> Any:
        raise NotImplementedError

    def read(self) -> Any:
        raise NotImplementedError

    def by_column(self, names: Sequence[str]) -> Iterator[Any]:
        """Yields each of these columns, read separately."""
        raise NotImplementedError

    def leaf(self, leaf: tuple[str, str]) -> Any:
        """Returns one field of the records in a column of lists."""
        raise NotImplementedError

    def expected(self, data: Any) -> Any:
        """Returns the expected result of a read: all data, unless the cell reads only a part."""
        return data

    def establish(self, data: Any) -> None:
        """Prepares the data that reads need."""
        self.clear()
        self.write(data)

    def prepare(self) -> None:
        """Prepares what a timed read needs, such as bytes in memory."""

    def clear(self) -> None:
        """Deletes the output, so that the next write uses a free name."""

    def exists(self) -> bool:
        """Whether there is output for a write to replace."""
        return True

    def wire_nbytes(self) -> int:
        """Returns the bytes on the wire or on the disk."""
        raise NotImplementedError
