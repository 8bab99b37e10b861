"""polars' own Arrow IPC files and Parquet."""

from __future__ import annotations

import io
from typing import Any, ClassVar

from colonnade.bench.engines.base import Engine
from colonnade.bench.spec import Cell


class Polars(Engine):
    """`write_ipc` / `read_ipc` and `write_parquet` / `read_parquet`."""

    name = "polars"
    modules = ("polars", "pyarrow")
    distributions = ("polars",)
    install = "pip install polars pyarrow"
    formats: ClassVar = {"ipc": ("none", "lz4", "zstd"), "parquet": ("zstd", "none", "snappy")}
    libraries = ("polars",)
    security = "reading runs no code; no checksum"

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        codec = "uncompressed" if cell.codec == "none" else cell.codec
        if cell.format == "ipc":
            data.write_ipc(path, compression=codec)
        else:
            data.write_parquet(path, compression=codec)

    def read(self, path: Any, cell: Cell) -> Any:
        import polars as pl

        return pl.read_ipc(path) if cell.format == "ipc" else pl.read_parquet(path)

    def encode(self, data: Any, cell: Cell) -> Any:
        sink = io.BytesIO()
        self.write(data, sink, cell)
        return sink.getbuffer()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        return self.read(io.BytesIO(buffer), cell)
