"""Formulates the answer: the fastest engine, ties, the limiting part, and the winners on other links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from colonnade.cli.amounts import bit_rate_text, nbytes_text, seconds_text
from colonnade_bench.intervals import FEWEST, Interval
from colonnade_bench.panel.model import Candidate, winners
from colonnade_bench.panel.point import FILES
from colonnade_bench.panel.ranking import Ranking, ranking
from colonnade_bench.panel.report_figures import ended
from colonnade_bench.panel.report_words import few, fraction, phrase, spread
from colonnade_bench.panel.summary import Contestant, Place, Results
from colonnade_bench.panel.takeovers import beside, everywhere
from colonnade_bench.summary import Figure

LOW_BPS, HIGH_BPS = 1e6, 1e11
"""The range of links to consider, from 1 Mbit/s to 100 Gbit/s."""


@dataclass(frozen=True)
class Winner:
    """The fastest engine of one transport, among the lossless ones (or of all, if there are none)."""

    transport: str
    contestant: Contestant
    figure: Figure
    tied: tuple[Contestant, ...]
    limit: str
    exact: bool
    lossy: tuple[Contestant, Figure] | None
    """The fastest lossy engine, if it beats the winner."""


def winner(results: Results, place: Place, transport: str) -> Winner | None:
    """Returns the fastest engine at the full size. None if nothing, or not everything that might win, was measured."""
    return winner_of(results, place, ranking(results, place, transport))


def winner_of(results: Results, place: Place, found: Ranking) -> Winner | None:
    """Returns the winner of a ranking, with what limits it and who is faster with losses."""
    best = found.winner
    if best is None:
        return None
    tied = tuple(row.contestant for row in found.tied)
    quick = found.lossy[0] if found.exact and found.lossy else None
    ahead = (quick.contestant, quick.figure) if quick and quick.figure.high < best.figure.low else None
    bound = limit(results, place, best.contestant, found.transport, best.figure)
    return Winner(found.transport, best.contestant, best.figure, tied, bound, bool(found.exact), ahead)


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
    """Formulates the whole answer as one line: the winner, other links, then the data, ties and limits."""
    return " ".join(answer(results, place))


def answer(results: Results, place: Place) -> list[str]:
    """Returns the parts of the answer: who is fastest, who wins over other links, what this was measured with."""
    # Readers ask first about a real link, then about closer transports.
    for transport in reversed(results.transports(place)):
        found = ranking(results, place, transport)
        if found.rows:
            return said(results, place, found)
    return [f"For {place.dataset}: nothing was measured to the end."]


def said(results: Results, place: Place, found: Ranking) -> list[str]:
    """Returns the parts of the answer about one transport."""
    first = found.rows[0]
    took = f"{first.contestant.spoken}, {seconds_text(first.figure.median)}"
    way = phrase(found.transport)
    link = measured_link(results, place, found.transport)
    context = f"For {data(results, place)} {way}{link}, {repetitions_text(first.figure.n)}"
    best = winner_of(results, place, found)
    if best is None:
        rivals = some([each.name for each in found.unmeasured])
        return [f"No winner {way}: {rivals} not measured. Fastest so far: {took}.", f"{context}."]
    word = "Fastest" if best.exact else "Fastest, with losses,"
    others = takeovers(results, place, found.transport, best.contestant)
    parts = [f"{word} {way}: {took}.", others, f"{context}: {sentence(best)}."]
    return [part for part in parts if part]


def some(names: Sequence[str]) -> str:
    """Names a few of those that are unmeasured, as the subject of a sentence.

    >>> some(["a"]), some(["a", "b", "c", "d", "e"])
    ('a is', 'a, b, c and 2 more are')
    """
    return f"{few(names)} {'is' if len(names) == 1 else 'are'}"


def banner(results: Results, place: Place) -> str:
    """Says that a run is incomplete, in one line. Empty for a complete run."""
    reason = ended(results, place.run)
    open_ = {c for transport in results.transports(place) for c in ranking(results, place, transport).unmeasured}
    if reason == "complete" and not open_:
        return ""
    rivals = f"; {some(sorted(each.name for each in open_))} not measured everywhere" if open_ else ""
    further = "" if reason == "complete" else " The same command goes on from here."
    return f"INCOMPLETE RUN ({reason}){rivals}.{further}"


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
    """Returns what is to be known about a winner besides its time."""
    words = [f"tied with {few([c.spoken for c in found.tied])}" if found.tied else "no ties"]
    if found.figure.n < FEWEST:
        words = ["too few repetitions to tell others apart"]
    if found.limit:
        words.append(f"limited by {found.limit}")
    if not found.exact:
        words.append("nothing that was measured keeps this data exactly")
    if found.lossy is not None:
        words.append(f"{found.lossy[0].spoken} takes {seconds_text(found.lossy[1].median)} but loses something")
    return "; ".join(words)


def repetitions_text(count: int) -> str:
    """Counts repetitions.

    >>> repetitions_text(1), repetitions_text(8)
    ('1 repetition', '8 repetitions')
    """
    return "1 repetition" if count == 1 else f"{count} repetitions"


def takeovers(results: Results, place: Place, transport: str, best: Contestant) -> str:
    """Names the fastest over slower and over faster links, one step after another. Empty if there is no choice."""
    known = candidates(results, place)
    if len(known) < 2:
        return ""
    spoken = {each.name: contestant.spoken for contestant, each in known.items()}
    pieces = winners(list(known.values()), LOW_BPS, HIGH_BPS)
    bps = results.link_bps(place.run, transport)
    return everywhere(pieces, spoken) if bps is None else beside(pieces, bps, best.name, spoken)


def interval(value: Interval) -> str:
    """Formats a modelled time with its interval."""
    return spread(value.value, value.low, value.high)
