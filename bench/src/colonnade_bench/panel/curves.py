"""Measures a panel: one fresh process or pair of processes for each point, points interleaved at random.

Fidelity comes first, then the baselines, then the curves. Each curve grows in size until a point takes too long. Every
failure of an engine becomes a row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.panel import point, tables
from colonnade_bench.panel.baseline import Baseline
from colonnade_bench.panel.leaks import suspects, trial
from colonnade_bench.panel.shaped_link import ShapedLink
from colonnade_bench.process import EndError
from colonnade_bench.runner import Runner
from colonnade_bench.spec import Spec


class Curves(Runner):
    """A panel: every contestant on every transport, from the smallest size to the whole."""

    def __init__(
        self, spec: Spec, out: Path, directory: Path, note: Callable[[str], None] | None = None, seed: int = 1
    ) -> None:
        self.curves = list(spec.curves())
        if not self.curves:
            raise ValueError("bench: nothing to measure: no engine has what was asked for, or the filters leave it out")
        super().__init__(spec, out, directory, sorted({cell.engine for cell in self.curves}), note, seed)
        self.patience_s = max(30.0, 12 * spec.point_s)
        self.links: dict[str, ShapedLink] = {}
        self.left = self.unchecked = 0
        self.end = time.monotonic() + spec.budget_s

    def plan(self) -> dict[str, Any]:
        return {
            "ncells": len(self.curves) * len(self.spec.size) * self.spec.processes,
            "curves": [cell.to_json() for cell in self.curves],
            "disk_bps": self.spec.disk_bps,
            "security": {n: {fmt: ENGINES[n].security_of(fmt) for fmt, _ in ENGINES[n].panel} for n in self.engines},
            "notes": {n: {" ".join(row): ENGINES[n].note_of(*row) for row in ENGINES[n].panel} for n in self.engines},
        }

    def measure(self) -> int:
        remote = {"remote": self.spec.remote, "remote_options": self.spec.remote_options} if self.spec.remote else {}
        with tables.private() as cache:
            self.place = point.Place(self.directory, cache, self.patience_s, remote, self.over, self.note)
            return self.measure_all()

    def measure_all(self) -> int:
        point.clean(self.directory)
        missing = self.missing()
        checked = self.checks([cell for cell in self.curves if cell.engine not in missing])
        baseline = Baseline(self.spec, self.place, self.links, self.emit, self.note)
        # A baseline is measured in the same run as its points. A resumed run leaves out transports without open points.
        standing = baseline.make_links([cell for cell in checked if self.is_open(cell)])
        baseline.floors(standing)
        left = self.grow(standing) + self.unchecked * len(self.spec.size) * self.spec.processes
        if not self.spec.faults:
            return left
        left = left or self.faults(checked)
        self.leaks()
        return left

    def close(self) -> None:
        for link in self.links.values():
            link.close()

    def over(self) -> bool:
        return time.monotonic() >= self.end

    def checks(self, cells: Sequence[Cell]) -> list[Cell]:
        """Runs one round trip of each engine's row on a small part of the data, to find losses before any timing."""
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
        except Exception as error:  # an error in the engine's code, here or in its process, becomes a row
            found = {"ok": False, "losses": [], "error": str(error).partition(": ")[2] or reason_of(error)}
        self.emit("check", cell=cell.to_json(), **found)
        return bool(found["ok"])

    # ---------------------------------------------------------------- curves

    def grow(self, cells: Sequence[Cell]) -> int:
        """Measures all curves, interleaved at random, each from small to large. Returns how many points are left.

        Every size is measured in several processes. A second process starts when every curve has had its first.
        """
        steps = [(size, process) for size in sorted(self.spec.size) for process in range(self.spec.processes)]
        open_ = dict.fromkeys(cells, 0)
        while open_ and not self.over():
            # Shorter curves come first. If the run ends early, all curves then have about the same length.
            least = min(open_.values())
            cell = self.random.choice([cell for cell, k in open_.items() if k == least])
            left = sum(len(steps) - k for k in open_.values())
            size, process = steps[open_[cell]]
            goes_on = self.point(replace(cell, size=size), process, left)
            open_[cell] += 1
            if not goes_on or open_[cell] == len(steps):
                del open_[cell]
        return sum(len(steps) - k for k in open_.values())

    def known(self, cell: Cell, process: int) -> bool | None:
        """Whether the curve continues after this process of a point, according to earlier records.

        None if the process is not measured yet.
        """
        done = [record["union_s"] for record in self.of["panel", cell] if record.get("process", 0) == process]
        if len(done) > self.spec.repetitions or (done and max(done) > self.spec.point_s):
            return bool(max(done) <= self.spec.point_s)
        return False if any(not passes(record["reason"]) for record in self.of["failed", cell]) else None

    def is_open(self, curve: Cell) -> bool:
        """Whether a point of the curve is still to be measured."""
        sizes, processes = sorted(self.spec.size), range(self.spec.processes)
        known = (self.known(replace(curve, size=size), process) for size in sizes for process in processes)
        return next((goes_on is None for goes_on in known if not goes_on), False)

    def point(self, cell: Cell, process: int, left: int) -> bool:
        """Measures one point in one process or pair of processes. Returns False if the curve ends with it."""
        if (known := self.known(cell, process)) is not None:
            return known
        seconds = max(0.0, self.end - time.monotonic())
        self.left = left
        self.note(f"{left} left, {seconds:.0f} s: {cell.size:g} of {cell.dataset}, {cell.contestant}")
        slowest = 0.0
        try:
            link = self.links.get(cell.transport)
            for record in point.measure(cell, self.place, 1 + self.spec.repetitions, link):
                self.compare_rows(cell, record)
                self.emit("panel", cell=cell.to_json(), process=process, **record)
                slowest = max(slowest, record["union_s"])
                if slowest > self.spec.point_s:
                    break
        except OSError as error:
            if error.filename == str(self.out):
                raise  # the cell is not at fault: the records cannot be written
            self.emit("failed", cell=cell.to_json(), reason=f"the system: {error}")
            return False
        except Exception as error:  # an error in the engine's code, here or in its process, becomes a row
            self.emit("failed", cell=cell.to_json(), reason=reason_of(error))
            return False
        if slowest > self.spec.point_s and cell.size < max(self.spec.size):
            why = f"larger sizes: over {self.spec.point_s:g} s a repetition at size {cell.size:g} ({slowest:.1f} s)"
            self.emit("failed", cell=replace(cell, size=1.0).to_json(), reason=why)
        return slowest <= self.spec.point_s

    def compare_rows(self, cell: Cell, record: dict[str, Any]) -> None:
        """Raises EndError if a timed read gave other rows than the checked one.

        Otherwise it would be ranked as exact.
        """
        rows, wanted = record["rows"], record["nrows"]
        losses = [r["losses"] for r in self.of["check", subject_of(cell, self.spec)]]
        if rows is not None and wanted and rows != wanted and losses and not losses[-1]:
            raise EndError(f"reader: {rows:,} rows came back of {wanted:,}, but all of those that were checked")

    def faults(self, cells: Sequence[Cell]) -> int:
        """Tries damaged copies of each engine's row, of the first data set only. Returns the number of rows left."""
        first = [cell for cell in cells if cell.dataset == self.spec.dataset[0]]
        rows = list(dict.fromkeys(subject_of(cell, self.spec) for cell in first))
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

    def leaks(self) -> None:
        """Tries the engine's rows whose memory grew, with a small part of the first data set.

        What is kept of each repetition is kept of small ones too. Without the time for a trial, none is accused.
        """
        for row in suspects(self.records):
            cell = replace(row, size=self.spec.check_size)
            if row.dataset == self.spec.dataset[0] and not self.over() and not self.has("leak", cell):
                self.note(f"memory of {cell.contestant}")
                try:
                    found = trial(cell, self.place, self.over)
                except Exception as error:  # it has been measured; that it fails later proves nothing
                    self.note(f"no trial of {cell.contestant}: {reason_of(error)}")
                    continue
                if found is not None:
                    self.emit("leak", cell=cell.to_json(), **found)


def subject_of(cell: Cell, spec: Spec) -> Cell:
    """Returns the cell whose round trip is tried for this one: in memory, with a small part of the data."""
    return replace(cell, transport="memory", size=spec.check_size, options=())


def reason_of(error: Exception) -> str:
    """Returns the error of an engine: its own message, or how its process ended."""
    return (str(error) if isinstance(error, EndError) else f"{type(error).__name__}: {error}")[:300]


def passes(reason: str) -> bool:
    """Whether a point failed for an external reason, which may be gone when the run is resumed."""
    return reason.startswith(("the link:", "the system:")) or "[Errno 28]" in reason  # no space left on device
