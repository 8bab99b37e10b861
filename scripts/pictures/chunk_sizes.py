"""Draws the speed of reading an Arrow stream by the size of its chunks, from docs/benchmarks/arrow.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scripts.pictures import svg
from scripts.pictures.chart import LINE_HEIGHT, LogScale, around, mark, spread, tick_labels, x_axis, y_axis
from scripts.pictures.tables import figure, quartiles, table_below

HEADING = r"^## Read, the time of the call: streams, pandas, repeated"
DATASET = "stream-floats-"
CONTESTANTS = (
    ("Colonnade", "colonnade", ("colonnade arrows (given)",)),
    ("pyarrow", "other", ("pyarrow arrows (given)",)),
    ("plain copy", "limit", ("limit copy (given)", "limit copy streaming=True (given)")),
)
"""Label, kind, and the contestants of which the fastest counts."""
UNITS = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}
LEFT, RIGHT, TOP, BOTTOM = 64.0, 560.0, 76.0, 420.0
TITLE = "Speed of reading a 1 GiB Arrow stream to pandas, by the size of its chunks"


@dataclass(frozen=True)
class Point:
    """A measured speed in GB/s: median and quartiles."""

    chunk: str
    median: float
    low: float
    high: float

    @property
    def nbytes(self) -> float:
        """The size of a chunk in bytes."""
        return float(self.chunk[:-3]) * UNITS[self.chunk[-3:]]


def chunk_sizes(page: Path) -> str:
    """Returns the picture as SVG."""
    table = table_below(page, HEADING)
    series = [(label, kind, _points(table, names)) for label, kind, names in CONTESTANTS]
    everything = [point for _, _, points in series for point in points]
    x = LogScale(*around([point.nbytes for point in everything], 1.5), LEFT, RIGHT)
    y = LogScale(*around([value for point in everything for value in (point.low, point.high)]), BOTTOM, TOP)
    chunks = [(point.nbytes, f"{point.chunk[:-3]} {point.chunk[-3:]}") for point in series[0][2]]
    elements = [
        svg.text(svg.MARGIN, 28, "GB/s of an Arrow stream, read to pandas", "label bold"),
        svg.text(svg.MARGIN, 53, "1 GiB of 16 float64 columns. Vertical lines are quartiles.", "note muted"),
        *y_axis(y, tick_labels(y.ticks(22), lambda value: f"{value:g}"), LEFT, RIGHT),
        *x_axis(x, chunks, TOP, BOTTOM, "size of a chunk"),
    ]
    for _, kind, points in series:
        elements += _curve(points, kind, x, y)
    elements += _end_labels([(label, points[-1]) for label, _, points in series], x, y)
    return svg.document(BOTTOM + 56, TITLE, _description(series), elements)


def _points(table: list[dict[str, str]], names: tuple[str, ...]) -> list[Point]:
    """Returns a point for each size of chunk: the fastest of the contestants `names`."""
    fastest: dict[str, Point] = {}
    for row in table:
        if row["contestant"] not in names or not row["dataset"].startswith(DATASET):
            continue
        chunk = row["dataset"].removeprefix(DATASET)
        median, spread_ = figure(row["GB/s"]), quartiles(row["GB/s"])
        if median is not None and (chunk not in fastest or fastest[chunk].median < median):
            fastest[chunk] = Point(chunk, median, *(spread_ or (median, median)))
    if not fastest:
        raise LookupError(f"The table of streams has none of the contestants {', '.join(names)}.")
    return sorted(fastest.values(), key=lambda point: point.nbytes)


def _curve(points: list[Point], kind: str, x: LogScale, y: LogScale) -> list[str]:
    """Draws the quartiles, the line and the marks of one series. A limit has no marks."""
    places = [(x(point.nbytes), y(point.median)) for point in points]
    if kind == "limit":
        return [svg.polyline(places, "line limit")]
    whiskers = [svg.line(x(p.nbytes), y(p.low), x(p.nbytes), y(p.high), f"line {kind}") for p in points]
    return [*whiskers, svg.polyline(places, f"line {kind}"), *(mark(*place, kind) for place in places)]


def _end_labels(ends: list[tuple[str, Point]], x: LogScale, y: LogScale) -> list[str]:
    """Writes name and last speed of each series at the end of its line."""
    wanted = [y(point.median) + 5 for _, point in ends]
    elements = []
    for (label, point), place in zip(ends, spread(wanted, LINE_HEIGHT, TOP, BOTTOM), strict=True):
        classes = "note bold" if label == "Colonnade" else "note"
        elements.append(svg.text(x(point.nbytes) + 18, place, f"{label} {point.median:.3g}", classes))
    return elements


def _description(series: list[tuple[str, str, list[Point]]]) -> str:
    """Lists the speeds at the ends of the lines."""
    ends = [
        f"{label} {points[0].median:g} GB/s at {points[0].chunk} and {points[-1].median:g} at {points[-1].chunk}"
        for label, _, points in series
    ]
    return f"Logarithmic axes. {'; '.join(ends)}. Vertical lines are quartiles."
