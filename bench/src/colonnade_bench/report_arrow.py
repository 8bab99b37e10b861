"""The Arrow measurement as tables: marks, the sweep, why its curve bends, files, memory, the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from colonnade_bench._pages import write_page
from colonnade_bench.bend import bend_sections
from colonnade_bench.datasets import DATASETS
from colonnade_bench.datasets.streams import KINDS, Stream, label
from colonnade_bench.marks_arrow import (
    COPIES,
    FEATHER,
    OURS_FILE,
    OURS_STREAM,
    POLARS_FILE,
    POLARS_STREAM,
    PYARROW_STREAM,
    faster_copy,
)
from colonnade_bench.report import (
    STATES,
    TITLES,
    Section,
    comparison,
    failures_section,
    machine_section,
    marks_section,
    memory_section,
    sizes_section,
)
from colonnade_bench.summary import Figure, Place, Summary

CURVE = "arrow-stream.png"
INTRODUCTION = """\
Written by `make bench-arrow`. How it is measured: [benchmarks.md](../benchmarks.md). The streams are in memory, one
`bytes` object, the same for all; ours is `cn.read(buffer, format="arrows").to_pandas()`, pyarrow's
`pa.ipc.open_stream(buffer).read_all().to_pandas()`, polars' `pl.read_ipc_stream(buffer)` (its own frame, which may
point into the stream instead of copying it) and the same with `.to_pandas()`. *The copy* is as many bytes copied out of
the same stream into recycled huge-page memory by two threads, with ordinary stores or with stores that bypass the
cache, whichever is faster. Speeds are frame bytes by the time of the call; *usable* adds one pass over every byte.

