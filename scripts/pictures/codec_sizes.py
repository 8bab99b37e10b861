"""Draws the size of two tables in each format and codec next to the time to write and to read them.

The figures are those of pandas DataFrames in docs/benchmarks/codecs.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scripts.pictures import svg
from scripts.pictures.chart import key
from scripts.pictures.tables import Table, figure, table_below

DATASETS = {"taxi": "codecs-taxi", "flights": "codecs-flights"}
"""Names of the tables in the picture, and in the page."""
FORMATS = {"npz": "NPZ", "parquet": "Parquet", "feather": "Feather", "arrow": "Arrow"}
PROFILE = "profile=balanced transform=auto"
SIZE, WRITE, READ = "size, MB", "write, ms", "read, ms"
TABLES = {
    SIZE: ("^## Sizes", "MB"),
    WRITE: ("^## Write onto a fresh name: pandas", "ms"),
    READ: ("^## Read, usable: pandas", "ms"),
}
"""The heading above each measure's table in the page, and the column of its figures."""
LEFT, COLUMN = 226.0, 160.0
"""Where the first column begins, and the width of a column: bars, values and a gap."""
TOP, ROW, BAR = 84.0, 28.0, 16.0


@dataclass(frozen=True)
class Codec:
    """One format and codec of one library, and its figures by measure."""

    library: str
    name: str
    figures: dict[str, float]

    @property
    def is_colonnade(self) -> bool:
        """Whether it is one of Colonnade."""
        return self.library == "colonnade"

    @property
    def label(self) -> str:
        """The name in the picture. Colonnade is named by its mark."""
        return self.name if self.is_colonnade else f"{self.name} ({self.library})"


def codec_sizes(page: Path) -> str:
    """Returns the picture as SVG."""
    elements = [
        svg.text(svg.MARGIN, 28, "From and to pandas: size of the file, time to write and to read", "label bold"),
        *key(svg.MARGIN, 56, [("colonnade", "Colonnade"), ("other", "other libraries")]),
    ]
    tables = {measure: (table_below(page, heading), column) for measure, (heading, column) in TABLES.items()}
    top, lines = TOP, []
    for dataset, published in DATASETS.items():
        found = codecs(tables, published)
        elements += _block(dataset, found, top)
        lines.append(_description(dataset, found))
        top += 40 + len(found) * ROW
    title = "Size of two tables by format and codec, next to the time to write and to read them"
    return svg.document(top, title, " ".join(lines), elements)


def codecs(tables: dict[str, tuple[Table, str]], dataset: str) -> list[Codec]:
    """Returns the contestants with a figure of this dataset in each table, the smallest file first."""
    measured: dict[str, dict[str, float]] = {}
    for measure, (table, column) in tables.items():
        for row in table:
            # The heading names the library, except that of sizes.
            if (
                row["dataset"] == dataset
                and row.get("library", "pandas") == "pandas"
                and (value := figure(row[column])) is not None
            ):
                measured.setdefault(row["contestant"], {})[measure] = value
    found = []
    for contestant, figures in measured.items():
        if len(figures) == len(tables):
            library, format_, *options = contestant.split(" ", 2)
            found.append(Codec(library, _name(format_, " ".join(options)), figures))
    if not found:
        raise LookupError(f"No contestant has all figures of {dataset} from and to pandas.")
    return sorted(found, key=lambda codec: codec.figures[SIZE])


def _name(format_: str, options: str) -> str:
    """Returns a short name of a format and of its codec or options.

    >>> _name("npz", "zstd profile=balanced transform=auto"), _name("parquet", "auto"), _name("npz", "")
    ('NPZ balanced', 'Parquet', 'NPZ')
    """
    shown = "balanced" if options.endswith(PROFILE) else options.removeprefix("auto")
    return f"{FORMATS.get(format_, format_)} {shown}".strip()


def _block(dataset: str, found: list[Codec], top: float) -> list[str]:
    """Draws one table: a row for each codec, a column of bars for each measure. Bars begin at zero."""
    elements = [svg.text(svg.MARGIN, top + 12, dataset, "note bold")]
    for number, measure in enumerate(TABLES):
        left = LEFT + number * COLUMN
        most = max(codec.figures[measure] for codec in found)
        longest = COLUMN - 20 - 1.15 * svg.text_width(_figure_text(most), "detail")  # bold figures are wider
        elements.append(svg.text(left, top + 12, measure, "note muted"))
        for place, codec in enumerate(found):
            value = codec.figures[measure]
            elements += _bar(codec, value, left, top + 24 + place * ROW, longest * value / most)
    for place, codec in enumerate(found):
        label = svg.text(svg.MARGIN, top + 38 + place * ROW, codec.label, _weight(codec))
        if svg.MARGIN + svg.text_width(codec.label, "detail") > LEFT - 6:
            raise ValueError(f"The name {codec.label!r} is too long.")
        elements.append(label)
    return elements


def _bar(codec: Codec, value: float, left: float, top: float, length: float) -> list[str]:
    """Draws a bar and its value: a filled bar for Colonnade, else a hollow one."""
    classes = "colonnade solid" if codec.is_colonnade else "other hollow"
    return [
        svg.rect(left, top + 1, max(length, 2), BAR, classes),
        svg.text(left + length + 6, top + 14, _figure_text(value), _weight(codec)),
    ]


def _figure_text(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _weight(codec: Codec) -> str:
    return "detail bold" if codec.is_colonnade else "detail"


def _description(dataset: str, found: list[Codec]) -> str:
    """Lists every figure."""
    rows = []
    for each in found:
        shown = ", ".join(f"{each.figures[measure]:g}" for measure in TABLES)
        rows.append(f"{each.library} {each.name} {shown}")
    return f"{dataset}, MB of the file, ms to write, ms to read: {'; '.join(rows)}."
