"""Tests whether two runs of a panel rank alike: Kendall's tau of every pair of engines, for each transport.

Engines count as tied in a run if the interval of the ratio of their medians holds 1, as in all reports. With ties it is
tau-b (M. G. Kendall, "The treatment of ties in ranking problems", 1945): pairs in the same order, minus pairs in the
opposite order, divided by the geometric mean of the untied pairs of each run.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from colonnade_bench.intervals import told_apart
from colonnade_bench.panel.summary import Contestant, Place, Results, values_of

GOAL = 0.9
ALL = "all ways"


@dataclass(frozen=True)
class Agreement:
    """The agreement of two rankings.

    Attributes
    ----------
    pairs, same, other : int
        Pairs of contestants in both runs. Pairs that are untied in both runs, in the same and in the opposite order.
    first, second : int
        The untied pairs of each run.
    """

    where: str
    contestants: int
    pairs: int
    same: int
    other: int
    first: int
    second: int

    @property
    def tau(self) -> float | None:
        """From -1 (reverse) to 1 (same). None if a run ties all pairs."""
        told = math.sqrt(self.first * self.second)
        return (self.same - self.other) / told if told else None


def order(a: Sequence[float], b: Sequence[float]) -> int:
    """Returns -1 if `a` is faster, 1 if `b` is faster, 0 if they are tied."""
    return 0 if not told_apart(a, b) else -1 if statistics.median(a) < statistics.median(b) else 1


def agreement(
    where: str, first: Mapping[Contestant, Sequence[float]], second: Mapping[Contestant, Sequence[float]]
) -> Agreement:
    """Compares two rankings over one transport, of the seconds of each repetition.

    Examples
    --------
    >>> a, b = Contestant("a", "x"), Contestant("b", "x")
    >>> quick, slow = [1.0, 1.1, 1.2], [2.0, 2.1, 2.2]
    >>> agreement("file", {a: quick, b: slow}, {a: slow, b: quick}).tau
    -1.0
    """
    both = sorted(first.keys() & second.keys())
    signs = [(order(first[a], first[b]), order(second[a], second[b])) for a, b in itertools.combinations(both, 2)]
    return Agreement(
        where,
        len(both),
        len(signs),
        sum(one == two != 0 for one, two in signs),
        sum(one == -two != 0 for one, two in signs),
        sum(one != 0 for one, _ in signs),
        sum(two != 0 for _, two in signs),
    )


def compare(first: Results, second: Results) -> list[Agreement]:
    """Returns one row for each dataset and transport in both runs, and one for all pairs together."""
    known = {place.dataset: place for place in second.places()}
    out = []
    for place in first.places():
        other = known.get(place.dataset)
        if other is None or first.full_size(place) != second.full_size(other):
            continue
        for transport in first.transports(place):
            found = agreement(
                f"{place.dataset}, {transport}", _ranked(first, place, transport), _ranked(second, other, transport)
            )
            if found.pairs:
                out.append(found)
    return [*out, _together(out)] if out else []


def _ranked(results: Results, place: Place, transport: str) -> dict[Contestant, list[float]]:
    size = results.full_size(place) or 1.0
    found = {c: values_of(results.samples(place, c, transport, size)) for c in results.contestants(place)}
    return {contestant: values for contestant, values in found.items() if values}


def _together(rows: Iterable[Agreement]) -> Agreement:
    """Adds up the pairs of all transports. Contestants count once for each transport."""
    rows = list(rows)
    return Agreement(
        ALL, *(sum(getattr(row, name) for row in rows) for name in list(Agreement.__dataclass_fields__)[1:])
    )


def to_markdown(rows: Iterable[Agreement]) -> str:
    """Formats the table, with the goal of each row."""
    lines = [
        "| data, way | engines | pairs | distinguished by both, same order | other order | Kendall's tau | goal |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        tau, goal = ("-", "-") if row.tau is None else (f"{row.tau:.3f}", "met" if row.tau >= GOAL else "not met")
        lines.append(f"| {row.where} | {row.contestants} | {row.pairs} | {row.same} | {row.other} | {tau} | {goal} |")
    return "\n".join(lines) + "\n"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the arguments: two results files."""
    command.add_argument("first", type=Path, help="panel.jsonl of a run")
    command.add_argument("second", type=Path, help="of another run of the same specification")


def main(arguments: argparse.Namespace) -> int:
    """Prints the table. The exit status is 1 if the runs have nothing in common."""
    rows = compare(Results.load(arguments.first), Results.load(arguments.second))
    if not rows:
        print("bench: the two runs have no data of the same size in common", file=sys.stderr)
        return 1
    print(to_markdown(rows), end="")
    return 0
