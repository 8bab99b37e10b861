"""One end of a panel's cell: a process that takes commands on standard input (see `runner`).

Before "loaded" it makes data, imports libraries and rehearses on a few rows. Before "ready" it makes connections.
Between "go" and "done" only the measured work runs.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from colonnade_bench._end import End, serve
from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.measure import prepare, touch_all, trim_heap
from colonnade_bench.memory import status
from colonnade_bench.panel import tables
from colonnade_bench.panel._meter import Meter, clock
from colonnade_bench.panel._parts import seconds_of_parts
from colonnade_bench.panel.streams import Framed, Held, Way, receive_tables, send_tables
from colonnade_bench.transports.moving import MOVING, Plan

OF_A_HALF = ("user_s", "system_s", "peak_nbytes")
"""The figures of encoding and of decoding in one process, besides their time."""


class CellEnd(End):
    """Holds the connection to the parent, the data and the engine."""

    base = held = 0
    """The private memory before the first repetition, and the growth since then."""

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        super().__init__(parent, task)
        self.cell, self.role = Cell.from_json(task["cell"]), task["role"]
        self.engine = ENGINES[self.cell.engine]
        self.transport = self.cell.transport.partition("-")[0]
        self.moving = MOVING.get(self.transport)
        self.directory = Path(task["directory"])
        kept = Path(task["tables"])
        self.few = tables.of_library(tables.load(tables.few(kept)), self.cell.library)
        self.buffered = self.cell.option.get("via") is not None
        self.tables = self.few if self.role == "read" else tables.of_library(tables.load(kept), self.cell.library)
        self.library = LIBRARIES[self.cell.library]
        self.listened = 0
        self.counted: int | None = None
        self.parts: dict[str, float] = {}

    def run(self) -> None:
        """Loads data, rehearses, then runs one command after another."""
        self.rehearse()
        self.nbytes, nrows = self.extent()
        self.say(word="loaded", frame_nbytes=self.nbytes, nrows=nrows)
        super().run()

    def words(self) -> dict[str, Any]:
        return {"listen": self.listen, "dial": self.dial, "go": self.go}

    def before(self, told: dict[str, Any]) -> None:
        # A reader holds only a few rows. The first command gives the size of the data.
        self.nbytes = told.get("frame_nbytes", self.nbytes)

    def extent(self) -> tuple[int, int]:
        """Returns bytes and rows of the data."""
        frames = self.tables.values()
        return sum(self.library.nbytes(frame) for frame in frames), sum(len(frame) for frame in frames)

    def rehearse(self) -> None:
        """Runs the same calls on a few rows, then empties the caches."""
        folder = self.directory / f"rehearsal-{os.getpid()}"
        folder.mkdir(parents=True)
        if self.transport == "file":
            self.write_files(self.few, folder)
            self.touch(self.read_files(folder))
        else:
            self.touch(self.unpacked(self.packed(self.few, True)[0], len(self.few)))
        shutil.rmtree(folder)
        self.engine.forget()
        trim_heap()

    def touch(self, found: dict[str, Any]) -> None:
        """Passes once over every value and label of the result."""
        touch_all([buffer for frame in found.values() for buffer in self.library.buffers(frame)])

    # ---------------------------------------------------------------- in one process

    def packed(self, data: dict[str, Any], held: bool) -> tuple[Any, int]:
        """Encodes all tables. Returns the result and its number of bytes.

        With `held`, the result is one buffer in memory. Stream engines stream into it.
        """
        if held:
            buffer = Held()
            send_tables(buffer, self.engine, self.cell, data, clock)
            return buffer, buffer.tell()
        payloads = {name: self.engine.encode(frame, self.cell) for name, frame in data.items()}
        return payloads, sum(memoryview(payload).nbytes for payload in payloads.values())

    def unpacked(self, made: Any, ntables: int) -> dict[str, Any]:
        """Decodes the tables."""
        if isinstance(made, Held):
            made.seek(0)
            return receive_tables(made, self.engine, self.cell, ntables, clock)[0]
        return {name: self.engine.decode(payload, self.cell) for name, payload in made.items()}

    # ---------------------------------------------------------------- files

    def path(self, folder: Path, name: str) -> Path:
        return folder / f"{name}.{self.cell.format}"

    def write_files(self, data: dict[str, Any], folder: Path) -> None:
        for name, frame in data.items():
            path = self.path(folder, name)
            if self.buffered:
                path.write_bytes(self.engine.encode(frame, self.cell))
            else:
                self.engine.write(frame, path, self.cell)

    def read_files(self, folder: Path) -> dict[str, Any]:
        paths = {name: self.path(folder, name) for name in self.few}
        if self.buffered:
            return {name: self.engine.decode(path.read_bytes(), self.cell) for name, path in paths.items()}
        return {name: self.engine.read(path, self.cell) for name, path in paths.items()}

    # ---------------------------------------------------------------- between processes

    def plan(self, host: str = "127.0.0.1") -> Plan:
        return Plan(self.transport, self.role == "write", self.task["ways"], self.listened, host=host)

    def listen(self, told: dict[str, Any]) -> None:
        assert self.moving is not None
        self.listened += 1
        plan = self.plan(told.get("host", "127.0.0.1"))
        listener, address = self.moving.listen(plan)
        self.say(word="listening", address=address)
        self.connect(self.moving.accept(listener, plan))

    def dial(self, told: dict[str, Any]) -> None:
        assert self.moving is not None
        self.connect(self.moving.dial(told["address"], self.plan()))

    def connect(self, stream: Any) -> None:
        sends = self.role == "write"
        if self.cell.option.get("via") == "framed":
            self.way: Way | Framed = Framed(stream, sends=sends)
        else:
            self.way = Way(stream, sends=sends, ends=self.engine.ends and self.cell.format in self.engine.streams)
        if sends and self.way.streams(self.engine, self.cell):
            # Counts before the clock starts. A count next to a working reader would slow the reader down.
            self.streamed_nbytes()
        self.ready()

    def ready(self) -> None:
        prepare(self.nbytes, self.engine)
        held = status(os.getpid()).get("RssAnon", 0)
        self.base = self.base or held
        self.held = max(0, held - self.base)
        self.say(word="ready")

    # ---------------------------------------------------------------- measured

    def go(self, told: dict[str, Any]) -> None:
        """Runs one repetition. The result of a read is dropped afterwards, untimed.

        `held_nbytes` is the memory that earlier repetitions have kept.
        """
        if self.moving is None:
            self.ready()
        do = {"both": self.both, "write": self.send, "read": self.receive}[self.role]
        self.say(word="done", held_nbytes=self.held, **do())

    def both(self) -> dict[str, Any]:
        """Measures encoding and decoding separately, and their sum."""
        with Meter() as encoding:
            made, nbytes = self.packed(self.tables, self.transport != "memory")
        with Meter() as decoding:
            found = self.unpacked(made, len(self.tables))
            opened = clock()
            self.touch(found)
        halves = {"write": encoding.found, "read": decoding.found}
        encode_s, usable_s = (half["elapsed_s"] for half in halves.values())
        return {
            **{side: {name: half[name] for name in OF_A_HALF} for side, half in halves.items()},
            "elapsed_s": encode_s + usable_s,
            "encode_s": encode_s,
            "open_s": encode_s + opened - decoding.start,
            "usable_s": encode_s + usable_s,
            "nbytes": nbytes,
            "rows": rows_of(found),
        }

    def send(self) -> dict[str, Any]:
        if self.moving is None:
            shutil.rmtree(self.directory / "file", ignore_errors=True)
            (self.directory / "file").mkdir()
            os.sync()
            with Meter() as meter:
                self.write_files(self.tables, self.directory / "file")
            return {**meter.found, "nbytes": nbytes_of(self.directory / "file")}
        with Meter() as meter:
            parts = send_tables(self.way, self.engine, self.cell, self.tables, clock)
        self.way.close()
        return {"nbytes": self.streamed_nbytes() if "nbytes" not in parts else 0, **meter.found, **parts}

    def streamed_nbytes(self) -> int:
        """Returns the bytes that a stream engine sends.

        A separate call counts them, because counting during the measurement would add work.
        """
        if self.counted is None:
            held = Held(again=False)
            send_tables(held, self.engine, self.cell, self.tables, clock)
            self.counted = held.tell()
        return self.counted

    def receive(self) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        with Meter() as meter:
            if self.moving is None:
                found = self.read_files(self.directory / "file")
            else:
                found, parts = receive_tables(self.way, self.engine, self.cell, len(self.few), clock)
            opened = clock()
            self.touch(found)
        if self.moving is not None:
            self.way.close()
        elif not self.parts and all(self.library.labels(frame) for frame in found.values()):
            name, frame = next(iter(found.items()))
            path = self.path(self.directory / "file", name)
            column = self.library.labels(frame)[-1]
            self.parts = seconds_of_parts(self.engine, path, self.cell, self.library, column, len(frame))
        return {
            **meter.found,
            **parts,
            "open_s": opened - meter.start,
            "usable_s": meter.found["elapsed_s"],
            "rows": rows_of(found),
            "parts": self.parts,
        }


def rows_of(found: dict[str, Any]) -> dict[str, int]:
    """Returns the rows of each table in the result.

    A reader that returns fewer rows than were written is no faster reader.
    """
    return {name: len(frame) for name, frame in found.items()}


def nbytes_of(folder: Path) -> int:
    """Returns the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def made(parent: Parent, task: dict[str, Any]) -> Any:
    """Makes the object for the task: an end, an end of raw bytes or of another host, or an untimed trial."""
    from colonnade_bench.panel._raw import RAW, RawEnd
    from colonnade_bench.panel._remote import RemoteEnd
    from colonnade_bench.panel._trial import Trial

    if task["role"] in ("check", "fault", "leak"):
        return Trial(parent, task)
    if task["cell"]["transport"] == "remote":
        return RemoteEnd(parent, task)
    return RawEnd(parent, task) if task["cell"]["engine"] == RAW else CellEnd(parent, task)


if __name__ == "__main__":
    sys.exit(serve(made))
