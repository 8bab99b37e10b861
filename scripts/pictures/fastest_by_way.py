"""Draws the fastest format of Colonnade and of the other libraries for each way, from the records of a panel.

The panel computes medians and ties, as for its report: `colonnade_bench.panel.ranking`.
"""

from __future__ import annotations

import re

from colonnade.cli.amounts import seconds_text
from colonnade_bench.panel.ranking import Ranked, ranking
from colonnade_bench.panel.report_answer import data
from colonnade_bench.panel.report_words import title
from colonnade_bench.panel.summary import Place, Results
from scripts.pictures import svg
from scripts.pictures.chart import LogScale, around, key, mark, tick_labels, x_axis

LEFT, RIGHT = 340.0, 590.0
"""The ends of the time axis. Names are at its left, times at the right of each mark."""
TOP, ROW, BLOCK = 124.0, 25.0, 86.0
"""The first way; the height of a row, and of a way with its two rows."""

TIED = ("Tied with the fastest: the 95 % interval of the ratio of the", "medians holds 1.")

Way = tuple[str, list[Ranked]]
"""The title of a way, and the best row of each side, fastest first."""


def fastest_by_way(results: Results) -> str:
    """Returns the picture of a panel's first table as SVG."""
    place = results.places()[0]
    ways = measured_ways(results, place)
    times = [value for _, rows in ways for row in rows for value in (row.figure.low, row.figure.high)]
    x = LogScale(*around(times, 1.3), LEFT, RIGHT)
    bottom = TOP + len(ways) * BLOCK - 10
    elements = [
        svg.text(svg.MARGIN, 28, "Time to write, move and read a table: the fastest formats", "label bold"),
        svg.text(svg.MARGIN, 53, data(results, place), "note muted"),
        *key(svg.MARGIN, 82, [("colonnade", "Colonnade"), ("other", "other libraries")]),
        *x_axis(x, tick_labels(x.ticks(60), seconds_text), TOP - 20, bottom, "time until all values are usable"),
    ]
    for number, (name, rows) in enumerate(ways):
        elements += _way(name, rows, x, TOP + number * BLOCK)
    elements += [svg.text(svg.MARGIN, bottom + 72 + 22 * n, words, "note muted") for n, words in enumerate(TIED)]
    heading = "The fastest format of Colonnade and of the other libraries, for each way from writer to reader"
    return svg.document(bottom + 86 + 22, heading, _description(data(results, place), ways), elements)


def measured_ways(results: Results, place: Place) -> list[Way]:
    """Returns the ways with the fastest exact format of each side, if nothing that might win is unmeasured."""
    found = []
    for transport in results.transports(place):
        ranked = ranking(results, place, transport)
        sides = [[row for row in ranked.rows if is_colonnade(row) == side] for side in (True, False)]
        best = sorted((side[0] for side in sides if side), key=lambda row: row.figure.median)
        if ranked.winner is not None:
            found.append((title(transport), best))
    return found


def is_colonnade(row: Ranked) -> bool:
    """Whether the format is one of Colonnade."""
    return row.contestant.engine == "colonnade"


def short_name(row: Ranked) -> str:
    """Returns format and library. Colonnade is named by its mark, a library's own data by "from"."""
    name = row.contestant.spoken.removesuffix(" (colonnade)").replace(" with ", " ")
    return re.sub(r"\((\w+), from \1\)", r"(from \1)", name)


def _way(name: str, rows: list[Ranked], x: LogScale, top: float) -> list[str]:
    """Draws one way: its title, and a row for each side. The fastest is bold, unless the other one is tied with it."""
    elements = [svg.text(svg.MARGIN, top, name, "note bold")]
    for number, row in enumerate(rows, 1):
        y = top + number * ROW
        kind, figure = ("colonnade" if is_colonnade(row) else "other"), row.figure
        weight = " bold" if number == 1 and not any(each.tied for each in rows) else ""
        shown = seconds_text(figure.median) + (", tied" if row.tied else "")
        right = max(x(figure.median) + 6, x(figure.high))
        elements += [
            svg.text(svg.MARGIN + 14, y, short_name(row), f"note{weight}"),
            svg.line(x(figure.low), y - 6, x(figure.high), y - 6, f"line {kind}"),
            mark(x(figure.median), y - 6, kind),
            svg.text(right + 9, y, shown, f"detail{weight}"),
        ]
        if svg.MARGIN + 14 + svg.text_width(short_name(row), "note") > x(figure.low) - 8:
            raise ValueError(f"The name {short_name(row)!r} is too long for its row.")
    return elements


def _description(measured: str, ways: list[Way]) -> str:
    """Lists the times of both sides for each way."""
    lines = [
        f"{name}: {', '.join(f'{row.contestant.spoken} {seconds_text(row.figure.median)}' for row in rows)}"
        for name, rows in ways
    ]
    return f"{measured}. {'. '.join(lines)}. Horizontal lines are the range or the 95 % interval."
