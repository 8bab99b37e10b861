"""Writes or reads a dataset, for `scripts.dataset_faults`: `one_dataset.py KIND FOLDER`.

A writer prints `done`, a reader the CRC-32 of the rows as MessagePack. The exit status is 0, or 3 for a typed error.
The system calls between two uses of the path `/colonnade-mark` are those of the work.
"""

import importlib
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import colonnade as cn
from colonnade._dataset.write_dataset import frames_of
from colonnade._formats.options import make_options
from scripts.marked import marked

MODULES = ["ahead", "dataset", "open_dataset", "part_writer", "split", "transaction", "union"]


def rows(start: int, stop: int) -> dict[str, Any]:
    """Numbers from `start` to `stop`, and a key of two values."""
    numbers = np.arange(start, stop)
    return {"n": numbers, "text": np.array([f"row {n}" for n in numbers]), "key": numbers % 2}


def write(folder: str, mode: str) -> list[cn.Frame]:
    """Two parts, of the numbers 100 to 199."""
    cn.write_dataset(rows(100, 200), folder, partition_by="key", mode=mode)
    return []


def described(frames: list[cn.Frame]) -> str:
    """The CRC-32 of each."""
    return " ".join(f"{zlib.crc32(cn.encode(frame, 'msgpack')):08x}" for frame in frames) or "done"


KINDS: dict[str, Callable[[str], list[cn.Frame]]] = {
    "new": lambda folder: write(folder, "error"),
    "append": lambda folder: write(folder, "append"),
    "append to plain files": lambda folder: write(folder, "append"),
    "overwrite": lambda folder: write(folder, "overwrite"),
    "read": lambda folder: [cn.dataset(folder).read()],
    "scan": lambda folder: list(cn.dataset(folder).scan()),
    "read plain files": lambda folder: [cn.dataset(folder).read()],
    "scan a pattern": lambda folder: list(cn.dataset(f"{folder}/key=*/*.parquet").scan()),
}


def main(kind: str, folder: str) -> int:
    """Do the work."""
    # What Python imports late is imported now. No file is synced: a fault of the first call would be this one's.
    for module in MODULES:
        importlib.import_module(f"colonnade._dataset.{module}")
    for name in ("concurrent.futures.thread", "colonnade.adapters._capsule"):
        importlib.import_module(name)
    list(frames_of(rows(0, 10), make_options("parquet", "write", {})))
    with tempfile.TemporaryDirectory() as other:
        for key in (0, 1):
            cn.write(rows(0, 10), Path(other) / f"key={key}" / "1.parquet", mkdir=True)
        described(list(cn.dataset(other).filter("n > 3").scan()))
    return marked(lambda: KINDS[kind](folder), described)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
