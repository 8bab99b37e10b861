"""Measures one point of a panel: starts its processes and sends them commands. Every failure becomes a reason."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.page_cache import set_cache
from colonnade_bench.panel import quiet, tables
from colonnade_bench.panel.processor_time import of_both
from colonnade_bench.panel.shaped_link import ShapedLink
from colonnade_bench.process import EndError, Process, both, ended

MODULE = [sys.executable, "-m", "colonnade_bench.panel._end"]
TOGETHER = ("memory", "buffer", "remote")
"""Transports for which one process encodes and decodes."""
FILES = ("file", COLD := "file-cold")
"""Written first, then read: from the page cache, or from the disk."""
PATIENCE_S = 60.0


@dataclass
class Place:
    """The folders of a run, and the settings of its processes.

    `patience_s` limits the time of one answer before its process is ended. `remote` describes the other host for the
    ends. `over` and `note` belong to the wait for other work on the machine.
    """

    directory: Path
    cache: Path
    patience_s: float = PATIENCE_S
    remote: Mapping[str, Any] = field(default_factory=dict)
    over: Callable[[], bool] = bool
    note: Callable[[str], None] | None = None


def measure(
    cell: Cell, place: Place, repetitions: int, link: ShapedLink | None = None, nbytes: int = 0
) -> Iterator[dict[str, Any]]:
    """Yields each repetition of one point, as a record without its kind.

    Raises
    ------
    EndError
        A process failed, crashed or hung. The message names the process and the reason. Records yielded before stay
        valid.
    """
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="point-", dir=place.directory))
        # The path of a socket is limited to about a hundred bytes, so it cannot be below a folder of the user's choice.
        ways = stack.enter_context(tempfile.TemporaryDirectory(prefix="cn-"))
        task = {
            **told_of_data(cell, place, nbytes),
            "ways": ways,
            "cell": cell.to_json(),
            "directory": folder,
        }
        together = cell.transport in TOGETHER
        begin = quiet.Busy.now()
        ends = {
            role: stack.enter_context(started(role, cell, {**task, "role": role}, link))
            for role in (("both",) if together else ("write", "read"))
        }
        loaded = {role: end.answer(place.patience_s) for role, end in ends.items()}
        size = loaded["both" if together else "write"]
        waited_s = quiet.wait(begin, [end.popen.pid for end in ends.values()], place.over, place.note)
        if link is not None:
            stack.enter_context(link)
        for number in range(repetitions):
            if together:
                found = alone(ends["both"], place)
            elif cell.transport in FILES:
                cold = Path(folder) / "file" if cell.transport == COLD else None
                found = in_turn(ends["write"], ends["read"], place, size, cold)
            else:
                found = at_once(ends["write"], ends["read"], place, size, link)
            found["rows"] = total(found["rows"])
            found.update(of_both(cell.transport, found))
            # Other libraries report bytes of their own memory. All shares use those of pandas instead.
            frame_nbytes = task.get("frame_nbytes", size["frame_nbytes"])
            about = {"load": os.getloadavg()[0], **({"waited_s": waited_s} if waited_s and not number else {})}
            yield {"round": number, "frame_nbytes": frame_nbytes, "nrows": size.get("nrows"), **about, **found}


def total(rows: Any) -> int | None:
    """Returns the rows of all tables of a timed read. None if an end does not count them."""
    return sum(rows.values() if isinstance(rows, dict) else rows) if rows else None


def told_of_data(cell: Cell, place: Place, nbytes: int = 0) -> dict[str, Any]:
    """Returns the entries of a task that locate the data of a cell."""
    if nbytes:
        return {"nbytes": nbytes}
    kept = tables.kept(cell.dataset, cell.size, place.cache)
    task: dict[str, Any] = {"tables": str(kept), **place.remote}
    hand_over = getattr(ENGINES[cell.engine], "hand_over", None)
    if hand_over is not None:
        handed = tables.handed(kept)
        if not handed.exists():
            part = Path(tempfile.mkdtemp(dir=place.cache))
            hand_over(tables.load(kept), part)
            part.rename(handed)
        task["handed"] = str(handed)
    if cell.library != "pandas":
        task["frame_nbytes"] = tables.nbytes(kept)
    return task


@contextlib.contextmanager
def started(role: str, cell: Cell, task: dict[str, Any], link: ShapedLink | None = None) -> Iterator[Process]:
    """Starts the process of an end. The end of the block kills it in any state."""
    program = getattr(ENGINES[cell.engine], "program", None) if cell.engine in ENGINES else None
    command = MODULE if program is None else program(task)
    name = {"write": "writer", "read": "reader", "both": "process"}.get(role, role)
    process = Process(name, [*(link.prefix(sends=role == "write") if link else []), *command], task)
    if role == "fault" and program is not None:  # Python ends set their own limit once they have loaded
        resource.prlimit(process.popen.pid, resource.RLIMIT_AS, (FAULT_NBYTES, FAULT_NBYTES))
    try:
        yield process
    finally:
        process.kill()


def alone(end: Process, place: Place) -> dict[str, Any]:
    """Encodes and decodes in one process."""
    end.tell({"word": "go"})
    done = heard(end, place)
    encode_s, peak = done["encode_s"], done.get("peak_nbytes")
    half = {"peak_nbytes": peak, "held_nbytes": done.get("held_nbytes")}
    return {
        "union_s": done["elapsed_s"],
        "rows": done.get("rows"),
        "wire_nbytes": done.get("nbytes"),
        "write": {"elapsed_s": encode_s, "encode_s": encode_s, **half, **done.get("write", {})},
        "read": {
            "elapsed_s": done["elapsed_s"] - encode_s,
            "decode_s": done.get("decode_s", done["open_s"] - encode_s),
            "open_s": done["open_s"] - encode_s,
            "usable_s": done["usable_s"] - encode_s,
            **half,
            **done.get("read", {}),
        },
    }


def in_turn(
    writer: Process, reader: Process, place: Place, size: dict[str, Any], cold: Path | None = None
) -> dict[str, Any]:
    """Writes a file, then reads it in the other process, from the page cache. Nothing overlaps.

    With `cold`, the files below it are on the disk and out of the page cache before the read. It is verified.
    """
    writer.tell({"word": "go"})
    wrote = heard(writer, place)
    if cold is not None:
        set_cache(cold, "cold")
    reader.tell({"word": "go", "frame_nbytes": size["frame_nbytes"]})
    read = heard(reader, place)
    return {**joined(wrote, read, wrote["elapsed_s"] + read["elapsed_s"]), **read.get("parts", {})}


def at_once(
    writer: Process, reader: Process, place: Place, size: dict[str, Any], link: ShapedLink | None
) -> dict[str, Any]:
    """Runs both ends at the same time. The connection is made before the clock starts."""
    where = {"host": link.host} if link else {}
    reader.tell({"word": "listen", "frame_nbytes": size["frame_nbytes"], **where})
    address = reader.answer(place.patience_s)["address"]
    if link is not None:
        address = link.through(address)
    writer.tell({"word": "dial", "address": address})
    for end in (reader, writer):
        end.answer(place.patience_s)
    reader.tell({"word": "go"})
    writer.tell({"word": "go"})
    # If the reader fails, the writer waits for ever. Waiting for both reports the failed one first.
    wrote, read = both(writer, reader, place.patience_s)
    return joined(wrote, read, read["end"] - wrote["start"])


def joined(wrote: dict[str, Any], read: dict[str, Any], union_s: float) -> dict[str, Any]:
    """Joins the results of two ends into one record."""
    sides = {}
    for name, side in (("write", wrote), ("read", read)):
        sides[name] = {key: value for key, value in side.items() if key.endswith(("_s", "_nbytes"))}
    nbytes = wrote.get("nbytes") or read.get("nbytes")
    return {"union_s": union_s, "rows": read.get("rows"), "wire_nbytes": nbytes, **sides}


def heard(end: Process, place: Place, word: str = "done") -> dict[str, Any]:
    """Reads answers until one has `word`. A "ready" may come before it."""
    while (words := end.answer(place.patience_s)).get("word") != word:
        pass
    return words


def check(cell: Cell, place: Place) -> dict[str, Any]:
    """Finds the losses of a round trip in a separate process."""
    with tempfile.TemporaryDirectory(prefix="check-", dir=place.directory) as folder:
        task = {**told_of_data(cell, place), "cell": cell.to_json(), "directory": folder, "role": "check"}
        with started("check", cell, task) as end:
            words = heard(end, place, "checked")
    return {key: value for key, value in words.items() if key != "word"}


def leak(cell: Cell, place: Place) -> Iterator[dict[str, Any]]:
    """Yields the memory that a separate process holds after each round trip, for as long as the caller asks."""
    with tempfile.TemporaryDirectory(prefix="leak-", dir=place.directory) as folder:
        task = {**told_of_data(cell, place), "cell": cell.to_json(), "directory": folder, "role": "leak"}
        with started("leak", cell, task) as end:
            while True:
                yield heard(end, place, "held")


FAULT_S = 20.0
"""A damaged copy that takes longer counts as a hang."""
FAULT_NBYTES = 16 << 30
"""The address space of a process that decodes damaged copies."""
SEVERITY = ("unnoticed", "error", "hang", "crash", "silently wrong")


def fault(cell: Cell, place: Place, what: str) -> dict[str, Any]:
    """Tries damaged copies. Returns the worst outcome and the number of copies with each outcome.

    Raises
    ------
    EndError
        The process failed before it tried the first copy.
    """
    found: list[dict[str, Any]] = []
    while tried(cell, place, what, found) > len(found):
        pass  # a copy has ended the process; a new process continues after it
    outcomes = [words["outcome"] for words in found]
    counts = {name: outcomes.count(name) for name in SEVERITY if name in outcomes}
    detail = next((words["detail"] for words in found if words.get("detail")), "")
    said = ", ".join(f"{count} {name}" for name, count in counts.items())
    worst = max(counts, key=SEVERITY.index)
    return {"what": what, "outcome": worst, "counts": counts, "detail": f"of {len(found)}: {said}. {detail}".strip()}


def tried(cell: Cell, place: Place, what: str, found: list[dict[str, Any]]) -> int:
    """Tries the copies after those of `found` until one ends or stops the process. Returns the number of copies."""
    with tempfile.TemporaryDirectory(prefix="fault-", dir=place.directory) as folder:
        told = {"role": "fault", "what": what, "from": len(found), "directory": folder, "cell": cell.to_json()}
        with started("fault", cell, {**told_of_data(cell, place), **told}) as end:
            count, trying = 0, False
            try:
                while (line := end.line(min(FAULT_S, place.patience_s))) is not None:
                    words = json.loads(line)
                    if "error" in words:
                        raise EndError(f"fault: {words['error']}")
                    trying = words["word"] == "trying"
                    if trying:
                        count = words["of"]
                    else:
                        found.append(words)
            except EndError:
                if not trying:
                    raise
                found.append({"outcome": "hang"})
                return count
            status = ended(end.popen.wait(10))
    if not count:
        raise EndError(f"fault: {status}")
    if trying:
        found.append({"outcome": "crash", "detail": status})
    return count


def clean(directory: Path) -> None:
    """Removes folders that an earlier run may have left."""
    for folder in directory.glob("point-*"):
        shutil.rmtree(folder, ignore_errors=True)
