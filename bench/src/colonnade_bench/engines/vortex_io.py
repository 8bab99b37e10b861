"""Vortex files, through Arrow tables."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Spooled


class Vortex(Spooled):
    """`vortex.io.write`, and `vortex.open` with `to_arrow`. ``compact`` prefers small files (`VortexWriteOptions`)."""

    name = "vortex"
    modules = ("vortex", "pyarrow", "pandas")
    distributions = ("vortex-data",)
    install = "pip install vortex-data pyarrow pandas"
    calls: ClassVar = {
        "vortex": 'vortex.io.write(table, "data.vortex")',
    }
    formats: ClassVar = {"vortex": ("default", "compact")}
    libraries = ("pandas",)
    security = "reading runs no code; no checksum"
    note = "VortexWriteOptions.default().write of an Arrow table; vortex.open (in memory open_readable) with to_arrow."
    notes: ClassVar = {"vortex compact": "As the default row, with VortexWriteOptions.compact(); tuned for size."}
    panel = (("vortex", "default"), ("vortex", "compact"))

    def supports(self, cell: Cell) -> bool:
        return cell.transport == "file"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import pyarrow as pa
        from vortex.io import VortexWriteOptions

        make = VortexWriteOptions.compact if cell.codec == "compact" else VortexWriteOptions.default
        make().write(pa.Table.from_pandas(data), str(path))

    def read(self, path: Path, cell: Cell) -> Any:
        import vortex

        return vortex.open(str(path)).to_arrow().read_all().to_pandas()

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import vortex

        if rows is not None:
            raise NotImplementedError
        return vortex.open(str(path)).to_arrow([column]).read_all().to_pandas()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        import vortex

        return vortex.open_readable(io.BytesIO(buffer)).to_arrow().read_all().to_pandas()
