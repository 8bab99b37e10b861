"""Stores of arrays, which have no tables: h5py and zarr, with one array for each column.

One attribute holds the other properties of pandas' columns (data types, masks, categories), as in an ordinary program
that stores DataFrames. Row labels are an automatic 0..n.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.arrays import joined, parted
from colonnade_bench.engines.base import InMemory, Spooled

COLUMNS = "columns"
GZIP_LEVEL = 4


class H5py(InMemory):
    """`h5py.File` with one dataset a column, contiguous or (``gzip``, ``lzf``) in chunks.

    In memory over `io.BytesIO`.
    """

    name = "h5py"
    modules = ("h5py", "pandas")
    distributions = ("h5py",)
    install = "pip install h5py pandas"
    formats: ClassVar = {"hdf5": ("none", "gzip", "lzf")}
    libraries = ("pandas",)
    security = "reading runs no code; no checksum unless asked for"
    panel = (("hdf5", "none"), ("hdf5", "lzf"))

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        import h5py

        options: dict[str, Any] = {} if cell.codec == "none" else {"compression": cell.codec}
        arrays, about = parted(data)
        with h5py.File(path, "w") as file:
            file.attrs[COLUMNS] = json.dumps(about)
            for name, array in arrays.items():
                dtype = h5py.string_dtype() if array.dtype.kind == "O" else array.dtype
                file.create_dataset(name, data=array, dtype=dtype, **(options if len(array) else {}))

    def read(self, path: Any, cell: Cell) -> Any:
        return self.part(path, cell)

    def part(self, path: Any, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import h5py

        with h5py.File(path, "r") as file:

            def array(name: str) -> Any:
                dataset, some = file[name], () if rows is None else rows
                return dataset.asstr()[some] if h5py.check_string_dtype(dataset.dtype) else dataset[some]

            return joined(array, json.loads(file.attrs[COLUMNS]), column)


class Zarr(Spooled):
    """A group with one array a column in a `ZipStore`, of version 3. Its default codec is zstd."""

    name = "zarr"
    modules = ("zarr", "pandas")
    distributions = ("zarr", "numcodecs")
    install = "pip install zarr pandas"
    formats: ClassVar = {"zarr": ("zstd", "none")}
    libraries = ("pandas",)
    security = "reading runs no code; the ZIP's CRC-32"
    panel = (("zarr", "zstd"), ("zarr", "none"))

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import numpy as np
        import zarr
        from zarr.storage import ZipStore

        arrays, about = parted(data)
        options: dict[str, Any] = {"compressors": None} if cell.codec == "none" else {}
        with ZipStore(path, mode="w") as store:
            group = zarr.create_group(store, zarr_format=3, attributes={COLUMNS: about})
            for name, array in arrays.items():
                text = array.dtype.kind == "O"
                group.create_array(name, data=array.astype(np.dtypes.StringDType()) if text else array, **options)

    def read(self, path: Path, cell: Cell) -> Any:
        return self.part(path, cell)

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import zarr
        from zarr.storage import ZipStore

        with ZipStore(path, mode="r") as store:
            group: Any = zarr.open_group(store, mode="r", zarr_format=3)

            def array(name: str) -> Any:
                return group[name][slice(None) if rows is None else rows]

            return joined(array, group.attrs[COLUMNS], column)