"""


def sections(summary: Summary) -> list[Section]:
    """The whole report."""
    out = [*marks_section(summary), *sweeps(summary), *made_by_ours(summary), *bend_sections(summary)]
    out += [*files(summary), *memory_section(summary), *sizes_section(summary), *failures_section(summary)]
    return [*out, *machine_section(summary)]


def speed(figure: Figure | None, nbytes: int) -> str:
    """GB/s: median [quartiles].

    >>> speed(Figure(0.1, 0.08, 0.125, 7), 10**9)
    '10.0 [8.0-12.5]'
    """
    if figure is None:
        return "-"
    return "{:.1f} [{:.1f}-{:.1f}]".format(*(nbytes / s / 1e9 for s in (figure.median, figure.high, figure.low)))


def stream_places(summary: Summary, kind: str, state: str, library: str = "pandas") -> Iterator[tuple[Stream, Place]]:
    """Chunk sizes in order, with where their readers meet."""
    found = {p.dataset: p for p in summary.places(library=library, operation="read", state=state)}
    for chunk in KINDS[kind].chunks:
        name = f"stream-{kind}-{label(chunk)}"
        dataset = DATASETS[name]
        if name in found and isinstance(dataset, Stream):
            yield dataset, found[name]


def sweeps(summary: Summary) -> Iterable[Section]:
    """GB/s by chunk size, for each table and state."""
    for kind in KINDS:
        for state, text in STATES.items():
            section = sweep(summary, kind, state, text)
            if section.rows:
                yield section


def sweep(summary: Summary, kind: str, state: str, text: str) -> Section:
    """One table of one state."""
    polars = {dataset.name: place for dataset, place in stream_places(summary, kind, state, "polars")}
    peers = [("pyarrow", PYARROW_STREAM), ("polars, own frame", ""), ("polars to pandas", POLARS_STREAM)]
    rows, columns, size = [], ["ours", "pyarrow"], 1.0
    for dataset, place in stream_places(summary, kind, state):
        size, nbytes = place.size, dataset.frame_nbytes(place.size)
        copy = faster_copy(summary, place)
        share = summary.ratio(place, OURS_STREAM, copy, "open_s") if copy else None
        row = [label(dataset.chunk_nbytes), f"{dataset.nbatches(size):,}"]
        row.append(speed(summary.figure(place, OURS_STREAM, "open_s"), nbytes))
        row += [f"{share.median:.0%}" if share else "-", "-"]
        if copy:
            row[-1] = f"{speed(summary.figure(place, copy, 'open_s'), nbytes)}{' *' if copy == COPIES[1] else ''}"
        for _, name in peers:
            where, contestant = (place, name) if name else (polars.get(dataset.name), POLARS_STREAM)
            figure = summary.figure(where, contestant, "open_s") if where else None
            ratio = summary.ratio_between((place, OURS_STREAM), (where, contestant), "open_s") if where else None
            row += [speed(figure, nbytes), f"{ratio.median:.2f}x" if ratio else "-"]
        usable = summary.ratio(place, OURS_STREAM, PYARROW_STREAM)
        row.append(f"{usable.median:.2f}x" if usable else "-")
        rows.append(row)
    columns = ["chunk", "batches", "ours", "of the copy", "the copy"]
    for name, _ in peers:
        columns += [name, "ours is"]
    columns.append("usable, pyarrow: ours is")
    # A column that no row fills says nothing.
    kept = [k for k in range(len(columns)) if k < 3 or any(row[k] != "-" for row in rows)]
    whole = KINDS[kind]
    amount = label(whole.nbytes) if size == 1.0 else f"{size:g} of {label(whole.nbytes)}"
    notes = ["GB/s: median [quartiles]; ratios and shares are medians of per-round ones."]
    notes += ["\\* stores that bypass the cache." if any("*" in row[4] for row in rows) else "Ordinary stores."]
    notes = notes if 4 in kept else notes[:1]
    if polars:
        notes.append(
            "polars: three rounds, in a process of its own; its seconds between them would cool the others' pools."
        )
    rows = [[row[k] for k in kept] for row in rows]
    return Section(f"Stream of {amount}, {whole.about}: {text}", [columns[k] for k in kept], rows, notes)


def made_by_ours(summary: Summary) -> Iterable[Section]:
    """The sweep's table in streams that Colonnade wrote."""
    rows = []
    for dataset, place in stream_places(summary, "floats", "repeat"):
        nbytes = dataset.frame_nbytes(place.size)
        ours, peer = (name.replace(" (", " of=colonnade (") for name in (OURS_STREAM, PYARROW_STREAM))
        ratio = summary.ratio(place, ours, peer, "open_s")
        if ratio is not None:
            figures = [speed(summary.figure(place, name, "open_s"), nbytes) for name in (ours, peer)]
            rows.append([label(dataset.chunk_nbytes), *figures, f"{ratio.median:.2f}x"])
    if rows:
        yield Section(
            "Streams that Colonnade wrote, repeated", ["chunk", "ours", "pyarrow", "ours is"], rows, ["GB/s."]
        )


def files(summary: Summary) -> Iterable[Section]:
    """The nine fixtures: ours against the peer with the same codec, per library, call and state."""
    for library, peer in (("pandas", FEATHER), ("polars", POLARS_FILE)):
        for operation in ("read", "write"):
            for codec in ("", " lz4", " zstd"):
                for state, text in STATES.items():
                    found = summary.places(library=library, operation=operation, state=state)
                    contestants = [OURS_FILE + codec, f"{OURS_FILE} of={peer}", peer + codec]
                    if codec or operation == "write":
                        del contestants[1]
                    places = [p for p in found if summary.ratio(p, contestants[0], contestants[-1])]
                    kept = [name for name in contestants if any(summary.figure(p, name) for p in places)]
                    if places:
                        title = f"{TITLES[operation]}: {library},{codec or ' uncompressed'}, {text}"
                        yield comparison(summary, title, places, kept, contestants[0])


def write_report(summary: Summary, folder: Path) -> Path:
    """``arrow.md`` and, where the charting library is installed, the picture of the curve beside it."""
    from colonnade_bench.plot import stream_curve

    folder.mkdir(parents=True, exist_ok=True)
    drawn = stream_curve(summary, folder / CURVE)
    picture = f"![GB/s by chunk size: ours, pyarrow, polars, the copy]({CURVE})\n\n" if drawn else ""
    return write_page(folder / "arrow.md", "Arrow, streams and files", INTRODUCTION + picture, sections(summary))
