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
from colonnade_bench.panel.report_looks import INK, KINDS, STEPS, Chart, distinct, key, rows
from colonnade_bench.panel.report_words import fraction

WIDTH, HEIGHT, ROW = 292, 320, 19
LABELLED = 8
"""At most this many lines or points of a chart have a label. The rest are grey."""
GREY = "#8a94a0"
TARGET = 300
"""The area of an invisible point that shows the tooltip, in square pixels."""
FAR = 10.0
"""A modelled point is drawn up to this multiple of the largest measured one."""

Line = Sequence[tuple[float, float]]
"""Size and seconds, from the smallest size."""
TIPS = [alt.Tooltip("name:N", title="engine"), alt.Tooltip("shown:N", title="elapsed")]
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
    labelled: Sequence[str] = (),
    straight: bool = False,
    width: int | str = WIDTH,
) -> Chart:
    """Draws elapsed time against the fraction of the data: one line for each name.

    `looks` gives each name's colour and dash. `modelled` gives its extrapolation to all of the data. `bounds` are the
    least and the largest time of all charts with the same axis. The `labelled` names (all, if there are few) have a
    colour and an entry in the legend. The others are grey, and are found by hovering or by the parameter `found`.
    `straight` scales begin at zero.
    """
    points = [(size, value) for line in lines.values() for size, value in line]
    least, largest = bounds or (min(value for _, value in points), max(value for _, value in points))
    names = [name for name in lines if name in (labelled or list(lines)[:LABELLED])]
    looks = distinct(names, looks)
    far = {n: m for n, m in (modelled or {}).items() if m.value <= FAR * largest and n in names and not straight}
    most = max([largest, *(min(m.high, FAR * largest) for m in far.values())])
    table = [
        {"name": name, "size": size, "seconds": value, "shown": f"{fraction(size)}: {seconds_text(value)}"}
        for name, line in lines.items() for size, value in line
    ]  # fmt: skip
    across, up = axes(points, least, most, bool(far), straight)
    legend = alt.Legend(
        title=None, orient="bottom", columns=2, symbolType="stroke", symbolStrokeWidth=2, labelLimit=145
    )
    colour = alt.Color("name:N", scale=alt.Scale(domain=names, range=[looks[name][0] for name in names]), legend=legend)
    dash = alt.StrokeDash(
        "name:N", scale=alt.Scale(domain=names, range=[looks[name][1] for name in names]), legend=legend
    )
    shown = alt.Chart(rows([row for row in table if row["name"] in names])).encode(x=across, y=up, color=colour)
    every = alt.Chart(rows(table)).encode(x=across, y=up, detail=alt.Detail("name:N"))
    ends = {name: max(line) for name, line in lines.items()}
    layers = [
        shown.mark_line(strokeWidth=1.8).encode(strokeDash=dash),
        *([every.mark_line(strokeWidth=1, color=GREY, opacity=0.3)] if len(names) < len(lines) else []),
        shown.mark_point(filled=True, size=14, opacity=1).encode(tooltip=TIPS),
        *(beyond(far, ends, across, up, colour, FAR * largest) if far else ()),
        every.mark_line(strokeWidth=3, color=INK).encode(opacity=found_only()),
        every.mark_point(filled=True, size=TARGET, opacity=0).encode(tooltip=TIPS),
    ]
    chart = alt.layer(*layers).add_params(alt.param(name="found", value=""))
    return chart.properties(title=title, width=width, height=HEIGHT)


def found_only() -> alt.Opacity:
    """Encodes that a mark is visible only if its name contains the text of the parameter `found`."""
    test = "found != '' && indexof(lower(datum.name), found) >= 0"
    return alt.Opacity(condition={"test": test, "value": 1}, value=0)


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
    """Draws bytes by engine, sorted. `kept` gives bytes and a key of `KINDS`. Hollow bars are extrapolated."""
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
    """Draws the parts of the elapsed time by engine. The keys are those of `STEPS`, and their sum is the whole."""
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
    tips = [alt.Tooltip("name:N", title="engine"), alt.Tooltip("step:N"), alt.Tooltip("shown:N", title="time")]
    bars = alt.Chart(rows(table)).mark_bar(height=11)
    text = alt.Chart(rows(totals)).mark_text(align="left", dx=4, fontSize=10, color=INK)
    layers = [
        bars.encode(x=across, y=up, color=colour, order=alt.Order("place:Q"), tooltip=tips),
        text.encode(x=alt.X("seconds:Q"), y=up, text=alt.Text("text:N")),
    ]
    return alt.layer(*layers).properties(title=title, width=WIDTH - 90, height=ROW * len(order))


def decades(low: float, high: float) -> list[float]:
    """Returns the powers of ten within a range.

    >>> decades(2, 1000)
    [10.0, 100.0, 1000.0]
    """
    return [10.0**k for k in range(-12, 16) if low <= 10.0**k <= high]
