"""Draws the pictures, in Vega-Lite through altair: one chart for each transport, package or question.

Each chart is as wide as a phone. The page places charts side by side if there is room, and a picture file puts them
into rows. Modelled points are hollow and dashed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from colonnade.cli.amounts import nbytes_text, seconds_text
from colonnade_bench.intervals import Interval
from colonnade_bench.panel.report_looks import INK, KINDS, STEPS, Chart, key, rows
from colonnade_bench.panel.report_words import fraction

WIDTH, HEIGHT, ROW = 292, 320, 19
FAR = 10.0
"""A modelled point is drawn up to this multiple of the largest measured one."""

Line = Sequence[tuple[float, float]]
"""Size and seconds, from the smallest size."""
TIPS = [alt.Tooltip("name:N", title="contestant"), alt.Tooltip("shown:N", title="elapsed")]
SECONDS = (
    "datum.value >= 1 ? format(datum.value, ',~r') + ' s' : datum.value == 0 ? '0' : "
    "datum.value >= 0.9995e-3 ? format(datum.value * 1e3, ',~r') + ' ms' : format(datum.value * 1e6, ',~r') + ' µs'"
)
"""Vega's expression for a tick in seconds."""
PERCENT = "format(100 * datum.value, '~r') + ' %'"


def growth(
    title: str,
    lines: Mapping[str, Line],
    looks: Mapping[str, tuple[str, list[int]]],
    modelled: Mapping[str, Interval] | None = None,
    bounds: tuple[float, float] | None = None,
    *,
    straight: bool = False,
) -> Chart:
    """Draws elapsed time against the fraction of the data: one line for each name, explained in the legend.

    `looks` gives each name's colour and dash. `modelled` gives its extrapolation to all of the data. `bounds` are the
    least and the largest time of all charts with the same axis. `straight` scales begin at zero.
    """
    points = [(size, value) for line in lines.values() for size, value in line]
    least, largest = bounds or (min(value for _, value in points), max(value for _, value in points))
    far = {} if straight else {n: m for n, m in (modelled or {}).items() if m.value <= FAR * largest and n in lines}
    most = max([largest, *(min(m.high, FAR * largest) for m in far.values())])
    table = [
        {"name": name, "size": size, "seconds": value, "shown": f"{fraction(size)}: {seconds_text(value)}"}
        for name, line in lines.items() for size, value in line
    ]  # fmt: skip
    across, up = axes(points, least, most, bool(far), straight)
    legend = alt.Legend(
        title=None, orient="bottom", columns=2, symbolType="stroke", symbolStrokeWidth=2, labelLimit=145
    )
    names = list(lines)
    colour = alt.Color("name:N", scale=alt.Scale(domain=names, range=[looks[name][0] for name in names]), legend=legend)
    dash = alt.StrokeDash(
        "name:N", scale=alt.Scale(domain=names, range=[looks[name][1] for name in names]), legend=legend
    )
    base = alt.Chart(rows(table)).encode(x=across, y=up, color=colour)
    curves = base.mark_line(strokeWidth=1.8).encode(strokeDash=dash)
    dots = base.mark_point(filled=True, size=14, opacity=1).encode(tooltip=TIPS)
    ends = {name: max(line) for name, line in lines.items()}
    hollow = beyond(far, ends, across, up, colour, FAR * largest) if far else ()
    return alt.layer(curves, dots, *hollow).properties(title=title, width=WIDTH, height=HEIGHT)


def axes(points: Line, least: float, most: float, whole: bool, straight: bool) -> tuple[alt.X, alt.Y]:
    """Returns the axes of size and time: linear from zero, or logarithmic with a tick for each decade in range."""
    last = 1.0 if whole else max(size for size, _ in points)
    sizes, times = ([0.0, last], [0.0, most * 1.05])
    if not straight:
        sizes, times = [min(*(size for size, _ in points), last / 2), last], [least / 1.2, most * 1.2]
    x = alt.Axis(labelExpr=PERCENT, **ticks(sizes, straight))
    y = alt.Axis(labelExpr=SECONDS, **ticks(times, straight))
    return (
        alt.X("size:Q", title="fraction of the data", scale=scale(sizes, straight), axis=x),
        alt.Y("seconds:Q", title="elapsed time", scale=scale(times, straight), axis=y),
    )


