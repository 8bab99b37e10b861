"""The marks of the codec table and of jagged events: judged in *first*, three rounds on files of their own each.

Times are those of the call where everybody has made every byte by then, or has passed over it, and *usable* where a
file may be mapped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from colonnade_bench.datasets.codecs import ARANGE, EVENTS, FLIGHTS, TAXI
from colonnade_bench.marks import Verdict
from colonnade_bench.paper_codecs import BALANCED, FOUR, PEERS, THREE, TWO
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Figure, Place, Summary, geometric_mean

ROUNDS_WANTED = 3
FEW = 4
TABLES = (TAXI, FLIGHTS, EVENTS)
Named = tuple[str, str]
"""A library and a contestant in it."""


def name(of: str, codec: str = "none", options: Sequence[tuple[str, object]] = ()) -> str:
    """A contestant's name in the records; `of` is engine and format."""
    engine, fmt = of.split()
    return Cell("", "", engine, fmt, codec, options=tuple(options)).contestant


DEFAULT = name("colonnade parquet", "auto")
NPZ = name("colonnade npz", "zstd", BALANCED)


def short(dataset: str) -> str:
    """A dataset as the tables call it.

    >>> short("codecs-taxi"), short("events")
    ('taxi', 'events')
    """
    return dataset.removeprefix("codecs-")


@dataclass(frozen=True)
class Pair:
    """One comparison: the fastest of some peers over ours."""

    label: str
    dataset: str
    operation: str
    ours: Named
    peers: tuple[Named, ...]

    def ratio(self, summary: Summary, metric: str) -> Figure | None:
        """How many times longer the peer took that took least, over the rounds that both have."""
        ours = self.place(summary, self.ours[0])
        found = []
        for library, contestant in self.peers:
            place = self.place(summary, library)
            figure = summary.figure(place, contestant, metric) if place else None
            if place is not None and figure is not None:
                found.append((figure.median, place, contestant))
        if ours is None or not found:
            return None
        _, place, contestant = min(found)
        return summary.ratio_between((ours, self.ours[1]), (place, contestant), metric)

    def place(self, summary: Summary, library: str) -> Place | None:
        """Where it was measured on the whole dataset, or on more."""
        fixed = {"dataset": self.dataset, "library": library, "operation": self.operation, "state": "first"}
        return next((place for place in summary.places(**fixed) if place.size >= 1.0), None)


@dataclass(frozen=True)
class LeastMark:
    """Every comparison shall reach a ratio; the least of them is what counts."""

    work: str
    against: str
    least: float
    pairs: tuple[Pair, ...]
    metric: str = "open_s"

    def judge(self, summary: Summary) -> Verdict:
        metric = "usable_s" if self.pairs[0].operation == "write" else self.metric
        ratios = {pair.label: pair.ratio(summary, metric) for pair in self.pairs}
        found = {label: ratio for label, ratio in ratios.items() if ratio is not None}
        text, wanted = self.text(found) if found else "-", f">= {self.least:g}x"
        good = all(figure.median >= self.least for figure in found.values())
        return Verdict(self.work, self.against, wanted, text, "", self.word(found, good), bool(found))

    def word(self, found: dict[str, Figure], good: bool) -> str:
        """Short where one fails; pass only where all were measured often enough, else partly."""
        whole = len(found) == len(self.pairs) and all(figure.n >= ROUNDS_WANTED for figure in found.values())
        return "-" if not found else "short" if not good else "pass" if whole else "partly"

    def text(self, found: dict[str, Figure]) -> str:
        """All of a few; of many the mean, and which is the least."""
        rounds = min(figure.n for figure in found.values())
        if len(found) <= FEW:
            text = ", ".join(f"{label} {figure.median:.2f}x" for label, figure in found.items())
        else:
            least = min(found, key=lambda label: found[label].median)
            mean = geometric_mean(figure.median for figure in found.values())
            text = f"least {found[least].median:.2f}x ({least}); geomean {mean:.2f}x"
        text += "" if len(found) == len(self.pairs) else f"; {len(found)} of {len(self.pairs)}"
        return text + ("" if rounds >= ROUNDS_WANTED else f"; {rounds} rounds")


def sizes(summary: Summary, dataset: str) -> dict[Named, int]:
    """Bytes of each contestant's file, of whole datasets."""
    return {
        (cell.library, cell.contestant): record["wire_nbytes"]
        for cell, record in summary.checks()
        if cell.dataset == dataset and cell.size >= 1.0 and record["ok"] and record.get("wire_nbytes")
    }


@dataclass(frozen=True)
class SizeMark:
    """The bytes of one of ours over those of a peer, or of the smallest that any peer wrote: the largest counts."""

    work: str
    against: str
    most: float
    ours: Named
    peer: Named | None = None

    def judge(self, summary: Summary) -> Verdict:
        shares: dict[str, tuple[float, str]] = {}
        for dataset in TABLES:
            found = sizes(summary, dataset)
            peers = {key: n for key, n in found.items() if not key[1].startswith("colonnade")}
            chosen = min(peers, key=lambda key: peers[key], default=None) if self.peer is None else self.peer
            if chosen in peers and self.ours in found:
                shares[short(dataset)] = (found[self.ours] / peers[chosen], chosen[1])
        parts = [
            f"{label} {share:.3f}x" + (f" ({of})" if self.peer is None else "") for label, (share, of) in shares.items()
        ]
        good = all(share <= self.most for share, _ in shares.values())
        word = "-" if not shares else "short" if not good else "pass" if len(shares) == len(TABLES) else "partly"
        return Verdict(self.work, self.against, f"<= {self.most:g}x", ", ".join(parts) or "-", "", word, bool(shares))


