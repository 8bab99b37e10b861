"""Finds an interrupted run in a results file and reads its records, without a cut last line."""

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
"""Properties of the machine.

If one of them has changed, a new run begins, even if the earlier one was nearly complete.
"""


def same_run(records: Sequence[dict[str, Any]], spec: Spec, now: Mapping[str, Any]) -> str | None:
    """Returns the run to resume: the last one of the file, if it is not complete and nothing has changed.

    The specification, the data and the machine must be the same. Only the time budget may differ.
    """
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
    """Returns the time as a run name that the file does not contain yet."""
    now = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    known = {record.get("run") for record in records}
    return next(name for k in count(1) if (name := now if k == 1 else f"{now}-{k}") not in known)


def identities(spec: Spec) -> list[str]:
    """Identifies the data of a run. A file that has changed counts as other data."""
    if spec.part:
        return [name for part in spec.parts() for name in part.datasets()]
    return [tables.identity(dataset) for dataset in spec.dataset]


def mend(out: Path) -> None:
    """Removes a last line that an interruption has cut. Otherwise the next record would continue that line."""
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
    """Yields the records of earlier runs in the same file. Skips a line that an interruption has cut."""
    if not out.exists():
        return
    for line in out.read_text().splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(record, dict) and "kind" in record:
            yield record
