"""Measures messages between two processes in the states *first* and *repeat*, from memory in pieces, and by relay."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from colonnade_bench.cell import Cell
from colonnade_bench.channels.pair import Pair
from colonnade_bench.channels.relay import relay
from colonnade_bench.entry import Entry, alternating
from colonnade_bench.part import Part
from colonnade_bench.process import EndError, Process
from colonnade_bench.transports import certificates

if TYPE_CHECKING:
    from colonnade_bench.rounds import Rounds

WARM_MULTIPLE = 1.25
"""Memory to touch and return before each call, as a multiple of the frame. No contestant keeps more new memory."""
WARM_MARGIN = 32 << 20
LARGE_NBYTES = 32 << 20
PIECES_PATIENCE_S = 300.0


class Messages:
    """Measures in pairs of fresh processes."""

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds
        self.certificates: dict[str, str] | None = None
        self.pin_cores = False
        self.nbytes: dict[Cell, int] = {}

    def measure(self, part: Part, entries: Sequence[Entry]) -> None:
        """Measures one dataset, one transport after another."""
        self.pin_cores = part.pin_cores
        if self.certificates is None and any(entry.cell.transport == "tls" for entry in entries):
            self.certificates = certificates.make(self.rounds.directory / "certificates")
        for group in alternating(entries, ("transport",)):
            good = set(self.check([entry.cell for entry in group]))
            there = [entry for entry in group if entry.cell in good]
            self.first([entry for entry in there if "first" in entry.rounds])
            for turns in alternating([e for e in there if "repeat" in e.rounds], ("transport",)):
                rounds = max(entry.rounds["repeat"] for entry in turns)
                counts = {e.cell: max(1, round(e.count * e.cell.size)) for e in turns}
                self.repeat([entry.cell for entry in turns], rounds, counts)

    def pair(self, cells: Sequence[Cell], counted: bool = False) -> Pair:
        return Pair(cells, self.rounds.cache, self.certificates, self.pin_cores, counted)

    def warm(self, cell: Cell) -> int:
        """Returns the memory that the receiver touches and returns before a call. 0 for small frames."""
        nbytes = self.nbytes.get(cell, 0)
        return int(nbytes * WARM_MULTIPLE) + WARM_MARGIN if nbytes >= LARGE_NBYTES else 0

    def check(self, cells: Sequence[Cell]) -> list[Cell]:
        """Checks that the received data equals the sent data. Returns the cells that work.

        The bytes on the wire are counted meanwhile. The cells share a pair of processes until one fails. Then each
        remaining cell has a pair of its own.
        """
        good, left = [], list(dict.fromkeys(cells))
        try:
            with self.pair(left, counted=True) as pair:
                for k, cell in enumerate(tuple(left)):
                    good += [cell] if self.compare(pair, k, cell) else []
                    left.remove(cell)
        except EndError as error:
            self.rounds.note(f"apart, since one failed: {error}")
        for cell in left:
            try:
                with self.pair([cell], counted=True) as pair:
                    good += [cell] if self.compare(pair, 0, cell) else []
            except EndError as error:
                self.rounds.emit("check", cell=cell.to_json(), ok=False, error=str(error))
        return good

    def compare(self, pair: Pair, k: int, cell: Cell) -> bool:
        """Compares the result of one contestant with the original."""
        self.rounds.note(f"check {cell.dataset}: {cell.contestant}")
        pair.send(k, tiny=True)
        found = pair.send(k, check=True)
        nbytes = {"frame_nbytes": found["nbytes"], "wire_nbytes": found["wire_nbytes"]}
        self.rounds.emit("check", cell=cell.to_json(), ok=True, difference=found["difference"], **nbytes)
        self.nbytes[cell] = found["nbytes"]
        return found["difference"] is None

    def first(self, entries: Sequence[Entry]) -> None:
        """Runs fresh processes: each round starts a pair for every contestant, in random order. Its first call counts.

        Imports and code are warm: four rows took the same way before, then every cache was emptied. Memory is not warm.
        """
        for number in range(max((entry.rounds["first"] for entry in entries), default=0)):
            order = [entry.cell for entry in entries if entry.rounds["first"] > number]
            self.rounds.random.shuffle(order)
            for position, cell in enumerate(order):
                self.rounds.note(f"round {number + 1} {cell.dataset} first: {cell.contestant}")
                try:
                    with self.pair([cell]) as pair:
                        pair.send(0, tiny=True, forget=True)
                        record = pair.send(0, warm=self.warm(cell))
                    self.emit(cell, "first", number, position, record)
                except EndError as error:
                    self.fails(cell, error)

    def repeat(self, cells: Sequence[Cell], rounds: int, counts: Mapping[Cell, int]) -> None:
        """Runs one pair of processes that holds all contestants and alternates them, in random order within each round.

        Each has two turns in a row, and the second counts. Then its pools are warm, and the host still backs its
        further memory, whatever the other contestants did.
        """
        left, number = list(cells), 0
        while left and number < rounds:
            number, failed = self.alternate(left, number, rounds, counts)
            left = [cell for cell in left if cell != failed]

    def alternate(
        self, cells: list[Cell], begin: int, rounds: int, counts: Mapping[Cell, int]
    ) -> tuple[int, Cell | None]:
        """Runs rounds from `begin` until the end or the first failure. Returns the round and the failed cell."""
        self.rounds.note(f"alternating {len(cells)} contestants on {cells[0].dataset} ({cells[0].transport})")
        number, current = begin, cells[0]
        try:
            with self.pair(cells) as pair:
                for k, cell in enumerate(cells):
                    current = cell
                    pair.send(k, tiny=True)
                order = list(range(len(cells)))
                for number in range(begin, rounds):
                    self.rounds.random.shuffle(order)
                    for position, k in enumerate(order):
                        current = cells[k]
                        count = counts.get(current, 1)
                        pair.send(k, count=max(1, count // 20))
                        record = pair.send(k, count=count)
                        self.emit(current, "repeat", number, position, record)
        except EndError as error:
            self.fails(current, error)
            return number, current
        return rounds, None

    # ---------------------------------------------------------------- pieces and relay

    def pieces(self, cells: Sequence[Cell], rounds: int) -> None:
        """Measures a message from memory. Only the size of the pieces varies."""
        self.rounds.note("a message in pieces, from memory")
        task = {"cells": [cell.to_json() for cell in cells], "rounds": rounds}
        task |= {"seed": self.rounds.random.randrange(1 << 30), "cache": str(self.rounds.cache)}
        process = Process("pieces", "colonnade_bench.channels._pieces", task)
        try:
            self.rounds.pass_on(follow(process), "check", "time")
        except EndError as error:
            self.fails(cells[0], error)
        finally:
            process.kill()

    def relay(self, part: Part, size: float) -> None:
        """Sends a message through three processes, `rounds` times."""
        cell = Cell(part.datasets()[0], "pandas", "colonnade", "relay", "none", "unix", size)
        for number in range(part.rounds):
            self.rounds.note(f"relay, turn {number + 1} of {part.rounds}")
            try:
                found = relay(self.rounds.cache, max(1, round(part.count * size)), cell.dataset)
            except EndError as error:
                self.fails(cell, error)
                return
            self.rounds.emit(**found, size=size, round=number)

    def emit(self, cell: Cell, state: str, number: int, position: int, record: dict[str, Any]) -> None:
        where = {"operation": "channel", "state": state, "round": number, "position": position}
        self.rounds.emit("time", cell=cell.to_json(), **where, **record)

    def fails(self, cell: Cell, error: Exception) -> None:
        self.rounds.emit("error", cell=cell.to_json(), error=str(error))


def follow(process: Process) -> Iterator[dict[str, Any]]:
    """Yields the records of a process until its output ends."""
    while (line := process.line(PIECES_PATIENCE_S)) is not None:
        record = json.loads(line)
        if record["kind"] == "error":
            raise EndError(record["error"])
        yield record
