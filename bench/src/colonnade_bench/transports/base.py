"""What a transport makes for one cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine


class Session:
    """One cell's passage. `write` and `read` are timed, the other calls are not.

    `persistent` ones can be read by another process than the one that wrote.
    """

    persistent = False

    def __init__(self, engine: Engine, cell: Cell, directory: Path) -> None:
        self.engine, self.cell, self.directory = engine, cell, directory

    def write(self, data: Any) -> Any:
        raise NotImplementedError

    def read(self) -> Any:
        raise NotImplementedError

    def by_column(self, names: Sequence[str]) -> Iterator[Any]:
        """Each of these columns by itself."""
        raise NotImplementedError

    def leaf(self, leaf: tuple[str, str]) -> Any:
        """One field of the records in a column of lists."""
        raise NotImplementedError

    def expected(self, data: Any) -> Any:
        """What reading shall give: all of it, but for those who ask for less."""
        return data

    def establish(self, data: Any) -> None:
        """Make what reads shall find."""
        self.clear()
        self.write(data)

    def prepare(self) -> None:
        """What must be there before a timed read, such as bytes in memory."""

    def clear(self) -> None:
        """Take away what was written, so that the next write meets a fresh name."""

    def exists(self) -> bool:
        """Whether something is there for a write to replace."""
        return True

    def wire_nbytes(self) -> int:
        """Bytes that went over the wire or lie on the disk."""
        raise NotImplementedError
