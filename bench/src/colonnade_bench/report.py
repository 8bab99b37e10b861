"""Results as tables: the same sections rendered for a terminal (rich) or as Markdown."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colonnade_bench.marks import MARKS, judge
from colonnade_bench.marks_arrow import ARROW_MARKS
from colonnade_bench.marks_codecs import CODEC_MARKS
from colonnade_bench.marks_connections import CONNECTION_MARKS
from colonnade_bench.marks_msgpack import MSGPACK_MARKS
from colonnade_bench.marks_parquet import PARQUET_MARKS
from colonnade_bench.marks_text import TEXT_MARKS
from colonnade_bench.spec import Cell
from colonnade_bench.summary import OURS, Figure, Place, Summary, geometric_mean

TITLES = {
    "write": "Write onto a fresh name",
    "replace": "Write over an existing file",
    "read": "Read, usable",
    "columns": "Read column by column, with the maximum of each",
    "leaf": "Read one field of the records in lists",
    "passage": "From one process to another, usable",
}
STATES = {
    "first": "first call of a fresh process, empty pools",
    "repeat": "repeated, earlier result dropped, pools warm",
}


@dataclass
class Section:
    """One titled table, with notes under it."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def sections(summary: Summary) -> list[Section]:
    """The report: marks first, then times and ratios, memory, sizes, what failed or is missing, the machine."""
    out = [
        *marks_section(summary),
        *times_sections(summary),
        *memory_section(summary),
        *sizes_section(summary),
        *failures_section(summary),
    ]
    return [*out, *machine_section(summary)]


def marks_section(summary: Summary) -> list[Section]:
    marks = (*MARKS, *ARROW_MARKS, *CONNECTION_MARKS, *MSGPACK_MARKS, *TEXT_MARKS, *PARQUET_MARKS, *CODEC_MARKS)
    verdicts = [v for v in judge(summary, marks) if v.measured]
    if not verdicts:
        return []
    rows = [[v.work, v.against, v.wanted, v.first, v.repeat, v.word] for v in verdicts]
    notes = ["A mark is judged by *first*, unless it says *repeat*; the other state stands beside it where it applies."]
    notes += [f"Run {run} mixes builds: the core was rebuilt meanwhile. Not to be quoted." for run in summary.rebuilt()]
    return [Section("Marks", ["work", "against", "wanted", "first", "repeat", "mark"], rows, notes)]


def times_sections(summary: Summary) -> Iterable[Section]:
    groups: dict[tuple[str, ...], list[Place]] = {}
    for place in sorted(summary.places(), key=lambda p: (p.run, p.library, p.operation, p.state)):
        key = (place.run, place.library, place.operation, place.state, twin(place.dataset))
        groups.setdefault(key, []).append(place)
    for (_, library, operation, state, kind), places in groups.items():
        names: dict[str, None] = {}
        for place in places:
            names.update(dict.fromkeys(summary.contestants(place)))
        contestants = sorted(names, key=lambda name: (not name.startswith("colonnade"), name))
        base = OURS if OURS in names else contestants[0]
        title = f"{TITLES[operation]}: {library}{', ' + kind if kind else ''}, {STATES[state]}"
        yield comparison(summary, title, places, contestants, base)


def comparison(summary: Summary, title: str, places: list[Place], contestants: list[str], base: str) -> Section:
    """One row a place, one column a contestant: milliseconds, and how many times those of `base`."""
    rows: list[list[str]] = []
    ratios: dict[str, list[float]] = {name: [] for name in contestants}
    for place in places:
        row = [_dataset(place)]
        for name in contestants:
            figure, ratio = summary.figure(place, name), summary.ratio(place, base, name)
            if ratio is not None:
                ratios[name].append(ratio.median)
            row.append(_cell(figure, None if name == base else ratio))
        rows.append(row)
    if len(places) > 1:
        means = [f"{geometric_mean(r):.2f}x" if r and n != base else "" for n, r in ratios.items()]
        rows.append(["geometric mean", *means])
    note = f"Milliseconds: median [quartiles], then how many times the time of {base} (median of per-round ratios)."
    return Section(title, ["dataset", *contestants], rows, [note])


def twin(dataset: str) -> str:
    """Which twin of a fixture a dataset is: means over different ones say nothing.

    >>> twin("fixture-tall-mixed-1e6-unique"), twin("fixture-tall-mixed-1e6")
    ('unique', '')
    """
    last = dataset.rpartition("-")[2]
    return last if dataset.startswith("fixture-") and last in ("unique", "consolidated") else ""


def _dataset(place: Place) -> str:
    return place.dataset if place.size == 1.0 else f"{place.dataset} x {place.size:g}"


def _cell(figure: Figure | None, ratio: Figure | None) -> str:
    if figure is None:
        return "-"
    text = f"{ms(figure.median)} [{ms(figure.low)}-{ms(figure.high)}]"
    return text if ratio is None else f"{text} {ratio.median:.2f}x"


