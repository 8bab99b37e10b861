"""What a table is held to, as data, and the verdicts of measured figures.

A target names the work and the peers, and what is wanted of the ratios: a geometric mean, a least or a most. Ratios are
the time (or the bytes) of the fastest (smallest) peer by ours, dataset by dataset.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS, expand
from colonnade_bench.part import listed, one, some
from colonnade_bench.registry import unknown
from colonnade_bench.summary import Figure, Place, Summary, geometric_mean

KINDS = ("time", "size", "memory", "open", "relay")
STATES = ("first", "repeat")
LISTED_MOST = 6
"""Ratios that are listed; of more, the mean and the least are told."""


@dataclass(frozen=True)
class Verdict:
    """One row of the table of targets. `word` is pass, short, partly (good, but not measured in full) or -."""

    work: str
    against: str
    wanted: str
    first: str
    repeat: str
    word: str

    @property
    def measured(self) -> bool:
        return self.word != "-"


@dataclass(frozen=True)
class Comparison:
    """Ours and its peers on one dataset."""

    label: str
    dataset: str
    ours: str
    peers: tuple[str, ...]
    slowest_of: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Target:
    """One target.

    Parameters
    ----------
    work, against : str
        As the report says them.
    kind : str
        One of `KINDS`.
    dataset : list of shell patterns
    library, operation : str
    peer_library : str
        Where the peers' library is another one, whose figures are of the same rounds.
    ours : str
        A contestant: engine, format, codec, options and transport, as the records name it.
    peer, peer_first : list of shell patterns
        The fastest of those that fit counts; `peer_first` in *first*, where it differs.
    slowest_of : list of lists of shell patterns
        Instead of a peer: the fastest of each list, and the slowest of these.
    over : table of lists
        Names in braces in `ours` and the peers, and what they stand for: a comparison each. ``none`` is left out.
    metric : str
        ``usable_s``, ``open_s`` (the time of the call) or ``message_s``.
    state : str
        ``first`` or ``repeat`` is judged, and the other one shown; with ``both`` the harder one decides.
    only_state : bool
        The other one is not shown.
    total : bool
        The seconds of all datasets together.
    inverse : bool
        Ours by the peer's.
    geomean, least, most : float
        What is wanted of the ratios, and `least_of`, of datasets that fit a pattern; the first that fits counts.
    percent : bool
        Ratios are shares.
    rounds : int
        So many make a verdict that is to be quoted.
    most_s, most_s_per_member : float
        Of the time to open.
    """

    work: str = one(str)
    against: str = one(str, "")
    kind: str = one(str, "time")
    dataset: Any = some()
    library: str = one(str, "pandas")
    peer_library: str = one(str, "")
    operation: Any = some(default=("read",))
    ours: Any = some()
    peer: Any = some()
    peer_first: Any = some()
    slowest_of: list[list[str]] = field(default_factory=list)
    over: dict[str, list[str]] = field(default_factory=dict)
    metric: str = one(str, "usable_s")
    state: str = one(str, "first")
    only_state: bool = one(bool, False)
    total: bool = one(bool, False)
    inverse: bool = one(bool, False)
    geomean: float | None = one((int, float), None)
    least: float | None = one((int, float), None)
    most: float | None = one((int, float), None)
    least_of: dict[str, float] = field(default_factory=dict)
    percent: bool = one(bool, False)
    rounds: int = one(int, 7)
    count: int = one(int, 1)
    most_s: float = one((int, float), 0.0)
    most_s_per_member: float = one((int, float), 0.0)

    def __post_init__(self) -> None:
        for name, value, known in (("kind", self.kind, KINDS), ("state", self.state, (*STATES, "both"))):
            if value not in known:
                raise unknown(f"{name} of a target", value, known)
        expand(listed(self.dataset))

    # ---------------------------------------------------------------- what is compared

    def datasets(self) -> list[str]:
        return expand(listed(self.dataset))

    def comparisons(self, state: str) -> Iterator[Comparison]:
        """Each dataset by each combination of `over`."""
        peers = listed(self.peer_first) if state == "first" and self.peer_first else listed(self.peer)
        for dataset, values in itertools.product(self.datasets(), combinations(self.over)):
            words = [short(dataset)] if len(self.datasets()) > 1 else []
            words += [value for name, value in values.items() if len(self.over[name]) > 1]
            yield Comparison(
                ", ".join(words),
                dataset,
                filled(listed(self.ours)[0], values),
                tuple(filled(peer, values) for peer in peers),
                tuple(tuple(filled(each, values) for each in group) for group in self.slowest_of),
            )

    def figures(self, summary: Summary, state: str) -> dict[str, Figure]:
        """The ratio of each comparison, by its label."""
        if self.total:
            figure = self.total_ratio(summary, state)
            return {} if figure is None else {"": figure}
        out = {}
        for each in self.comparisons(state):
            figure = self.ratio(summary, each, state)
            if figure is not None:
                out[each.label] = figure
        return out

    def ratio(self, summary: Summary, each: Comparison, state: str) -> Figure | None:
        for operation in listed(self.operation):
            fixed = {"dataset": each.dataset, "operation": operation, "state": state}
            for place in summary.places(library=self.library, **fixed):
                if place.size < 1.0 or self.too_few(summary, place, each.ours):
                    continue
                there = Place(**{**vars(place), "library": self.peer_library or self.library})
                peer = self.peer_of(summary, there, each)
                if peer is None:
                    continue
                base, other = (place, each.ours), (there, peer)
                if self.inverse:
                    base, other = other, base
                found = summary.ratio_between(base, other, self.metric)
                if found is not None:
                    return found
        return None

    def peer_of(self, summary: Summary, place: Place, each: Comparison) -> str | None:
        """The fastest peer; of several parts the slowest, each at its fastest."""
        if not each.slowest_of:
            return fastest(summary, [place], each.peers, self.metric)
        parts = [fastest(summary, [place], group, self.metric) for group in each.slowest_of]
        if None in parts:
            return None
        return max((part for part in parts if part), key=lambda name: median(summary, place, name, self.metric))

    def too_few(self, summary: Summary, place: Place, ours: str) -> bool:
        """Whether a timing was of fewer messages than the target is about."""
        return self.count > 1 and median(summary, place, ours, "count") < self.count

    def total_ratio(self, summary: Summary, state: str) -> Figure | None:
        """All datasets together, of one run that has them all, round by round."""
        for run in dict.fromkeys(place.run for place in summary.places(state=state)):
            fixed = {"run": run, "library": self.library, "operation": listed(self.operation)[0], "state": state}
            places = [p for p in summary.places(size=1.0, **fixed) if p.dataset in self.datasets()]
            peer = fastest(summary, places, tuple(listed(self.peer)), self.metric)
            if len(places) == len(self.datasets()) and peer is not None:
                ours, theirs = (totals(summary, places, name, self.metric) for name in (listed(self.ours)[0], peer))
                ratios = [theirs[k] / ours[k] for k in sorted(ours.keys() & theirs.keys()) if ours[k]]
                if ratios:
                    return Figure.of(ratios)
        return None

    # ---------------------------------------------------------------- the verdict

    def judge(self, summary: Summary) -> Verdict:
        special = {"memory": self.judge_memory, "open": self.judge_open, "relay": self.judge_relay}
        if self.kind in special:
            return special[self.kind](summary)
        if self.kind == "size":
            return self.judge_size(summary)
        found = {state: self.figures(summary, state) for state in STATES}
        shown = [self.state] if self.only_state else STATES
        texts = {state: self.text(found[state]) if state in shown else "" for state in STATES}
        if self.state == "both":
            words = [self.word(found[state]) for state in STATES]
            word = next((one for one in ("short", "partly", "pass") if one in words), "-")
            word = "partly" if word == "pass" and "-" in words else word
        else:
            word = self.word(found[self.state])
            if word == "-" and any(found[state] for state in shown):
                word = "not judged"
        return Verdict(self.work, self.against, self.wanted(), texts["first"], texts["repeat"], word)

    def wanted(self) -> str:
        """What is wanted, in words."""
        words = [f"geomean >= {self.show(self.geomean, 0)}"] if self.geomean is not None else []
        for pattern, least in self.least_of.items():
            name = pattern.strip("*-").replace("-", " ")
            words.append(f"{name} >= {self.show(least, 0)}".strip())
        words += [f">= {self.show(self.least, 0)}"] if self.least is not None else []
        words += [f"<= {self.show(self.most, 0)}"] if self.most is not None else []
        return "; ".join(words)

    def show(self, value: float, digits: int = 2) -> str:
        """A ratio, or a share in percent."""
        if self.percent:
            return f"{value:.0%}"
        return f"{value:.{digits}f}x" if digits else f"{value:g}x"

    def text(self, figures: Mapping[str, Figure]) -> str:
        """All of a few ratios; of many the mean, and which is the least. Then what a full measurement lacks."""
        if not figures:
            return "-"
        values = {label: figure.median for label, figure in figures.items()}
        if len(values) <= LISTED_MOST and self.geomean is None:
            text = ", ".join(f"{label} {self.show(value)}".strip() for label, value in values.items())
        else:
            least = min(values, key=lambda label: values[label])
            mean = geometric_mean(values.values())
            text = f"{self.show(mean)}; least {self.show(values[least])}" + (f" ({least})" if least else "")
        expected, rounds = self.expected(), min((f.n for f in figures.values()), default=0)
        text += "" if len(figures) == expected else f"; {len(figures)} of {expected}"
        return text + ("" if rounds >= self.rounds else f"; {rounds} round{'s' * (rounds != 1)}")

    def expected(self) -> int:
        return 1 if self.total else len(list(self.comparisons("repeat")))

    def good(self, values: Mapping[str, float]) -> bool:
        """Whether all conditions hold."""
        if self.geomean is not None and geometric_mean(values.values()) < self.geomean:
            return False
        if self.most is not None and max(values.values()) > self.most:
            return False
        return all(value >= self.least_for(label) for label, value in values.items())

    def least_for(self, label: str) -> float:
        """The first pattern that fits counts, so that a special case stands before the general one."""
        fits = (least for pattern, least in self.least_of.items() if fnmatchcase(label.replace(" ", "-"), pattern))
        return next(fits, self.least or 0.0)

    def word(self, figures: Mapping[str, Figure]) -> str:
        """Short where a condition fails; pass only where all were measured often enough, else partly."""
        if not figures:
            return "-"
        whole = len(figures) == self.expected() and all(figure.n >= self.rounds for figure in figures.values())
        good = self.good({label: figure.median for label, figure in figures.items()})
        return "short" if not good else "pass" if whole else "partly"

    # ---------------------------------------------------------------- bytes, memory, opening, relays

    def judge_size(self, summary: Summary) -> Verdict:
        """Bytes: ours by the smallest peer's; with `inverse` the peer's by ours."""
        values = {}
        for each in self.comparisons("first"):
            found = sizes(summary, each.dataset)
            ours = found.get((self.library, each.ours))
            fitting = [
                nbytes
                for (_, name), nbytes in found.items()
                if not name.startswith("colonnade") and any(fnmatchcase(name, peer) for peer in each.peers)
            ]
            if ours and fitting:
                values[each.label] = min(fitting) / ours if self.inverse else ours / min(fitting)
        figures = {label: Figure(value, value, value, self.rounds) for label, value in values.items()}
        return Verdict(self.work, self.against, self.wanted(), self.text(figures), "", self.word(figures))

    def judge_memory(self, summary: Summary) -> Verdict:
        """Peak private growth as a multiple of the frame, the largest of each dataset."""
        shares: dict[str, float] = {}
        for record in summary.kind("memory"):
            cell = Cell.from_json(record["cell"])
            ours = any(fnmatchcase(cell.contestant, pattern) for pattern in listed(self.ours))
            inside = cell.dataset in self.datasets() and record["operation"] in listed(self.operation)
            if ours and inside and cell.size >= 1.0 and record["frame_nbytes"]:
                label, share = short(cell.dataset), record["private_nbytes"] / record["frame_nbytes"]
                shares[label] = max(shares.get(label, 0.0), share)
        text = ", ".join(f"{label} {share:.3f}x" for label, share in shares.items()) or "-"
        word = "-" if not shares else "pass" if max(shares.values()) <= (self.most or 0.0) else "short"
        return Verdict(self.work, self.against or "the frame", f"<= {self.most}x", text, "", word)

    def judge_open(self, summary: Summary) -> Verdict:
        """Time to open: so much at most, and so much a member where there are many."""
        texts, words = {}, {}
        for state in STATES:
            found = {}
            for place in summary.places(library=self.library, operation="read", state=state, size=1.0):
                figure = summary.figure(place, listed(self.ours)[0], "open_s")
                if figure is not None and place.dataset in self.datasets():
                    found[place.dataset] = (figure.median, DATASETS[place.dataset].member_count())
            good = [
                seconds <= max(self.most_s, members * self.most_s_per_member) for seconds, members in found.values()
            ]
            parts = [f"{short(name)} {s * 1e3:.2f} ms ({n:,} members)" for name, (s, n) in found.items()]
            texts[state], words[state] = ", ".join(parts) or "-", "-" if not good else "pass" if all(good) else "short"
        wanted = f"<= {self.most_s * 1e3:g} ms, or {self.most_s_per_member * 1e6:g} us a member"
        return Verdict(self.work, self.against, wanted, texts["first"], texts["repeat"], words["first"])

    def judge_relay(self, summary: Summary) -> Verdict:
        """The relay's memory over idle in MiB, the worst of all turns; everything must come out as it went in."""
        records = [record for record in summary.kind("relay") if record["size"] >= 1.0]
        worst = max((max(r["private_nbytes"], r["total_nbytes"]) for r in records), default=0) / (1 << 20)
        good = worst <= (self.most or 0.0) and all(record["equal"] for record in records)
        word = "-" if not records else "pass" if good else "short"
        text = f"{worst:.1f} MiB" if records else "-"
        return Verdict(self.work, self.against, f"<= {self.most:g} MiB", "", text, word)


