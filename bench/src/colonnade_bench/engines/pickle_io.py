"""Python's pickle, protocol 5, for comparison. Colonnade itself never pickles."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine

PROTOCOL = 5


class Pickle(Engine):
    """`pickle.dump` and `pickle.load` on an ordinary file. It loads only files that this benchmark wrote."""

    name = "pickle"
    install = "part of Python"
    calls: ClassVar = {
        "pickle": 'pickle.dump(df, open("data.pickle", "wb"), protocol=5)',
    }
    formats: ClassVar = {"pickle": ("none",)}
    libraries = ("pandas", "static-frame", "polars")
    security = "reading runs any code the file names; no checksum"
    runs_code = True
    note = "pickle.dump with protocol 5, the highest, and pickle.load on an open file; in memory dumps and loads."
    panel = (("pickle", "none"),)
    streams = ("pickle",)

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        with open(path, "wb") as file:
            pickle.dump(data, file, protocol=PROTOCOL)

    def read(self, path: Path, cell: Cell) -> Any:
        with open(path, "rb") as file:
            return pickle.load(file)

    def encode(self, data: Any, cell: Cell) -> Any:
        return pickle.dumps(data, protocol=PROTOCOL)

    def decode(self, buffer: Any, cell: Cell) -> Any:
        return pickle.loads(buffer)

    def write_stream(self, data: Any, stream: Any, cell: Cell) -> None:
        pickle.dump(data, stream, protocol=PROTOCOL)

    def read_stream(self, stream: Any, cell: Cell) -> Any:
        return pickle.load(stream)
