"""Chooses the pictures of a place and their content.

A chart has at most eight labelled lines: the fastest exact engines at the largest size. The others are grey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from colonnade.cli.amounts import seconds_text
from colonnade_bench.intervals import Interval
from colonnade_bench.panel import charts, charts_compared
from colonnade_bench.panel.charts import GREY
from colonnade_bench.panel.growth import extrapolated
from colonnade_bench.panel.model import Candidate, serial_s, winners
from colonnade_bench.panel.ranking import ranking
from colonnade_bench.panel.report_answer import HIGH_BPS, LOW_BPS, candidates
from colonnade_bench.panel.report_figures import medians, storage
from colonnade_bench.panel.report_looks import Chart, plain
from colonnade_bench.panel.report_looks import colours as colours_of
from colonnade_bench.panel.report_words import MODELLED, slug, title
from colonnade_bench.panel.summary import Contestant, Place, Results, cpu

ACROSS, MARGIN = 3, 80
"""Charts in a row of a picture, and the pixels that a chart's axis takes in addition to its width."""
SLOWEST = 25.0
"""Contestants that are this many times slower than the fastest are left out of the split of the time."""


def looks(results: Results, place: Place) -> dict[str, tuple[str, list[int]]]:
    """Gives each contestant one colour in all pictures of a place. The leaders on some link have unique colours."""
    known = candidates(results, place, lossy=True)
    best = dict.fromkeys(results.contestants(place), len(known))
    for half_decades in range(11):
        bps = LOW_BPS * 10 ** (half_decades / 2)
        order = sorted(known, key=lambda each: serial_s(known[each], bps))
        best.update({each: min(best[each], rank) for rank, each in enumerate(order)})
    return colours_of(each.name for each in sorted(best, key=lambda each: best[each]))


def by_transport(results: Results, place: Place, *, straight: bool = False) -> list[Chart]:
    """Draws elapsed time against size, by contestant: one chart for each transport, all with the same time axis."""
    out = []
    chosen = {transport: curves(results, place, transport) for transport in results.transports(place)}
    colours = looks(results, place)
    values = [value for lines, _ in chosen.values() for line in lines.values() for _, value in line]
    for transport, (lines, modelled) in chosen.items():
        if lines:
            out.append(
                charts.growth(
                    title(transport),
                    lines,
                    colours,
                    modelled,
                    (min(values), max(values)),
                    labelled=labelled(results, place, transport, lines),
                    straight=straight,
                )
            )
    return out


def labelled(results: Results, place: Place, transport: str, lines: Mapping[str, charts.Line]) -> list[str]:
    """Returns the names to label in a chart of one transport.

    Exact engines come first, then those that lose something, then those that stopped early, each the fastest first.
    """
    found = ranking(results, place, transport)
    order = [row.contestant.name for row in (*found.exact, *found.lossy)]
    order += sorted(lines, key=lambda name: (-lines[name][-1][0], lines[name][-1][1]))
    return [name for name in dict.fromkeys(order) if name in lines][: charts.LABELLED]


def curves(
    results: Results, place: Place, transport: str
) -> tuple[dict[str, list[tuple[float, float]]], dict[str, Interval]]:
    """Returns the measured lines of a transport, and the modelled times of the stopped ones."""
    lines, modelled = {}, {}
    for contestant in results.contestants(place):
        line = medians(results, place, contestant, transport)
        if line:
            lines[contestant.name] = line
            found = extrapolated(line)
            if found is not None:
                modelled[contestant.name] = found
    return lines, modelled


def measured(results: Results, place: Place) -> list[Contestant]:
    """Returns the contestants with at least one measured point."""
    transports = results.transports(place)
    return [c for c in results.contestants(place) if any(results.sizes(place, c, t) for t in transports)]


def by_package(results: Results, place: Place, contestant: Contestant) -> Chart:
    """Draws elapsed time of one contestant against size, by transport."""
    transports = results.transports(place)
    colours = colours_of(title(transport) for transport in transports)
    lines = {title(t): line for t in transports if (line := medians(results, place, contestant, t))}
    modelled = {name: found for name, line in lines.items() if (found := extrapolated(line)) is not None}
    return charts.growth(contestant.name, lines, colours, modelled)


def kept(results: Results, place: Place) -> Chart | None:
    """Draws the bytes of all of the data. Those of engines that stopped early are extrapolated."""
    size = results.full_size(place)
    if size is None:
        return None
    measured = {
        contestant.name: (figure.median, "exact" if results.exact(place, contestant) else "with losses")
        for contestant, figure in storage(results, place, size).items()
    }
    guessed = {}
    for contestant in results.contestants(place):
        if contestant.name not in measured:
            found = bytes_at(results, place, contestant, size)
            if found is not None:
                guessed[contestant.name] = found
    return charts.storage("Storage used", measured, guessed) if measured else None


