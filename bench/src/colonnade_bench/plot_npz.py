"""The picture of the nine fixtures: read, written, size. Drawn by Vega-Lite, through altair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from colonnade_bench.datasets.fixtures import MIXES, SHAPES
from colonnade_bench.plot import altair_or_none, save_panels
from colonnade_bench.report import twin
from colonnade_bench.summary import Summary

FACETS = {"read": "read, milliseconds", "write": "written, milliseconds", "size": "size, MB"}
OURS = ("#c0392b", "#e58e73", "#7b241c")
PEERS = ("#1f77b4", "#17becf", "#2ca02c", "#98b954", "#9467bd", "#8c564b", "#bcbd22", "#7f7f7f", "#e377c2")


def points(summary: Summary) -> Iterator[dict[str, Any]]:
    """One point a fixture, contestant and facet; first calls, with their quartiles."""
    for place in summary.places(state="first"):
        if place.operation not in FACETS or twin(place.dataset):
            continue
        for contestant in summary.contestants(place):
            figure = summary.figure(place, contestant)
            if figure is not None and _is_shown(contestant):
                values = dict(zip(("value", "low", "high"), (figure.median, figure.low, figure.high), strict=True))
                yield {
                    "fixture": _short(place.dataset),
                    "name": f"{contestant} ({place.library})",
                    "facet": place.operation,
                    **{key: seconds * 1e3 for key, seconds in values.items()},
                }
    for cell, record in summary.checks():
        if record["ok"] and record.get("wire_nbytes") and _is_shown(cell.contestant) and not twin(cell.dataset):
            size = record["wire_nbytes"] / 1e6
            name = f"{cell.contestant} ({cell.library})"
            yield {
                "fixture": _short(cell.dataset), "name": name, "facet": "size", "value": size, "low": size, "high": size
            }  # fmt: skip


def nine_fixtures(summary: Summary, path: Path) -> bool:
    """Draw it as a PNG. False where there is nothing to draw, or nothing to draw with."""
    rows, alt = list(points(summary)), altair_or_none()
    if alt is None or not rows:
        return False
    names = sorted({row["name"] for row in rows}, key=lambda name: (not name.startswith("colonnade"), name))
    ours = sum(name.startswith("colonnade") for name in names)
    colours = [OURS[k % len(OURS)] if k < ours else PEERS[(k - ours) % len(PEERS)] for k in range(len(names))]
    order = [f"{shape} {mix}" for shape in SHAPES["1e6"] for mix in MIXES]
    y = alt.Y("fixture:N", title=None, sort=order, axis=alt.Axis(grid=True, labelLimit=200))
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=names, range=colours),
        legend=alt.Legend(title=None, orient="bottom", columns=4),
    )
    shape = alt.condition(alt.FieldOneOfPredicate("name", names[:ours]), alt.value("diamond"), alt.value("circle"))
    panels = []
    for facet, title in FACETS.items():
        chosen = [row for row in rows if row["facet"] == facet]
        if not chosen:
            continue
        base = alt.Chart(alt.InlineData(values=chosen)).encode(y=y, color=colour)
        x = alt.X("value:Q", title=title, scale=alt.Scale(type="log"))
        dots = base.mark_point(filled=True, size=90, opacity=0.9).encode(x=x, shape=shape)
        spread = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(x=alt.X("low:Q", title=title), x2="high:Q")
        panels.append((spread + dots).properties(width=300, height=320, title=title.partition(",")[0]))
    title = "Nine frames as NPZ and as others keep them: first call of a process, with a pass over every byte"
    save_panels(panels, title, path, {"color": "shared"}, labelLimit=300)
    return True


def _is_shown(contestant: str) -> bool:
    """Neither limits, which are no formats, nor rows of options."""
    return not contestant.startswith("limit") and "=" not in contestant


def _short(dataset: str) -> str:
    return " ".join(dataset.split("-")[1:3])
