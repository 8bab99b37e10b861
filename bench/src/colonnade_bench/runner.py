"""Runs a specification and writes records to one file as they come. Earlier records are not measured again.

There are two runners with the same kinds of records: a panel's curves (`panel.curves`) and a table's parts (`rounds`).
An interrupted run, or one out of time, keeps its records and can be resumed.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from colonnade_bench import machine
from colonnade_bench.cell import Cell
from colonnade_bench.resume import before, identities, mend, new_run, same_run
from colonnade_bench.spec import Spec


class Runner:
    """One run of a specification. Subclasses define the measurement.

    Parameters
    ----------
    spec : Spec
    out : path
        The file of records, one JSON line each, appended as they come. Existing records are not measured again.
    directory : path
        The directory for the files: the file system under test.
    engines : sequence of str
        Engines whose versions are recorded.
    note : callable, optional
        A function that receives progress messages.
    """

    left = 0
    """The work that is left if the run is interrupted."""

    def __init__(
        self,
        spec: Spec,
        out: Path,
        directory: Path,
        engines: Sequence[str],
        note: Callable[[str], None] | None = None,
        seed: int = 1,
    ) -> None:
        self.spec, self.out, self.directory, self.engines = spec, out, directory, list(engines)
        self.note = note or (lambda text: None)
        self.random = random.Random(seed)
        for folder in (out.parent, directory):
            folder.mkdir(parents=True, exist_ok=True)
        mend(out)
        earlier = list(before(out))
        self.machine = {k: v for k, v in machine.describe(directory, self.engines).items() if k != "kind"}
        self.run_id = same_run(earlier, spec, self.machine) or new_run(earlier)
        self.records: list[dict[str, Any]] = []
        self.of: defaultdict[tuple[str, Cell], list[dict[str, Any]]] = defaultdict(list)
        for record in earlier:
            if record.get("run") == self.run_id:
                self.keep(record)

    # ---------------------------------------------------------------- the measurement

    def plan(self) -> dict[str, Any]:
        """Returns the entries of the plan's record besides the specification."""
        return {}

    def measure(self) -> int:
        """Measures everything that is left. Returns how much the time did not allow."""
        raise NotImplementedError

    def close(self) -> None:
        """Releases resources that outlive a point."""

    # ---------------------------------------------------------------- records

    def keep(self, record: dict[str, Any]) -> None:
        """Adds a record to all records, and to those of its cell."""
        self.records.append(record)
        if "cell" in record:
            self.of[record["kind"], Cell.from_json(record["cell"])].append(record)

    def emit(self, kind: str, **record: Any) -> None:
        record = {"kind": kind, **record, "run": self.run_id}
        self.keep(record)
        line = json.dumps(record).encode() + b"\n"
        with open(self.out, "ab", 0) as file:
            end = file.tell()
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.out))
            except OSError as error:
                file.truncate(end)  # part of a line would damage the next one
                error.filename = str(self.out)
                raise

    def has(self, kind: str, cell: Cell, **more: Any) -> bool:
        """Whether an earlier run of this file has this record."""
        return any(all(r.get(k) == v for k, v in more.items()) for r in self.of[kind, cell])

    # ---------------------------------------------------------------- the run

    def run(self) -> str:
        """Measures everything that is left. Returns ``complete``, ``time budget`` or ``interrupted``."""
        self.emit("machine", **self.machine)
        self.emit("plan", spec=self.spec.to_json(), data=identities(self.spec), **self.plan())
        reason, left = "failed", 0
        try:
            left = self.measure()
            reason = "time budget" if left else "complete"
        except KeyboardInterrupt:
            reason, left = "interrupted", self.left
        finally:
            self.close()
            with contextlib.suppress(OSError):  # a full disk has already raised its error
                self.emit("end", reason=reason, left=left)
        return reason

    def missing(self) -> dict[str, str]:
        """Returns the engines that are not installed, and records each with the line that installs it."""
        missing = {name: why for name in self.engines if (why := machine.reason_missing(name)) is not None}
        for name, why in missing.items():
            self.emit("missing", engine=name, reason=why)
        return missing


def runner(spec: Spec, out: Path, directory: Path, note: Callable[[str], None] | None = None, seed: int = 1) -> Runner:
    """Returns the runner for a specification: for a table's parts, or for a panel's curves."""
    from colonnade_bench.panel.curves import Curves
    from colonnade_bench.rounds import Rounds

    return (Rounds if spec.part else Curves)(spec, out, directory, note, seed)


def run(
    spec: Spec, out: Path | None = None, directory: Path | None = None, note: Callable[[str], None] | None = None
) -> Runner:
    """Runs a specification in `directory` (a temporary one by default). Returns the runner with its records."""
    with tempfile.TemporaryDirectory(prefix="colonnade-bench-") as folder:
        place = directory or Path(folder)
        made = runner(spec, out or place / "results.jsonl", place, note)
        made.run()
        return made
