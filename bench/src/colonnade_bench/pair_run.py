"""Contestants between two processes, in the two states, as records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from colonnade_bench import machine
from colonnade_bench.pair import Pair, PairError
from colonnade_bench.run import Run
from colonnade_bench.spec import Cell

WARM_MULTIPLE = 1.25
"""Of the frame, touched and given back before each call: no contestant keeps more of new memory than that."""
WARM_MARGIN = 32 << 20
LARGE_NBYTES = 32 << 20


class PairRun:
    """Two processes a measurement, started afresh.

    Parameters
    ----------
    run : Run
        Takes the records and gives the order.
    certificates : mapping, optional
        For TLS.
    apart : bool
        Each of the two processes keeps to a core of its own.
    """

    def __init__(self, run: Run, certificates: dict[str, str] | None = None, apart: bool = False) -> None:
        self.run, self.certificates, self.apart = run, certificates, apart
        self.nbytes: dict[Cell, int] = {}

    def pair(self, cells: Sequence[Cell]) -> Pair:
        return Pair(cells, self.run.cache, self.certificates, self.apart)

    def warm(self, cell: Cell) -> int:
        """How much memory the receiver touches and gives back before a call; nothing for small frames."""
        nbytes = self.nbytes.get(cell, 0)
        return int(nbytes * WARM_MULTIPLE) + WARM_MARGIN if nbytes >= LARGE_NBYTES else 0

    def check(self, cells: Sequence[Cell]) -> list[Cell]:
        """Whether what arrives is what was sent. Gives the cells that work.

        They share a pair of processes until one fails; then each that is left has a pair of its own.
        """
        good, left = [], list(dict.fromkeys(cells))
        try:
            with self.pair(left) as pair:
                for k, cell in enumerate(tuple(left)):
                    good += [cell] if self.compare(pair, k, cell) else []
                    left.remove(cell)
        except PairError as error:
            self.run.note(f"apart, since one failed: {error}")
        for cell in left:
            try:
                with self.pair([cell]) as pair:
                    good += [cell] if self.compare(pair, 0, cell) else []
            except PairError as error:
                self.run.emit({"kind": "check", "cell": cell.to_json(), "ok": False, "error": str(error)})
        return good

    def compare(self, pair: Pair, k: int, cell: Cell) -> bool:
        """One contestant's result and what it came from."""
        self.run.note(f"check {cell.dataset}: {cell.contestant}")
        pair.pass_(k, tiny=True)
        found = pair.pass_(k, check=True)
        record = {"kind": "check", "cell": cell.to_json(), "ok": True, "difference": found["difference"]}
        self.run.emit({**record, "frame_nbytes": found["nbytes"]})
        self.nbytes[cell] = found["nbytes"]
        return found["difference"] is None

    def first(self, cells: Sequence[Cell], rounds: int) -> None:
        """Fresh processes: each round starts a pair for every contestant, in random order. Its first call counts.

        Imports and code are warm: four rows went the same way before, then every cache was emptied. Memory is not.
        """
        for number in range(rounds):
            order = list(cells)
            self.run.random.shuffle(order)
            for position, cell in enumerate(order):
                self.run.note(f"round {number + 1}/{rounds} {cell.dataset} first: {cell.contestant}")
                try:
                    with self.pair([cell]) as pair:
                        pair.pass_(0, tiny=True, forget=True)
                        record = pair.pass_(0, warm=self.warm(cell))
                    self.emit(cell, "first", number, position, record)
                except PairError as error:
                    self.fails(cell, error)

    def repeat(self, cells: Sequence[Cell], rounds: int, counts: dict[Cell, int] | None = None) -> None:
        """One pair of processes holds all contestants and alternates them, in random order within each round.

        Each has two turns in a row, and the second counts: its pools are warm, and the host still backs what it needs
        beyond them, whatever the others did.
        """
        left, number = list(cells), 0
        while left and number < rounds:
            number, failed = self.alternate(left, number, rounds, counts or {})
            left = [cell for cell in left if cell != failed]

    def alternate(self, cells: list[Cell], begin: int, rounds: int, counts: dict[Cell, int]) -> tuple[int, Cell | None]:
        """Rounds from `begin` on, to the end or to the first failure: the round it was in, and who failed."""
        self.run.note(f"alternating {len(cells)} contestants on {cells[0].dataset} ({cells[0].transport})")
        number, current = begin, cells[0]
        try:
            with self.pair(cells) as pair:
                for k, cell in enumerate(cells):
                    current = cell
                    pair.pass_(k, tiny=True)
                order = list(range(len(cells)))
                for number in range(begin, rounds):
                    self.run.random.shuffle(order)
                    for position, k in enumerate(order):
                        current = cells[k]
                        count = counts.get(current, 1)
                        pair.pass_(k, count=max(1, count // 20))
                        record = pair.pass_(k, count=count)
                        self.emit(current, "repeat", number, position, record)
        except PairError as error:
            self.fails(current, error)
            return number, current
        return rounds, None

    def emit(self, cell: Cell, state: str, number: int, position: int, record: dict[str, Any]) -> None:
        place = {"operation": "passage", "state": state, "round": number, "position": position}
        about = {"load": machine.load()[0], "build": machine.build()}
        self.run.emit({"kind": "time", "cell": cell.to_json(), **place, **record, **about})

    def fails(self, cell: Cell, error: Exception) -> None:
        self.run.emit({"kind": "error", "cell": cell.to_json(), "error": str(error)})
