"""The picture of the sweep: speed by chunk size. Drawn by Vega-Lite, through altair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.streams import KINDS, label
from colonnade_bench.marks_arrow import OURS_STREAM, POLARS_STREAM, PYARROW_STREAM, SWEEP, faster_copy
from colonnade_bench.summary import Summary

COLOURS = {
    "two-thread copy": "#888888",
    "colonnade": "#c0392b",
    "pyarrow": "#1f77b4",
    "polars (own frame)": "#2ca02c",
    "polars to pandas": "#98b954",
}
TITLES = {"repeat": "repeated, pools warm", "first": "first call of a process"}


def points(summary: Summary) -> Iterator[dict[str, Any]]:
    """One point a chunk size, contestant and state, with its quartiles."""
    for place in summary.places(operation="read"):
        if not place.dataset.startswith(SWEEP):
            continue
        nbytes = DATASETS[place.dataset].frame_nbytes(place.size)  # type: ignore[attr-defined]
        lines = {OURS_STREAM: "colonnade", PYARROW_STREAM: "pyarrow", POLARS_STREAM: "polars to pandas"}
        if place.library == "polars":
            lines = {POLARS_STREAM: "polars (own frame)"}
        elif (copy := faster_copy(summary, place)) is not None:
            lines[copy] = "two-thread copy"
        for contestant, name in lines.items():
            figure = summary.figure(place, contestant, "open_s")
            if figure is not None:
                speeds = (nbytes / seconds / 1e9 for seconds in (figure.median, figure.high, figure.low))
                yield {
                    "chunk": place.dataset.removeprefix(SWEEP),
                    "name": name,
                    "state": TITLES[place.state],
                    **dict(zip(("speed", "low", "high"), speeds, strict=True)),
                }


def stream_curve(summary: Summary, path: Path) -> bool:
    """Draw it as a PNG. False where there is nothing to draw, or nothing to draw with."""
    rows, alt = list(points(summary)), altair_or_none()
    if alt is None or not rows:
        return False
    names = [name for name in COLOURS if any(row["name"] == name for row in rows)]
    x = alt.X(
        "chunk:O", title="bytes a record batch", sort=[label(chunk) for chunk in KINDS["floats"].chunks],
        axis=alt.Axis(labelAngle=0),
    )  # fmt: skip
    scale = alt.Scale(domain=names, range=[COLOURS[name] for name in names])
    colour = alt.Color("name:N", scale=scale, legend=alt.Legend(title=None, orient="bottom"))
    panels = []
    for state in TITLES.values():
        chosen = [row for row in rows if row["state"] == state]
        if not chosen:
            continue
        data = alt.InlineData(values=chosen)
        base = alt.Chart(data).encode(x=x, color=colour)
        axis = alt.Y("speed:Q", title="GB/s", scale=alt.Scale(domainMin=0))
        dash = alt.condition("datum.name == 'two-thread copy'", alt.value([6, 4]), alt.value([1, 0]))
        line = base.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=45)).encode(y=axis, strokeDash=dash)
        spread = base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(y=alt.Y("low:Q"), y2="high:Q")
        panels.append((spread + line).properties(width=430, height=320, title=state))
    title = "An Arrow stream of 1 GiB in memory (16 columns of float64) to a DataFrame"
    save_panels(panels, title, path, {"y": "shared", "color": "shared"}, symbolStrokeWidth=3)
    return True


def altair_or_none() -> Any:
    """The charting library, where it is installed."""
    try:
        import altair
    except ImportError:
        return None
    return altair


def save_panels(panels: list[Any], title: str, path: Path, scales: dict[str, str], **legend: Any) -> None:
    """Panels side by side as a PNG, with letters that are read in a page."""
    chart = altair_or_none().hconcat(*panels).resolve_scale(**scales).properties(title=title)
    chart = chart.configure(background="white").configure_axis(labelFontSize=12, titleFontSize=13)
    chart = chart.configure_legend(labelFontSize=12, **legend).configure_title(fontSize=14)
    chart.save(path, scale_factor=2)
