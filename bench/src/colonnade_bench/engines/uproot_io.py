"""ROOT files by uproot. The C++ ROOT is not involved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from colonnade_bench.cell import Cell
from colonnade_bench.engines.awkward_io import as_frame, as_records
from colonnade_bench.engines.base import Spooled

TREE = "tree"


class Uproot(Spooled):
    """A TTree (``ttree``, with at most lists of numbers) or an RNTuple (``rntuple``), with ROOT's own level of a codec.

    Times are stored as integers, because uproot has no type for them. Missing cells are passed as an index, which takes
    milliseconds of a write. With a bit mask, missing cells come back at other positions (uproot 5.7.7). The same
    happens to text of a DataFrame whose missing cells keep their space (`dense`). A TTree refuses missing text.
    """

    name = "uproot"
    modules = ("uproot", "awkward")
    distributions = ("uproot",)
    install = "pip install uproot awkward"
    formats: ClassVar = {"rntuple": ("zstd", "lz4", "zlib"), "ttree": ("zstd", "lz4", "zlib")}
    libraries = ("awkward", "pandas")
    security = "reading runs no code of the file's; no checksum but LZ4's"
    note = "uproot.recreate with mkrntuple of a record array at the default codec, and uproot.open with arrays()."
    notes: ClassVar = {
        "rntuple zstd": "As the default row, with compression=uproot.ZSTD(5); tuned for size.",
        "ttree": "uproot.recreate with mktree and extend at the default codec, and uproot.open with arrays().",
    }
    panel = (("rntuple", "zlib"), ("rntuple", "zstd"), ("ttree", "zlib"))

    def supports(self, cell: Cell) -> bool:
        return cell.transport == "file" and cell.library == "awkward" and cell.codec != "zlib"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import awkward as ak
        import uproot

        codec = {"lz4": uproot.LZ4(4), "zstd": uproot.ZSTD(5), "zlib": uproot.ZLIB(1)}[cell.codec]
        if cell.library == "pandas":
            data = as_records(data)
            columns = {name: dense(as_known(data[name])) for name in data.fields}
        else:
            columns = {name: as_known(data[name]) for name in data.fields}
        with uproot.recreate(str(path), compression=codec) as file:
            if cell.format == "rntuple":
                file.mkrntuple(TREE, ak.zip(columns, depth_limit=1))
            else:
                file.mktree(TREE, {name: column.type for name, column in columns.items()}).extend(columns)

    def read(self, path: Path, cell: Cell) -> Any:
        import uproot

        with uproot.open(str(path)) as file:
            found = file[TREE].arrays()
        return as_frame(found) if cell.library == "pandas" else found

    def part(self, path: Path, cell: Cell, *, column: str | None = None, rows: slice | None = None) -> Any:
        import uproot

        some: dict[str, Any] = {} if column is None else {"filter_name": [column]}
        if rows is not None:
            some |= {"entry_start": rows.start, "entry_stop": rows.stop}
        with uproot.open(str(path)) as file:
            return as_frame(file[TREE].arrays(**some))

    def by_column(self, path: Path, cell: Cell, names: Sequence[str]) -> Iterator[Any]:
        import uproot

        with uproot.open(str(path)) as file:
            tree = file[TREE]
            for name in names:
                yield tree[name].array()

    def leaf(self, path: Path, cell: Cell, leaf: tuple[str, str]) -> Any:
        import uproot

        with uproot.open(str(path)) as file:
            return file[TREE][".".join(leaf)].array()


def as_known(column: Any) -> Any:
    """Returns a column in a type that uproot can write."""
    import awkward as ak
    import numpy as np

    if "datetime64" in str(column.type):
        column = ak.values_astype(column, np.int64)
    return ak.Array(by_index(column.layout))


def by_index(layout: Any) -> Any:
    """Returns the layout with every option type as an index of the present values."""
    from awkward.contents import BitMaskedArray, ListOffsetArray, RecordArray

    if isinstance(layout, BitMaskedArray):
        return by_index(layout.to_IndexedOptionArray64())
    if isinstance(layout, RecordArray):
        return layout.copy(contents=[by_index(content) for content in layout.contents])
    if isinstance(layout, ListOffsetArray) or layout.is_option:
        return layout.copy(content=by_index(layout.content))
    return layout


def dense(column: Any) -> Any:
    """Returns a column with only its present values and an index, in which minus one marks a missing cell."""
    import awkward as ak
    import numpy as np
    from awkward.contents import IndexedOptionArray
    from awkward.index import Index64

    if not column.layout.is_option:
        return column
    there = ~ak.to_numpy(ak.is_none(column))
    index = np.where(there, np.cumsum(there) - 1, -1)
    return ak.Array(IndexedOptionArray(Index64(index), column.layout.project()))
