"""Colonnade itself, through its public API with its defaults, like every other engine."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine
from colonnade_bench.engines.leaves import field_of_items
from colonnade_bench.engines.parquet_io import some
from colonnade_bench.engines.text_io import TABLES

OPTIONS = ("numbers", "orient", "transform", "profile")
"""Options of a cell that are options of `cn.write`."""
CHUNKED = ("arrow", "arrows", "parquet", "msgpack", "csv", "ndjson")
"""Formats that `cn.open_reader` reads chunk by chunk."""
TEXT = ("csv", "ndjson", "json", "yaml")
CHECKSUMS = {
    "npz": "CRC-32 of each member, compared on request and for compressed members",
    "parquet": "CRC-32 of each page, compared on request",
}
PROFILES = ("fast", "small")
"""Codecs of a cell that are profiles of `cn.write`."""
SCHEMA = "csv-schema"
"""CSV whose first line holds the properties that CSV itself cannot express."""


class Colonnade(Engine):
    """`cn.write` / `cn.read` of NPZ files, NPY directories, Arrow files and streams, Parquet, MessagePack, text.

    ``csv`` is plain; ``csv-schema``, ``json``, ``ndjson`` and ``yaml`` are written with ``schema="header"``. Streams
    are Arrow's, over a descriptor or a socket, because `cn.read` reads a buffered file object to its end.
    """

    name = "colonnade"
    modules = ("colonnade._core",)
    install = "build it with `make`"
    _FORMATS: ClassVar = {
        "npz": ("none", "zstd", "deflate"),
        "npy": ("none",),
        "arrow": ("none", "lz4", "zstd"),
        "arrows": ("none", "lz4", "zstd"),
        "parquet": ("auto", "none", "snappy", "lz4", "zstd", *PROFILES),
        "msgpack": ("none", "packed"),
        **dict.fromkeys((*TEXT, SCHEMA), ("none",)),
    }
    given = ("arrows", "msgpack")
    libraries = ("static-frame", "pandas", "polars", "pyarrow", "awkward", "colonnade")
    security = "reading runs no code"
    note = (
        "cn.write and cn.read with to_pandas, in memory cn.encode and cn.read; a codec is compression=, else defaults. "
        "Arrow streams go over the socket or the pipe's descriptor itself."
    )
    notes: ClassVar = {
        "parquet auto": "cn.write and cn.read with to_pandas at their defaults: codec and encodings chosen by column.",
        "parquet small": 'As the default row, with profile="small"; tuned for size.',
        "msgpack packed": 'cn.write(numbers="packed"), each numeric column as one bin, and cn.read; tuned.',
        "csv": 'cn.write(on_loss="ignore"), plain CSV with no types, and cn.read, which infers types from all rows.',
        SCHEMA: 'cn.write(schema="header") and cn.read: CSV with its types in the first line; tuned.',
        **dict.fromkeys(
            ("json", "ndjson", "yaml"), 'cn.write(schema="header") and cn.read: text with its types in front; tuned.'
        ),
    }
    _PANEL = (
        ("npz", "none"), ("npz", "zstd"), ("arrow", "none"), ("arrow", "zstd"), ("arrows", "none"), ("arrows", "lz4"),
        ("arrows", "zstd"), ("parquet", "auto"), ("parquet", "zstd"), ("parquet", "small"),
        ("msgpack", "none"), ("msgpack", "packed"),
        ("csv", "none"), (SCHEMA, "none"), ("ndjson", "none"), ("json", "none"), ("yaml", "none"),
    )  # fmt: skip
    streams = ("arrows",)
    ends = True

    @functools.cached_property
    def formats(self) -> dict[str, tuple[str, ...]]:  # type: ignore[override]
        """The built-in formats, and those of plug-ins that write and read."""
        return {**self._FORMATS, **dict.fromkeys(plugin_formats(), ("none",))}

    @functools.cached_property
    def panel(self) -> tuple[tuple[str, str], ...]:  # type: ignore[override]
        """The rows of a panel: a format of a plug-in has one, with the defaults of the plug-in."""
        return (*self._PANEL, *((name, "none") for name in plugin_formats()))

    def security_of(self, format: str) -> str:
        if format not in self._FORMATS:
            return "the plug-in's own code reads; checksums: what it checks"
        return f"{self.security}; {CHECKSUMS.get(format, 'no checksum')}"

    def versions(self) -> dict[str, str]:
        import colonnade as cn

        return {"colonnade": cn.__version__}

    def supports(self, cell: Cell) -> bool:
        if cell.format == SCHEMA:
            return False  # only panels use it
        if cell.format in TEXT:  # like other text engines
            return cell.dataset.startswith(TABLES)
        return cell.transport == "file" or cell.format != "npy"

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        import colonnade as cn

        cn.write(data, path, format=named(cell), **self._options(cell))

    def read(self, path: Any, cell: Cell) -> Any:
        import colonnade as cn

        options: dict[str, Any] = {name: cell.option[name] for name in ("mmap", "threads") if name in cell.option}
        options |= {"columns": columns} if (columns := some(cell)) else {}
        return _to_library(cn.read(path, format=named(cell), **options), cell.library)

    def by_column(self, path: Path, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        import colonnade as cn

        frame = cn.read(path, format=cell.format)
        for name in names:
            yield _column(frame, name, cell.library)
            frame.release()

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import colonnade as cn

        wanted: dict[str, Any] = {} if column is None else {"columns": [column]}
        return _to_library(cn.read(path, format=named(cell), rows=rows, **wanted), cell.library)

    def first_chunk(self, path: Path, cell: Cell) -> Any:
        import colonnade as cn

        if cell.format not in CHUNKED:
            raise NotImplementedError
        with cn.open_reader(path, format=named(cell)) as reader:
            return _to_library(next(iter(reader)), cell.library)

    def leaf(self, path: Path, cell: Cell, leaf: tuple[str, str]) -> Any:
        import colonnade as cn

        column, field = leaf
        frame = cn.read(path, format=cell.format, columns=[f"{column}[].{field}"])
        return field_of_items(_column(frame, column, cell.library), field)

    def encode(self, data: Any, cell: Cell) -> Any:
        import colonnade as cn

        return cn.encode(data, named(cell), **self._options(cell))

    def decode(self, buffer: Any, cell: Cell) -> Any:
        import colonnade as cn

        return _to_library(cn.read(buffer, format=named(cell)), cell.library)

    def write_stream(self, data: Any, stream: Any, cell: Cell) -> None:
        self.write(data, stream, cell)

    def read_stream(self, stream: Any, cell: Cell) -> Any:
        return self.decode(stream, cell)

    def forget(self) -> None:
        import colonnade as cn

        cn.release_memory()

    @staticmethod
    def _options(cell: Cell) -> dict[str, Any]:
        default = "auto" if cell.format == "parquet" else "none"
        codec = None if cell.codec == "none" else cell.codec
        out: dict[str, Any] = {} if cell.codec == default else {"compression": codec}
        if cell.codec in PROFILES:
            out = {"profile": cell.codec}
        if cell.codec == "packed":
            out = {"numbers": "packed"}
        if cell.format == "csv":
            out["on_loss"] = "ignore"  # of every other engine's CSV, nothing is said either
        elif cell.format in (*TEXT, SCHEMA):
            out["schema"] = "header"
        return {**out, **{name: cell.option[name] for name in OPTIONS if name in cell.option}}


def plugin_formats() -> list[str]:
    """Returns the formats of installed plug-ins that write and read."""
    from colonnade import plugins

    found = (one for one in plugins.installed() if one.kind == "format" and one.problem is None)
    writes = {"write", "open_writer"}
    return [one.name for one in found if "read" in one.capabilities and writes & set(one.capabilities)]


def named(cell: Cell) -> str:
    """Returns the name of the format in `cn.write`."""
    return "csv" if cell.format == SCHEMA else cell.format


def _to_library(frame: Any, library: str) -> Any:
    if library == "pandas":
        return frame.to_pandas()
    if library == "static-frame":
        return frame.to_static_frame()
    if library == "polars":
        return frame.to_polars()
    if library == "pyarrow":
        return frame.to_arrow()
    if library == "awkward":
        return frame.to_awkward()
    return frame


def _column(frame: Any, name: str, library: str) -> Any:
    """Returns one column of a frame in the library's type."""
    data = _to_library(frame[name], library)
    if library == "awkward":  # a single column is its array, not a record
        return data
    return data.column(0) if library == "pyarrow" else data[name]
