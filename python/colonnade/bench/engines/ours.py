"""Colonnade itself, through its public API and at its defaults, like every other engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from colonnade.bench.engines.base import Engine
from colonnade.bench.engines.leaves import field_of_items
from colonnade.bench.engines.parquet_io import some
from colonnade.bench.spec import Cell

OPTIONS = ("numbers", "orient", "filter", "profile")
"""Options of a cell that are options of `cn.write`."""
TEXT = ("csv", "ndjson", "json", "yaml")


class Colonnade(Engine):
    """`cn.write` / `cn.read` of NPZ files, NPY directories, Arrow files and streams, Parquet, MessagePack, text."""

    name = "colonnade"
    modules = ("colonnade._core",)
    install = "build it with `make`"
    formats: ClassVar = {
        "npz": ("none", "zstd", "deflate"),
        "npy": ("none",),
        "arrow": ("none", "lz4", "zstd"),
        "arrows": ("none", "lz4", "zstd"),
        "parquet": ("auto", "none", "snappy", "lz4", "zstd"),
        "msgpack": ("none",),
        **dict.fromkeys(TEXT, ("none",)),
    }
    given = ("arrows", "msgpack")
    libraries = ("static-frame", "pandas", "polars", "pyarrow", "awkward", "colonnade")
    security = "reading runs no code; NPZ: CRC-32 written always, verified on request and for compressed members"

    def versions(self) -> dict[str, str]:
        import colonnade as cn

        return {"colonnade": cn.__version__}

    def supports(self, cell: Cell) -> bool:
        if cell.format in TEXT:  # with the others of text: its tables are those that inference gives back
            return cell.dataset.startswith("text-")
        return cell.transport == "file" or cell.format != "npy"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import colonnade as cn

        options = self._options(cell)
        if cell.format == "csv" and getattr(data.index, "step", None) != 1:
            options["lossy"] = True  # the frame that warms up has row labels, which plain CSV keeps as a column
        cn.write(data, path, format=cell.format, **options)

    def read(self, path: Path, cell: Cell) -> Any:
        import colonnade as cn

        options: dict[str, Any] = {name: cell.option[name] for name in ("mmap", "threads") if name in cell.option}
        options |= {"columns": columns} if (columns := some(cell)) else {}
        return _to_library(cn.read(path, format=cell.format, **options), cell.library)

    def by_column(self, path: Path, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        import colonnade as cn

        frame = cn.read(path, format=cell.format)
        for name in names:
            yield _column(frame, name, cell.library)
            frame.release()

    def leaf(self, path: Path, cell: Cell, leaf: tuple[str, str]) -> Any:
        import colonnade as cn

        column, field = leaf
        frame = cn.read(path, format=cell.format, columns=[f"{column}[].{field}"])
        return field_of_items(_column(frame, column, cell.library), field)

    def encode(self, data: Any, cell: Cell) -> Any:
        import colonnade as cn

        return cn.encode(data, cell.format, **self._options(cell))

    def decode(self, buffer: Any, cell: Cell) -> Any:
        import colonnade as cn

        return _to_library(cn.read(buffer, format=cell.format), cell.library)

    def forget(self) -> None:
        from colonnade._core import pool_trim

        pool_trim()

    @staticmethod
    def _options(cell: Cell) -> dict[str, Any]:
        default = "auto" if cell.format == "parquet" else "none"
        codec = None if cell.codec == "none" else cell.codec
        out = {} if cell.codec == default else {"compression": codec}
        return {**out, **{name: cell.option[name] for name in OPTIONS if name in cell.option}}


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
    """One column of a frame, as the library holds one."""
    data = _to_library(frame[name], library)
    if library == "awkward":  # a column by itself is its array, no record of it
        return data
    return data.column(0) if library == "pyarrow" else data[name]
