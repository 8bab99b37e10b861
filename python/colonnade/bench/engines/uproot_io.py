"""ROOT files, written and read by uproot: not by the C++ ROOT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from colonnade.bench.engines.base import Engine
from colonnade.bench.spec import Cell

TREE = "tree"


class Uproot(Engine):
    """A TTree (``ttree``: lists of numbers, no deeper) or an RNTuple (``rntuple``), with ROOT's own level of a codec.

    Times are kept as their integers: uproot has no other type for them. Missing cells are handed over by index, which
    takes milliseconds of a write: those of a bit mask come back in other places (5.7.7).
    """

    name = "uproot"
    modules = ("uproot", "awkward")
    distributions = ("uproot",)
    install = "pip install uproot awkward"
    formats: ClassVar = {"rntuple": ("zstd", "lz4"), "ttree": ("zstd", "lz4")}
    libraries = ("awkward",)
    security = "reading runs no code of the file's; no checksum but LZ4's"

    def supports(self, cell: Cell) -> bool:
        return cell.transport == "file"

    def write(self, data: Any, path: Path, cell: Cell) -> None:
        import awkward as ak
        import uproot

        codec = uproot.LZ4(4) if cell.codec == "lz4" else uproot.ZSTD(5)
        columns = {name: as_known(data[name]) for name in data.fields}
        with uproot.recreate(str(path), compression=codec) as file:
            if cell.format == "rntuple":
                file.mkrntuple(TREE, ak.zip(columns, depth_limit=1))
            else:
                file.mktree(TREE, {name: column.type for name, column in columns.items()}).extend(columns)

    def read(self, path: Path, cell: Cell) -> Any:
        import uproot

        with uproot.open(str(path)) as file:
            return file[TREE].arrays()

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
    """A column as uproot can write it."""
    import awkward as ak
    import numpy as np

    if "datetime64" in str(column.type):
        column = ak.values_astype(column, np.int64)
    return ak.Array(by_index(column.layout))


def by_index(layout: Any) -> Any:
    """The layout with every option type as an index into what is there."""
    from awkward.contents import BitMaskedArray, ListOffsetArray, RecordArray

    if isinstance(layout, BitMaskedArray):
        return by_index(layout.to_IndexedOptionArray64())
    if isinstance(layout, RecordArray):
        return layout.copy(contents=[by_index(content) for content in layout.contents])
    if isinstance(layout, ListOffsetArray) or layout.is_option:
        return layout.copy(content=by_index(layout.content))
    return layout
