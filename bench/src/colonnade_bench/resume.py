"""What an earlier run of the same file has found: whether it is gone on with, and its records, less a cut line."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from colonnade_bench.panel import tables
from colonnade_bench.spec import Spec

SAME = ("versions", "core_build", "processor", "cores", "environment", "transparent_hugepage", "file_system")
"""Of the machine: where one of these has changed, it is another run, however far the earlier one came."""


def same_run(records: Sequence[dict[str, Any]], spec: Spec, now: Mapping[str, Any]) -> str | None:
    """The run that is gone on with: the last one of the file, if it has not ended and was of the same things."""
    if records and records[-1]["kind"] == "end" and records[-1]["reason"] == "complete":
        return None
    plans = [record for record in records if record["kind"] == "plan"]
    if not plans:
        return None
    run = plans[-1]["run"]
    here = [now[name] for name in SAME]
    told = json.loads(json.dumps([{**spec.to_json(), "budget_s": None}, identities(spec), here]))
    then = [record for record in records if record["kind"] == "machine" and record["run"] == run]
    there = [then[-1].get(name) for name in SAME] if then else None
    known = [{**plans[-1]["spec"], "budget_s": None}, plans[-1].get("data"), there]
    return run if known == told else None


def new_run(records: Sequence[dict[str, Any]]) -> str:
    """The time, as the name of a run that the file does not know."""
    now = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    known = {record.get("run") for record in records}
    return next(name for k in count(1) if (name := now if k == 1 else f"{now}-{k}") not in known)


def identities(spec: Spec) -> list[str]:
    """What the data is: a file that has changed is other data."""
    if spec.part:
        return [name for part in spec.parts() for name in part.datasets()]
    return [tables.identity(dataset) for dataset in spec.dataset]


def mend(out: Path) -> None:
    """Takes away a last line that an interruption has cut: the next record would stand on it."""
    if not out.exists() or not (found := out.read_bytes()) or found.endswith(b"\n"):
        return
    start = found.rfind(b"\n") + 1
    try:
        json.loads(found[start:])
    except ValueError:
        os.truncate(out, start)
    else:
        with open(out, "ab") as file:
            file.write(b"\n")


def before(out: Path) -> Iterator[dict[str, Any]]:
    """Records of earlier runs of the same file; a line that an interruption has cut is left out."""
    if not out.exists():
        return
    for line in out.read_text().splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(record, dict) and "kind" in record:
            yield record
