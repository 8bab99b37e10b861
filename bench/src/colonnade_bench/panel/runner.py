"""Runs a panel: one fresh process or pair of processes a point, points interleaved at random, records as they come.

Fidelity first, then the floors, then the curves: each grows by size until a point takes longer than it may. Whatever an
engine does is a row; a run that is interrupted or out of time leaves what it has found, and goes on from there.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from colonnade_bench import machine
from colonnade_bench.engines import ENGINES
from colonnade_bench.pair import PairError
from colonnade_bench.panel import point
from colonnade_bench.panel.earlier import before, identities, mend, new_run, same_run
from colonnade_bench.panel.ground import Ground
from colonnade_bench.panel.links import ShapedLink
from colonnade_bench.panel.spec import PanelSpec
from colonnade_bench.spec import Cell


class Panel:
    """One run of a specification.

    Parameters
    ----------
    spec : PanelSpec
    out : path
        Records, one JSON line each, appended as they come; what is there already is not measured again.
    directory : path
        Where files are written: the file system under test.
    note : callable, optional
        Told what is running and what is left.
    """

    def __init__(
        self, spec: PanelSpec, out: Path, directory: Path, note: Callable[[str], None] | None = None, seed: int = 1
    ) -> None:
        self.spec, self.out, self.directory = spec, out, directory
        self.note = note or (lambda text: None)
        self.random = random.Random(seed)
        self.cache = directory / "data"
        for folder in (out.parent, self.cache):
            folder.mkdir(parents=True, exist_ok=True)
        remote = {} if spec.remote is None else {"remote": spec.remote, "remote_options": spec.remote_options}
        self.place = point.Place(directory, self.cache, max(30.0, 12 * spec.point_s), remote)
        mend(out)
        earlier = list(before(out))
        self.curves = list(spec.curves())
        if not self.curves:
            raise ValueError("bench: nothing to measure: no engine has what was asked for, or the filters leave it out")
        self.engines = sorted({cell.engine for cell in self.curves})
        self.machine = {k: v for k, v in machine.describe(directory, self.engines).items() if k != "kind"}
        self.run_id = same_run(earlier, spec, self.machine) or new_run(earlier)
        self.records: list[dict[str, Any]] = []
        self.of: defaultdict[tuple[str, Cell], list[dict[str, Any]]] = defaultdict(list)
        for record in earlier:
            if record.get("run") == self.run_id:
                self.keep(record)
        self.links: dict[str, ShapedLink] = {}
        self.left = self.unchecked = 0
        self.end = time.monotonic() + spec.budget_s

    # ---------------------------------------------------------------- records

    def keep(self, record: dict[str, Any]) -> None:
        """Among all records, and among those of its cell."""
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
                file.truncate(end)  # a piece of a line would spoil the next one
                error.filename = str(self.out)
                raise

    def has(self, kind: str, cell: Cell, **more: Any) -> bool:
        """Whether an earlier run of this file has this record."""
        return any(all(r.get(k) == v for k, v in more.items()) for r in self.of[kind, cell])

    # ---------------------------------------------------------------- the run

    def run(self) -> str:
        """Everything that is left. Gives the reason of the end: ``complete``, ``time budget`` or ``interrupted``."""
        point.clean(self.directory)
        curves, engines = self.curves, self.engines
        self.emit("machine", **self.machine)
        self.emit(
            "plan",
            spec=self.spec.to_json(),
            ncells=len(curves) * len(self.spec.size),
            disk_bps=self.spec.disk_bps,
            security={n: {fmt: ENGINES[n].security_of(fmt) for fmt, _ in ENGINES[n].panel} for n in engines},
            data=identities(self.spec),
        )
        reason, left = "failed", 0
        try:
            there = self.there(curves, engines)
            checked = self.checks(there)
            ground = Ground(self.spec, self.place, self.links, self.emit, self.note)
            # What a way can do is measured beside its points: a run that goes on with something else leaves it.
            standing = ground.make_links([cell for cell in checked if self.is_open(cell)])
            ground.floors(standing)
            left = self.grow(standing) + self.unchecked * len(self.spec.size)
            if self.spec.faults and not left:
                left = self.faults(checked)
            reason = "time budget" if left else "complete"
        except KeyboardInterrupt:
            reason, left = "interrupted", self.left
        finally:
            for link in self.links.values():
                link.close()
            with contextlib.suppress(OSError):  # a disk that is full has said so already
                self.emit("end", reason=reason, left=left)
        return reason

    def there(self, curves: Sequence[Cell], engines: Sequence[str]) -> list[Cell]:
        """Cells whose engine is here; a row for each that is not, with the line that installs it."""
        missing = {name: reason for name in engines if (reason := machine.reason_missing(name)) is not None}
        for name, why in missing.items():
            self.emit("missing", engine=name, reason=why)
        return [cell for cell in curves if cell.engine not in missing]

    def over(self) -> bool:
        return time.monotonic() >= self.end

    def checks(self, cells: Sequence[Cell]) -> list[Cell]:
        """One round trip of each engine's row on a small part of the data: what is lost, before any clock starts."""
        subjects = {cell: subject_of(cell, self.spec) for cell in cells}
        good = {subject: self.check(subject) for subject in dict.fromkeys(subjects.values()) if not self.over()}
        self.unchecked = sum(subject not in good for subject in subjects.values())
        return [cell for cell, subject in subjects.items() if good.get(subject)]

    def check(self, cell: Cell) -> bool:
        if self.has("check", cell):
            return self.has("check", cell, ok=True)
        self.note(f"check {cell.contestant}")
        try:
            found = point.check(cell, self.place)
        except Exception as error:  # of an engine's own code, here or in its process: a row
            found = {"ok": False, "losses": [], "error": str(error).partition(": ")[2] or reason_of(error)}
        self.emit("check", cell=cell.to_json(), **found)
        return bool(found["ok"])

    # ---------------------------------------------------------------- curves

    def grow(self, cells: Sequence[Cell]) -> int:
        """All curves, interleaved at random, each from small to large. Gives how many points are left."""
        sizes = sorted(self.spec.size)
        open_ = dict.fromkeys(cells, 0)
        while open_ and not self.over():
            # Those that are behind come first: an end before the end leaves curves of one length.
            least = min(open_.values())
            cell = self.random.choice([cell for cell, k in open_.items() if k == least])
            left = sum(len(sizes) - k for k in open_.values())
            goes_on = self.point(replace(cell, size=sizes[open_[cell]]), left)
            open_[cell] += 1
            if not goes_on or open_[cell] == len(sizes):
                del open_[cell]
        return sum(len(sizes) - k for k in open_.values())

    def known(self, cell: Cell) -> bool | None:
        """Whether the curve goes on behind this point, where earlier records say so; None: it is to be measured."""
        done = [record["union_s"] for record in self.of["panel", cell]]
        if len(done) >= self.spec.repetitions or (done and max(done) > self.spec.point_s):
            return bool(max(done) <= self.spec.point_s)
        return False if any(not passes(record["reason"]) for record in self.of["failed", cell]) else None

    def is_open(self, curve: Cell) -> bool:
        """Whether a point of the curve is still to be measured."""
        known = (self.known(replace(curve, size=size)) for size in sorted(self.spec.size))
        return next((goes_on is None for goes_on in known if not goes_on), False)

    def point(self, cell: Cell, left: int) -> bool:
        """One point; False where the curve ends with it."""
        if (known := self.known(cell)) is not None:
            return known
        seconds = max(0.0, self.end - time.monotonic())
        self.left = left
        self.note(f"{left} left, {seconds:.0f} s: {cell.size:g} of {cell.dataset}, {cell.contestant}")
        slowest = 0.0
        try:
            for record in point.measure(cell, self.place, self.spec.repetitions, self.links.get(cell.transport)):
                self.compare_rows(cell, record)
                self.emit("panel", cell=cell.to_json(), **record)
                slowest = max(slowest, record["union_s"])
                if slowest > self.spec.point_s:
                    break
        except OSError as error:
            if error.filename == str(self.out):
                raise  # no fault of the cell: what has been measured cannot be kept
            self.emit("failed", cell=cell.to_json(), reason=f"the system: {error}")
            return False
        except Exception as error:  # of an engine's own code, here or in its process: a row
            self.emit("failed", cell=cell.to_json(), reason=reason_of(error))
            return False
        if slowest > self.spec.point_s and cell.size < max(self.spec.size):
            why = f"larger sizes: over {self.spec.point_s:g} s a repetition at size {cell.size:g} ({slowest:.1f} s)"
            self.emit("failed", cell=replace(cell, size=1.0).to_json(), reason=why)
        return slowest <= self.spec.point_s

    def compare_rows(self, cell: Cell, record: dict[str, Any]) -> None:
        """Raises PairError where a timed read gave other rows than the checked one: it would be ranked as exact."""
        rows, wanted = record["rows"], record["nrows"]
        losses = [r["losses"] for r in self.of["check", subject_of(cell, self.spec)]]
        if rows is not None and wanted and rows != wanted and losses and not losses[-1]:
            raise PairError(f"reader: {rows:,} rows came back of {wanted:,}, but all of those that were checked")

    def faults(self, cells: Sequence[Cell]) -> int:
        """Damaged copies of each engine's row; gives how many rows are left."""
        rows = list(dict.fromkeys(subject_of(cell, self.spec) for cell in cells))
        for k, cell in enumerate(rows):
            for what in ("truncated", "flipped"):
                if self.over():
                    return len(rows) - k
                if not self.has("fault", cell, what=what):
                    self.note(f"{what} copies of {cell.contestant}")
                    try:
                        self.emit("fault", cell=cell.to_json(), **point.fault(cell, self.place, what))
                    except Exception as error:
                        self.emit("fault", cell=cell.to_json(), what=what, outcome="failed", detail=reason_of(error))
        return 0


def subject_of(cell: Cell, spec: PanelSpec) -> Cell:
    """The cell whose round trip is looked at for this one: in memory, of a small part."""
    return replace(cell, transport="memory", size=spec.check_size, options=())


def reason_of(error: Exception) -> str:
    """What a process said of itself, or how it ended; what an engine raised in this one."""
    return (str(error) if isinstance(error, PairError) else f"{type(error).__name__}: {error}")[:300]


def passes(reason: str) -> bool:
    """Whether a point failed for something around it, which may be gone when the run is gone on with."""
    return reason.startswith(("the link:", "the system:")) or "[Errno 28]" in reason  # no space left on device


def run(
    spec: PanelSpec, out: Path | None = None, directory: Path | None = None, note: Callable[[str], None] | None = None
) -> Panel:
    """Run a specification in `directory` (a temporary one by default); the panel with its records."""
    with tempfile.TemporaryDirectory(prefix="colonnade-panel-") as folder:
        place = directory or Path(folder)
        panel = Panel(spec, out or place / "panel.jsonl", place, note)
        panel.run()
        return panel
