"""Models how long a candidate takes over a link. It only computes, without a clock or a file.

Units are SI: seconds, bytes, and **bits** per second for links (``bps``). A candidate is one way to encode and decode
one given frame. Its costs come from measurements. There are two models:

- *serial*: encode, then move, then decode. The time is a straight line in 1 / bandwidth, so the point at which two
  candidates cost the same is exact: ``B* = 8 (nbytes1 - nbytes2) / (cpu2 - cpu1)``.
- *pipelined*: all three run at once, piece by piece. The slowest stage sets the pace. The first piece must pass
  through the other two stages before that pace is reached (the *fill*).

Both models treat `reads` and `columns` alike. A frame is written once, then moved and decoded `reads` times, and each
read waits for the delay once: ``encode + reads * (move + delay + decode)``. `columns` is the share of columns to read,
above 0 and up to 1. The bytes of the whole frame move either way. The least read takes ``column_decode_s``. From there
the time grows with the share, up to ``decode_s``. A candidate without ``column_decode_s`` cannot skip columns and
decodes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PIECES = 16
"""The assumed number of pieces in a pipelined transfer."""


@dataclass(frozen=True)
class Candidate:
    """The costs of one way to store the frame: seconds to encode and to decode all of it, and its bytes.

    `column_decode_s` is the time to read one column. None if the format must be read whole.
    """

    name: str
    encode_s: float
    decode_s: float
    nbytes: float
    column_decode_s: float | None = None

    def decoding_s(self, columns: float = 1.0) -> float:
        """Returns seconds to decode a share of the columns."""
        if self.column_decode_s is None:
            return self.decode_s
        least = min(self.column_decode_s, self.decode_s)
        return least + (self.decode_s - least) * columns

    def cpu_s(self, reads: int = 1, columns: float = 1.0) -> float:
        """Returns seconds of encoding and decoding together. No link reduces them."""
        return self.encode_s + reads * self.decoding_s(columns)

    def bits(self, reads: int = 1) -> float:
        """Returns the bits that the link moves."""
        return 8.0 * self.nbytes * reads


def serial_s(candidate: Candidate, bps: float, delay_s: float = 0.0, reads: int = 1, columns: float = 1.0) -> float:
    """Returns the serial time: ``encode + reads * (8 nbytes / bps + delay + decode)``.

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
    """Returns the time if all stages run at once in equal pieces: the slowest stage, plus the fill of the others.

    The first read overlaps with the writing. Later ones only move and decode. On one core encoding and decoding take
    turns, so they form one stage.
    """
    move_s = 8.0 * candidate.nbytes / bps
    decode_s = candidate.decoding_s(columns)
    first = (candidate.encode_s, move_s, decode_s) if cores > 1 else (candidate.encode_s + decode_s, move_s)
    return _line_s(first, pieces) + (reads - 1) * _line_s((move_s, decode_s), pieces) + reads * delay_s


def _line_s(stages: Sequence[float], pieces: int) -> float:
    """Returns the time of `pieces` equal pieces through all `stages` of an assembly line."""
    slowest = max(stages)
    return slowest + (sum(stages) - slowest) / pieces


def break_even_bps(a: Candidate, b: Candidate, reads: int = 1, columns: float = 1.0) -> float | None:
    """Returns the bandwidth at which both take equally long, serially. None if one is at least as good everywhere.

    Below it the smaller candidate wins, above it the one with less computation. The delay is the same for both and has
    no influence.

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
    """Returns the winner of each range of bandwidth, serially: ``(from_bps, to_bps, name)``, without gaps.

    The result is exact: the lower envelope of straight lines in 1 / bandwidth. Its corners are break-even points. If
    candidates cost the same everywhere, the first one wins.

    Raises
    ------
    ValueError
        No candidates, or an empty range.
    """
    _check(candidates, low_bps, high_bps)
    # At the slow end, ties go to the candidate that gains most from a faster link.
    best = min(candidates, key=lambda c: (c.cpu_s(reads, columns) + c.bits(reads) / low_bps, -c.bits(reads)))
    out: list[tuple[float, float, str]] = []
    at = low_bps
    while True:
        # As the link gets faster, the next winner has more bytes and less computation.
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
    """Whether one of the rivals is at least as fast on every link of a range, serially.

    The candidate's line minus the rivals' envelope is convex in 1 / bandwidth. Its minimum is at a corner or an end.
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
    """The worst excess of a candidate over the best one on the same link, as a share of the best, and that link."""

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
    """Returns the worst relative regret of each candidate over a range of links, least first. The result is exact.

    Between two corners of the envelope, a line's ratio to it is monotonic. The worst is therefore at a corner or an
    end.
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
    """Returns the robust pick: the candidate that stays close to the best on every link of the range."""
    return regrets(candidates, low_bps, high_bps, delay_s, reads, columns)[0]


def _check(candidates: Sequence[Candidate], low_bps: float, high_bps: float) -> None:
    if not candidates:
        raise ValueError("model: no candidates")
    if not 0 < low_bps < high_bps:
        raise ValueError(f"model: expected 0 < low < high bits per second, found {low_bps:g} and {high_bps:g}")
