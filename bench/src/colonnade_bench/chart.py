"""Draws the pictures of a table with Vega-Lite through altair. The library supplies legends, scales and tooltips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from colonnade_bench.best_peer_chart import tightened
from colonnade_bench.cell import Cell
from colonnade_bench.registry import unknown
from colonnade_bench.spec import Spec
from colonnade_bench.spec_fields import listed, made, one, some
from colonnade_bench.summary import Figure, Summary
from colonnade_bench.targets import short

UNITS = ("ms", "GB/s")


@dataclass(frozen=True)
class Chart:
    """Describes one picture.

    Parameters
    ----------
    title : str
    dataset, operation : list
        Each operation has its own facet.
    state : str
    x : str
        ``dataset``, or an option of the contestants.
    y : {"ms", "GB/s"}
    metric : str
    """

    title: str = one(str)
    dataset: Any = some()
    operation: Any = some(default=("read",))
    state: str = one(str, "first")
    x: str = one(str, "dataset")
    y: str = one(str, "ms")
    metric: str = one(str, "usable_s")

    def __post_init__(self) -> None:
        if self.y not in UNITS:
            raise unknown("y of a chart", self.y, UNITS)


def points(summary: Summary, chart: Chart) -> Iterator[dict[str, Any]]:
    """Yields one point for each place and contestant, with its quartiles."""
    frames = {
        (cell.dataset, cell.size): record["frame_nbytes"]
        for cell, record in summary.checks()
        if record.get("frame_nbytes")
    }
    cells = {(record["run"], cell.library, cell.contestant): cell for record, cell in timed(summary)}
    for place in summary.places(state=chart.state):
        inside = any(fnmatchcase(place.dataset, pattern) for pattern in listed(chart.dataset))
        if not inside or place.operation not in listed(chart.operation):
            continue
        for contestant in summary.contestants(place):
            figure = summary.figure(place, contestant, chart.metric)
            cell = cells[place.run, place.library, contestant]
            nbytes = frames.get((place.dataset, place.size))
            if (
                figure is None
                or (chart.x != "dataset" and chart.x not in cell.option)
                or not (nbytes or chart.y == "ms")
            ):
                continue
            more = [f"{key}={value}" for key, value in cell.options if key != chart.x]
            words = [cell.engine, cell.format, *([cell.codec] if cell.codec != "none" else []), *more]
            yield {
                "x": short(place.dataset) if chart.x == "dataset" else str(cell.option[chart.x]),
                "contestant": " ".join(words) + ("" if place.library == "pandas" else f" [{place.library}]"),
                "operation": place.operation,
                "rounds": figure.n,
                **values(figure, chart.y, nbytes or 0),
            }


def timed(summary: Summary) -> Iterator[tuple[dict[str, Any], Cell]]:
    for record in summary.kind("time"):
        yield record, Cell.from_json(record["cell"])


def values(figure: Figure, unit: str, nbytes: int) -> dict[str, float]:
    """Returns median and quartiles, as milliseconds or as speed."""
    seconds = (figure.median, figure.low, figure.high)
    shown = [s * 1e3 if unit == "ms" else nbytes / s / 1e9 for s in seconds]
    return {"y": shown[0], "low": min(shown), "high": max(shown)}


def draw(summary: Summary, spec: Spec, folder: Path, name: str) -> list[Path]:
    """Saves each chart of a table as an SVG, a tenth of a bitmap's size. Without data or altair it saves nothing."""
    try:
        import altair as alt
    except ImportError:
        return []
    paths = []
    for number, each in enumerate(listed(spec.chart)):
        chart = made(Chart, each, "a chart")
        rows = list(points(summary, chart))
        if rows:
            path = folder / f"{name}{number or ''}.svg"
            folder.mkdir(parents=True, exist_ok=True)
            picture(alt, rows, chart).save(path)
            path.write_text(tightened(path.read_text()))
            paths.append(path)
    return paths


def picture(alt: Any, rows: list[dict[str, Any]], chart: Chart) -> Any:
    """Draws lines with points and quartiles, a facet for each operation, and one legend."""
    order = list(dict.fromkeys(row["x"] for row in rows))
    scale = alt.Scale(type="log") if chart.y == "ms" else alt.Scale(domainMin=0)
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("x:O", title=chart.x, sort=order, axis=alt.Axis(labelAngle=-30 if chart.x == "dataset" else 0)),
        color=alt.Color(
            "contestant:N",
            scale=alt.Scale(scheme="tableau20"),
            legend=alt.Legend(title=None, orient="bottom", columns=3, labelLimit=400),
        ),
        tooltip=["contestant:N", "x:O", alt.Tooltip("y:Q", title=chart.y, format=".4g"), "rounds:Q"],
    )
    line = base.mark_line(point=True).encode(y=alt.Y("y:Q", title=chart.y, scale=scale))
    spread = base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", title=chart.y), y2="high:Q")
    panels = (spread + line).properties(width=430, height=320).facet(column=alt.Column("operation:N", title=None))
    return panels.resolve_scale(y="independent").properties(title=chart.title).configure(background="white")
