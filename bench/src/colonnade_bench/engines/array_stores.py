"""Stores of arrays, which have no tables: NumPy's NPZ, h5py and zarr, with one array for each column.

One more array or attribute holds what arrays do not say: types, labels, index, masks (`arrays.parted`), as in an
ordinary program that stores DataFrames there.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.arrays import joined, parted
from colonnade_bench.engines.base import InMemory, Spooled

COLUMNS = "columns"


class NumPy(InMemory):
    """`numpy.savez` or `savez_compressed`, and `numpy.load` without pickles. Text has fixed width."""

    name = "numpy"
    modules = ("pandas",)
    distributions = ("numpy",)
    install = "pip install numpy pandas"
    formats: ClassVar = {"npz": ("none", "deflate")}
    libraries = ("pandas",)
    security = "reading runs no code (allow_pickle=False); the ZIP's CRC-32"
    note = (
        "numpy.savez and numpy.load(allow_pickle=False), one array a column; text as fixed-width Unicode, which is "
        "NumPy's only text without pickle."
    )
    notes: ClassVar = {
        "npz deflate": "numpy.savez_compressed, the only compression that NumPy has; else as the row without it."
    }
    panel = (("npz", "none"), ("npz", "deflate"))

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        import numpy as np

        arrays, about = parted(data, masked=True)
        members = {key: array.astype("U") if array.dtype.kind == "O" else array for key, array in arrays.items()}
        members[COLUMNS] = np.array(json.dumps(about))
        with path.open("wb") if isinstance(path, Path) else nullcontext(path) as sink:
            (np.savez if cell.codec == "none" else np.savez_compressed)(sink, **members)

    def read(self, path: Any, cell: Cell) -> Any:
        return self.part(path, cell)

    def part(self, path: Any, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import numpy as np

        if rows is not None:
            raise NotImplementedError
        with np.load(path, allow_pickle=False) as members:  # a member is read on access
            return joined(members.__getitem__, json.loads(str(members[COLUMNS])), column)


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
    note = (
        "h5py.File with create_dataset, one dataset a column at the defaults (contiguous); text as "
        "h5py.string_dtype(), types and labels in one attribute."
    )
    notes: ClassVar = {"hdf5 lzf": 'As the default row, with compression="lzf", h5py\'s fastest; tuned.'}
    panel = (("hdf5", "none"), ("hdf5", "lzf"))

    def write(self, data: Any, path: Any, cell: Cell) -> None:
        import h5py

        options: dict[str, Any] = {} if cell.codec == "none" else {"compression": cell.codec}
        arrays, about = parted(data, masked=True)
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

            return joined(array, about_rows(json.loads(file.attrs[COLUMNS]), rows), column)


class Zarr(Spooled):
    """A group with one array a column in a `ZipStore`, of version 3. Its default codec is zstd."""

    name = "zarr"
    modules = ("zarr", "pandas")
    distributions = ("zarr", "numcodecs")
    install = "pip install zarr pandas"
    formats: ClassVar = {"zarr": ("zstd", "none")}
    libraries = ("pandas",)
    security = "reading runs no code; the ZIP's CRC-32"
    note = (
        "zarr.create_group in a ZipStore with create_array, one array a column at the defaults of version 3 (zstd); "
        "types and labels in the group's attributes."
    )
    notes: ClassVar = {"zarr none": "As the default row, with compressors=None; tuned for speed."}
    panel = (("zarr", "zstd"), ("zarr", "none"))

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import numpy as np
        import zarr
        from zarr.storage import ZipStore

        arrays, about = parted(data, masked=True)
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

            return joined(array, about_rows(group.attrs[COLUMNS], rows), column)


def about_rows(about: Any, rows: slice | None) -> Any:
    """Returns the description of these rows: only a range index depends on them."""
    if rows is None or "range" not in about["index"]:
        return about
    some = range(*about["index"]["range"])[rows]
    return {**about, "index": {**about["index"], "range": [some.start, some.stop, some.step]}}