def same_codec(dataset: str, call: str) -> Iterator[Pair]:
    """Ours and Awkward's of each format and codec."""
    for ours, peer, codecs in (("parquet", "parquet", FOUR), ("arrow", "feather", THREE)):
        for codec in codecs:
            label, peers = f"{ours} {codec}", (("awkward", name(f"awkward {peer}", codec)),)
            yield Pair(label, dataset, call, ("awkward", name(f"colonnade {ours}", codec)), peers)


def of_uproot(dataset: str, call: str) -> Iterator[Pair]:
    """Our Parquet and uproot's RNTuple of each codec."""
    for codec in TWO:
        ours, peers = name("colonnade parquet", codec), (("awkward", name("uproot rntuple", codec)),)
        yield Pair(f"rntuple {codec}", dataset, call, ("awkward", ours), peers)


def to_npz(dataset: str, call: str) -> Pair:
    """Arrays of Awkward to NPZ, or back."""
    peers = (("awkward", name("awkward npz")),)
    return Pair(short(dataset), dataset, call, ("awkward", name("colonnade npz")), peers)


def all_of(engines: Sequence[str], library: str = "awkward") -> tuple[Named, ...]:
    """Every row of some engines."""
    return tuple(
        (library, name(peer, codec))
        for peer, codecs in PEERS[library]
        if peer.split()[0] in engines
        for codec in codecs
    )


def by_codec(call: str) -> Iterator[Pair]:
    """Our Parquet at its defaults and the fastest Parquet of each codec, in every library's own memory."""
    for dataset in TABLES:
        for library, peers in PEERS.items():
            for codec in FOUR:
                there = [peer for peer, codecs in peers if peer.endswith("parquet") and codec in codecs]
                named = tuple((library, name(peer, codec)) for peer in there)
                if named:
                    yield Pair(f"{short(dataset)}, {library}, {codec}", dataset, call, (library, DEFAULT), named)


def of_pandas(call: str) -> Iterator[Pair]:
    """Our compressed NPZ, Feather and Parquet, from and to pandas."""
    for dataset in TABLES:
        for peer in ("pandas feather", "pyarrow parquet"):
            peers = (("pandas", name(peer, "zstd")),)
            yield Pair(f"{short(dataset)}, {peer.split()[1]}", dataset, call, ("pandas", NPZ), peers)


CALLS = {"write": "write", "columns": "read by column", "read": "read", "leaf": "one leaf"}
AWKWARD, BEST = "Awkward, same format and codec", ("awkward", "dask-awkward")


def _table(call: str) -> LeastMark:
    work = f"the codec table, each codec: {CALLS[call]}"
    return LeastMark(work, AWKWARD, 3.0, (*same_codec(ARANGE, call), to_npz(ARANGE, call)))


def _defaults(call: str) -> LeastMark:
    pair = Pair("parquet", ARANGE, call, ("awkward", DEFAULT), all_of(BEST))
    return LeastMark(f"the codec table at our defaults: {CALLS[call]}", "Awkward's best row", 5.0, (pair,))


def _jagged(call: str, least: float) -> LeastMark:
    pairs = (*same_codec(EVENTS, call), *of_uproot(EVENTS, call))
    against = "Awkward Parquet and Feather, uproot; same codec"
    # Ours is mapped where it is not compressed: what was left undone until then is paid in the pass over all values.
    metric = "usable_s" if call == "read" else "open_s"
    return LeastMark(f"jagged events: {CALLS[call]}", against, least, pairs, metric=metric)


def _both(call: str, least: float) -> LeastMark:
    pairs = tuple(to_npz(dataset, call) for dataset in (*TABLES, ARANGE))
    against = "`ak.to_buffers` + `np.savez`" if call == "write" else "load + `ak.from_buffers`"
    work = "Awkward to npz, uncompressed" if call == "write" else "npz to Awkward, uncompressed, usable"
    return LeastMark(work, against, least, pairs, metric="usable_s")


FASTEST = "the fastest Parquet of each codec, from and to the same library"
SMALLER = "npz, zstd, balanced"
OF_PANDAS = "Feather zstd, pyarrow's Parquet zstd"
CODEC_MARKS: list[LeastMark | SizeMark] = [
    *(_table(call) for call in ("write", "columns")),
    *(_defaults(call) for call in ("write", "columns")),
    SizeMark("taxi, flights, events at our defaults: size", "the smallest peer", 1.0, ("awkward", DEFAULT)),
    *(
        LeastMark(f"taxi, flights, events at our defaults: {CALLS[call]}", FASTEST, 2.0, tuple(by_codec(call)))
        for call in ("write", "read")
    ),
    _jagged("write", 2.5),
    _jagged("read", 2.5),
    _jagged("leaf", 4.0),
    SizeMark(
        f"{SMALLER}: size",
        "pyarrow's Parquet zstd",
        1.15,
        ("pandas", NPZ),
        ("pandas", name("pyarrow parquet", "zstd")),
    ),
    LeastMark(f"{SMALLER}: read to pandas", OF_PANDAS, 3.0, tuple(of_pandas("read"))),
    LeastMark(f"{SMALLER}: write from pandas", OF_PANDAS, 2.0, tuple(of_pandas("write"))),
    _both("write", 5.0),
    _both("read", 10.0),
]
