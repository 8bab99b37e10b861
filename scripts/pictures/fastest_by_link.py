"""Draws which format is fastest over links from 1 Mbit/s to 100 Gbit/s, by the model of the panel.

The model computes the time from measured encoding, decoding and bytes: `colonnade_bench.panel.model`.
"""

from __future__ import annotations

from colonnade.cli.amounts import bit_rate_text
from colonnade_bench.panel.model import winners
from colonnade_bench.panel.report_answer import HIGH_BPS, LOW_BPS, candidates, data
from colonnade_bench.panel.summary import Contestant, Results
from scripts.pictures import svg
from scripts.pictures.chart import LogScale, key, spread, tick_labels, y_axis

LEFT, WIDTH, TOP, BOTTOM = 110.0, 74.0, 128.0, 468.0
"""The ribbon: its left end, its width, and the pixels of the fastest and of the slowest link."""
NAMES = 230.0
"""Where the names begin."""
TITLE = "The fastest format by the rate of the link"

Piece = tuple[float, float, Contestant]
"""The slowest and the fastest link for which a format wins, in bits per second."""


def fastest_by_link(results: Results) -> str:
    """Returns the picture of a panel's first table as SVG."""
    place = results.places()[0]
    known = candidates(results, place)
    contestants = {candidate.name: contestant for contestant, candidate in known.items()}
    pieces = [(low, high, contestants[name]) for low, high, name in winners(list(known.values()), LOW_BPS, HIGH_BPS)]
    y = LogScale(LOW_BPS, HIGH_BPS, BOTTOM, TOP)
    elements = [
        svg.text(svg.MARGIN, 28, TITLE, "label bold"),
        svg.text(svg.MARGIN, 53, data(results, place), "note muted"),
        svg.text(svg.MARGIN, 75, "Computed from measured times and sizes", "note muted"),
        *key(svg.MARGIN, 104, [("colonnade", "Colonnade"), ("other", "another library")]),
        *y_axis(y, tick_labels(y.ticks(22), bit_rate_text), LEFT, LEFT + WIDTH),
        *_ribbon(pieces, y),
    ]
    return svg.document(BOTTOM + 24, TITLE, _description(data(results, place), pieces), elements)


def _ribbon(pieces: list[Piece], y: LogScale) -> list[str]:
    """Draws a segment for each winner, with its name and its links at the right."""
    middles = [(y(low) + y(high)) / 2 for low, high, _ in pieces]
    elements = []
    for (low, high, contestant), middle, place in zip(pieces, middles, spread(middles, 52, TOP, BOTTOM), strict=True):
        own = contestant.engine == "colonnade"
        classes = "colonnade solid" if own else "other hollow"
        right = LEFT + WIDTH
        elements += [
            svg.rect(LEFT + 1, y(high) + 1, WIDTH - 2, y(low) - y(high) - 2, classes),
            svg.polyline(
                [(right + 3, middle), (right + 14, middle), (NAMES - 14, place), (NAMES - 6, place)], "line axis"
            ),
            svg.text(NAMES, place - 3, _spoken(contestant), "label bold" if own else "label"),
            svg.text(NAMES, place + 17, _links(low, high), "detail muted"),
        ]
    return elements


def _spoken(contestant: Contestant) -> str:
    return contestant.spoken.replace("(colonnade)", "(Colonnade)")


def _links(low: float, high: float) -> str:
    """Describes a range of links.

    >>> _links(LOW_BPS, 2e7), _links(2e7, 3e9)
    ('below 20 Mbit/s', '20 Mbit/s to 3 Gbit/s')
    """
    if low <= LOW_BPS:
        return f"below {bit_rate_text(high)}"
    return f"above {bit_rate_text(low)}" if high >= HIGH_BPS else f"{bit_rate_text(low)} to {bit_rate_text(high)}"


def _description(measured: str, pieces: list[Piece]) -> str:
    """Lists the winners from slow links to fast ones."""
    lines = [f"{_links(low, high)}: {_spoken(contestant)}" for low, high, contestant in pieces]
    return f"{measured}. {'. '.join(lines)}. Computed by a model from measured times and sizes."
