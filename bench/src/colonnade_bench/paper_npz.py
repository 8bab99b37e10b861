"""The NPZ measurement: nine fixtures against StaticFrame NPZ and NPY, Feather, Parquet, polars IPC and pickle.

State *first* comes from fresh processes, one for each contestant, round and operation; *repeat* from one process that
alternates all contestants of a dataset and library. Both belong to the same run.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from colonnade_bench.datasets.fixtures import MIXES, SHAPES
from colonnade_bench.run import Entry, Run
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Summary

ENGINES = ("colonnade", "static-frame", "pandas", "polars", "pickle", "limit")
ALL = ("write", "replace", "read")


def contestant(
    dataset: str,
    library: str,
    engine: str,
    fmt: str,
    codec: str = "none",
    *,
    calls: Iterable[str] = ALL,
    **options: Any,
) -> list[Entry]:
    """The entries of one contestant on one dataset."""
    cell = Cell(dataset, library, engine, fmt, codec, options=tuple(sorted(options.items())))
    return [(cell, call) for call in calls]


def marked(dataset: str, large: bool) -> list[Entry]:
    """The contestants that marks are judged by."""
    out = [
        *contestant(dataset, "static-frame", "colonnade", "npz"),
        *contestant(dataset, "static-frame", "static-frame", "npz"),
        *contestant(dataset, "pandas", "colonnade", "npz"),
        *contestant(dataset, "pandas", "pandas", "feather"),
    ]
    if large:
        out += [
            *contestant(dataset, "static-frame", "limit", "write-reserve", calls=("write", "replace")),
            *contestant(dataset, "colonnade", "colonnade", "npz", calls=("read",)),
            *contestant(dataset, "pandas", "colonnade", "npz", calls=("read",), mmap=False),
            *contestant(dataset, "pandas", "limit", "write-reserve", calls=("read",)),
            *contestant(dataset, "pandas", "limit", "write-reserve", calls=("read",), fresh=True),
        ]
    return out


def others(dataset: str, large: bool) -> list[Entry]:
    """The rest of the field. At 1e8 the slow writers (Parquet, lz4) are left out: minutes a round, and no mark."""
    out = [
        *contestant(dataset, "static-frame", "static-frame", "npy", calls=("write", "read")),
        *contestant(dataset, "static-frame", "static-frame", "npy", calls=("read",), mmap=True),
        *contestant(dataset, "static-frame", "colonnade", "npy", calls=("write", "read")),
        *contestant(dataset, "pandas", "pickle", "pickle", calls=("write", "read")),
        *contestant(dataset, "polars", "polars", "ipc", calls=("write", "read")),
        *contestant(dataset, "static-frame", "limit", "write", calls=("write",)),
    ]
    if not large:
        out += [
            *contestant(dataset, "pandas", "pandas", "feather", "lz4", calls=("write", "read")),
            *contestant(dataset, "pandas", "pandas", "parquet", calls=("write", "read")),
            *contestant(dataset, "pandas", "pandas", "parquet", "snappy", calls=("write", "read")),
            *contestant(dataset, "pandas", "colonnade", "npz", calls=("read",), mmap=False),
        ]
    return out


def compression(dataset: str) -> list[Entry]:
    """Codecs, on data that does not repeat: for information."""
    calls = ("write", "read")
    return [
        *contestant(dataset, "pandas", "colonnade", "npz", calls=calls),
        *contestant(dataset, "pandas", "colonnade", "npz", "zstd", calls=calls),
        *contestant(dataset, "pandas", "colonnade", "npz", "deflate", calls=calls),
        *contestant(dataset, "pandas", "pandas", "feather", "lz4", calls=calls),
        *contestant(dataset, "pandas", "pandas", "feather", "zstd", calls=calls),
        *contestant(dataset, "pandas", "pandas", "parquet", "snappy", calls=calls),
        *contestant(dataset, "pandas", "pandas", "parquet", "zstd", calls=calls),
    ]


def consolidated(dataset: str) -> list[Entry]:
    """DataFrames with one pandas block a dtype, as most programs have them: for information."""
    calls = ("write", "read")
    return [
        *contestant(dataset, "pandas", "colonnade", "npz", calls=calls),
        *contestant(dataset, "pandas", "pandas", "feather", calls=calls),
        *contestant(dataset, "pandas", "pickle", "pickle", calls=calls),
    ]


def measure(
    directory: Path,
    *,
    large: bool = False,
    rounds: int = 7,
    marks_only: bool = False,
    fixtures: Iterable[str] | None = None,
    states: Iterable[str] = ("first", "repeat", "memory"),
    note: Callable[[str], None] | None = None,
) -> Summary:
    """Run the whole measurement; results go to ``directory/paper-npz-SCALE.jsonl`` as they come.

    Parameters
    ----------
    large : bool
        The 1e8 fixtures instead of the 1e6 ones.
    rounds : int
        Rounds of each state; seven at least for figures that are to be quoted.
    marks_only : bool
        Only the contestants that marks are judged by.
    fixtures : iterable of str, optional
        Such as ``["wide-columnar"]``; all nine by default.
    """
    scale = "1e8" if large else "1e6"
    wanted = list(fixtures) if fixtures else [f"{shape}-{mix}" for shape in SHAPES[scale] for mix in MIXES]
    run = Run.anew(directory, directory / f"paper-npz-{scale}.jsonl", ENGINES, note)
    for name in wanted:
        dataset = f"fixture-{name}-{scale}"
        entries = marked(dataset, large) + ([] if marks_only else others(dataset, large))
        one_dataset(run, entries, rounds, states, memory=large)
        if not (large or marks_only):
            one_dataset(run, compression(f"{dataset}-unique"), min(rounds, 3), ["repeat"])
            if not name.endswith("uniform"):
                one_dataset(run, consolidated(f"{dataset}-consolidated"), rounds, ["repeat"])
        if large:
            shutil.rmtree(run.cache / f"{name}-{scale}", ignore_errors=True)
    return Summary(run.records)


def one_dataset(run: Run, entries: list[Entry], rounds: int, states: Iterable[str], memory: bool = False) -> None:
    """Check, then every state; the files go when the dataset is done."""
    good = set(run.check([cell for cell, _ in entries]))
    there = [entry for entry in entries if entry[0] in good]
    # The same bytes into fresh and into warm memory are two limits: each belongs to one state.
    first = [entry for entry in there if not is_warm_pread(entry)]
    repeat = [entry for entry in there if not entry[0].option.get("fresh")]
    if "first" in states:
        run.first(first, rounds)
    if "repeat" in states:
        for library in dict.fromkeys(cell.library for cell, _ in repeat):
            run.repeat([entry for entry in repeat if entry[0].library == library], rounds)
    if memory and "memory" in states:
        run.memory([entry for entry in there if entry[0].engine != "limit" and entry[0].library != "colonnade"])
    shutil.rmtree(run.files)
    run.files.mkdir()


def is_warm_pread(entry: Entry) -> bool:
    """Whether an entry is a bare read into memory that is warm already."""
    cell, call = entry
    return cell.engine == "limit" and call == "read" and not cell.option.get("fresh")
