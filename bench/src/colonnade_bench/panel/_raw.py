"""Measures the floor: the same number of raw bytes over the same transport, without encoding or decoding."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from colonnade_bench._parent import Parent
from colonnade_bench.cell import Cell
from colonnade_bench.measure import prepare, touch_all
from colonnade_bench.panel import _end
from colonnade_bench.panel._meter import Meter
from colonnade_bench.panel.measure_link import write_all
from colonnade_bench.panel.streams import Way
from colonnade_bench.transports.moving import MOVING

RAW = "raw bytes"
"""The engine's name in a cell of the floor."""


class RawEnd(_end.CellEnd):
    """An end that has bytes instead of tables.

    It writes files and then reads them. The option `sync` also syncs them to the disk.
    """

    def __init__(self, parent: Parent, task: dict[str, Any]) -> None:
        self.say, self.task = parent.say, task
        self.cell, self.role = Cell.from_json(task["cell"]), task["role"]
        self.transport = self.cell.transport.partition("-")[0]
        self.moving = MOVING.get(self.transport)
        self.directory, self.listened = Path(task["directory"]), 0
        self.nbytes = int(task["nbytes"])
        self.payload = np.random.default_rng(1).integers(0, 256, self.nbytes, dtype=np.uint8)

    def rehearse(self) -> None:
        """Does nothing, because there are no late imports."""

    def extent(self) -> tuple[int, int]:
        return self.nbytes, 0

    def ready(self) -> None:
        prepare(self.nbytes)
        self.say(word="ready")

    def connect(self, stream: Any) -> None:
        self.way = Way(stream, sends=self.role == "write", ends=True)
        self.ready()

    def both(self) -> dict[str, Any]:
        with Meter() as meter:
            copy = self.payload.copy()
            touch_all([copy])
        seconds = meter.found["elapsed_s"]
        return {**meter.found, "encode_s": 0.0, "open_s": seconds, "usable_s": seconds, "nbytes": self.nbytes}

    def send(self) -> dict[str, Any]:
        folder = self.directory / "file"
        if self.moving is None:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        with Meter() as meter:
            if self.moving is None:
                with open(folder / "raw", "wb", 0) as file:
                    write_all(file, self.payload)
                    if self.cell.option.get("sync"):
                        os.fsync(file.fileno())
            else:
                self.way.send(self.payload.data)
        if self.moving is not None:
            self.way.close()
        return {**meter.found, "nbytes": self.nbytes}

    def receive(self) -> dict[str, Any]:
        with Meter() as meter:
            out = np.empty(self.nbytes, dtype=np.uint8)
            view, at = out.data, 0
            if self.moving is None:
                with open(self.directory / "file" / "raw", "rb", 0) as file:
                    while count := file.readinto(view[at:]):
                        at += count
            else:
                while at < self.nbytes and (count := self.way.stream.recv_into(view[at:])):
                    at += count
            touch_all([out])
        if self.moving is not None:
            self.way.close()
        return {**meter.found, "open_s": meter.found["elapsed_s"], "usable_s": meter.found["elapsed_s"], "nbytes": at}
