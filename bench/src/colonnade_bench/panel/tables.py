"""The data of a panel: one or several tables, made once and kept for the processes that measure.

It is kept as a pickle in the panel's own directory: that alone brings a DataFrame back with the same blocks in memory,
so that no engine is given a friendlier layout than the data had.
"""

from __future__ import annotations

import errno
import hashlib
import pickle
from pathlib import Path
from typing import Any

from colonnade_bench.datasets import DATASETS
from colonnade_bench.libraries import LIBRARIES

GROUPS = {
    "nycflights13": tuple(f"nycflights13-{name}" for name in ("flights", "weather", "planes", "airports", "airlines"))
}
"""Several tables that are sent together."""
FEW_ROWS = 50
"""Rows of the rehearsal: imports and code are warm after it, memory is not."""

Tables = dict[str, Any]


def names(dataset: str) -> tuple[str, ...]:
    """Tables of a dataset. A path to a file is a dataset of one table. Raises KeyError naming the nearest known one."""
    if dataset in GROUPS:
        return GROUPS[dataset]
    if dataset not in DATASETS:
        path = Path(dataset)
        if path.exists():
            return (dataset,)
        if path.suffix or len(path.parts) > 1:
            raise FileNotFoundError(errno.ENOENT, "No such file, and no dataset of that name", dataset)
    DATASETS[dataset]
    return (dataset,)


def build(dataset: str, size: float, cache: Path) -> Tables:
    """The tables, each with the fraction `size` of its rows, as pandas DataFrames.

    Of a user's file: blocks of rows from all over it; of a generated dataset: its first rows.
    """
    return {name.rpartition("/")[2]: one(name, size, cache) for name in names(dataset)}


def one(name: str, size: float, cache: Path) -> Any:
    if name in DATASETS:
        return DATASETS[name].load("pandas", size, cache)
    import colonnade as cn
    from colonnade_bench.panel.sample import rows_of_file

    opened = cn.read(name)
    return rows_of_file(opened, max(1, round(len(opened) * size)))


def kept(dataset: str, size: float, cache: Path) -> Path:
    """The file that holds the tables, made if it is not there; `few` beside it has the first rows of each."""
    path = place(dataset, size, cache)
    if not path.exists():
        keep(build(dataset, size, cache), path)
    return path


def place(dataset: str, size: float, cache: Path) -> Path:
    """Where `kept` looks. What is put there with `keep` is measured under a name that no dataset has."""
    digest = hashlib.sha256(f"{identity(dataset)} {size!r}".encode()).hexdigest()[:16]
    return cache / f"panel-{digest}.pickle"


def identity(dataset: str) -> str:
    """The name; of a file also where it lies and what it was when it was looked at: it may change between two runs."""
    path = Path(dataset)
    if dataset in GROUPS or dataset in DATASETS or not path.exists():
        return dataset
    found = path.stat()
    return f"{path.resolve()} {found.st_size} {found.st_mtime_ns}"


def keep(tables: Tables, path: Path) -> None:
    """Write the tables, and the first rows of each beside them."""
    path.with_suffix(".nbytes").unlink(missing_ok=True)
    save({name: frame.iloc[:FEW_ROWS] for name, frame in tables.items()}, few(path))
    save(tables, path)


def nbytes(path: Path) -> int:
    """Bytes of the tables in pandas' memory, counted once."""
    told = path.with_suffix(".nbytes")
    if not told.exists():
        pandas = LIBRARIES["pandas"]
        told.write_text(str(sum(pandas.nbytes(frame) for frame in load(path).values())))
    return int(told.read_text())


def few(path: Path) -> Path:
    """The file of the first rows."""
    return path.with_suffix(".few.pickle")


def save(tables: Tables, path: Path) -> None:
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        pickle.dump(tables, file, protocol=5)
    part.rename(path)


def load(path: Path) -> Tables:
    """What `save` has written, in this run, in a directory that is this run's own."""
    with open(path, "rb") as file:
        tables: Tables = pickle.load(file)
    return tables
