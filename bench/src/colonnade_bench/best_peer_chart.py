"""Draws one picture of a table: the time of Colonnade and of the fastest other engine, for each format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from colonnade_bench.best_peer import Row, rows
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary, geometric_mean

NAMES = {
    "arrow": "Arrow",
    "parquet": "Parquet",
    "npz": "NPZ",
    "msgpack": "MessagePack",
    "csv": "CSV",
    "ndjson": "NDJSON",
}
"""Formats in the order of the picture. Each is read and written, because a missing pair of bars would shift others."""
_NOT_SHOWN = (
    (r' (?:role|class|pointer-events|aria-[a-z]+)="[^"]*"', ""),
    (r'<path d="[^"]*" display="none"/>', ""),
    (r'<path d="M0,0h0v0h0Z"/>', ""),
    (r"(\d+\.\d{2})\d+", r"\1"),
)
COLORS = {"text": "#1f2328", "grid": "#d1d9e0", "Colonnade": "#0b6e99", "fastest other library": "#a8b3bd"}
DARK = {"text": "#e6edf3", "grid": "#3d444d", "Colonnade": "#4fb3de", "fastest other library": "#5b6672"}
"""The colours of `COLORS` on a dark page."""


def bars(found: Iterable[Row], summary: Summary) -> Iterator[dict[str, Any]]:
    """Yields two bars for each format and direction: the geometric means of the milliseconds of its repeated rows."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        if row.place.state == "repeat" and row.part in NAMES:
            direction = "read" if row.place.operation == "read" else "write"
            groups.setdefault((row.part, direction), []).append(row)
    for (part, direction), group in groups.items():
        for who in ("Colonnade", "fastest other library"):
            figures = [summary.figure(row.place, row.ours if who == "Colonnade" else row.peer) for row in group]
            ms = geometric_mean(figure.median * 1e3 for figure in figures if figure is not None)
            yield {"format": NAMES[part], "direction": direction, "who": who, "ms": ms}


def draw_best_peer(summary: Summary, spec: Spec, folder: Path, name: str) -> list[Path]:
    """Saves the picture, which follows the theme of its page. Without data or altair it saves nothing."""
    try:
        import altair as alt
    except ImportError:
        return []
    found = list(bars(rows(summary, spec), summary)) if spec.best_peer else []
    if not found:
        return []
    path = folder / f"{name}.svg"
    folder.mkdir(parents=True, exist_ok=True)
    picture(alt, found, COLORS).save(path)
    path.write_text(follow_theme(tightened(path.read_text())))
    return [path]


def tightened(svg: str) -> str:
    """The picture at half its size: without roles, empty paths and a third decimal, which an `img` does not show."""
    for pattern, kept in _NOT_SHOWN:
        svg = re.sub(pattern, kept, svg)
    return svg


def follow_theme(svg: str) -> str:
    """The picture with a style sheet that replaces its colours on a dark page."""
    pairs = [(color, DARK[role]) for role, color in COLORS.items()]
    rules = "".join(f'[{side}="{light}"]{{{side}:{dark}}}' for light, dark in pairs for side in ("fill", "stroke"))
    return svg.replace(">", f"><style>@media (prefers-color-scheme: dark){{{rules}}}</style>", 1)


def picture(alt: Any, found: list[dict[str, Any]], colors: dict[str, str]) -> Any:
    """Draws horizontal bars, formats below each other, reading to the left of writing."""
    who = [name for name in colors if name not in ("text", "grid")]
    base = alt.Chart(alt.InlineData(values=found)).encode(
        y=alt.Y("who:N", sort=who, title=None, axis=None),
        x=alt.X("ms:Q", title="milliseconds", axis=alt.Axis(tickCount=4, labelFontSize=12, titleFontSize=12)),
    )
    bar = base.mark_bar(height=11).encode(
        color=alt.Color(
            "who:N",
            sort=who,
            scale=alt.Scale(domain=who, range=[colors[name] for name in who]),
            legend=alt.Legend(title=None, orient="top", labelFontSize=12),
        )
    )
    value = base.mark_text(align="left", dx=3, fontSize=12, color=colors["text"]).encode(
        text=alt.Text("ms:Q", format=".0f")
    )
    order = [name for name in NAMES.values() if any(each["format"] == name for each in found)]
    header = alt.Header(labelAngle=0, labelAlign="left", labelColor=colors["text"], title=None, labelFontSize=12)
    panels = (
        (bar + value)
        .properties(width=260, height=28)
        .facet(
            row=alt.Row("format:N", sort=order, header=header),
            column=alt.Column(
                "direction:N", header=alt.Header(labelColor=colors["text"], title=None, labelFontSize=12)
            ),
            spacing=6,
        )
    )
    return (
        panels.configure(background="transparent")
        .configure_view(stroke=None)
        .configure_axis(labelColor=colors["text"], titleColor=colors["text"], gridColor=colors["grid"], domain=False)
        .configure_legend(labelColor=colors["text"])
    )
