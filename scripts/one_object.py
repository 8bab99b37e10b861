"""Writes or reads an object or a dataset of a store, for `scripts.store_faults`: `one_object.py KIND URL OPTIONS`.

OPTIONS are the storage_options as JSON. A writer prints `done`, a reader the CRC-32 of the rows as MessagePack. The
exit status is 0, or 3 for a typed error. The system calls between two uses of the path `/colonnade-mark` are those of
the work.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from obstore.store import MemoryStore

import colonnade as cn
from scripts.marked import marked
from scripts.one_dataset import described, rows

NROWS_OF_PARTS = 300_000
"""Rows of an object that is uploaded in two parts, of 8 MiB at most."""

Work = Callable[[str, dict[str, Any]], list[cn.Frame]]


def write(nrows: int) -> Work:
    """Writes one object. More than 8 MiB are uploaded in parts."""

    def work(url: str, access: dict[str, Any]) -> list[cn.Frame]:
        cn.write(large(nrows), f"{url}/t.npz", **access)
        return []

    return work


def write_dataset(mode: str) -> Work:
    """Writes two parts of a dataset, of the numbers 100 to 199."""

    def work(url: str, access: dict[str, Any]) -> list[cn.Frame]:
        cn.write_dataset(rows(100, 200), url, partition_by="key", mode=mode, **access)
        return []

    return work


def large(nrows: int) -> dict[str, Any]:
    """Columns of 40 bytes a row, which are stored as they are."""
    numbers = np.arange(float(nrows))
    return {name: numbers + k for k, name in enumerate("abcde")}


KINDS: dict[str, Work] = {
    "write": write(1_000),
    "write in parts": write(NROWS_OF_PARTS),
    "append": write_dataset("append"),
    "overwrite": write_dataset("overwrite"),
    "read": lambda url, access: [cn.read(f"{url}/t.npz", **access)],
    "scan": lambda url, access: list(cn.dataset(url, **access).scan()),
}


def main(kind: str, url: str, options: str) -> int:
    """Do the work twice: in memory, so that what is imported late is imported now, and in the store."""
    other = {"filesystem": MemoryStore()}
    KINDS["write" if kind == "read" else "append"]("warm", other)
    described(KINDS[kind]("warm", other))
    access = {"storage_options": {**json.loads(options), "retry_timeout_s": 2.0}}
    return marked(lambda: KINDS[kind](url, access), described)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
