"""The track of `advise`: each candidate in two fresh processes of a panel, on a frame that was handed over before.

Laps are run between a writer and a reader over a Unix socket, because an encoder and a decoder in one process find the
memory the other has just given back, and are then up to three times as fast as they will be anywhere else. Only
encoding and decoding are counted; what lies between them is another link's matter.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.machine import reason_missing
from colonnade_bench.panel import point, tables
from colonnade_bench.panel.race import LAPS, Entrant, Lap, OutOfRace, Track
from colonnade_bench.panel.sample import sample_rows
from colonnade_bench.process import EndError, Process

DATASET = "this frame"
CHECK_ROWS = 20_000
"""Rows of the round trip that is compared."""
CHECK_SIZE = 0.5
"""Not 1: so that the smaller frame has a place of its own."""
BUFFERED = (("via", "framed"),)
"""Keeps encoding and decoding apart from moving where an engine could stream."""


class Processes(Track):
    """Real processes. `directory` holds the data and what they write; `patience_s` ends one that hangs."""

    def __init__(self, frame: Any, directory: Path, patience_s: float) -> None:
        self.place = point.Place(directory, directory / "data", patience_s)
        self.place.cache.mkdir(parents=True, exist_ok=True)
        tables.keep({"frame": frame}, self.kept)
        tables.keep({"frame": sample_rows(frame, CHECK_ROWS)}, tables.place(DATASET, CHECK_SIZE, self.place.cache))

    @property
    def kept(self) -> Path:
        """The file that the frame was handed over in."""
        return tables.place(DATASET, 1.0, self.place.cache)

    def losses(self, entrant: Entrant) -> list[str]:
        if (reason := reason_missing(entrant.engine)) is not None:
            raise OutOfRace(reason)
        try:
            found = point.check(replace(cell_of(entrant, "memory"), size=CHECK_SIZE), self.place)
        except EndError as error:
            raise OutOfRace(str(error).partition(": ")[2] or str(error)) from None
        if not found.get("ok", True):
            raise OutOfRace(str(found.get("error")))
        return [str(loss).removeprefix("frame.") for loss in found["losses"]]

    def laps(self, entrant: Entrant) -> Generator[Lap, None, None]:
        try:
            streams = entrant.format in ENGINES[entrant.engine].streams
            cell = replace(cell_of(entrant, "unix"), options=BUFFERED if streams else ())
            for record in point.measure(cell, self.place, LAPS):
                read = record["read"]
                touching_s = read["usable_s"] - read["open_s"]
                yield Lap(record["write"]["encode_s"], read["decode_s"] + touching_s, record["wire_nbytes"])
        except EndError as error:
            raise OutOfRace(str(error)) from None

    def columns_s(self, entrant: Entrant, names: Sequence[str]) -> float | None:
        """A read of these columns alone; None where that cannot be had."""
        task = {
            "cell": cell_of(entrant, "file").to_json(),
            "tables": str(self.kept),
            "directory": str(self.place.directory),
            "columns": list(names),
        }
        process = Process("columns", "colonnade_bench.panel._columns", task)
        try:
            found: float | None = process.answer(self.place.patience_s)["seconds"]
        except EndError:
            return None
        finally:
            process.kill()
        return found


def cell_of(entrant: Entrant, transport: str) -> Cell:
    """The cell that a panel's processes are told."""
    return Cell(DATASET, "pandas", entrant.engine, entrant.format, entrant.codec, transport)
