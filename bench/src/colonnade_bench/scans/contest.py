"""A contest: calls that give the same answer, each in processes of its own, in turns.

Each round starts a process for every contestant, in random order, and times two calls: the first one, and one more.
The answers of all calls must be equal before a time counts.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from colonnade.cli.amounts import nbytes_text, seconds_text
from colonnade_bench.intervals import of_median, of_ratio
from colonnade_bench.process import Process
from colonnade_bench.section import Section

CALLS = ("first", "repeat")
PATIENCE_S = 600.0


@dataclass
class Measured:
    """The figures of one contestant, a value for each round."""

    first: list[float] = field(default_factory=list)
    repeat: list[float] = field(default_factory=list)
    peak_nbytes: list[float] = field(default_factory=list)
    moved_nbytes: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Contest:
    """Contestants of one module, by the names in its ``CONTESTANTS``.

    Attributes
    ----------
    title : str
    module : str
        The module that prepares them: ``CONTESTANTS[name](arguments)`` returns a call, and a function that makes an
        answer of JSON values from the call's result.
    arguments : mapping
        What every contestant gets.
    compared : mapping
        For each call of Colonnade, the names of the calls that it is compared with.
    moved : callable, optional
        Returns how many bytes a link has moved so far.
    """

    title: str
    module: str
    arguments: Mapping[str, Any]
    compared: Mapping[str, Sequence[str]]
    moved: Callable[[], int] | None = None
    notes: Sequence[str] = ()

    def run(self, rounds: int, note: Callable[[str], None] = print) -> dict[str, Measured]:
        """Measures all contestants.

        Raises
        ------
        AssertionError
            Two answers differ.
        """
        names = list(dict.fromkeys(name for ours, theirs in self.compared.items() for name in (ours, *theirs)))
        found = {name: Measured() for name in names}
        expected: tuple[str, Any] | None = None
        for number in range(rounds):
            for name in random.Random(number).sample(names, len(names)):
                note(f"{self.title}, round {number + 1}: {name}")
                for each in self._calls(name, found[name]):
                    expected = expected or (name, each)
                    assert alike(each, expected[1]), f"{name}: {each}\n{expected[0]}: {expected[1]}"
        return found

    def _calls(self, name: str, into: Measured) -> list[Any]:
        task = {"module": self.module, "contestant": name, "arguments": dict(self.arguments)}
        process = Process(name, "colonnade_bench.scans._call", task)
        answers = []
        try:
            process.answer(PATIENCE_S)
            for call in CALLS:
                before = self.moved() if self.moved else 0
                process.tell({"word": "go"})
                done = process.answer(PATIENCE_S)
                getattr(into, call).append(done["seconds"])
                answers.append(done["answer"])
                if self.moved and call == "first":
                    into.moved_nbytes.append(self.moved() - before)
            into.peak_nbytes.append(done["peak_nbytes"])
        finally:
            process.kill()
        return answers

    def section(self, found: Mapping[str, Measured]) -> Section:
        """The table: medians with intervals, and how many times as long the others take."""
        header = ["call", "first", "repeat", "peak memory", *(["bytes moved"] if self.moved else []), "compared, first"]
        header.append("compared, repeat")
        rows = []
        for name, figures in found.items():
            row = [name, *(spread(getattr(figures, call)) for call in CALLS)]
            row.append(nbytes_text(of_median(figures.peak_nbytes).value))
            if self.moved:
                row.append(nbytes_text(of_median(figures.moved_nbytes).value))
            for call in CALLS:
                ratios = (
                    f"{ratio(getattr(found[peer], call), getattr(figures, call))} {peer}"
                    for peer in self.compared.get(name, ())
                )
                row.append("; ".join(ratios) or "-")
            rows.append(row)
        counts = {len(figures.first) for figures in found.values()}
        notes = [
            *self.notes,
            f"Medians of {min(counts)} rounds with 95 % intervals. 2x: the other takes twice as long.",
        ]
        return Section(self.title, header, rows, notes)


def alike(found: Any, expected: Any) -> bool:
    """Whether two answers are equal. Engines add floats in different orders."""
    if isinstance(expected, float) and isinstance(found, int | float):
        return math.isclose(found, expected, rel_tol=1e-9)
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(alike(found[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(alike, found, expected))
    return bool(found == expected)


def spread(values: Sequence[float]) -> str:
    middle = of_median(values)
    return f"{seconds_text(middle.value)} ({seconds_text(middle.low)} to {seconds_text(middle.high)})"


def ratio(values: Sequence[float], base: Sequence[float]) -> str:
    found = of_ratio(values, base)
    return f"{found.value:.2f}x ({found.low:.2f} to {found.high:.2f})"
