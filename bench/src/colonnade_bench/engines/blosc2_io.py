"""Blosc2's compressed tables, through Arrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine


class Blosc2(Engine):
    """`CTable.from_arrow` with `to_cframe`, and `ctable_from_cframe` with `to_arrow`. A file holds the same bytes.

    The engine passes the number of rows. Otherwise Blosc2 reserves and compresses room for a million rows.
    """

    name = "blosc2"
    modules = ("blosc2", "pyarrow", "pandas")
    distributions = ("blosc2",)
    install = "pip install blosc2 pyarrow pandas"
    formats: ClassVar = {"cframe": ("zstd", "lz4")}
    libraries = ("pandas",)
    security = 'reading runs no code unless asked to (deserialize="safe"); no checksum'
    note = "CTable.from_arrow with the number of rows as capacity_hint and to_cframe; ctable_from_cframe and to_arrow."
    notes: ClassVar = {"cframe lz4": "As the default row, with CParams(codec=Codec.LZ4); tuned for speed."}
    panel = (("cframe", "zstd"), ("cframe", "lz4"))

    def encode(self, data: Any, cell: Cell) -> Any:
        import blosc2
        import pyarrow as pa

        table = pa.Table.from_pandas(data)
        options: dict[str, Any] = {"capacity_hint": max(1, table.num_rows)}
        if cell.codec == "lz4":
            options["cparams"] = blosc2.CParams(codec=blosc2.Codec.LZ4)
        return blosc2.CTable.from_arrow(table.schema, table.to_batches(), **options).to_cframe()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        import blosc2

        return blosc2.ctable_from_cframe(bytes(buffer)).to_arrow().to_pandas()

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        path.write_bytes(self.encode(data, cell))

    def read(self, path: Path, cell: Cell) -> Any:
        return self.decode(path.read_bytes(), cell)
