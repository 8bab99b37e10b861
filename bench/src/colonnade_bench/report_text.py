"""The measurement of text as tables: marks, then everybody, format by format and table by table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from colonnade_bench._pages import bytes_section, write_page
from colonnade_bench.paper_text import LARGE, PARTS, SMALL
from colonnade_bench.report import STATES, Section, failures_section, marks_section
from colonnade_bench.report_connections import machines
from colonnade_bench.report_msgpack import ranked, text
from colonnade_bench.summary import Summary

INTRODUCTION = """\
Written by `make bench-text`. How it is measured: [benchmarks.md](../benchmarks.md). From a pandas DataFrame to a file
over an existing one, and from the file to a DataFrame that is equal to the one before: values, dtypes, labels. Who
gives back something else is left out and stands under *Not measured, or not equal*. Ours writes plain CSV, and JSON,
NDJSON and YAML with their header; everybody reads the file that they wrote themselves, but pyarrow, which writes no
NDJSON and reads pandas'. *pandas-text csv* is `to_csv` and `read_csv(engine="pyarrow")`, *engine=c* the C engine;
polars and DuckDB go by way of their own frames, and look at all rows to tell the types, as everybody else does.

"""
CALLS = {"replace": "from pandas", "read": "to pandas"}


def sections(summary: Summary) -> list[Section]:
    """The whole report."""
    out = list(marks_section(summary))
    for part in PARTS:
        out += everybody(summary, part)
    return [*out, *sizes(summary), *failures_section(summary), *machines(summary)]


def everybody(summary: Summary, part: str) -> Iterator[Section]:
    """One format: a table a call and state."""
    for call, words in CALLS.items():
        for state, state_text in STATES.items():
            rows = []
            for place in summary.places(library="pandas", operation=call, state=state):
                names = [name for name in summary.contestants(place) if name.split()[1] == part]
                for name in ranked(names, f"colonnade {part}"):
                    ours = " ".join(["colonnade", *name.split()[1:]]) if part == "json" else f"colonnade {part}"
                    times = summary.ratio(place, ours, name) if name != ours else None
                    seconds = text(summary.figure(place, name))
                    rows.append([place.dataset, name, seconds, f"{times.median:.2f}x" if times else ""])
            if rows:
                note = (
                    "Milliseconds: median [quartiles], then how many times that of ours (median of per-round ratios)."
                )
                yield Section(f"{part} {words}: {state_text}", ["table", "contestant", "ms", "of ours"], rows, [note])


def sizes(summary: Summary) -> Iterator[Section]:
    """Bytes of each file."""
    return bytes_section(summary, (*LARGE, *SMALL), "text-", lambda cell: cell.contestant)


def write_report(summary: Summary, folder: Path) -> Path:
    """``text.md`` in `folder`."""
    return write_page(folder / "text.md", "Text", INTRODUCTION, sections(summary))
