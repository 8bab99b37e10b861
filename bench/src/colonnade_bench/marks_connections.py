"""The marks of connections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from colonnade_bench.marks import ROUNDS_WANTED, Verdict
from colonnade_bench.summary import Figure, Place, Summary

GIGABYTE, SMALL, PIECES = "wire-numbers", "wire-1KiB", "wire-64MB"
OURS, RAW, STREAM, FLIGHT, PICKLE = (
    "colonnade arrows",
    "raw bytes",
    "pyarrow arrows",
    "pyarrow flight",
    "pickle connection",
)
OURS_SMALL = f"{OURS} via=receive"
"""Small frames are taken one by one with `receive`; a large one with `cn.read_pandas`, as their docstrings advise."""
STATES = ("first", "repeat")


def places_of(summary: Summary, dataset: str, state: str, whole: bool = True) -> list[Place]:
    """Where contestants with a dataset meet: one place a run."""
    places = summary.places(dataset=dataset, operation="passage", state=state)
    return [place for place in places if place.size == 1.0 or not whole]


def fastest(summary: Summary, place: Place, name: str, transport: str, metric: str = "open_s") -> str | None:
    """The fastest contestant of an engine and format over a transport, whatever its options: the peer at its best.

    What begins with a DataFrame instead of with what the peer had made of it before is left out.
    """
    medians: dict[str, float] = {}
    for contestant in summary.contestants(place):
        if contestant.startswith(f"{name} ") and contestant.endswith(f" ({transport})") and "=pandas" not in contestant:
            figure = summary.figure(place, contestant, metric)
            if figure is not None and "via=" not in contestant:
                medians[contestant] = figure.median
    return min(medians, key=lambda contestant: medians[contestant]) if medians else None


def against(
    summary: Summary, dataset: str, state: str, transport: str, peer: str, metric: str = "open_s", *, ours: str
) -> Figure | None:
    """How many times longer the peer at its best took than ours over one transport."""
    for place in places_of(summary, dataset, state):
        best = fastest(summary, place, peer, transport, metric)
        ratio = summary.ratio(place, ours, best, metric) if best else None
        if ratio is not None:
            return ratio
    return None


@dataclass(frozen=True)
class WireMark:
    """Least ratio over each of some transports; both states are shown, and the harder of them decides."""

    work: str
    dataset: str
    peer: str
    transports: tuple[str, ...]
    least: float
    against: str
    metric: str = "open_s"
    share: bool = False
    states: tuple[str, ...] = STATES
    ours: str = OURS
    least_count: int = 1

    def judge(self, summary: Summary) -> Verdict:
        texts = {"first": "", "repeat": ""}
        figures: list[Figure] = []
        for state in self.states:
            found = {}
            for transport in self.transports:
                name = f"{self.ours} ({transport})"
                ratio = against(summary, self.dataset, state, transport, self.peer, self.metric, ours=name)
                if ratio is not None and self.count(summary, state, name) >= self.least_count:
                    found[transport] = ratio
            figures += found.values()
            texts[state] = ", ".join(f"{name} {self.show(figure.median)}" for name, figure in found.items()) or "-"
        wanted = f">= {self.least:.0%}" if self.share else f">= {self.least:g}x"
        expected = len(self.states) * len(self.transports)
        word = verdict([figure.median >= self.least for figure in figures], figures, expected)
        return Verdict(self.work, self.against, wanted, texts["first"], texts["repeat"], word, bool(figures))

    def count(self, summary: Summary, state: str, name: str) -> float:
        """Messages of one timing: too few of them are no mark."""
        places = places_of(summary, self.dataset, state)
        return max((f.median for place in places if (f := summary.figure(place, name, "count"))), default=1)

    def show(self, value: float) -> str:
        """A ratio, or a share in percent."""
        return f"{value:.0%}" if self.share else f"{value:.2f}x"


def verdict(good: Sequence[bool], figures: Sequence[Figure], expected: int) -> str:
    """Short where one fails; pass only where all were measured often enough, else partly."""
    if not figures:
        return "-"
    whole = len(figures) == expected and all(figure.n >= ROUNDS_WANTED for figure in figures)
    return "short" if not all(good) else "pass" if whole else "partly"


@dataclass(frozen=True)
class PiecesMark:
    """Time in pieces over time in one piece, from memory."""

    work: str = "64 MB from memory, in pieces of 1 KiB"
    most: float = 1.3
    names: tuple[str, ...] = ("frame-message", "bytes-message")

    def judge(self, summary: Summary) -> Verdict:
        found = {
            name: figure for name in self.names if (figure := pieces_ratio(summary, f"colonnade {name}", "memory"))
        }
        text = ", ".join(f"{name.partition('-')[0]} {figure.median:.2f}x" for name, figure in found.items())
        good = [figure.median <= self.most for figure in found.values()]
        word = verdict(good, list(found.values()), len(self.names))
        return Verdict(self.work, "in one piece", f"<= {self.most:g}x", "", text, word, bool(found))


def pieces_ratio(summary: Summary, name: str, transport: str, whole: bool = True) -> Figure | None:
    """How many times longer a message takes in pieces of 1 KiB."""
    for place in places_of(summary, PIECES, "repeat", whole):
        ratio = summary.ratio(place, f"{name} ({transport})", f"{name} piece=1024 ({transport})", "open_s")
        if ratio is not None:
            return ratio
    return None


@dataclass(frozen=True)
class RelayMark:
    """The relay's memory over idle, the worst of all turns; everything must have come out as it went in."""

    work: str = "memory of a relay of 10 GB"
    most: int = 64 << 20

    def judge(self, summary: Summary) -> Verdict:
        records = [record for record in summary.kind("relay") if record["size"] == 1.0]
        worst = max((max(r["private_nbytes"], r["total_nbytes"]) for r in records), default=0)
        text = f"{worst / (1 << 20):.1f} MiB" if records else "-"
        good = worst <= self.most and all(record["equal"] for record in records)
        word = "-" if not records else "pass" if good else "short"
        return Verdict(self.work, "idle", f"<= {self.most >> 20} MiB", "", text, word, bool(records))


LOCAL = ("pipe", "unix", "tcp")
WORK = "1 GB frame to pandas"
CONNECTION_MARKS: list[WireMark | PiecesMark | RelayMark] = [
    WireMark(WORK, GIGABYTE, RAW, LOCAL, 0.8, "the raw bytes, same transport", share=True),
    WireMark(WORK, GIGABYTE, STREAM, LOCAL, 1.5, "pyarrow stream, same socket or pipe"),
    WireMark(WORK, GIGABYTE, FLIGHT, ("tcp",), 1.2, "Flight do_get"),
    WireMark(
        "100,000 frames of 1 KiB, messages a second", SMALL, PICKLE, ("unix", "pipe"), 2.0,
        "multiprocessing.connection, pickle", "message_s", states=("repeat",), ours=OURS_SMALL, least_count=100_000,
    ),
    PiecesMark(),
    RelayMark(),
]  # fmt: skip
