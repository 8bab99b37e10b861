"""How long a candidate takes over a link: the arithmetic, without a clock or a file.

Units are SI: seconds, bytes, and **bits** per second for links (``bps``). A candidate is a way to encode and decode one
given frame; its costs were measured elsewhere. Two models:

- *serial*: encode, then move, then decode. It is a straight line in 1 / bandwidth, so where two candidates cost the
  same is known exactly: ``B* = 8 (nbytes1 - nbytes2) / (cpu2 - cpu1)``.
- *pipelined*: the three go on at once, piece by piece; the slowest of them sets the pace, and the first piece has to
  pass through the other two before that pace is reached (the *fill*).

What `reads` and `columns` do is the same in both. What was written once is moved and decoded `reads` times (each read
waits for the delay once): ``encode + reads * (move + delay + decode)``. `columns` is the share of columns that a reader
wants, over 0 to 1. The bytes of the whole move either way. Decoding costs ``column_decode_s`` for the least that can be
had, and grows in proportion to the share from there to ``decode_s``; a candidate without ``column_decode_s`` cannot
leave columns out, and pays for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PIECES = 16
"""Pieces that a pipelined transfer is taken to consist of."""


@dataclass(frozen=True)
class Candidate:
    """What one way of keeping the frame costs: seconds to encode and to decode all of it, and bytes in between.

    `column_decode_s` is the time of a read that wants one column, None where the format has to be read whole.
    """

    name: str
    encode_s: float
    decode_s: float
    nbytes: float
    column_decode_s: float | None = None

    def decoding_s(self, columns: float = 1.0) -> float:
        """Seconds to decode a share of the columns."""
        if self.column_decode_s is None:
            return self.decode_s
        least = min(self.column_decode_s, self.decode_s)
        return least + (self.decode_s - least) * columns

    def cpu_s(self, reads: int = 1, columns: float = 1.0) -> float:
        """Seconds of encoding and decoding together: what no link makes shorter."""
        return self.encode_s + reads * self.decoding_s(columns)

    def bits(self, reads: int = 1) -> float:
        """What goes over the link."""
        return 8.0 * self.nbytes * reads


def serial_s(candidate: Candidate, bps: float, delay_s: float = 0.0, reads: int = 1, columns: float = 1.0) -> float:
    """Encode, then move, then decode: ``encode + reads * (8 nbytes / bps + delay + decode)``.

    Examples
    --------
    >>> serial_s(Candidate("a", encode_s=1.0, decode_s=2.0, nbytes=1_000_000), bps=8e6)
    4.0
    """
    return candidate.cpu_s(reads, columns) + candidate.bits(reads) / bps + reads * delay_s


def pipelined_s(
    candidate: Candidate,
    bps: float,
    delay_s: float = 0.0,
    reads: int = 1,
    columns: float = 1.0,
    pieces: int = PIECES,
    cores: int = 2,
) -> float:
    """All at once, in equal pieces: the slowest stage, and the fill of the others.

    The first read goes on while the frame is written; later ones have only to be moved and decoded. On one core
    encoding and decoding take turns, so that both together are one stage.
    """
    move_s = 8.0 * candidate.nbytes / bps
    decode_s = candidate.decoding_s(columns)
    first = (candidate.encode_s, move_s, decode_s) if cores > 1 else (candidate.encode_s + decode_s, move_s)
    return _line_s(first, pieces) + (reads - 1) * _line_s((move_s, decode_s), pieces) + reads * delay_s


def _line_s(stages: Sequence[float], pieces: int) -> float:
    """An assembly line: `pieces` equal pieces through all `stages`."""
    slowest = max(stages)
    return slowest + (sum(stages) - slowest) / pieces


def break_even_bps(a: Candidate, b: Candidate, reads: int = 1, columns: float = 1.0) -> float | None:
    """The bandwidth at which both take as long, serially; None where one is as good or better everywhere.

    Below it the smaller one wins, above it the one with less to compute. The delay is the same for both and plays no
    part.

    Examples
    --------
    >>> quick = Candidate("quick", encode_s=0.1, decode_s=0.1, nbytes=60_000_000)
    >>> small = Candidate("small", encode_s=0.9, decode_s=0.1, nbytes=10_000_000)
    >>> break_even_bps(quick, small)
    500000000.0
    """
    more_bits = a.bits(reads) - b.bits(reads)
    less_cpu_s = b.cpu_s(reads, columns) - a.cpu_s(reads, columns)
    if more_bits == 0 or less_cpu_s == 0 or (more_bits > 0) != (less_cpu_s > 0):
        return None
    return more_bits / less_cpu_s


def winners(
    candidates: Sequence[Candidate], low_bps: float, high_bps: float, reads: int = 1, columns: float = 1.0
) -> list[tuple[float, float, str]]:
    """Who is fastest where: ``(from_bps, to_bps, name)`` from `low_bps` to `high_bps` without gaps, serially.

    Exact: the lower envelope of straight lines in 1 / bandwidth, whose corners are break-even points. Of candidates
    that cost the same everywhere the first one given is named.

    Raises
    ------
    ValueError
        No candidates, or a range that is empty.
    """
    _check(candidates, low_bps, high_bps)
    # At the slow end: of those that tie there, the one that gains most from a faster link.
    best = min(candidates, key=lambda c: (c.cpu_s(reads, columns) + c.bits(reads) / low_bps, -c.bits(reads)))
    out: list[tuple[float, float, str]] = []
    at = low_bps
    while True:
        # Only more bytes against less computing can win as the link gets faster.
        ahead = [
            (max(even, at), -rival.bits(reads), place, rival)
            for place, rival in enumerate(candidates)
            if rival.nbytes > best.nbytes and (even := break_even_bps(best, rival, reads, columns)) is not None
        ]
        to_bps, _, _, following = min(ahead, default=(high_bps, 0.0, 0, best))
        if to_bps >= high_bps:
            return [*out, (at, high_bps, best.name)]
        if to_bps > at:
            out.append((at, to_bps, best.name))
        at, best = to_bps, following


def hopeless(
    candidate: Candidate,
    rivals: Sequence[Candidate],
    low_bps: float,
    high_bps: float,
    reads: int = 1,
    columns: float = 1.0,
) -> bool:
    """Whether on every link of a range one of the rivals is at least as fast, serially.

    The candidate's line less the rivals' envelope is convex in 1 / bandwidth: its least is at a corner or an end.
    """
    if not rivals:
        return False
    corners = [low_bps, *(to_bps for _, to_bps, _ in winners(rivals, low_bps, high_bps, reads, columns))]
    return all(
        serial_s(candidate, bps, 0.0, reads, columns) >= min(serial_s(r, bps, 0.0, reads, columns) for r in rivals)
        for bps in corners
    )


@dataclass(frozen=True)
class Regret:
    """How much longer than the best one there a candidate takes at worst, as a share of the best, and where."""

    name: str
    worst: float
    bps: float


def regrets(
    candidates: Sequence[Candidate],
    low_bps: float,
    high_bps: float,
    delay_s: float = 0.0,
    reads: int = 1,
    columns: float = 1.0,
) -> list[Regret]:
    """The worst relative regret of each over a range of links, least first; exact.

    Between two corners of the envelope the ratio of a line to it is monotonic, so the worst is at a corner or an end.
    """
    pieces = winners(candidates, low_bps, high_bps, reads, columns)
    corners = [low_bps, *(to_bps for _, to_bps, _ in pieces)]

    def times(bps: float) -> list[float]:
        return [serial_s(candidate, bps, delay_s, reads, columns) for candidate in candidates]

    out = [Regret(candidate.name, 0.0, low_bps) for candidate in candidates]
    for bps in corners:
        each = times(bps)
        least = min(each)
        for place, seconds in enumerate(each):
            share = seconds / least - 1 if least > 0 else 0.0 if seconds <= 0 else float("inf")
            if share > out[place].worst:
                out[place] = Regret(out[place].name, share, bps)
    return sorted(out, key=lambda regret: regret.worst)


def least_regret(
    candidates: Sequence[Candidate],
    low_bps: float,
    high_bps: float,
    delay_s: float = 0.0,
    reads: int = 1,
    columns: float = 1.0,
) -> Regret:
    """The robust pick: the candidate that is never far from the best, whatever the link turns out to be."""
    return regrets(candidates, low_bps, high_bps, delay_s, reads, columns)[0]


def _check(candidates: Sequence[Candidate], low_bps: float, high_bps: float) -> None:
    if not candidates:
        raise ValueError("model: no candidates")
    if not 0 < low_bps < high_bps:
        raise ValueError(f"model: expected 0 < low < high bits per second, found {low_bps:g} and {high_bps:g}")
