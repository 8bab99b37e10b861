"""HDF5 as pandas writes it, through PyTables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Spooled

KEY = "data"
LEVEL = 5


class PyTables(Spooled):
    """`DataFrame.to_hdf` and `read_hdf`. ``hdf-fixed`` is pandas' default. ``hdf-table`` also supports categories."""

    name = "pytables"
    modules = ("tables", "pandas")
    distributions = ("tables",)
    install = "pip install tables pandas"
    formats: ClassVar = {"hdf-fixed": ("none", "zlib", "blosc:zstd"), "hdf-table": ("none", "zlib", "blosc:zstd")}
    libraries = ("pandas",)
    security = "reading unpickles what the file says are objects, which runs any code; no checksum unless asked for"
    runs_code = True
    note = "DataFrame.to_hdf and pd.read_hdf, pandas' default format: fixed."
    notes: ClassVar = {
        "hdf-fixed blosc:zstd": 'As the default row, with complib="blosc:zstd", complevel=5; tuned for size.',
        "hdf-table": 'As the default row, with format="table", which keeps categories and reads single columns.',
    }
    panel = (("hdf-fixed", "none"), ("hdf-fixed", "blosc:zstd"), ("hdf-table", "none"))

    def supports(self, cell: Cell) -> bool:
        return cell.transport == "file"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        codec: dict[str, Any] = {} if cell.codec == "none" else {"complib": cell.codec, "complevel": LEVEL}
        data.to_hdf(path, key=KEY, mode="w", format=cell.format.removeprefix("hdf-"), **codec)

    def read(self, path: Path, cell: Cell) -> Any:
        import pandas as pd

        return pd.read_hdf(path, KEY)

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import pandas as pd

        if column is not None and cell.format == "hdf-fixed":
            raise NotImplementedError
        some = {} if rows is None else {"start": rows.start, "stop": rows.stop}
        return pd.read_hdf(path, KEY, columns=None if column is None else [column], **some)
