"""StaticFrame's NPZ, NPY directory and memory-mapped NPY directory."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine


class StaticFrame(Engine):
    """`Frame.to_npz`, `to_npy` and their readers. Option ``mmap=True`` is `Frame.from_npy_mmap`.

    From and to pandas it uses `Frame.from_pandas` and `to_pandas`. NPZ refuses columns of Python objects. Text without
    missing cells is converted to fixed-width Unicode. Missing text, zones and categories are refused.
    """

    name = "static-frame"
    modules = ("static_frame",)
    distributions = ("static-frame", "arraykit")
    install = "pip install static-frame"
    calls: ClassVar = {
        "npz": 'frame.to_npz("data.npz")',
    }
    formats: ClassVar = {"npz": ("none",), "npy": ("none",)}
    libraries = ("static-frame", "pandas")
    security = "reading runs no code; its reader leaves the ZIP's CRC-32 unchecked"
    note = (
        "Frame.from_pandas with text as str, Frame.to_npz, Frame.from_npz and to_pandas; it has no compression, and "
        "refuses missing text, zones and categories."
    )
    panel = (("npz", "none"),)

    def supports(self, cell: Cell) -> bool:
        if cell.library == "pandas" or (cell.option.get("mmap") and cell.format != "npy"):
            return False
        return cell.transport == "file" or cell.format == "npz"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        data = from_pandas(data) if cell.library == "pandas" else data
        if cell.format == "npz":
            data.to_npz(str(path))
        else:
            data.to_npy(str(path))

    def read(self, path: Path, cell: Cell) -> Any:
        frame = self._read(path, cell)
        return frame.to_pandas() if cell.library == "pandas" else frame

    def _read(self, path: Path, cell: Cell) -> Any:
        import static_frame as sf

        if cell.format == "npz":
            return sf.Frame.from_npz(str(path))
        if cell.option.get("mmap"):
            # The closer would unmap memory that the frame still uses. It is dropped, and the maps are freed with the
            # arrays.
            return sf.Frame.from_npy_mmap(str(path))[0]
        return sf.Frame.from_npy(str(path))

    def encode(self, data: Any, cell: Cell) -> Any:
        sink = io.BytesIO()
        (from_pandas(data) if cell.library == "pandas" else data).to_npz(sink)
        return sink.getvalue()

    def decode(self, buffer: Any, cell: Cell) -> Any:
        import static_frame as sf

        frame = sf.Frame.from_npz(io.BytesIO(buffer))
        return frame.to_pandas() if cell.library == "pandas" else frame


def from_pandas(frame: Any) -> Any:
    """Returns a Frame in which labels and text without missing cells have types that NPZ holds."""
    import pandas as pd
    import static_frame as sf

    text = [name for name, column in frame.items() if pd.api.types.infer_dtype(column) == "string"]
    whole = {name: str for name in text if not frame[name].isna().any()}
    return sf.Frame.from_pandas(frame, columns=frame.columns.tolist(), dtypes=whole)
