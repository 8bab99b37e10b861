"""pandas' own writers and readers: Feather and Parquet, through pyarrow."""

from __future__ import annotations

from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import InMemory
from colonnade_bench.engines.parquet_io import arrow_types, some


class Pandas(InMemory):
    """`to_feather` / `read_feather` and `to_parquet` / `read_parquet`. ``parquet-plain`` has no dictionaries."""

    name = "pandas"
    modules = ("pandas", "pyarrow")
    distributions = ("pandas", "pyarrow")
    install = "pip install pandas pyarrow"
    calls: ClassVar = {
        "feather": 'df.to_feather("data.feather", compression={codec|"uncompressed"})',
        "parquet": 'df.to_parquet("data.parquet", compression={codec|None})',
    }
    formats: ClassVar = {
        "feather": ("none", "lz4", "zstd"),
        "parquet": ("snappy", "none", "zstd"),
        "parquet-plain": ("snappy", "none"),
    }
    libraries = ("pandas",)
    security = "reading runs no code; no checksum unless asked for"
    note = "DataFrame.to_feather or to_parquet and pd.read_feather or read_parquet, with a codec; tuned."
    notes: ClassVar = {
        "feather lz4": "DataFrame.to_feather and pd.read_feather at their defaults.",
        "feather none": 'As the default row, with compression="uncompressed"; tuned for speed.',
        "parquet snappy": "DataFrame.to_parquet and pd.read_parquet at their defaults.",
    }
    panel = (
        ("feather", "lz4"), ("feather", "none"), ("feather", "zstd"), ("parquet", "snappy"), ("parquet", "zstd"),
    )  # fmt: skip

    def supports(self, cell: Cell) -> bool:
        return cell.format != "parquet-plain" or cell.dataset.startswith("parquet-")

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        if cell.format == "feather":
            data.to_feather(path, compression="uncompressed" if cell.codec == "none" else cell.codec)
        else:
            more = {"use_dictionary": False} if cell.format == "parquet-plain" else {}
            data.to_parquet(path, compression=None if cell.codec == "none" else cell.codec, **more)

    def read(self, path: Any, cell: Cell) -> Any:
        import pandas as pd

        backend: Any = {} if arrow_types(cell) is None else {"dtype_backend": "pyarrow"}
        if cell.format == "feather":
            return pd.read_feather(path, columns=some(cell), **backend)
        return pd.read_parquet(path, columns=some(cell), **backend)

    def part(self, path: Any, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import pandas as pd

        if rows is not None:
            raise NotImplementedError
        return (pd.read_feather if cell.format == "feather" else pd.read_parquet)(path, columns=[column])

    def forget(self) -> None:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()
