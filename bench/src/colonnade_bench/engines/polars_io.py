"""polars' own Arrow IPC files and streams, and Parquet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import InMemory
from colonnade_bench.engines.leaves import field_of_items
from colonnade_bench.engines.parquet_io import some


class Polars(InMemory):
    """`write_ipc` / `read_ipc`, `write_ipc_stream` / `read_ipc_stream` and `write_parquet` / `read_parquet`.

    Its rows in a panel start and end with polars DataFrames. Those from pandas include both conversions. polars'
    reader of streams must seek, so it cannot read from an open stream.
    """

    name = "polars"
    modules = ("polars", "pyarrow")
    distributions = ("polars",)
    install = "pip install polars pyarrow"
    calls: ClassVar = {
        "ipc": 'frame.write_ipc("data.arrow", compression={codec|"uncompressed"})',
        "ipc-stream": 'frame.write_ipc_stream("data.arrows", compression={codec|"uncompressed"})',
        "parquet": 'frame.write_parquet("data.parquet", compression={codec|"uncompressed"})',
    }
    formats: ClassVar = {
        "ipc": ("none", "lz4", "zstd"),
        "ipc-stream": ("none", "lz4", "zstd"),
        "parquet": ("zstd", "none", "snappy", "lz4"),
    }
    given = ("ipc-stream",)
    libraries = ("polars", "pandas")
    security = "reading runs no code; no checksum"
    note = (
        "DataFrame.write_ipc, write_ipc_stream or write_parquet, and pl.read_ipc, read_ipc_stream or read_parquet, at "
        "their defaults but for the codec. From pandas: pl.from_pandas before, DataFrame.to_pandas after."
    )
    panel = (
        ("ipc", "none"), ("ipc", "zstd"), ("ipc-stream", "none"), ("ipc-stream", "lz4"), ("ipc-stream", "zstd"),
        ("parquet", "zstd"), ("parquet", "snappy"),
    )  # fmt: skip
    panel_libraries = ("polars", "pandas")
    withheld = ("index",)

    def supports(self, cell: Cell) -> bool:
        return cell.library == "polars" or cell.transport == "given" or cell.format == "parquet"

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        codec = "uncompressed" if cell.codec == "none" else cell.codec
        if cell.library == "pandas":
            import polars as pl

            data = pl.from_pandas(data)
        if cell.format == "ipc":
            data.write_ipc(path, compression=codec)
        elif cell.format == "ipc-stream":
            data.write_ipc_stream(path, compression=codec)
        else:
            data.write_parquet(path, compression=codec)

    def read(self, path: Any, cell: Cell) -> Any:
        if "threads" in cell.option and "polars" not in sys.modules:
            os.environ["POLARS_MAX_THREADS"] = str(cell.option["threads"])  # polars reads it once, at import
        import polars as pl

        readers = {"ipc": pl.read_ipc, "ipc-stream": pl.read_ipc_stream, "parquet": pl.read_parquet}
        frame = readers[cell.format](path, columns=some(cell))
        return frame.to_pandas() if cell.library == "pandas" else frame

    def by_column(self, path: Any, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        import polars as pl

        read = pl.read_parquet if cell.format == "parquet" else pl.read_ipc
        for name in names:
            yield read(path, columns=[name])[name]

    def leaf(self, path: Any, cell: Cell, leaf: tuple[str, str]) -> Any:
        column, field = leaf
        (whole,) = self.by_column(path, cell, [column])
        return field_of_items(whole, field)

    def part(self, path: Any, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import polars as pl

        if cell.format == "ipc-stream":
            raise NotImplementedError
        lazy = (pl.scan_parquet if cell.format == "parquet" else pl.scan_ipc)(path)
        lazy = lazy if column is None else lazy.select(column)
        lazy = lazy if rows is None else lazy.slice(rows.start, rows.stop - rows.start)
        frame = lazy.collect()
        return frame.to_pandas() if cell.library == "pandas" else frame