def scale(domain: list[float], straight: bool) -> alt.Scale:
    return alt.Scale(type="linear" if straight else "log", domain=domain, nice=False)


def ticks(domain: list[float], straight: bool) -> dict[str, Any]:
    """Returns one tick for each decade, or a few that the library chooses if the range has fewer than two decades."""
    found = [] if straight else decades(domain[0], domain[1])
    return {"values": found} if len(found) >= 2 else {"tickCount": 3}


def beyond(
    far: Mapping[str, Interval],
    ends: Mapping[str, tuple[float, float]],
    across: alt.X,
    up: alt.Y,
    colour: alt.Color,
    top: float,
) -> list[alt.Chart]:
    """Draws modelled points: hollow, with their interval. A dotted line connects them to the last measured point."""
    table = [
        {"size": 1.0, "seconds": m.value, "low": m.low, "high": min(m.high, top), "from_size": ends[name][0],
         "from_seconds": ends[name][1], "name": name, "shown": f"modelled: {seconds_text(m.value)}"}
        for name, m in far.items()
    ]  # fmt: skip
    base = alt.Chart(rows(table)).encode(x=across, color=colour)
    tie = base.mark_rule(strokeDash=[1, 3]).encode(y=up, x2=alt.X2(field="from_size"), y2=alt.Y2(field="from_seconds"))
    bar = base.mark_rule(strokeWidth=1.2).encode(y=alt.Y("low:Q"), y2=alt.Y2(field="high"))
    return [tie, bar, base.mark_point(filled=False, size=34, opacity=1).encode(y=up, tooltip=TIPS)]


def storage(title: str, kept: Mapping[str, tuple[float, str]], modelled: Mapping[str, Interval]) -> Chart:
    """Draws bytes by contestant, sorted. `kept` gives bytes and a key of `KINDS`. Hollow bars are extrapolated."""
    table: list[dict[str, Any]] = [
        {"name": name, "bytes": value, "kind": kind, "text": nbytes_text(value), "end": value}
        for name, (value, kind) in kept.items()
    ]
    guessed: list[dict[str, Any]] = [
        {
            "name": name,
            "bytes": m.value,
            "low": m.low,
            "high": m.high,
            "text": f"≈ {nbytes_text(m.value)}",
            "end": max(m.value, m.high),
        }
        for name, m in modelled.items()
    ]
    names = [row["name"] for row in sorted(table + guessed, key=lambda row: row["bytes"])]
    most = max(row["end"] for row in table + guessed)
    scale = alt.Scale(domain=[0, most * 1.42], nice=False)
    across = alt.X("bytes:Q", title="bytes", scale=scale, axis=alt.Axis(format="~s", tickCount=4))
    up = alt.Y("name:N", sort=names, title=None, scale=alt.Scale(domain=names))
    base = alt.Chart(rows(table)).encode(x=across, y=up)
    layers = [
        base.mark_bar(height=11).encode(
            color=key("kind:N", KINDS), tooltip=[alt.Tooltip("name:N"), alt.Tooltip("text:N"), alt.Tooltip("kind:N")]
        )
    ]
    if guessed:
        hollow = alt.Chart(rows(guessed)).encode(y=up)
        outline = hollow.mark_bar(height=11, fillOpacity=0, stroke=INK, strokeWidth=1, strokeDash=[3, 2])
        layers += [
            outline.encode(x=across),
            hollow.mark_rule(color=INK).encode(x=alt.X("low:Q"), x2=alt.X2(field="high")),
        ]
    text = alt.Chart(rows(table + guessed)).mark_text(align="left", dx=4, fontSize=10, color=INK)
    layers.append(text.encode(x=alt.X("end:Q"), y=up, text=alt.Text("text:N")))
    return alt.layer(*layers).properties(title=title, width=WIDTH - 90, height=ROW * len(names))


