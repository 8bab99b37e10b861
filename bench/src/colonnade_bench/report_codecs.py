"""The codec table as tables: marks, then a table a dataset, with the ideal time of a disk beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from colonnade_bench._pages import write_page
from colonnade_bench.marks_codecs import CALLS, DEFAULT, name, short
from colonnade_bench.paper_codecs import DATASETS, LIBRARIES
from colonnade_bench.report import Section, failures_section, marks_section, ms
from colonnade_bench.report_connections import machines
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Place, Summary

DISK_MB_S = 500.0
INTRODUCTION = """\
Written by `make bench-codecs`. How it is measured: [benchmarks.md](../benchmarks.md). A row is a format and a codec, in
the memory of one library: *write* from there onto a fresh name, *read* the whole back and pass over every byte, *read
by column* one column at a time and the maximum of each, *one leaf* one field of the records in a column of lists
(`jet[].eta`). *colonnade parquet* with *auto* is ours at its defaults; *filter=auto profile=balanced* is NPZ
compressed with filters. Awkward's *npz* is `ak.to_buffers` with `np.savez`, and `np.load` with `ak.from_buffers`.
*uproot* is ROOT's files written and read by uproot, not by the C++ ROOT; *dask-awkward* is asked with `.compute()`.
Each contestant has a file of its own in each round.

"""
FORMATS = {"feather": "arrow", "ipc": "arrow", "rntuple": "parquet", "ttree": "parquet"}
"""Which of ours a peer's format is held against, where the name differs."""
WARM = (
    "No read is cold: each file was written by the same contestant shortly before, and lay in the kernel's memory when"
    " it was read. What a disk would add at best is the ideal I/O time."
)
COLD = "Each file was out of the kernel's memory when it was read, verified page by page."


def sections(summary: Summary, disk: float = DISK_MB_S) -> list[Section]:
    """The whole report; `disk` in MB/s."""
    out = list(marks_section(summary))
    for dataset in DATASETS.values():
        out += table(summary, dataset, disk)
    return [*out, *failures_section(summary), *machines(summary)]


def table(summary: Summary, dataset: str, disk: float) -> Iterator[Section]:
    """One dataset: a row a contestant, its size and its calls."""
    checks = {cell: record for cell, record in summary.checks() if cell.dataset == dataset and record["ok"]}
    places = {(place.library, place.operation): place for place in summary.places(dataset=dataset, state="first")}
    asked = [call for call in CALLS if any(operation == call for _, operation in places)]
    rows = []
    for cell in sorted(checks, key=rank):
        times = [seconds(summary, places.get((cell.library, call)), cell) for call in asked]
        if any(text != "-" for text in times):
            nbytes, whole = checks[cell]["wire_nbytes"], checks[cell]["frame_nbytes"]
            size = [f"{nbytes / 1e6:.1f}", f"{nbytes / whole:.3f}", ms(nbytes / disk / 1e6)]
            row = replace(cell, codec="none").contestant
            rows.append([row, cell.codec, cell.library, *size, *times])
    if rows:
        ideal = f"ideal I/O, {disk:g} MB/s"
        header = ["contestant", "codec", "in memory", "MB", "of the frame", ideal, *(CALLS[call] for call in asked)]
        notes = [
            "Milliseconds: median [quartiles], then how many times the time of ours (median of per-round ratios), of"
            " the same format and codec where there is one from the same library's memory, else of our defaults.",
            *caches(summary, dataset),
        ]
        title = f"{short(dataset)}: {max(r['frame_nbytes'] for r in checks.values()) / 1e6:.0f} MB in memory"
        sizes = sorted({cell.size for cell in checks} - {1.0})
        yield Section(title + "".join(f", size {size:g}" for size in sizes), header, rows, notes)


def seconds(summary: Summary, place: Place | None, cell: Cell) -> str:
    """Time of a call and its ratio to ours."""
    figure = summary.figure(place, cell.contestant) if place else None
    if place is None or figure is None:
        return "-"
    text = f"{ms(figure.median)} [{ms(figure.low)}-{ms(figure.high)}]"
    ratio = summary.ratio(place, counterpart(summary, place, cell), cell.contestant)
    return text if ratio is None or cell.engine == "colonnade" else f"{text} {ratio.median:.2f}x"


def counterpart(summary: Summary, place: Place, cell: Cell) -> str:
    """Ours that a row is held against."""
    same = name(f"colonnade {FORMATS.get(cell.format, cell.format)}", cell.codec)
    return same if same in summary.contestants(place) else DEFAULT


def rank(cell: Cell) -> tuple[object, ...]:
    """Library by library, ours first, then by format and codec."""
    return (
        LIBRARIES.index(cell.library),
        cell.engine != "colonnade",
        cell.engine,
        cell.format,
        cell.codec,
        cell.options,
    )


def caches(summary: Summary, dataset: str) -> list[str]:
    """What is to be said of the page cache."""
    states = {r["cache"] for r in summary.kind("time") if "cache" in r and r["cell"]["dataset"] == dataset}
    return [text for state, text in (("warm", WARM), ("cold", COLD)) if state in states]


def write_report(summary: Summary, folder: Path, disk: float = DISK_MB_S) -> Path:
    """``codecs.md`` in `folder`."""
    return write_page(folder / "codecs.md", "The codec table", INTRODUCTION, sections(summary, disk))
