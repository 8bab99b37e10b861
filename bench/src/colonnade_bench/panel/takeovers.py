"""Says in sentences which candidate wins over slower and over faster links than a given one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from colonnade.cli.amounts import bit_rate_text

MOST = 3
"""At most this many winners of other links are named: the nearest ones."""

Pieces = Sequence[tuple[float, float, str]]
"""The winner of each range of links: (from_bps, to_bps, name), without gaps."""


def beside(
    pieces: Pieces, bps: float, name: str, spoken: Mapping[str, str], rate: Callable[[float], str] = bit_rate_text
) -> str:
    """Returns the winners over links slower and faster than `bps`, where `name` has won.

    A measured winner counts in the range around `bps`, also if the pieces were modelled and say another.

    >>> pieces = [(1e6, 7e6, "a"), (7e6, 7e9, "b"), (7e9, 1e11, "c")]
    >>> beside(pieces, 1e9, "b", {"a": "CSV", "b": "NPZ", "c": "Arrow"})
    'Below 7 Mbit/s: CSV. Above 7 Gbit/s: Arrow.'
    """
    around = next((k for k, (_, to_bps, _) in enumerate(pieces) if bps <= to_bps), len(pieces) - 1)
    first = last = around
    while first > 0 and pieces[first - 1][2] == name:
        first -= 1
    while last < len(pieces) - 1 and pieces[last + 1][2] == name:
        last += 1
    slower = [f"Below {rate(to_bps)}: {spoken[each]}." for _, to_bps, each in reversed(pieces[:first])]
    faster = [f"Above {rate(from_bps)}: {spoken[each]}." for from_bps, _, each in pieces[last + 1 :]]
    nslower = min(len(slower), max(MOST - len(faster), (MOST + 1) // 2))
    return " ".join([*slower[:nslower], *faster[: MOST - nslower]])


def everywhere(pieces: Pieces, spoken: Mapping[str, str], rate: Callable[[float], str] = bit_rate_text) -> str:
    """Returns the winner of every range of links, where the answer is about no link.

    >>> everywhere([(1e6, 7e6, "a"), (7e6, 7e9, "b"), (7e9, 1e11, "c")], {"a": "CSV", "b": "NPZ", "c": "Arrow"})
    'Over a link below 7 Mbit/s: CSV; up to 7 Gbit/s: NPZ; above that: Arrow.'
    """
    if len(pieces) == 1:
        return f"Over any link: {spoken[pieces[0][2]]}."
    words = [f"below {rate(pieces[0][1])}: {spoken[pieces[0][2]]}"]
    words += [f"up to {rate(to_bps)}: {spoken[name]}" for _, to_bps, name in pieces[1:-1]]
    return f"Over a link {'; '.join(words)}; above that: {spoken[pieces[-1][2]]}."