def split(title: str, times: Mapping[str, Mapping[str, float]]) -> Chart:
    """Draws the parts of the elapsed time by contestant. The keys are those of `STEPS`, and their sum is the whole."""
    order = sorted(times, key=lambda name: sum(times[name].values()))
    table = [
        {"name": name, "step": step, "seconds": value, "place": list(STEPS).index(step), "shown": seconds_text(value)}
        for name in order for step, value in times[name].items()
    ]  # fmt: skip
    totals: list[dict[str, Any]] = [
        {"name": name, "seconds": sum(times[name].values()), "text": seconds_text(sum(times[name].values()))}
        for name in order
    ]
    most = totals[-1]["seconds"]
    scale = alt.Scale(domain=[0, most * 1.35], nice=False)
    across = alt.X(
        "seconds:Q", stack="zero", title="elapsed time", scale=scale, axis=alt.Axis(tickCount=4, labelExpr=SECONDS)
    )
    up = alt.Y("name:N", sort=order, title=None)
    used = {step: colour for step, colour in STEPS.items() if any(row["step"] == step for row in table)}
    colour = key("step:N", used)
    tips = [alt.Tooltip("name:N", title="contestant"), alt.Tooltip("step:N"), alt.Tooltip("shown:N", title="time")]
    bars = alt.Chart(rows(table)).mark_bar(height=11)
    text = alt.Chart(rows(totals)).mark_text(align="left", dx=4, fontSize=10, color=INK)
    layers = [
        bars.encode(x=across, y=up, color=colour, order=alt.Order("place:Q"), tooltip=tips),
        text.encode(x=alt.X("seconds:Q"), y=up, text=alt.Text("text:N")),
    ]
    return alt.layer(*layers).properties(title=title, width=WIDTH - 90, height=ROW * len(order))


RIBBON = 26
"""The height of the ribbon, in pixels."""


def ribbon(
    curves: list[dict[str, Any]], pieces: list[dict[str, Any]], link: list[dict[str, Any]], low: float, high: float
) -> Chart:
    """Draws modelled time against the link for each contestant, and below it the winner of each range.

    The three tables have names, because the page replaces them. `curves` has name, bps, seconds, colour and opacity.
    `pieces` has name, low, high, middle, colour and label. `link` has bps.
    """
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=decades(low, high), labelExpr=SHORT, grid=False)
    across = alt.X("bps:Q", scale=scale, title="link, bit/s", axis=axis)
    tall = alt.Scale(type="log", range=[HEIGHT - RIBBON - 8, 0], nice=False)
    up = alt.Y(
        "seconds:Q", scale=tall, title="modelled time", axis=alt.Axis(labelExpr=SECONDS, values=decades(1e-6, 1e6))
    )
    colour = alt.Color("colour:N", scale=None)
    lines = alt.Chart(alt.NamedData("curves")).mark_line(strokeWidth=1.8)
    lines = lines.encode(
        x=across, y=up, color=colour, detail=alt.Detail("name:N"), opacity=alt.Opacity("opacity:Q", scale=None)
    )
    stretches = alt.Chart(alt.NamedData("pieces")).mark_rect(stroke=None)
    place = {"y": alt.value(HEIGHT - RIBBON), "y2": alt.value(HEIGHT)}
    stretches = stretches.encode(
        x=alt.X("low:Q", scale=scale), x2=alt.X2(field="high"), color=colour, tooltip=alt.Tooltip("name:N"), **place
    )
    text = alt.Chart(alt.NamedData("pieces")).mark_text(fontSize=11, fontWeight=600, color="white")
    text = text.encode(x=alt.X("middle:Q", scale=scale), y=alt.value(HEIGHT - RIBBON / 2), text=alt.Text("label:N"))
    mark = alt.Chart(alt.NamedData("link")).mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=INK)
    mark = mark.encode(x=across, y=alt.value(0), y2=alt.value(HEIGHT - RIBBON))
    chart = alt.layer(lines, stretches, text, mark).properties(width=WIDTH, height=HEIGHT)
    chart.datasets = {"curves": curves, "pieces": pieces, "link": link}
    return chart


SHORT = "datum.value >= 1e9 ? format(datum.value / 1e9, '~r') + 'G' : format(datum.value / 1e6, '~r') + 'M'"


def decades(low: float, high: float) -> list[float]:
    """Returns the powers of ten within a range.

    >>> decades(2, 1000)
    [10.0, 100.0, 1000.0]
    """
    return [10.0**k for k in range(-12, 16) if low <= 10.0**k <= high]