def ms(seconds: float) -> str:
    """Milliseconds with three figures.

    >>> ms(0.0123456), ms(1.5), ms(0.00021)
    ('12.3', '1500', '0.21')
    """
    value = seconds * 1e3
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def memory_section(summary: Summary) -> Iterable[Section]:
    rows = []
    for record in summary.kind("memory"):
        cell, size = Cell.from_json(record["cell"]), record["frame_nbytes"] or 1
        parts = (record["private_nbytes"], record["file_nbytes"], record["total_nbytes"], record["held_nbytes"] or 0)
        shares = [f"{value / size:.3f}" for value in parts]
        row = [cell.dataset, cell.library, record["operation"], cell.contestant, f"{size / 1e6:.1f}"]
        rows.append([*row, *shares])
    if rows:
        header = ["dataset", "library", "call", "contestant", "frame MB", "private", "file", "both", "private held"]
        notes = [
            "Growth during one call in a fresh process, as a multiple of the frame. Private: peak RssAnon (private"
            " dirty pages), file: peak RssFile, both sampled from outside every 0.2 ms; both: the kernel's VmHWM;"
            " private held: Private_Dirty of smaps_rollup after the call, result alive."
        ]
        yield Section("Peak memory", header, rows, notes)


def sizes_section(summary: Summary) -> Iterable[Section]:
    table: dict[tuple[str, str], dict[str, str]] = {}
    names: dict[str, None] = {}
    for cell, record in summary.checks():
        if (
            record["ok"]
            and record.get("wire_nbytes")
            and cell.engine != "limit"
            and not cell.options
            and cell.transport != "given"
        ):
            key = (cell.dataset, f"{record['frame_nbytes'] / 1e6:.2f}")
            share = record["wire_nbytes"] / record["frame_nbytes"]
            table.setdefault(key, {})[cell.contestant] = f"{record['wire_nbytes'] / 1e6:.2f} ({share:.2f})"
            names[cell.contestant] = None
    if table:
        contestants = sorted(names, key=lambda name: (not name.startswith("colonnade"), name))
        rows = [[*key, *(cells.get(name, "-") for name in contestants)] for key, cells in table.items()]
        note = "MB on disk (share of the frame in memory). Judge codecs by the `unique` twins: others repeat."
        yield Section("Sizes", ["dataset", "frame MB", *contestants], rows, [note])


def failures_section(summary: Summary) -> Iterable[Section]:
    rows = [[r["engine"], "", "not there", r["reason"]] for r in summary.kind("missing")]
    for cell, record in summary.checks():
        if not record["ok"]:
            rows.append([cell.contestant, f"{cell.dataset} ({cell.library})", "fails", record.get("error", "")])
        elif record.get("difference"):
            rows.append([cell.contestant, f"{cell.dataset} ({cell.library})", "not equal", record["difference"]])
    for record in summary.kind("error"):
        cell = record.get("cell", {})
        row = [f"{cell.get('engine')} {cell.get('format')}", str(cell.get("dataset")), "fails", record["error"]]
        if row not in rows:
            rows.append(row)
    if rows:
        yield Section("Not measured, or not equal", ["engine", "dataset", "what", "why"], rows)


def machine_section(summary: Summary) -> Iterable[Section]:
    for record in summary.kind("machine"):
        rows = [[name, _plain(value)] for name, value in record.items() if name not in ("kind", "run")]
        yield Section(f"Machine (run {record['run']})", ["", ""], rows)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items()) or "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def to_markdown(parts: Iterable[Section]) -> str:
    """Sections as Markdown tables."""
    out = io.StringIO()
    for part in parts:
        out.write(f"## {part.title}\n\n")
        out.write("| " + " | ".join(part.header) + " |\n|" + "---|" * len(part.header) + "\n")
        for row in part.rows:
            out.write("| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in row) + " |\n")
        out.write("".join(f"\n{note}\n" for note in part.notes) + "\n")
    return out.getvalue()


def to_terminal(parts: Iterable[Section], console: Console | None = None) -> None:
    """Sections as rich tables."""
    console = console or Console()
    for part in parts:
        table = Table(
            title=part.title,
            title_justify="left",
            caption=escape("\n".join(part.notes)) or None,
            caption_justify="left",
        )
        for k, name in enumerate(part.header):
            table.add_column(escape(name), justify="left" if k == 0 or part.header[0] != "dataset" else "right")
        for row in part.rows:
            table.add_row(*(escape(text) for text in row))
        console.print(table)


def write_markdown(summary: Summary, path: Path, title: str, introduction: str = "") -> None:
    """The whole report to a file."""
    path.write_text(f"# {title}\n\n{introduction}{to_markdown(sections(summary))}")
