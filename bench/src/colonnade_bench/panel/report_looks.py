"""Defines the look of all charts: colours, legends, axes. Text takes the colour of the surrounding text."""

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
"""Colours that are visible on white and on near-black."""
DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2])
STEPS = {"encode": "#2f7fd1", "move": "#8a94a0", "decode": "#d9622b", "not apart": "#8a63d2"}
KINDS = {"exact": "#2f7fd1", "with losses": "#b8741a"}
INK, PAPER = "currentColor", "var(--paper)"
"""The colours of the page. `plain` replaces them with fixed colours for a picture file."""


def colours(names: Iterable[str]) -> dict[str, tuple[str, list[int]]]:
    """Returns a colour and a dash for each name. Colours repeat with another dash."""
    return {
        name: (PALETTE[k % len(PALETTE)], DASHES[k // len(PALETTE) % len(DASHES)])
        for k, name in enumerate(dict.fromkeys(names))
    }


def distinct(names: Iterable[str], looks: Mapping[str, tuple[str, list[int]]]) -> dict[str, tuple[str, list[int]]]:
    """Returns the looks of the few names of one chart. A name whose colour is taken gets a free one."""
    out: dict[str, tuple[str, list[int]]] = {}
    for name in names:
        used = {colour for colour, _ in out.values()}
        colour, dash = looks[name]
        free = next((each for each in PALETTE if each not in used), colour)
        out[name] = (free if colour in used else colour, dash)
    return out


def key(field: str, meaning: Mapping[str, str]) -> alt.Color:
    """Encodes a field as colour by name, with a legend below the chart."""
    scale = alt.Scale(domain=list(meaning), range=list(meaning.values()))
    return alt.Color(field, scale=scale, legend=alt.Legend(title=None, orient="bottom", symbolType="square"))


def rows(values: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns a table of a chart. altair copies lists in every combination of charts, but does not copy a tuple."""
    return {"values": tuple(values)}


def plain(chart: Chart | alt.VConcatChart) -> dict[str, Any]:
    """Returns a chart for a picture file: black on white, without the marks that only a pointer or a search needs."""
    spec = still(chart.to_dict(validate=False))
    text = json.dumps({**spec, "config": config(), "background": PAPER, "padding": 12})
    out: dict[str, Any] = json.loads(text.replace(INK, "#1a1d21").replace(PAPER, "#ffffff"))
    return out


def still(spec: Any) -> Any:
    """Leaves out the layers of a chart that are invisible until somebody hovers or searches."""
    if isinstance(spec, dict):
        return {key: still(value) for key, value in spec.items()}
    if not isinstance(spec, list):
        return spec
    return [still(each) for each in spec if not (isinstance(each, dict) and waits(each))]


def waits(layer: Mapping[str, Any]) -> bool:
    """Whether a layer is invisible at first: by its mark, or by its encoding unless a condition holds."""
    mark, encoding = layer.get("mark"), layer.get("encoding", {})
    return (isinstance(mark, dict) and mark.get("opacity") == 0) or encoding.get("opacity", {}).get("value") == 0


def config() -> dict[str, Any]:
    """Returns the settings of all charts."""
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
