"""Engines that only support Parquet: DuckDB (files only) and fastparquet, from and to pandas."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine, InMemory, Spooled


def some(cell: Cell) -> list[str] | None:
    """Returns the columns of a cell (option ``columns`` gives their number). None for all."""
    from colonnade_bench.datasets import DATASETS

    count = cell.option.get("columns")
    return None if count is None else DATASETS[cell.dataset].some(count)  # type: ignore[attr-defined]


def arrow_types(cell: Cell) -> Any:
    """Returns the `types_mapper` of `Table.to_pandas`: Arrow dtypes if the dataset has them, else pyarrow's choice."""
    import pandas as pd

    from colonnade_bench.datasets import DATASETS

    known = cell.dataset in DATASETS  # the data of a panel may be a user's file, or several tables
    return pd.ArrowDtype if known and getattr(DATASETS[cell.dataset], "arrow_backed", False) else None


class OnlyParquet(Engine):
    """An engine of Parquet from and to pandas."""

    formats: ClassVar = {"parquet": ("snappy", "zstd", "none")}
    libraries = ("pandas",)
    panel = (("parquet", "snappy"), ("parquet", "zstd"))
    security = "reading runs no code; checksums are not looked at"

    def supports(self, cell: Cell) -> bool:
        return cell.transport == "file"


class DuckDB(Spooled, OnlyParquet):
    """`read_parquet` with `df()`, and `COPY`, on the default connection of a process."""

    name = "duckdb"
    modules = ("duckdb", "pandas")
    distributions = ("duckdb",)
    install = "pip install duckdb pandas"
    calls: ClassVar = {
        "parquet": "duckdb.execute(\"COPY df TO 'data.parquet' (FORMAT parquet, COMPRESSION {word})\")",
    }
    note = (
        "duckdb.register and COPY ... (FORMAT parquet), duckdb.read_parquet with df(), on the default connection with "
        "all threads. It writes files only, so in memory the same goes by way of a temporary file."
    )
    withheld = ("index",)

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import duckdb

        codec = "uncompressed" if cell.codec == "none" else cell.codec
        duckdb.register("data", data)
        duckdb.execute(f"COPY data TO '{path}' (FORMAT parquet, COMPRESSION {codec})")
        duckdb.unregister("data")

    def read(self, path: Path, cell: Cell) -> Any:
        import duckdb

        duckdb.execute(f"SET threads TO {cell.option['threads']}" if "threads" in cell.option else "RESET threads")
        table = duckdb.read_parquet(str(path))
        columns = some(cell)
        return (table if columns is None else table.select(*columns)).df()

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import duckdb

        table = duckdb.read_parquet(str(path))
        if column is not None:
            table = table.select(duckdb.ColumnExpression(column))
        return (table if rows is None else table.limit(rows.stop - rows.start, rows.start)).df()


class Kept(io.BytesIO):
    """A buffer that stays open: fastparquet closes what it has written."""

    def close(self) -> None:
        """Does nothing."""


class FastParquet(InMemory, OnlyParquet):
    """`fastparquet.ParquetFile(path).to_pandas()` and `fastparquet.write`. It always uses one thread.

    In memory, `open_with` gives it the buffer.
    """

    name = "fastparquet"
    modules = ("fastparquet", "pandas")
    distributions = ("fastparquet",)
    install = "pip install fastparquet pandas"
    calls: ClassVar = {
        "parquet": 'fastparquet.write("data.parquet", df, compression={codec|None})',
    }
    note = (
        "fastparquet.write and ParquetFile.to_pandas, one thread; in memory open_with returns the BytesIO, without a "
        "temporary file."
    )

    def encode(self, data: Any, cell: Cell) -> Any:
        sink = Kept()
        self._write(data, "table.parquet", cell, open_with=lambda path, mode="rb": sink)
        return sink.getvalue()

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        self._write(data, str(path), cell)

    def read(self, path: Any, cell: Cell) -> Any:
        import fastparquet

        source = str(path) if isinstance(path, Path) else path
        return fastparquet.ParquetFile(source).to_pandas(columns=some(cell))

    @staticmethod
    def _write(data: Any, path: str, cell: Cell, **more: Any) -> None:
        import fastparquet

        codec = None if cell.codec == "none" else cell.codec.upper()
        fastparquet.write(path, data, compression=codec, **more)

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import fastparquet

        if rows is not None:
            raise NotImplementedError
        return fastparquet.ParquetFile(str(path)).to_pandas(columns=[column])
