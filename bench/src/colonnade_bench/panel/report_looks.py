"""How all charts look: colours, legends, axes; text takes the colour that surrounds it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import altair as alt

Chart: TypeAlias = alt.LayerChart | alt.FacetChart

PALETTE = (
    "#c8455a", "#2f7fd1", "#2e9156", "#b8741a", "#8a63d2", "#0e8f9c",
    "#c2539f", "#7c8720", "#64788e", "#d9622b", "#4f6fe0", "#9c6b4e",
)  # fmt: skip
"""Seen on white and on near-black alike."""
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])
STEPS = {"encode": "#2f7fd1", "move": "#8a94a0", "decode": "#d9622b", "not apart": "#8a63d2"}
KINDS = {"exact": "#2f7fd1", "with losses": "#b8741a"}
INK, PAPER = "currentColor", "var(--paper)"
"""The page's own: `plain` puts colours in their places for a picture file."""


def colours(names: Iterable[str]) -> dict[str, tuple[str, list[int]]]:
    """A colour and a dash for each name; colours come round again with another dash."""
    return {
        name: (PALETTE[k % len(PALETTE)], DASHES[k // len(PALETTE) % len(DASHES)])
        for k, name in enumerate(dict.fromkeys(names))
    }


def key(field: str, meaning: Mapping[str, str]) -> alt.Color:
    """A colour by name, explained below the chart."""
    scale = alt.Scale(domain=list(meaning), range=list(meaning.values()))
    return alt.Color(field, scale=scale, legend=alt.Legend(title=None, orient="bottom", symbolType="square"))


def rows(values: list[dict[str, Any]]) -> dict[str, Any]:
    """A table within a chart. Charts copy lists whenever they are put together, and leave a tuple alone."""
    return {"values": tuple(values)}


def plain(chart: Chart | alt.ConcatChart) -> dict[str, Any]:
    """A chart for a picture file: black on white."""
    text = json.dumps({**chart.to_dict(validate=False), "config": config(), "background": PAPER, "padding": 12})
    spec: dict[str, Any] = json.loads(text.replace(INK, "#1a1d21").replace(PAPER, "#ffffff"))
    return spec


def config() -> dict[str, Any]:
    """Looks that all charts share."""
    ink = INK
    axis = {
        "labelColor": ink, "titleColor": ink, "tickColor": ink, "domainColor": ink, "gridColor": ink,
        "gridOpacity": 0.12, "domainOpacity": 0.35, "tickOpacity": 0.35, "titleOpacity": 0.75,
        "labelFontSize": 10, "titleFontSize": 10, "titleFontWeight": "normal", "labelLimit": 170,
    }  # fmt: skip
    legend = {"labelColor": ink, "labelFontSize": 10, "padding": 4}
    title = {"color": ink, "fontSize": 13, "fontWeight": 600, "anchor": "start", "offset": 8}
    return {
        "font": "system-ui, 'DejaVu Sans', sans-serif",
        "background": None,
        "view": {"stroke": None},
        "axis": axis,
        "legend": legend,
        "title": title,
    }
