"""Computes figures from records: medians with quartiles, and ratios round by round.

A ratio is the median of the ratios of each round. Contestants of one round ran within the same seconds, so a drift of
the machine cancels. Figures of different runs are never divided by each other.
"""

from __future__ import annotations

import contextlib
import json
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell


@dataclass(frozen=True)
class Figure:
    """A median and the ends of its interval, of `n` samples: quartiles in a table, 95 % in a panel."""

    median: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure:
        if len(values) < 2:
            return cls(values[0], values[0], values[0], len(values))
        low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
        return cls(middle, low, high, len(values))

    def overlaps(self, other: Figure) -> bool:
        """Whether the quartile boxes of both overlap. Such contestants count as tied."""
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, order=True)
class Place:
    """The data, library, operation, state and run that contestants share in a comparison."""

    run: str
    library: str
    operation: str
    state: str
    dataset: str
    size: float


class Summary:
    """All figures of one or several results files."""

    def __init__(self, records: Iterable[dict[str, Any]]) -> None:
        self.records = list(last_attempts(records))
        self._times: dict[Place, dict[str, dict[int, dict[str, Any]]]] = defaultdict(lambda: defaultdict(dict))
        self._checks: dict[tuple[str, Cell], dict[str, Any]] = {}
        for record in self.records:
            if record["kind"] == "time":
                cell = Cell.from_json(record["cell"])
                place = Place(
                    record["run"], cell.library, record["operation"], record["state"], cell.dataset, cell.size
                )
                samples = self._times[place][cell.contestant]
                # Repetitions inside one process share its round. Each is a sample of its own.
                number = record["round"]
                while number in samples:
                    number += 1_000_000
                samples[number] = record
            elif record["kind"] == "check":
                self._checks[record["run"], Cell.from_json(record["cell"])] = record

    @classmethod
    def load(cls, *paths: Path) -> Summary:
        """Reads JSON-lines files. Several files are merged, but figures are compared only within each run."""
        return cls(json.loads(line) for path in paths for line in path.read_text().splitlines() if line.strip())

    def kind(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self.records if record["kind"] == kind]

    def rebuilt(self) -> list[str]:
        """Returns the runs whose records come from more than one build of the core."""
        builds: dict[str, set[str]] = defaultdict(set)
        for record in self.records:
            if "build" in record:
                builds[record["run"]].add(record["build"])
        return [run for run, found in builds.items() if len(found) > 1]

    def checks(self) -> list[tuple[Cell, dict[str, Any]]]:
        return [(cell, record) for (_, cell), record in self._checks.items()]

    def places(self, **fixed: Any) -> list[Place]:
        """Returns the places whose named fields have the given values, in order of appearance."""
        return [p for p in self._times if all(getattr(p, name) == value for name, value in fixed.items())]

    def contestants(self, place: Place) -> list[str]:
        return list(self._times[place])

    def figure(self, place: Place, contestant: str, metric: str = "usable_s") -> Figure | None:
        """Returns median and quartiles of one contestant's samples, or None if there are none."""
        samples = self._times.get(place, {}).get(contestant, {})
        values = [sample[metric] for sample in samples.values() if metric in sample]
        return Figure.of(values) if values else None

    def figure_of(self, place: Place, contestant: str, value: Callable[[Mapping[str, Any]], float]) -> Figure | None:
        """Returns median and quartiles of a value that is computed from each sample's record.

        Leaves out samples that lack a field of it, or are zero where it divides.
        """
        values = []
        for sample in self._times.get(place, {}).get(contestant, {}).values():
            with contextlib.suppress(KeyError, ZeroDivisionError):
                values.append(value(sample))
        return Figure.of(values) if values else None

    def part_of(self, place: Place, contestant: str) -> str:
        """Returns the part of the table in which a contestant was measured, or an empty text."""
        return str(next(iter(self._times[place][contestant].values())).get("part", ""))

    def cell_of(self, place: Place, contestant: str) -> Cell:
        """Returns the cell of a contestant."""
        return Cell.from_json(next(iter(self._times[place][contestant].values()))["cell"])

    def check_of(self, place: Place, contestant: str) -> dict[str, Any] | None:
        """Returns the record of the round trip that was checked before a contestant was timed."""
        for sample in self._times.get(place, {}).get(contestant, {}).values():
            return self._checks.get((place.run, Cell.from_json(sample["cell"])))
        return None

    def samples(self, place: Place, contestant: str, metric: str = "usable_s") -> dict[int, float]:
        """Returns seconds by round."""
        samples = self._times.get(place, {}).get(contestant, {})
        return {number: sample[metric] for number, sample in samples.items() if metric in sample}

    def ratio(self, place: Place, ours: str, peer: str, metric: str = "usable_s") -> Figure | None:
        """Returns the time of `peer` divided by that of `ours`, over the rounds that both have."""
        return self.ratio_between((place, ours), (place, peer), metric)

    def ratio_between(
        self, ours: tuple[Place, str], peer: tuple[Place, str], metric: str = "usable_s"
    ) -> Figure | None:
        """Returns the same ratio for contestants of different libraries that alternated in one process."""
        a, b = (self._times.get(place, {}).get(contestant, {}) for place, contestant in (ours, peer))
        ratios = [b[k][metric] / a[k][metric] for k in a.keys() & b.keys() if a[k].get(metric) and metric in b[k]]
        return Figure.of(ratios) if ratios else None


def last_attempts(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields the records without those of an interrupted part that was begun again."""
    records = list(records)
    begun = {(r["run"], r["part"]): k for k, r in enumerate(records) if r["kind"] == "begin"}
    for k, record in enumerate(records):
        if k >= begun.get((record.get("run", ""), record.get("part", "")), 0):
            yield record


def geometric_mean(values: Iterable[float]) -> float:
    """Returns the geometric mean of positive values.

    >>> round(geometric_mean([2.0, 8.0]), 6)
    4.0
    """
    return statistics.geometric_mean(values)
