"""The marks of Arrow streams and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from colonnade_bench.marks import ROUNDS_WANTED, RatioMark, Verdict
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Figure, Place, Summary

OURS_FILE, FEATHER, POLARS_FILE = "colonnade arrow", "pandas feather", "polars ipc"
OURS_STREAM, PYARROW_STREAM = "colonnade arrows (given)", "pyarrow arrows (given)"
POLARS_STREAM = "polars ipc-stream (given)"
COPIES = ("limit copy (given)", "limit copy streaming=True (given)")
SWEEP = "stream-floats-"


def places_of(summary: Summary, prefix: str, state: str, library: str = "pandas") -> dict[str, Place]:
    """Chunk size, in words, to the place where readers of that stream meet; whole datasets only."""
    found = summary.places(library=library, operation="read", state=state, size=1.0)
    return {place.dataset.removeprefix(prefix): place for place in found if place.dataset.startswith(prefix)}


def faster_copy(summary: Summary, place: Place) -> str | None:
    """Which kind of stores copied faster here; None where no copy was measured."""
    medians = {name: figure.median for name in COPIES if (figure := summary.figure(place, name, "open_s"))}
    return min(medians, key=lambda name: medians[name]) if medians else None


@dataclass(frozen=True)
class StreamMark:
    """Least ratios by chunk size, of the call itself; without `peer`, the share of the faster copy."""

    work: str
    state: str
    wanted: Mapping[str, float]
    peer: str | None = PYARROW_STREAM

    def judge(self, summary: Summary) -> Verdict:
        places = places_of(summary, SWEEP, self.state)
        ratios: dict[str, Figure] = {}
        for chunk in self.wanted:
            peer = self.peer
            if chunk in places and peer is None:
                peer = faster_copy(summary, places[chunk])
            ratio = summary.ratio(places[chunk], OURS_STREAM, peer, "open_s") if chunk in places and peer else None
            if ratio is not None:
                ratios[chunk] = ratio
        text = ", ".join(f"{chunk} {self.show(figure.median)}" for chunk, figure in ratios.items())
        rounds = min((figure.n for figure in ratios.values()), default=0)
        text += f"; {rounds} rounds" if 0 < rounds < ROUNDS_WANTED else ""
        good = all(figure.median >= self.wanted[chunk] for chunk, figure in ratios.items())
        whole = len(ratios) == len(self.wanted) and rounds >= ROUNDS_WANTED
        word = "-" if not ratios else "short" if not good else "pass" if whole else "partly"
        wanted = " / ".join(f">= {self.show(value, 0)}" for value in self.wanted.values())
        chunks = " / ".join(self.wanted)
        first, repeat = (text, "") if self.state == "first" else ("", text)
        against = "the faster copy" if self.peer is None else self.peer
        return Verdict(f"{self.work}, {chunks}, {self.state}", against, wanted, first, repeat, word, bool(ratios))

    def show(self, value: float, digits: int = 2) -> str:
        """A ratio, or a share in percent."""
        if self.peer is None:
            return f"{value:.0%}"
        return f"{value:.{digits}f}x" if digits else f"{value:g}x"


@dataclass(frozen=True)
class StreamMemoryMark:
    """Peak private growth while a stream is read to pandas, as a multiple of the frame."""

    work: str = "peak memory, stream to pandas"
    most: float = 1.1
    pattern: str = f"{SWEEP}*"

    def judge(self, summary: Summary) -> Verdict:
        shares: dict[str, float] = {}
        for record in summary.kind("memory"):
            cell = Cell.from_json(record["cell"])
            if cell.contestant == OURS_STREAM and fnmatchcase(cell.dataset, self.pattern) and cell.size == 1.0:
                share = record["private_nbytes"] / (record["frame_nbytes"] or 1)
                shares[cell.dataset.removeprefix(SWEEP)] = share
        text = ", ".join(f"{chunk} {share:.3f}x" for chunk, share in shares.items()) or "-"
        word = "-" if not shares else "pass" if max(shares.values()) <= self.most else "short"
        return Verdict(self.work, "the frame", f"<= {self.most}x", text, "", word, bool(shares))


def _codec(codec: str) -> list[RatioMark]:
    ours, peer = f"{OURS_FILE} {codec}", f"{FEATHER} {codec}"
    return [
        RatioMark(f"1e6, {codec}, file to pandas", "1e6", "pandas", "read", peer, "geomean >= 2x", 2.0, ours=ours),
        RatioMark(f"1e6, {codec}, from pandas", "1e6", "pandas", "write", peer, "geomean >= 1.5x", 1.5, ours=ours),
    ]


FIVE = ("16KiB", "64KiB", "256KiB", "1MiB", "16MiB")
STREAM = "stream of 1 GiB to pandas"
ARROW_MARKS: list[StreamMark | StreamMemoryMark | RatioMark] = [
    StreamMark(STREAM, "repeat", dict(zip(FIVE, (8.0, 3.0, 2.0, 1.5, 1.3), strict=True))),
    StreamMark(STREAM, "first", dict(zip(FIVE, (5.0, 2.0, 1.2, 1.0, 1.0), strict=True))),
    StreamMark(STREAM, "repeat", {"16KiB": 0.5, "256KiB": 0.8, "1MiB": 0.8, "4MiB": 0.8, "16MiB": 0.8}, None),
    RatioMark("1e6, file to pandas", "1e6", "pandas", "read", FEATHER, "geomean >= 4x", 4.0, ours=OURS_FILE),
    RatioMark("1e6, file to polars", "1e6", "polars", "read", POLARS_FILE, "geomean >= 1.5x", 1.5, ours=OURS_FILE),
    RatioMark("1e6, from pandas", "1e6", "pandas", "write", FEATHER, "geomean >= 4x", 4.0, ours=OURS_FILE),
    *_codec("lz4"),
    *_codec("zstd"),
    StreamMemoryMark(),
]
