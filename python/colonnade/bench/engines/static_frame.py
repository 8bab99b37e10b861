"""StaticFrame's own NPZ, NPY directory and memory-mapped NPY directory."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, ClassVar

from colonnade.bench.engines.base import Engine
from colonnade.bench.spec import Cell


class StaticFrame(Engine):
    """`Frame.to_npz`, `to_npy` and their readers; option ``mmap=True`` is `Frame.from_npy_mmap`."""

    name = "static-frame"
    modules = ("static_frame",)
    distributions = ("static-frame", "arraykit")
    install = "pip install static-frame"
    formats: ClassVar = {"npz": ("none",), "npy": ("none",)}
    libraries = ("static-frame",)
    security = "reading runs no code; the ZIP's CRC-32"

    def supports(self, cell: Cell) -> bool:
        if cell.option.get("mmap") and cell.format != "npy":
            return False
        return cell.transport == "file" or cell.format == "npz"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        if cell.format == "npz":
            data.to_npz(str(path))
        else:
            data.to_npy(str(path))

    def read(self, path: Path, cell: Cell) -> Any:
        import static_frame as sf

        if cell.format == "npz":
            return sf.Frame.from_npz(str(path))
        if cell.option.get("mmap"):
            # The closer would unmap what the frame still sees: it is dropped, and the maps go with the arrays.
            return sf.Frame.from_npy_mmap(str(path))[0]
        return sf.Frame.from_npy(str(path))

    def encode(self, data: Any, cell: Cell) -> Any:
        sink = io.BytesIO()
        data.to_npz(sink)
        return sink.getbuffer()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        import static_frame as sf

        return sf.Frame.from_npz(io.BytesIO(buffer))