def combinations(over: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Each combination of the values of some names."""
    for values in itertools.product(*over.values()):
        yield dict(zip(over, values, strict=True))


def filled(pattern: str, values: Mapping[str, str]) -> str:
    """A contestant's name with the values of its names in braces; the codec none has no word.

    >>> filled("colonnade parquet {codec}", {"codec": "zstd"}), filled("colonnade parquet {codec}", {"codec": "none"})
    ('colonnade parquet zstd', 'colonnade parquet')
    """
    names = [name for _, name, _, _ in string.Formatter().parse(pattern) if name]
    for name in names:
        if values.get(name) == "none":
            pattern = pattern.replace(f" {{{name}}}", "")
    return pattern.format(**values)


def short(dataset: str) -> str:
    """A dataset's name without what its kin share.

    >>> short("fixture-wide-columnar-1e6"), short("stream-floats-16KiB"), short("events")
    ('wide columnar', '16KiB', 'events')
    """
    if dataset.startswith("fixture-"):
        return dataset.removeprefix("fixture-").rsplit("-1e", 1)[0].replace("-", " ")
    head, _, tail = dataset.partition("-")
    if head == "stream":
        return tail.partition("-")[2]
    return tail if head in ("parquet", "codecs", "text", "wire", "nycflights13") and tail else dataset


def median(summary: Summary, place: Place, contestant: str, metric: str) -> float:
    figure = summary.figure(place, contestant, metric)
    return figure.median if figure is not None else 0.0


def totals(summary: Summary, places: Iterable[Place], contestant: str, metric: str) -> dict[int, float]:
    """Seconds for all of the places together, by round; nothing where one of them was not measured."""
    each = [summary.samples(place, contestant, metric) for place in places]
    rounds = set.intersection(*(set(samples) for samples in each)) if each else set()
    return {number: sum(samples[number] for samples in each) for number in sorted(rounds)}


def fastest(summary: Summary, places: Sequence[Place], patterns: Sequence[str], metric: str) -> str | None:
    """Who of those that fit needs least for all of the places together."""
    names = dict.fromkeys(name for place in places for name in summary.contestants(place))
    medians = {}
    for name in names:
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            found = totals(summary, places, name, metric)
            if found:
                medians[name] = Figure.of(list(found.values())).median
    return min(medians, key=lambda name: medians[name]) if medians else None


def sizes(summary: Summary, dataset: str) -> dict[tuple[str, str], int]:
    """Bytes of each contestant's file, by library and name, of whole datasets."""
    return {
        (cell.library, cell.contestant): record["wire_nbytes"]
        for cell, record in summary.checks()
        if cell.dataset == dataset and cell.size >= 1.0 and record["ok"] and record.get("wire_nbytes")
    }


def judge(summary: Summary, targets: Iterable[Target]) -> list[Verdict]:
    """The verdict of each target that something was measured for."""
    return [verdict for target in targets if (verdict := target.judge(summary)).measured]
