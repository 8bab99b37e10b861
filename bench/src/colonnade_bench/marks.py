"""The marks an engine is held to, as data, and their verdicts from measured figures.

A mark names the work, the peer, and what is wanted of the per-dataset ratios: a geometric mean, a least value, or a
least value for some datasets. It is judged in state *first*; *repeat* is reported beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Protocol

from colonnade_bench.datasets import DATASETS
from colonnade_bench.summary import OURS, Figure, Summary, geometric_mean

STATES = ("first", "repeat")
DATASETS_WANTED, ROUNDS_WANTED = 9, 7


@dataclass(frozen=True)
class Verdict:
    """One row of the table of marks. `word` is pass, short, partly (good, but not measured in full) or -."""

    work: str
    against: str
    wanted: str
    first: str
    repeat: str
    word: str
    measured: bool


@dataclass(frozen=True)
class RatioMark:
    """Peer's time over ours, dataset by dataset; against a limit that is the share of its speed.

    `least` holds pairs of a shell pattern and the least ratio; `peer_first` is the peer in *first* where it differs.
    """

    work: str
    scale: str
    library: str
    operation: str
    peer: str
    wanted: str
    geomean: float | None = None
    least: tuple[tuple[str, float], ...] = ()
    ours: str = OURS
    metric: str = "usable_s"
    peer_first: str | None = None

    def judge(self, summary: Summary) -> Verdict:
        texts, words = {}, {}
        for state in STATES:
            peer = self.peer_first if state == "first" and self.peer_first else self.peer
            ratios: dict[str, Figure] = {}
            fixed = {"library": self.library, "operation": self.operation, "state": state, "size": 1.0}
            for place in summary.places(**fixed):
                ratio = summary.ratio(place, self.ours, peer, self.metric)
                if ratio is not None and is_nine(place.dataset, self.scale):
                    ratios[place.dataset] = ratio
            texts[state], words[state] = self.describe(ratios), self.verdict(ratios)
        measured = texts["first"] != "-" or texts["repeat"] != "-"
        return Verdict(self.work, self.peer, self.wanted, texts["first"], texts["repeat"], words["first"], measured)

    def describe(self, figures: dict[str, Figure]) -> str:
        """Mean, least, and the least of each special case; what is missing from a full measurement."""
        if not figures:
            return "-"
        ratios = {name: figure.median for name, figure in figures.items()}
        lowest = min(ratios, key=lambda name: ratios[name])
        text = f"{geometric_mean(ratios.values()):.2f}x; least {ratios[lowest]:.2f}x ({short(lowest)})"
        for pattern, _ in self.least[:-1]:
            chosen = [value for name, value in ratios.items() if fnmatchcase(name, pattern)]
            if chosen:
                text += f"; {short(pattern.replace('*', ''))} {min(chosen):.2f}x"
        rounds = min(figure.n for figure in figures.values())
        text += "" if len(figures) == DATASETS_WANTED else f"; {len(figures)} of {DATASETS_WANTED}"
        return text + ("" if rounds >= ROUNDS_WANTED else f"; {rounds} rounds")

    def verdict(self, figures: dict[str, Figure]) -> str:
        """Short where a condition fails; pass only where all nine were measured often enough, else partly."""
        if not figures:
            return "-"
        ratios = {name: figure.median for name, figure in figures.items()}
        good = self.geomean is None or geometric_mean(ratios.values()) >= self.geomean
        for name, value in ratios.items():
            # The first pattern that fits counts, so that a special case stands before the general one.
            wanted = next((least for pattern, least in self.least if fnmatchcase(name, pattern)), 0.0)
            good = good and value >= wanted
        whole = len(figures) == DATASETS_WANTED and all(figure.n >= ROUNDS_WANTED for figure in figures.values())
        return "short" if not good else "pass" if whole else "partly"


@dataclass(frozen=True)
class OpenMark:
    """Time to open: under a millisecond up to 100 members, then at most a microsecond a member."""

    work: str = "1e8 elements, open (cn.read)"
    wanted: str = "< 1 ms up to 100 members, then <= 1 us a member"

    def judge(self, summary: Summary) -> Verdict:
        texts, word = {}, "-"
        for state in STATES:
            parts, good = [], True
            for place in summary.places(library="colonnade", operation="read", state=state):
                figure = summary.figure(place, OURS, "open_s")
                if figure is None or not is_nine(place.dataset, "1e8"):
                    continue
                members = DATASETS[place.dataset].member_count()  # type: ignore[attr-defined]
                good = good and figure.median <= max(1e-3, members * 1e-6)
                parts.append((members, figure.median))
            few = [seconds for members, seconds in parts if members <= 100]
            many = [seconds / members for members, seconds in parts if members > 100]
            text = [f"{max(few) * 1e3:.2f} ms"] if few else []
            text += [f"{max(many) * 1e6:.2f} us a member (up to {max(parts)[0]:,})"] if many else []
            texts[state] = "; ".join(text) or "-"
            if state == "first" and parts:
                word = "pass" if good else "short"
        measured = texts["first"] != "-" or texts["repeat"] != "-"
        return Verdict(self.work, "-", self.wanted, texts["first"], texts["repeat"], word, measured)


@dataclass(frozen=True)
class MemoryMark:
    """Peak private growth as a multiple of the frame, the largest over the nine."""

    work: str
    operations: tuple[str, ...]
    most: float
    scale: str = "1e8"
    contestants: tuple[str, ...] = field(default=(OURS, f"{OURS} mmap=False"))

    def judge(self, summary: Summary) -> Verdict:
        from colonnade_bench.spec import Cell

        worst: dict[str, tuple[float, str]] = {}
        for record in summary.kind("memory"):
            cell = Cell.from_json(record["cell"])
            inside = cell.contestant in self.contestants and record["operation"] in self.operations
            if inside and record["frame_nbytes"] and is_nine(cell.dataset, self.scale):
                share = record["private_nbytes"] / record["frame_nbytes"]
                key = f"{cell.library}, {cell.contestant.removeprefix(OURS).strip() or 'default'}"
                worst[key] = max(worst.get(key, (0.0, "")), (share, cell.dataset))
        text = "; ".join(f"{value:.3f}x ({key}, {short(name)})" for key, (value, name) in worst.items()) or "-"
        word = "-" if not worst else "pass" if max(worst.values())[0] <= self.most else "short"
        return Verdict(self.work, "the frame", f"<= {self.most}x", text, "", word, bool(worst))


def is_nine(dataset: str, scale: str) -> bool:
    """Whether a dataset is one of the nine fixtures of a scale (and no twin).

    >>> is_nine("fixture-tall-mixed-1e6", "1e6"), is_nine("fixture-tall-mixed-1e6-unique", "1e6")
    (True, False)
    """
    return dataset.startswith("fixture-") and dataset.endswith(f"-{scale}")


def short(name: str) -> str:
    """A fixture's name without what all share.

    >>> short("fixture-wide-columnar-1e6")
    'wide columnar'
    """
    return name.removeprefix("fixture-").rsplit("-1e", 1)[0].replace("-", " ").strip()


def _nine(floor: float) -> tuple[tuple[str, float], ...]:
    return (("*", floor),)


SF, FEATHER = "static-frame npz", "pandas feather"
LIMIT = "limit write-reserve"
MARKS: list[RatioMark | OpenMark | MemoryMark] = [
    RatioMark(
        "1e6, read to StaticFrame", "1e6", "static-frame", "read", SF,
        "geomean >= 10x; uniform >= 2.5x, others >= 5x, wide columnar >= 30x", 10.0,
        (("*-wide-columnar-*", 30.0), ("*-uniform-*", 2.5), ("*", 5.0)),
    ),
    RatioMark("1e6, read to pandas", "1e6", "pandas", "read", FEATHER, "geomean >= 20x", 20.0),
    RatioMark("1e6, write from StaticFrame, fresh", "1e6", "static-frame", "write", SF, "geomean >= 5x", 5.0),
    RatioMark("1e6, write from StaticFrame, over", "1e6", "static-frame", "replace", SF, "geomean >= 5x", 5.0),
    RatioMark("1e6, write from pandas", "1e6", "pandas", "write", FEATHER, "geomean >= 6x", 6.0),
    OpenMark(),
    RatioMark("1e8, usable, StaticFrame", "1e8", "static-frame", "read", SF, ">= 4x", None, _nine(4.0)),
    RatioMark("1e8, write, fresh", "1e8", "static-frame", "write", SF, ">= 2.5x", None, _nine(2.5)),
    RatioMark("1e8, write, over", "1e8", "static-frame", "replace", SF, ">= 4x", None, _nine(4.0)),
    RatioMark("1e8, write, fresh", "1e8", "static-frame", "write", LIMIT, ">= 0.85 of it", None, _nine(0.85)),
    RatioMark("1e8, write, over", "1e8", "static-frame", "replace", LIMIT, ">= 0.85 of it", None, _nine(0.85)),
    RatioMark(
        "1e8, mmap=False, to pandas", "1e8", "pandas", "read", LIMIT, ">= 0.80 of a bare pread", None, _nine(0.80),
        ours=f"{OURS} mmap=False", metric="open_s", peer_first=f"{LIMIT} fresh=True",
    ),
    MemoryMark("peak memory of read", ("read",), 1.05),
    MemoryMark("peak memory of write", ("write", "replace"), 0.05),
]  # fmt: skip


class Mark(Protocol):
    """What is judged."""

    def judge(self, summary: Summary) -> Verdict: ...


def judge(summary: Summary, marks: Iterable[Mark] = tuple(MARKS)) -> Iterator[Verdict]:
    """Every mark's verdict."""
    for mark in marks:
        yield mark.judge(summary)
