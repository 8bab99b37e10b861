"""Formulates the answer: the fastest contestant, ties, the limiting part, and the winners on other links."""

from __future__ import annotations

from dataclasses import dataclass

from colonnade.cli.amounts import bit_rate_text, nbytes_text, seconds_text
from colonnade_bench.intervals import Interval
from colonnade_bench.panel.model import Candidate, winners
from colonnade_bench.panel.point import FILES
from colonnade_bench.panel.ranking import ranking
from colonnade_bench.panel.report_words import fraction, listed, phrase, spread
from colonnade_bench.panel.summary import Contestant, Place, Results
from colonnade_bench.summary import Figure

LOW_BPS, HIGH_BPS = 1e6, 1e11
"""The range of links to consider, from 1 Mbit/s to 100 Gbit/s."""


@dataclass(frozen=True)
class Winner:
    """The fastest contestant of one transport, among the lossless ones (or of all, if there are none)."""

    transport: str
    contestant: Contestant
    figure: Figure
    tied: tuple[Contestant, ...]
    limit: str
    exact: bool
    lossy: tuple[Contestant, Figure] | None
    """The fastest lossy contestant, if it beats the winner."""


def winner(results: Results, place: Place, transport: str) -> Winner | None:
    """Returns the fastest engine at the full size. None if nothing, or not everything that might win, was measured."""
    found = ranking(results, place, transport)
    best = found.winner
    if best is None:
        return None
    tied = tuple(row.contestant for row in found.tied)
    quick = found.lossy[0] if found.exact and found.lossy else None
    ahead = (quick.contestant, quick.figure) if quick and quick.figure.high < best.figure.low else None
    bound = limit(results, place, best.contestant, transport, best.figure)
    return Winner(transport, best.contestant, best.figure, tied, bound, bool(found.exact), ahead)


def limit(results: Results, place: Place, contestant: Contestant, transport: str, union: Figure) -> str:
    """Returns the longest of encoding, moving and decoding. Empty if they were not measured separately."""
    size = results.full_size(place)
    candidate = results.candidate(place, contestant, size) if size is not None else None
    if candidate is None:
        return ""
    parts = {"encoding": candidate.encode_s, "decoding": candidate.decode_s}
    bps = results.link_bps(place.run, transport)
    if bps:
        parts["the link"] = 8 * candidate.nbytes / bps
    elif transport in FILES:
        parts["the file system"] = union.median - candidate.encode_s - candidate.decode_s
    elif transport != "memory":
        return ""
    return max(parts, key=lambda name: parts[name])


def candidates(results: Results, place: Place, lossy: bool = False) -> dict[Contestant, Candidate]:
    """Returns the candidates for the model: measured at the full size, and exact unless `lossy`."""
    size = results.full_size(place)
    if size is None:
        return {}
    found = {c: results.candidate(place, c, size) for c in results.contestants(place)}
    return {c: each for c, each in found.items() if each is not None and (lossy or results.exact(place, c))}


def headline(results: Results, place: Place) -> str:
    """Formulates the whole answer as one line."""
    # Readers ask first about a real link, then about closer transports.
    for transport in reversed(results.transports(place)):
        found = winner(results, place, transport)
        if found is not None:
            way = phrase(transport) + measured_link(results, place, transport)
            line = f"For {data(results, place)}, {way}: {sentence(found)}."
            return " ".join([line, *takeovers(results, place)])
    return f"For {place.dataset}: nothing was measured to the end."


def data(results: Results, place: Place) -> str:
    """Describes the data with rows and bytes."""
    size = results.full_size(place) or 1.0
    share = "" if size == 1 else f"{fraction(size)} of "
    for contestant in results.contestants(place):
        for transport in results.transports(place):
            for sample in results.samples(place, contestant, transport, size):
                nbytes = nbytes_text(sample["frame_nbytes"])
                return f"{share}{place.dataset} ({sample['nrows']:,} rows, {nbytes} in memory)"
    return place.dataset


def measured_link(results: Results, place: Place, transport: str) -> str:
    """Describes the measured link of a transport, in brackets. Empty if it has none."""
    record = results.link(place.run, transport)
    return "" if record is None else f" (measured {bit_rate_text(record['bps'])}, {seconds_text(record['delay_s'])})"


def sentence(found: Winner) -> str:
    words = [f"{found.contestant.name}, {seconds_text(found.figure.median)}"]
    if found.tied:
        words.append(f"tied with {listed([c.name for c in found.tied])}")
    if found.limit:
        words.append(f"limited by {found.limit}")
    if not found.exact:
        words.append("nothing that was measured keeps this data exactly")
    if found.lossy is not None:
        words.append(f"{found.lossy[0].name} takes {seconds_text(found.lossy[1].median)} but loses something")
    return "; ".join(words)


def takeovers(results: Results, place: Place) -> list[str]:
    """Describes the fastest contestant for each range of links, by the serial model, as sentences."""
    known = list(candidates(results, place).values())
    if len(known) < 2:
        return []
    pieces = winners(known, LOW_BPS, HIGH_BPS)
    if len(pieces) == 1:
        return [f"By the serial model {pieces[0][2]} is fastest on every link."]
    words = [f"below {bit_rate_text(pieces[0][1])} {pieces[0][2]}"]
    words += [f"up to {bit_rate_text(high)} {name}" for _, high, name in pieces[1:-1]]
    return [f"By the serial model: {', '.join(words)}, above that {pieces[-1][2]}."]


def interval(value: Interval) -> str:
    """Formats a modelled time with its interval."""
    return spread(value.value, value.low, value.high)
