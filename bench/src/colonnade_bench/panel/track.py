"""The track of `advise`: runs each candidate in two fresh processes of a panel, on a frame stored before.

Laps run between a writer and a reader over a Unix socket. In one process an encoder and a decoder would reuse each
other's freed memory, and would be up to three times as fast as in real use. Only encoding and decoding count, because
the socket is not the link of the question.
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
"""The rows of the round trip that is compared."""
CHECK_SIZE = 0.5
"""Differs from 1, so that the smaller frame has a path of its own."""
BUFFERED = (("via", "framed"),)
"""Separates encoding and decoding from moving for engines that could stream."""


class Processes(Track):
    """Runs entrants in real processes.

    `directory` holds the data and their files. `patience_s` ends a hanging process.
    """

    def __init__(self, frame: Any, directory: Path, patience_s: float) -> None:
        self.place = point.Place(directory, directory / "data", patience_s)
        self.place.cache.mkdir(parents=True, exist_ok=True)
        tables.keep({"frame": frame}, self.kept)
        tables.keep({"frame": sample_rows(frame, CHECK_ROWS)}, tables.place(DATASET, CHECK_SIZE, self.place.cache))

    @property
    def kept(self) -> Path:
        """The file that holds the frame."""
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
            for record in point.measure(cell, self.place, 1 + LAPS):
                read = record["read"]
                touching_s = read["usable_s"] - read["open_s"]
                yield Lap(record["write"]["encode_s"], read["decode_s"] + touching_s, record["wire_nbytes"])
        except EndError as error:
            raise OutOfRace(str(error)) from None

    def columns_s(self, entrant: Entrant, names: Sequence[str]) -> float | None:
        """Returns the time to read only these columns. None if the engine cannot do it."""
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
    """Returns the cell for a panel's processes."""
    return Cell(DATASET, "pandas", entrant.engine, entrant.format, entrant.codec, transport)
