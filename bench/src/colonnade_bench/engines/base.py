"""What an engine is: something that turns an in-memory object into bytes and back."""

from __future__ import annotations

import importlib.util
import io
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from colonnade_bench.cell import Cell


class Engine:
    """One way to keep a DataFrame. Subclasses fill in the attributes and the four calls.

    An engine is used through its ordinary API at its defaults. What a call needs beyond the cell (imports, option
    objects) is done inside it, as a user's call would.

    Attributes
    ----------
    name : str
    modules : tuple of str
        Modules that must be importable.
    distributions : tuple of str
        Whose versions are recorded.
    install : str
        The line that installs it.
    formats : mapping of format to codecs
    given : tuple of str
        Formats it reads from a stream of record batches that another engine made (transport ``given``).
    libraries : tuple of str
        In-memory types it takes and gives.
    security : str
        Can reading run code? Is there a checksum?
    panel : tuple of (format, codec)
        Its rows in a panel: its own defaults, and a tuned one where that is usual.
    streams : tuple of str
        Formats that it writes to and reads from an open stream; others are measured as one buffer.
    spooled : bool
        It knows files alone: `encode` and `decode` go by way of a temporary one (`Spooled`).
    ends : bool
        `write_stream` and `read_stream` are given the socket or the descriptor itself, not a file object over it.
    runs_code : bool
        Reading what a stranger has made can run code: such bytes are never taken from another host.
    self_timed : bool
        The calls return their own seconds (limits only).
    """

    name = ""
    modules: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    install = ""
    formats: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    given: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    security = ""
    panel: tuple[tuple[str, str], ...] = ()
    streams: tuple[str, ...] = ()
    spooled = False
    ends = False
    runs_code = False
    self_timed = False

    def missing(self) -> str | None:
        """Why this engine cannot run here, with the line that installs it; None where it can."""
        for module in self.modules:
            try:
                found = importlib.util.find_spec(module) is not None
            except (ImportError, ValueError):
                found = False
            if not found:
                return f"{module} is not installed; {self.install}"
        return None

    def versions(self) -> dict[str, str]:
        """Distribution name to version."""
        return {name: metadata.version(name) for name in self.distributions}

    def security_of(self, format: str) -> str:
        """The same of one format, where an engine's differ."""
        return self.security

    def supports(self, cell: Cell) -> bool:
        """Whether this combination exists at all (a file suffix aside, most do)."""
        return True

    def write(self, data: Any, path: Path, cell: Cell) -> Any:
        """Write `data` to `path` (a file, or a directory where the format is one)."""
        raise NotImplementedError

    def read(self, path: Path, cell: Cell) -> Any:
        """Read `path` into an object of ``cell.library``."""
        raise NotImplementedError

    def by_column(self, path: Path, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        """Each of these columns, as ``cell.library`` holds one: read when its turn comes, and none of them kept."""
        raise NotImplementedError

    def leaf(self, path: Path, cell: Cell, leaf: tuple[str, str]) -> Any:
        """One field of the records that the lists of a column hold, and as little else as can be."""
        raise NotImplementedError

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        """One column, or some rows, of a file as a frame of ``cell.library``, and as little else as can be."""
        raise NotImplementedError

    def first_chunk(self, path: Path, cell: Cell) -> Any:
        """The first rows of a file, as many as its writer put together, before the others are read."""
        raise NotImplementedError

    def encode(self, data: Any, cell: Cell) -> Any:
        """`data` as one bytes-like object."""
        raise NotImplementedError

    def decode(self, buffer: Any, cell: Cell) -> Any:
        """An object of ``cell.library`` from what `encode` gave."""
        raise NotImplementedError

    def write_stream(self, data: Any, stream: Any, cell: Cell) -> None:
        """Write `data` to a binary file object that another process reads meanwhile."""
        raise NotImplementedError

    def read_stream(self, stream: Any, cell: Cell) -> Any:
        """An object of ``cell.library`` out of a binary file object, and nothing behind it."""
        raise NotImplementedError

    def foresee(self, buffer: Any, cell: Cell) -> None:
        """What a program has written down ahead of what it is given, such as a schema. Not timed."""

    def forget(self) -> None:
        """Give cached memory back, so that the next call meets an empty pool."""


class InMemory(Engine):
    """An engine whose files may as well be a `BytesIO`."""

    def encode(self, data: Any, cell: Cell) -> Any:
        sink = io.BytesIO()
        self.write(data, sink, cell)  # type: ignore[arg-type]
        return sink.getvalue()  # what reads it again shares these bytes, and would copy a view

    def decode(self, buffer: Any, cell: Cell) -> Any:
        return self.read(io.BytesIO(buffer), cell)  # type: ignore[arg-type]


class Spooled(Engine):
    """An engine of files alone: in memory it goes by way of a temporary file, and its user pays for that too."""

    spooled = True

    def encode(self, data: Any, cell: Cell) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"table.{cell.format}"
            self.write(data, path, cell)
            return path.read_bytes()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"table.{cell.format}"
            path.write_bytes(buffer)
            return self.read(path, cell)
