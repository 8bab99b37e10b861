"""The memory that a dataset takes which is much larger than it: `scan`, and `convert` into one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from colonnade.cli.amounts import nbytes_text
from colonnade_bench.scans.contest import Contest

PARTS, NROWS, NCOLUMNS = 40, 625_000, 10
LIMIT_NBYTES = PARTS * NROWS * NCOLUMNS * 8 // 10


@contextmanager
def contests(folder: Path) -> Iterator[list[Contest]]:
    """The contests, over 2 GB in 40 parts."""
    import colonnade as cn

    place = folder / "memory"
    if not (place / f"part-{PARTS - 1:02}.parquet").exists():
        place.mkdir(parents=True, exist_ok=True)
        for i in range(PARTS):
            chance = np.random.default_rng(i)
            columns = {f"c{k}": chance.random(NROWS) for k in range(NCOLUMNS)}
            cn.write(columns, place / f"part-{i:02}.parquet")
    notes = [
        f"{PARTS} parts of {nbytes_text(NROWS * NCOLUMNS * 8)}. The limit is a tenth of the data, "
        f"{nbytes_text(LIMIT_NBYTES)}, and what the interpreter and its libraries need."
    ]
    names: dict[str, list[str]] = {name: [] for name in CONTESTANTS}
    yield [Contest("2 GB in a tenth of the memory", __name__, {"folder": str(place)}, names, notes=notes)]


def scanned(arguments: Mapping[str, Any]) -> Any:
    import colonnade as cn

    def call() -> int:
        return sum(len(frame) for frame in cn.dataset(arguments["folder"]).scan(batch_rows=100_000))

    return call, int


def converted(suffix: str) -> Callable[[Mapping[str, Any]], Any]:
    def prepare(arguments: Mapping[str, Any]) -> Any:
        import colonnade as cn

        target = Path(arguments["folder"]).with_name(f"converted.{suffix}")

        def call() -> int:
            cn.convert(cn.dataset(arguments["folder"]), target)
            return PARTS * NROWS

        return call, int

    return prepare


def imported(_: Mapping[str, Any]) -> Any:
    import colonnade  # noqa: F401

    return lambda: PARTS * NROWS, int


CONTESTANTS = {
    "nothing but the import": imported,
    "scan": scanned,
    "convert to Arrow": converted("arrow"),
    "convert to Parquet": converted("parquet"),
}