def bytes_at(results: Results, place: Place, contestant: Contestant, size: float) -> Interval | None:
    """Returns the extrapolated bytes at a size that was not measured."""
    for transport in results.transports(place):
        curve = [(s, f.median) for s, f in results.curve(place, contestant, transport, "wire_nbytes")]
        found = extrapolated(curve, size)
        if found is not None:
            return found
    return None


def splits(results: Results, place: Place) -> list[Chart]:
    """Draws the parts of the time by contestant, one chart for each transport, without the slowest ones."""
    out = []
    size = results.full_size(place) or 1.0
    for transport in results.transports(place):
        found = ranking(results, place, transport, size)
        order = sorted((*found.exact, *found.lossy), key=lambda row: row.figure.median)
        times = {r.contestant.name: steps(results, place, r.contestant, transport, size) for r in order}
        fastest = min((sum(each.values()) for each in times.values()), default=0.0)
        drawn = {name: each for name, each in times.items() if sum(each.values()) <= SLOWEST * fastest}
        if drawn:
            out.append(charts.split(title(transport), drawn))
    return out


def steps(results: Results, place: Place, contestant: Contestant, transport: str, size: float) -> dict[str, float]:
    """Returns encode, move and decode if they follow each other, else the elapsed time in one piece."""
    samples = results.samples(place, contestant, transport, size)
    union = results.figure(place, contestant, transport, size)
    encode, decode = (cpu(samples, side, transport) for side in ("write", "read"))
    whole = union.median if union else 0.0
    if encode is None or decode is None or encode.median + decode.median > 1.02 * whole:
        return {"not apart": whole}
    move = max(whole - encode.median - decode.median, 0.0)
    return {"encode": encode.median, "move": move, "decode": decode.median}


def ribbon(results: Results, place: Place) -> Chart | None:
    """Draws the winner by bandwidth, by the serial model, among the lossless contestants."""
    known = list(candidates(results, place).values())
    if not known:
        return None
    colours = looks(results, place)
    found = winners(known, LOW_BPS, HIGH_BPS)
    won = {name for _, _, name in found}
    lines = [row for each in known for row in model_line(each, colours[each.name][0] if each.name in won else GREY)]
    stretches = [
        {
            "name": name,
            "low": low,
            "high": high,
            "middle": (low * high) ** 0.5,
            "colour": colours[name][0],
            "label": name,
        }
        for low, high, name in found
    ]
    chart = charts_compared.ribbon(lines, stretches, [], LOW_BPS, HIGH_BPS)
    return chart.properties(title="Fastest by link", width=900)


def model_line(candidate: Candidate, colour: str) -> list[dict[str, Any]]:
    """Returns enough points for a smooth line."""
    steps = [LOW_BPS * (HIGH_BPS / LOW_BPS) ** (k / 100) for k in range(101)]
    more = {"name": candidate.name, "colour": colour, "opacity": 0.35 if colour == GREY else 1.0}
    timed = ((bps, serial_s(candidate, bps)) for bps in steps)
    return [{"bps": bps, "seconds": s, "shown": f"{MODELLED} {seconds_text(s)}", **more} for bps, s in timed]


def write_pictures(results: Results, place: Place, directory: Path) -> list[Path]:
    """Writes PNG and SVG of every picture."""
    directory.mkdir(parents=True, exist_ok=True)
    found: dict[str, Chart | alt.VConcatChart | None] = {
        "elapsed": board("Elapsed time to encode, write, read, decode, by package", by_transport(results, place)),
        "elapsed-straight": board(
            "Elapsed time to encode, write, read, decode, by package", by_transport(results, place, straight=True)
        ),
        "storage": kept(results, place),
        "split": board("Where the time goes", splits(results, place)),
        "ribbon": ribbon(results, place),
    }
    out = []
    for name, chart in found.items():
        out += save(chart, directory / name)
    for each in measured(results, place):
        out += save(by_package(results, place, each), directory / "packages" / slug(each.name))
    return out


def board(title: str, parts: Sequence[Chart]) -> alt.VConcatChart | None:
    """Places several charts in rows of at most three, all rows equally wide, so that no place stays empty."""
    if not parts:
        return None
    nrows = -(-len(parts) // ACROSS)
    bounds = [round(k * len(parts) / nrows) for k in range(nrows + 1)]
    lines = [parts[low:high] for low, high in pairwise(bounds)]
    most = max(map(len, lines))
    for line in lines:
        for chart in line:
            chart.width = (most * (chart.width + MARGIN)) // len(line) - MARGIN
    lines_of = (alt.hconcat(*line).resolve_scale(color="independent", strokeDash="independent") for line in lines)
    return alt.vconcat(*lines_of).properties(title=title)


def save(chart: Chart | alt.VConcatChart | None, stem: Path) -> list[Path]:
    """Writes one chart as PNG and SVG, black on white."""
    if chart is None:
        return []
    stem.parent.mkdir(parents=True, exist_ok=True)
    png, svg = (stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg"))
    svg.write_text(drawn := vl_convert.vegalite_to_svg(plain(chart)), encoding="utf-8")
    png.write_bytes(vl_convert.svg_to_png(drawn, scale=2))
    return [png, svg]
