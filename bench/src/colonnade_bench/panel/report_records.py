"""Reads and merges the records of several results files."""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench.panel.processor_time import of_both

Record = dict[str, Any]


def read_records(path: Path) -> Iterator[Record]:
    """Yields the records of one file, which may be compressed (``.xz``).

    It skips an incomplete last line, which an interruption leaves.
    """
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode("utf-8", errors="replace")
    if text.startswith("["):
        yield from map(with_processor_time, json.loads(text))
        return
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield with_processor_time(json.loads(line))
        except ValueError:
            if number < len(lines) or text.endswith("\n"):
                raise ValueError(f"{path}: line {number} is no record. Was the file edited?") from None


def with_processor_time(record: Record) -> Record:
    """Adds what a published repetition omits because it follows from its sides."""
    return {**of_both(record["cell"]["transport"], record), **record} if record["kind"] == "panel" else record


def merged(files: Sequence[Sequence[Record]]) -> list[Record]:
    """Returns the records of all files, each once.

    If two machines have the same run id, a number distinguishes them.
    """
    out: dict[str, Record] = {}
    owners: dict[str, list[str]] = defaultdict(list)
    for records in files:
        machines: dict[str, str] = {}
        for record in records:
            if record["kind"] == "machine":
                machines.setdefault(record["run"], json.dumps(record, sort_keys=True))
        for record in records:
            run = record["run"]
            known = owners[run]
            identity = machines.get(run, "")
            if identity not in known:
                known.append(identity)
            number = known.index(identity)
            each = {**record, "run": f"{run}-{number + 1}"} if number else record
            out.setdefault(json.dumps(each, sort_keys=True), each)
    return list(out.values())
