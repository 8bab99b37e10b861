"""The nine fixtures of frame-fixtures (three shapes, three mixes of dtypes), at 1e6 and 1e8 elements.

Their columns repeat (at most a hundred distinct ones for each dtype), so they allow no conclusion about compression.
Each therefore has a non-repeating twin. frame-fixtures itself would take minutes for 1e8 elements. A fixture of 1e6
elements is repeated down and across instead. This keeps dtypes, block structure and labels (the labels are those of
frame-fixtures).

They are generated once into a cache of raw bytes. Each block is copied from it into a separate allocation, because
neighbouring columns of an ordinary frame are not contiguous in memory.
"""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench.datasets.base import Dataset

SHAPES = {
    "1e6": {"tall": (10_000, 100), "square": (1_000, 1_000), "wide": (100, 10_000)},
    "1e8": {"tall": (100_000, 1_000), "square": (10_000, 10_000), "wide": (1_000, 100_000)},
}
MIXES = {"uniform": "float", "mixed": "int,int,bool,float,float", "columnar": "int,bool,float"}
SEED = 20130101


class Fixture(Dataset):
    """One of the nine. `twin`: "" | "unique" (random values) | "consolidated" (pandas: one block for each dtype)."""

    base = "static-frame"

    def __init__(self, shape: str, mix: str, scale: str, twin: str = "") -> None:
        self.shape, self.mix, self.scale, self.twin = shape, mix, scale, twin
        self.nrows, self.ncols = SHAPES[scale][shape]
        self.name = "-".join(part for part in ("fixture", shape, mix, scale, twin) if part)
        notes = {"": "", "unique": ", values that do not repeat", "consolidated": ", one pandas block a dtype"}
        self.about = f"{self.nrows:,} x {self.ncols:,}, v({MIXES[mix]}){notes[twin]}"
        self.libraries = ("pandas",) if twin == "consolidated" else ("static-frame", "pandas", "polars", "colonnade")

    def member_count(self) -> int:
        """Counts the arrays and metadata of its NPZ: one for each block, both axes' labels, `__meta__.json`."""
        blocks = {"uniform": 1, "mixed": -(-self.ncols * 3 // 5), "columnar": self.ncols}
        return blocks[self.mix] + 3

    def build(self, cache: Path) -> Any:
        twin = "unique" if self.twin == "unique" else ""
        folder = cache / f"{self.shape}-{self.mix}-{self.scale}{'-' + twin if twin else ''}"
        if not (folder / "layout.json").exists():
            save(folder, *self.generate())
        return load(folder)

    def forget(self, cache: Path) -> None:
        if self.scale == "1e8":
            shutil.rmtree(cache / f"{self.shape}-{self.mix}-{self.scale}", ignore_errors=True)

    def load(self, library: str, size: float, cache: Path) -> Any:
        data = super().load(library, size, cache)
        return data.copy() if self.twin == "consolidated" else data  # pandas' copy consolidates

    def generate(self) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
        """Returns blocks, row labels and column labels."""
        import frame_fixtures as ff

        values = MIXES[self.mix]
        period = values.count(",") + 1
        nrows = min(self.nrows, 10_000)
        ncols = self.ncols if self.scale == "1e6" else max(100, 1_000_000 // nrows)
        base = ff.parse(f"s({nrows},{ncols})|v({values})|i(I,int)|c(I,str)")
        if self.scale == "1e6":
            blocks, index, columns = list(base._blocks._blocks), base.index.values, base.columns.values
        else:
            whole = base.iloc[:, : ncols - ncols % period]
            blocks = repeat(list(whole._blocks._blocks), self.nrows, self.ncols)
            index = ff.parse(f"s({self.nrows},1)|v(float)|i(I,int)").index.values
            columns = ff.parse(f"s(1,{self.ncols})|v(float)|c(I,str)").columns.values
        if self.twin == "unique":
            blocks = randomise(blocks)
        return blocks, index, columns


def repeat(blocks: list[np.ndarray], nrows: int, ncols: int) -> list[np.ndarray]:
    """Repeats blocks down to `nrows` and across to `ncols`. A single 2-D block stays one."""
    down = [np.concatenate([block] * (nrows // len(block))) for block in blocks]
    if len(down) == 1:
        return [np.tile(down[0], (1, -(-ncols // down[0].shape[1])))[:, :ncols]]
    out: list[np.ndarray] = []
    left = ncols
    for block in itertools.cycle(down):
        width = 1 if block.ndim == 1 else block.shape[1]
        out.append(block if width <= left else (block[:, 0] if left == 1 else block[:, :left]))
        left -= width
        if left <= 0:
            return out
    return out


def randomise(blocks: list[np.ndarray]) -> list[np.ndarray]:
    """Returns non-repeating values of the same dtypes and ranges."""
    rng = np.random.default_rng(SEED)
    makers: dict[str, Callable[[tuple[int, ...]], np.ndarray]] = {
        "i": lambda shape: rng.integers(-200_000, 200_000, shape),
        "b": lambda shape: rng.random(shape) < 0.5,
        "f": lambda shape: np.round(rng.normal(0.0, 3_000.0, shape), 2),
    }
    return [makers[block.dtype.kind](block.shape) for block in blocks]


def save(folder: Path, blocks: list[np.ndarray], index: np.ndarray, columns: np.ndarray) -> None:
    """Stores a frame as one file of raw bytes and a description. The description is written last."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = [*blocks, index, columns]
    with open(folder / "data.bin", "wb") as file:
        for array in arrays:
            np.ascontiguousarray(array).tofile(file)
    layout = [[array.dtype.str, list(array.shape)] for array in arrays]
    (folder / "layout.json").write_text(json.dumps(layout))


def load(folder: Path) -> Any:
    """Reads the StaticFrame Frame that `save` stored. Every array has a separate allocation."""
    import static_frame as sf

    raw = np.fromfile(folder / "data.bin", dtype=np.uint8)
    arrays, offset = [], 0
    for descr, shape in json.loads((folder / "layout.json").read_text()):
        dtype = np.dtype(descr)
        nbytes = dtype.itemsize * int(np.prod(shape))
        array = raw[offset : offset + nbytes].view(dtype).reshape(shape).copy()
        array.flags.writeable = False
        arrays.append(array)
        offset += nbytes
    *blocks, index, columns = arrays
    store = sf.TypeBlocks.from_blocks(blocks)
    return sf.Frame(store, index=sf.Index(index), columns=sf.Index(columns), own_data=True)


FIXTURES = [
    Fixture(shape, mix, scale, twin)
    for scale in SHAPES
    for shape in SHAPES[scale]
    for mix in MIXES
    for twin in ("", "unique", "consolidated")
]
