"""Compares Colonnade with the fastest other engine of each row.

A row is one call on one dataset, with one library, format and codec.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from colonnade_bench.entry import Entry
from colonnade_bench.section import Section
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Figure, Place, Summary, geometric_mean
from colonnade_bench.targets import short

DIRECTIONS = {"read": "to", "replace": "from", "write": "from"}


@dataclass(frozen=True)
class Row:
    """One row: what was done, and the time of the fastest other engine divided by Colonnade's, round by round."""

    part: str
    codec: str
    place: Place
    ours: str
    peer: str
    ratio: Figure

    @property
    def direction(self) -> str:
        """Returns the library, and whether data go to or from it."""
        return f"{DIRECTIONS.get(self.place.operation, self.place.operation)} {self.place.library}"

    @property
    def label(self) -> str:
        codec = f" {self.codec}" if self.codec != "none" else ""
        return f"{self.part}{codec}, {short(self.place.dataset)} {self.direction}, {self.peer}"


def rows(summary: Summary, spec: Spec) -> Iterator[Row]:
    """Yields one row for each group that alternated. Of several rows of Colonnade, the one at its defaults counts."""
    parts = {part.name: part for part in spec.parts()}
    for place in summary.places(size=1.0):
        groups: dict[tuple[object, ...], list[str]] = {}
        for name in summary.contestants(place):
            part = parts.get(summary.part_of(place, name))
            if part is not None:
                entry = Entry(summary.cell_of(place, name), place.operation, {})
                groups.setdefault((part.name, *map(entry.value, part.group_by)), []).append(name)
        for (part_name, *_), names in groups.items():
            cells = {name: summary.cell_of(place, name) for name in names if is_ours(name)}
            if not cells:
                continue
            ours = min(cells, key=lambda name: len(cells[name].options))
            found = [
                (ratio, peer)
                for peer in names
                if not is_ours(peer) and (ratio := summary.ratio(place, ours, peer)) is not None
            ]
            if found:
                ratio, peer = min(found, key=lambda pair: pair[0].median)
                yield Row(str(part_name), cells[ours].codec, place, ours, peer, ratio)


def is_ours(contestant: str) -> bool:
    return contestant.startswith("colonnade ")


def best_peer_sections(summary: Summary, spec: Spec) -> Iterator[Section]:
    """Yields the geometric means: over all rows, of each format, and of each direction and codec."""
    if not spec.best_peer:
        return
    found = list(rows(summary, spec))
    header = ["rows", "count", "geometric mean", "below 1.0", "least", "rounds"]
    for state in ("repeat", "first"):
        here = [row for row in found if row.place.state == state]
        if here:
            lines = [line("all", here), *lines_by(here, lambda row: row.part)]
            notes = [
                "How many times as fast as the fastest other engine of each row: the median of the ratios of each"
                " round, until the result is usable."
            ]
            yield Section(f"Against the fastest other engine, {state}", header, lines, notes, brief=True)
    repeated = [row for row in found if row.place.state == "repeat"]
    lines = lines_by(repeated, lambda row: f"{row.part} {row.codec}, {row.direction}")
    if lines:
        yield Section("Against the fastest other engine, by direction, repeat", header, lines)


def lines_by(found: Iterable[Row], key: Callable[[Row], str]) -> list[list[str]]:
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(key(row), []).append(row)
    return [line(name, group) for name, group in sorted(groups.items())]


def line(name: str, group: list[Row]) -> list[str]:
    ratios = [row.ratio.median for row in group]
    least = min(group, key=lambda row: row.ratio.median)
    rounds = min(row.ratio.n for row in group)
    below = sum(ratio < 1 for ratio in ratios)
    mean = f"{geometric_mean(ratios):.2f}x"
    return [name, str(len(group)), mean, str(below), f"{least.ratio.median:.2f}x ({least.label})", str(rounds)]
