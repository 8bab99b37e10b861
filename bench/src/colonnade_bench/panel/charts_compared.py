"""Draws the charts that compare engines by figures the page computes: the winner by link, and size against time.

Their tables have names, because the page replaces the rows whenever a slider moves.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from colonnade_bench.panel.charts import GREY, HEIGHT, SECONDS, TARGET, TIPS, WIDTH, decades, found_only
from colonnade_bench.panel.report_looks import INK, Chart

MARKS = {"ours": "diamond", "others": "circle"}
FRONT = "#2f7fd1"
BYTES = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, ',~r') + ' GB' : "
    "datum.value >= 1e6 ? format(datum.value / 1e6, ',~r') + ' MB' : format(datum.value / 1e3, ',~r') + ' kB'"
)
SHORT = "datum.value >= 1e9 ? format(datum.value / 1e9, '~r') + 'G' : format(datum.value / 1e6, '~r') + 'M'"

RIBBON = 26
"""The height of the ribbon, in pixels."""


def ribbon(
    curves: list[dict[str, Any]], pieces: list[dict[str, Any]], link: list[dict[str, Any]], low: float, high: float
) -> Chart:
    """Draws modelled time against the link for each engine, and below it the winner of each range.

    The three tables have names, because the page replaces them. `curves` has name, bps, seconds, shown, colour and
    opacity: winners have a colour, the others are grey. `pieces` has name, low, high, middle, colour and label. `link`
    has bps. The parameter `found` marks the lines whose name contains it.
    """
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    axis = alt.Axis(values=decades(low, high), labelExpr=SHORT, grid=False)
    across = alt.X("bps:Q", scale=scale, title="link, bit/s", axis=axis)
    tall = alt.Scale(type="log", range=[HEIGHT - RIBBON - 8, 0], nice=False)
    up = alt.Y(
        "seconds:Q", scale=tall, title="modelled time", axis=alt.Axis(labelExpr=SECONDS, values=decades(1e-6, 1e6))
    )
    colour = alt.Color("colour:N", scale=None)
    every = alt.Chart(alt.NamedData("curves")).encode(x=across, y=up, detail=alt.Detail("name:N"))
    lines = every.mark_line(strokeWidth=1.8).encode(color=colour, opacity=alt.Opacity("opacity:Q", scale=None))
    stretches = alt.Chart(alt.NamedData("pieces")).mark_rect(stroke=None)
    place = {"y": alt.value(HEIGHT - RIBBON), "y2": alt.value(HEIGHT)}
    stretches = stretches.encode(
        x=alt.X("low:Q", scale=scale), x2=alt.X2(field="high"), color=colour, tooltip=alt.Tooltip("name:N"), **place
    )
    text = alt.Chart(alt.NamedData("pieces")).mark_text(fontSize=11, fontWeight=600, color="white")
    text = text.encode(x=alt.X("middle:Q", scale=scale), y=alt.value(HEIGHT - RIBBON / 2), text=alt.Text("label:N"))
    mark = alt.Chart(alt.NamedData("link")).mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=INK)
    mark = mark.encode(x=across, y=alt.value(0), y2=alt.value(HEIGHT - RIBBON))
    found = every.mark_line(strokeWidth=3, color=INK).encode(opacity=found_only())
    targets = every.mark_point(filled=True, size=TARGET, opacity=0).encode(tooltip=TIPS)
    chart = alt.layer(lines, stretches, text, mark, found, targets).add_params(alt.param(name="found", value=""))
    chart = chart.properties(width=WIDTH, height=HEIGHT)
    chart.datasets = {"curves": curves, "pieces": pieces, "link": link}
    return chart


def scatter(points: list[dict[str, Any]], front: list[dict[str, Any]], numbers: list[dict[str, Any]]) -> Chart:
    """Draws size against time, with the Pareto front: nothing is both smaller and faster than its points.

    The three tables have names, because the page replaces them. `points` has name, nbytes, seconds, shown, kind
    ("ours" or "others") and `front`, whether the point is on the front. `front` has the corners of the front's steps,
    with their `order`. `numbers` has nbytes, seconds and text: the numbers of the labelled points, which a list names.
    """
    sizes, times = (alt.Scale(type="log", nice=False, padding=18) for _ in range(2))
    across = alt.X(
        "nbytes:Q",
        scale=sizes,
        title="size",
        axis=alt.Axis(labelExpr=BYTES, values=steps(1e2, 1e13), labelOverlap=True, grid=False),
    )
    up = alt.Y(
        "seconds:Q",
        scale=times,
        title="time",
        axis=alt.Axis(labelExpr=SECONDS, values=steps(1e-6, 1e5), labelOverlap=True),
    )
    shape = alt.Shape("kind:N", scale=alt.Scale(domain=list(MARKS), range=list(MARKS.values())), legend=None)
    every = alt.Chart(alt.NamedData("points")).encode(x=across, y=up)
    step = alt.Chart(alt.NamedData("front")).mark_line(strokeWidth=1.5, color=FRONT)
    on_front = alt.condition("datum.front", alt.value(FRONT), alt.value(GREY))
    strong = alt.condition("datum.front", alt.value(1), alt.value(0.45))
    dots = every.mark_point(filled=True, size=70).encode(shape=shape, color=on_front, opacity=strong)
    found = every.mark_point(filled=False, size=260, strokeWidth=2.5, color=INK).encode(opacity=found_only())
    text = alt.Chart(alt.NamedData("numbers")).mark_text(align="right", dx=-8, dy=9, fontSize=12, fontWeight=700)
    layers = [
        step.encode(x=across, y=up, order=alt.Order("order:Q")),
        dots,
        found,
        text.encode(x=across, y=up, text=alt.Text("text:N"), color=alt.value(INK)),
        every.mark_point(filled=True, size=TARGET, opacity=0).encode(tooltip=TIPS),
    ]
    chart = alt.layer(*layers).add_params(alt.param(name="found", value="")).properties(width=WIDTH, height=HEIGHT)
    chart.datasets = {"points": points, "front": front, "numbers": numbers}
    return chart


def steps(low: float, high: float) -> list[float]:
    """Returns 1, 2 and 5 of each power of ten within a range. Ticks outside the data are not drawn.

    >>> steps(1, 20)
    [1.0, 2.0, 5.0, 10.0, 20.0]
    """
    return [each for power in decades(low, high) for each in (power, 2 * power, 5 * power) if each <= high]
