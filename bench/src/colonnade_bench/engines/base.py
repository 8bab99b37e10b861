"""Defines an engine, which converts an in-memory object to bytes and back."""

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
    """One way to store a DataFrame. Subclasses fill in the attributes and the four calls.

    An engine is used through its ordinary API with its defaults. A call includes everything else that it needs
    (imports, option objects), as in a user's program.

    Attributes
    ----------
    name : str
    modules : tuple of str
        Modules that must be importable.
    distributions : tuple of str
        Distributions whose versions are recorded.
    install : str
        The command that installs it.
    formats : mapping of format to codecs
    calls : mapping of format to text
        The call that writes the data, as a user would write it. ``df`` is a DataFrame of pandas or R, ``table`` a
        pyarrow Table, ``frame`` a DataFrame of polars or static-frame. ``{codec|x}`` becomes the codec in quotes, or
        ``x`` without one; ``{word}`` a word of SQL, ``{r_codec}`` a value of R.
    labels : mapping of format to text
        What a reader sees instead of a format whose own name says little, in brackets after the engine.
    given : tuple of str
        Formats that it reads from a stream of record batches of another engine (transport ``given``).
    libraries : tuple of str
        The in-memory types that it supports.
    security : str
        Whether reading can run code, and whether there is a checksum.
    note : str
        How it is used, in one or two sentences: which call, which options, why.
    notes : mapping of "format" or "format codec" to str
        The same for rows that differ from `note`, such as tuned ones.
    panel : tuple of (format, codec)
        Its rows in a panel: its defaults, and a tuned row if tuning is usual.
    panel_libraries : tuple of str
        The in-memory types of its rows in a panel: what the library's users have, then others, which are named.
    withheld : tuple of str
        The parts of a frame ("index") that the benchmark does not pass on to it. Their loss is not the engine's.
    streams : tuple of str
        Formats that it writes to and reads from an open stream. Others are measured as one buffer.
    spooled : bool
        It supports only files: `encode` and `decode` use a temporary file (`Spooled`).
    ends : bool
        `write_stream` and `read_stream` take the socket or the descriptor itself instead of a file object.
    runs_code : bool
        Reading untrusted data can run code. Such data is never accepted from another host.
    self_timed : bool
        The calls return their own seconds (limits only).
    """

    name = ""
    modules: tuple[str, ...] = ()
    distributions: tuple[str, ...] = ()
    install = ""
    formats: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    calls: ClassVar[Mapping[str, str]] = {}
    labels: ClassVar[Mapping[str, str]] = {}
    given: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    security = ""
    note = ""
    notes: ClassVar[Mapping[str, str]] = {}
    panel: tuple[tuple[str, str], ...] = ()
    panel_libraries: tuple[str, ...] = ("pandas",)
    withheld: tuple[str, ...] = ()
    streams: tuple[str, ...] = ()
    spooled = False
    ends = False
    runs_code = False
    self_timed = False

    def missing(self) -> str | None:
        """Says why this engine cannot run here, with the command that installs it. None if it can run."""
        for module in self.modules:
            try:
                found = importlib.util.find_spec(module) is not None
            except (ImportError, ValueError):
                found = False
            if not found:
                return f"{module} is not installed; {self.install}"
        return None

    def versions(self) -> dict[str, str]:
        """Maps distribution names to versions."""
        return {name: metadata.version(name) for name in self.distributions}

    def security_of(self, format: str) -> str:
        """Returns the security note of one format, for engines whose formats differ."""
        return self.security

    def note_of(self, format: str, codec: str = "none") -> str:
        """Returns how a row is used: the note of its format and codec, of its format, or of the engine."""
        return self.notes.get(f"{format} {codec}") or self.notes.get(format) or self.note

    def supports(self, cell: Cell) -> bool:
        """Whether the engine supports this combination."""
        return True

    def write(self, data: Any, path: Path, cell: Cell) -> Any:
        """Writes `data` to `path` (a file, or a directory if the format is one)."""
        raise NotImplementedError

    def read(self, path: Path, cell: Cell) -> Any:
        """Reads `path` into an object of ``cell.library``."""
        raise NotImplementedError

    def by_column(self, path: Path, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        """Yields each of these columns in the type of ``cell.library``. It reads each on demand and keeps none."""
        raise NotImplementedError

    def leaf(self, path: Path, cell: Cell, leaf: tuple[str, str]) -> Any:
        """Reads one field of the records in a column of lists, and as little else as possible."""
        raise NotImplementedError

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        """Reads one column, or some rows, of a file as a frame of ``cell.library``, and as little else as possible."""
        raise NotImplementedError

    def first_chunk(self, path: Path, cell: Cell) -> Any:
        """Reads the first chunk of rows of a file, as its writer made it, and no other rows."""
        raise NotImplementedError

    def encode(self, data: Any, cell: Cell) -> Any:
        """Encodes `data` as one bytes-like object."""
        raise NotImplementedError

    def decode(self, buffer: Any, cell: Cell) -> Any:
        """Decodes the result of `encode` to an object of ``cell.library``."""
        raise NotImplementedError

    def write_stream(self, data: Any, stream: Any, cell: Cell) -> None:
        """Writes `data` to a binary file object while another process reads from it."""
        raise NotImplementedError

    def read_stream(self, stream: Any, cell: Cell) -> Any:
        """Reads an object of ``cell.library`` from a binary file object, and nothing after it."""
        raise NotImplementedError

    def foresee(self, buffer: Any, cell: Cell) -> None:
        """Prepares knowledge that a program has in advance about its data, such as a schema. Not timed."""

    def forget(self) -> None:
        """Returns cached memory to the system, so that the next call starts with an empty pool."""


class InMemory(Engine):
    """An engine whose files can also be a `BytesIO`."""

    def encode(self, data: Any, cell: Cell) -> Any:
        sink = io.BytesIO()
        self.write(data, sink, cell)  # type: ignore[arg-type]
        return sink.getvalue()  # the reader shares these bytes, but would copy a view

    def decode(self, buffer: Any, cell: Cell) -> Any:
        return self.read(io.BytesIO(buffer), cell)  # type: ignore[arg-type]


class Spooled(Engine):
    """An engine that supports only files. In memory it uses a temporary file, whose cost its user pays too."""

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
