"""The file formats of Awkward Array and of dask-awkward."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.base import Engine, Spooled


class Awkward(Spooled):
    """`ak.to_parquet` / `from_parquet`, `ak.to_feather` / `from_feather`, and `ak.to_buffers` with `np.savez`.

    DataFrames are converted to records of their columns (`as_records`). They come back through an Arrow table.
    """

    name = "awkward"
    modules = ("awkward", "pyarrow")
    distributions = ("awkward", "awkward-cpp")
    install = "pip install awkward pyarrow"
    formats: ClassVar = {
        "parquet": ("zstd", "none", "snappy", "lz4"),
        "feather": ("zstd", "none", "lz4"),
        "npz": ("none",),
    }
    libraries = ("awkward", "pandas")
    security = "reading runs no code; no checksum but NPZ's"
    note = "ak.to_parquet or to_feather, ak.from_parquet or from_feather at their defaults, of records of the columns."
    notes: ClassVar = {
        "npz": "ak.to_buffers with numpy.savez, and numpy.load with ak.from_buffers, as Awkward's guide has it."
    }
    panel = (("parquet", "zstd"), ("feather", "zstd"), ("npz", "none"))

    def supports(self, cell: Cell) -> bool:
        return cell.transport == "file" and cell.library == "awkward"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import awkward as ak
        import numpy as np

        data = as_records(data) if cell.library == "pandas" else data
        if cell.format == "parquet":
            ak.to_parquet(data, str(path), compression=None if cell.codec == "none" else cell.codec)
        elif cell.format == "feather":
            ak.to_feather(data, str(path), compression="uncompressed" if cell.codec == "none" else cell.codec)
        else:
            form, length, container = ak.to_buffers(data)
            with open(path, "wb") as file:
                np.savez(file, form=form.to_json(), length=length, **container)

    def read(self, path: Path, cell: Cell) -> Any:
        found = self.some(path, cell, None)
        return as_frame(found) if cell.library == "pandas" else found

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        if column is None or rows is not None:
            raise NotImplementedError
        return as_frame(self.some(path, cell, [column]))

    def by_column(self, path: Path, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        for name in names:
            yield self.some(path, cell, [name])[name]

    def leaf(self, path: Path, cell: Cell, leaf: tuple[str, str]) -> Any:
        column, field = leaf
        return self.some(path, cell, [column if cell.format == "feather" else f"{column}.{field}"])[column, field]

    def some(self, path: Path, cell: Cell, columns: list[str] | None) -> Any:
        """Reads all columns, or only these."""
        import awkward as ak
        import numpy as np

        if cell.format == "parquet":
            return ak.from_parquet(str(path), columns=columns)
        if cell.format == "feather":
            return ak.from_feather(str(path), columns=columns)
        with np.load(path) as members:  # a member is read on access
            form = ak.forms.from_json(str(members["form"]))
            form = form if columns is None else form.select_columns(columns)
            return ak.from_buffers(form, int(members["length"]), members)

    def forget(self) -> None:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()


class DaskAwkward(Engine):
    """`dak.to_parquet` and `dak.from_parquet` with `.compute()`, and one partition for each processor."""

    name = "dask-awkward"
    modules = ("dask_awkward", "pyarrow")
    distributions = ("dask-awkward", "dask")
    install = "pip install dask-awkward pyarrow"
    formats: ClassVar = {"parquet": ("zstd", "none", "snappy", "lz4")}
    libraries = ("awkward",)
    security = "reading runs no code; no checksum"

    def supports(self, cell: Cell) -> bool:
        return cell.transport == "file"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import dask_awkward as dak

        parts = dak.from_awkward(data, npartitions=min(len(os.sched_getaffinity(0)), len(data)))
        dak.to_parquet(parts, str(path), compression=None if cell.codec == "none" else cell.codec)

    def read(self, path: Path, cell: Cell) -> Any:
        import dask_awkward as dak

        return dak.from_parquet(str(path)).compute()

    def by_column(self, path: Path, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        import dask_awkward as dak

        opened = dak.from_parquet(str(path))
        for name in names:
            yield opened[name].compute()

    def leaf(self, path: Path, cell: Cell, leaf: tuple[str, str]) -> Any:
        import dask_awkward as dak

        column, field = leaf
        return dak.from_parquet(str(path))[column][field].compute()

    def forget(self) -> None:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()


def as_records(frame: Any) -> Any:
    """Returns an array of records with one field a column. Numbers and times are NumPy's, all others are Arrow's."""
    import awkward as ak
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    columns = {}
    for name, column in frame.items():
        if isinstance(column.dtype, pd.DatetimeTZDtype):
            columns[name] = ak.from_numpy(column.dt.tz_convert(None).to_numpy())
        elif isinstance(column.dtype, np.dtype) and column.dtype.kind != "O":
            columns[name] = ak.from_numpy(column.to_numpy())
        else:
            values = ak.from_arrow(wide_codes(pa.array(column)))
            columns[name] = values if column.isna().any() else ak.drop_none(values, axis=0)
    return ak.zip(columns, depth_limit=1)


def wide_codes(array: Any) -> Any:
    """Returns categories with codes of 32 bits: Awkward has no calls for the narrower ones that pandas makes."""
    import pyarrow as pa

    if not pa.types.is_dictionary(array.type):
        return array
    return array.cast(pa.dictionary(pa.int32(), array.type.value_type, array.type.ordered))


def as_frame(records: Any) -> Any:
    """Returns a DataFrame of an array of records."""
    import awkward as ak

    return ak.to_arrow_table(records, extensionarray=False).to_pandas()
