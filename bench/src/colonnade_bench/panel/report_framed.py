"""Shows the cost of Colonnade's message framing: the same buffers plain, and as messages of a connection."""

from __future__ import annotations

from colonnade_bench.panel.report_figures import box
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_words import title
from colonnade_bench.panel.summary import Place, Results


def framed(results: Results, place: Place) -> Part:
    """Returns a row for each engine and transport that was measured with `via` ``plain`` and ``framed``."""
    rows, size = [], results.full_size(place) or 1.0
    for contestant in results.contestants(place):
        if contestant == contestant.plain:
            continue
        for transport in results.transports(place):
            plain, ours = (results.figure(place, c, transport, size) for c in (contestant.plain, contestant))
            if plain is not None and ours is not None:
                difference = f"{100 * (ours.median / plain.median - 1):+.0f} %"
                rows.append([contestant.plain.name, title(transport), box(plain), box(ours), difference])
    header = ["engine", "transport", "as it is", "in our framing", "difference"]
    notes = ["Buffered engines send the same bytes either way. Those that stream are buffered in our framing."]
    return Part("In our message framing", header, rows, notes, "framed", 2)
