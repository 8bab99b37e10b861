"""The parts of the report on Colonnade for R, and the figures that they give."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colonnade_bench.engines import ENGINES
from colonnade_bench.engines.r_base import PROGRAMS, RSCRIPT
from colonnade_bench.engines.r_hand_over import hand_over
from colonnade_bench.process import EndError, Process
from colonnade_bench.r_package.ends import PATIENCE_S, Contestant, in_memory, over_a_socket
from colonnade_bench.r_package.frames import nycflights13

MB = 10**6
OURS = "R colonnade"
SLOW_ROUNDS = 3
"""Text of all five tables takes seconds a round, and its targets are far away from any noise."""
FAST = (
    Contestant("colonnade arrow", OURS, "arrow"),
    Contestant("colonnade npz", OURS, "npz"),
    Contestant("colonnade parquet", OURS, "parquet", "default"),
    Contestant("colonnade msgpack", OURS, "msgpack"),
    Contestant("serialize xdr=FALSE", "R serialize", "serialize xdr=FALSE"),
    Contestant("serialize", "R serialize", "serialize"),
)
CONNECTED = Contestant("colonnade cn_connect", OURS, "connection")
"""Arrow streams over Colonnade's own connections."""
SLOW = (
    Contestant("jsonlite", "R jsonlite", "json", exact=False, rounds=SLOW_ROUNDS),
    Contestant("rjson", "R rjson", "json", exact=False, rounds=SLOW_ROUNDS),
)
NOTED = ("contestant", "operation", "size", "elapsed_s")
Records = list[dict[str, Any]]


def say(text: str) -> None:
    """Prints progress at once, also into a pipe."""
    print(text, flush=True)


@dataclass(frozen=True)
class Settings:
    """How much is measured. `folder` holds data and files."""

    folder: Path
    rounds: int = 5
    sizes: Sequence[int] = (MB, 4 * MB, 16 * MB, 64 * MB, 256 * MB, 1024 * MB)
    peak_nbytes: int = 256 * MB  # C's allocator keeps columns of less than 32 MiB, which would hide their memory
    tables: Callable[..., Mapping[str, Any]] = nycflights13
    note: Callable[[str], None] = say

    def handed(self, *names: str) -> Path:
        """Returns the folder with these tables for R. It is written once."""
        folder = self.folder / ("-".join(names) or "nycflights13")
        if not folder.exists():
            hand_over(self.tables(*names), folder)
        return folder


def five_tables(settings: Settings) -> Records:
    return in_processes(in_memory, settings, settings.handed(), (*FAST, *SLOW))


def flights(settings: Settings) -> Records:
    return in_processes(in_memory, settings, settings.handed("flights"), FAST)


def socket(settings: Settings) -> Records:
    return in_processes(over_a_socket, settings, settings.handed("flights"), (CONNECTED, *FAST))


def in_processes(run: Any, settings: Settings, handed: Path, contestants: Sequence[Contestant]) -> Records:
    """Returns one record for each contestant that is installed."""
    here = [one for one in contestants if ENGINES[one.engine].missing() is None]
    found = run(handed, here, settings.rounds, settings.note)
    return [{"contestant": name, **vars(times)} for name, times in found.items()]


def columns(settings: Settings) -> Records:
    return in_one_process("columns", settings)


def growth(settings: Settings) -> Records:
    return in_one_process("growth", settings, sizes=list(settings.sizes))


def memory(settings: Settings) -> Records:
    return in_one_process("memory", settings, nbytes=settings.peak_nbytes)


def csv(settings: Settings) -> Records:
    return in_one_process("csv", settings, handed=str(settings.handed("flights")))


def in_one_process(part: str, settings: Settings, **task: Any) -> Records:
    """Runs a part of ``r/files.R``, and returns its records.

    Raises
    ------
    EndError
        The process failed, for example because a round trip changed the data.
    """
    told = {"part": part, "rounds": settings.rounds, "folder": str(settings.folder), **task}
    process = Process(part, [*RSCRIPT, str(PROGRAMS / "files.R")], told)
    out: Records = []
    try:
        while line := process.line(PATIENCE_S):
            out.append(json.loads(line))
            settings.note(" ".join(str(out[-1][name]) for name in NOTED if name in out[-1]))
        if process.popen.wait():
            raise EndError(f"{part}: {process.ending()}")
    finally:
        process.kill()
    return out


PARTS: dict[str, Callable[[Settings], Records]] = {
    "five": five_tables,
    "flights": flights,
    "socket": socket,
    "columns": columns,
    "growth": growth,
    "memory": memory,
    "csv": csv,
}
