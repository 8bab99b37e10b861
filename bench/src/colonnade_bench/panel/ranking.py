"""Ranks the engines of one transport: medians, how much slower than the first, which are tied, which were not measured.

Two engines are tied if the 95 % bootstrap interval of the ratio of their medians holds 1. Engines that give the data
back as it was are ranked apart from those that lose something. A ranking has no winner while an engine that might win
is unmeasured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from colonnade_bench.cell import Cell
from colonnade_bench.intervals import FEWEST, Interval, of_ratio, told_apart
from colonnade_bench.panel.summary import Contestant, Fidelity, Place, Results, estimate, values_of
from colonnade_bench.summary import Figure


@dataclass(frozen=True)
class Ranked:
    """One engine's row over one transport.

    Attributes
    ----------
    figure : Figure
        Seconds of the union: median, 95 % interval, number of repetitions.
    slower : Interval
        Its median divided by that of the first row, with the interval of the ratio. 1 for the first row.
    tied : bool
        The interval of the ratio holds 1.
    first_call_s : float or None
        The median of the first call of each process, which no other figure contains.
    nbytes : float or None
        The bytes that it stores or sends.
    """

    contestant: Contestant
    figure: Figure
    slower: Interval
    tied: bool
    first_call_s: float | None
    nbytes: float | None
    fidelity: Fidelity | None

    @property
    def exact(self) -> bool:
        """Whether its round trip was checked and lost nothing."""
        return self.fidelity is not None and self.fidelity.exact

    @property
    def certain(self) -> bool:
        """Whether there are enough repetitions for an interval."""
        return self.figure.n >= FEWEST


@dataclass(frozen=True)
class Ranking:
    """All engines over one transport, at the largest size that all of them reached.

    Attributes
    ----------
    exact, lossy : tuple of Ranked
        Fastest first. Each group is compared with its own first row.
    unmeasured : tuple of Contestant
        Planned and not measured, although nothing speaks against it: the run has ended before.
    """

    transport: str
    size: float
    exact: tuple[Ranked, ...]
    lossy: tuple[Ranked, ...]
    unmeasured: tuple[Contestant, ...]

    @property
    def rows(self) -> tuple[Ranked, ...]:
        """The group that is ranked: the exact engines, or the others if there are no exact ones."""
        return self.exact or self.lossy

    @property
    def winner(self) -> Ranked | None:
        """The first row. None if nothing was measured, or if an engine that might win is unmeasured."""
        return self.rows[0] if self.rows and not self.unmeasured else None

    @property
    def tied(self) -> tuple[Ranked, ...]:
        """The rows tied with the first one."""
        return tuple(row for row in self.rows[1:] if row.tied)

    @property
    def runner_up(self) -> Ranked | None:
        """The fastest row that is certainly slower than the first."""
        return next((row for row in self.rows[1:] if not row.tied), None)


def ranking(results: Results, place: Place, transport: str, size: float | None = None) -> Ranking:
    """Ranks all engines that were measured at `size`, by default the largest that every curve has reached."""
    size = size or results.full_size(place) or 1.0
    found: dict[bool, list[tuple[Contestant, list[float]]]] = {True: [], False: []}
    for contestant in results.contestants(place):
        values = values_of(results.samples(place, contestant, transport, size))
        if values:
            found[results.exact(place, contestant)].append((contestant, values))
    exact, lossy = (ranked(results, place, transport, size, found[kind]) for kind in (True, False))
    return Ranking(transport, size, exact, lossy, tuple(unmeasured(results, place, transport, size)))


def ranked(
    results: Results, place: Place, transport: str, size: float, found: Sequence[tuple[Contestant, list[float]]]
) -> tuple[Ranked, ...]:
    """Makes the rows of one group, fastest first."""
    measured = [(contestant, values, figure) for contestant, values in found if (figure := estimate(values))]
    measured.sort(key=lambda each: each[2].median)
    out: list[Ranked] = []
    for contestant, values, figure in measured:
        base = measured[0][1]
        first = estimate(results.first_calls(place, contestant, transport, size))
        nbytes = results.figure(place, contestant, transport, size, "wire_nbytes")
        out.append(
            Ranked(
                contestant,
                figure,
                Interval(1.0, 1.0, 1.0) if not out else of_ratio(values, base),
                bool(out) and not told_apart(values, base),
                first.median if first else None,
                nbytes.median if nbytes else None,
                results.fidelity(place, contestant),
            )
        )
    return tuple(out)


def unmeasured(results: Results, place: Place, transport: str, size: float) -> list[Contestant]:
    """Returns the engines that the run planned for this transport and never reached.

    Engines that are not installed, that failed, or whose curve ended earlier have a row that says why.
    """
    missing = {record["engine"] for record in results.kind("missing", place.run)}
    out = []
    for contestant in planned(results, place, transport):
        if contestant.engine in missing or results.stopped(place, contestant, transport):
            continue
        fidelity = results.fidelity(place, contestant)
        failed = fidelity is not None and not fidelity.ok
        if not failed and not results.samples(place, contestant, transport, size):
            out.append(contestant)
    return out


def planned(results: Results, place: Place, transport: str) -> list[Contestant]:
    """Returns the engines that the run set out to measure. Older records have no such list: then none is known."""
    found: dict[Contestant, None] = {}
    for plan in results.kind("plan", place.run):
        for told in plan.get("curves", ()):
            cell = Cell.from_json(told)
            if cell.dataset == place.dataset and cell.transport == transport:
                found[Contestant.of(cell)] = None
    return list(found)
