"""The measurement of Parquet as tables: marks, low entropy by threads, tables read and written, sizes, memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from colonnade_bench._pages import bytes_section, write_page
from colonnade_bench.marks_parquet import named, written
from colonnade_bench.paper_parquet import (
    BESIDE,
    BY_OURS,
    BY_PANDAS,
    COLUMNS,
    DEFAULTS,
    LOW,
    PLAIN,
    SOME,
    TABLES,
    THREADS,
)
from colonnade_bench.plot import altair_or_none
from colonnade_bench.report import STATES, Section, comparison, failures_section, marks_section, memory_section
from colonnade_bench.report_arrow import speed
from colonnade_bench.report_connections import frame_nbytes, machines
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Figure, Place, Summary

CURVE = "parquet-threads.png"
INTRODUCTION = """\
Written by `make bench-parquet`. How it is measured: [benchmarks.md](../benchmarks.md). *Read* is of the file that
`DataFrame.to_parquet` wrote at its defaults (pyarrow, snappy, dictionaries), the same for all: ours is
`cn.read(path).to_pandas()`, pyarrow's `pq.read_table(path).to_pandas()`, polars' `pl.read_parquet(path).to_pandas()`,
DuckDB's `read_parquet(path).df()`, fastparquet's `ParquetFile(path).to_pandas()`. *Feather* is the same data as
`to_feather` keeps it. *Written* is from pandas onto a fresh name, each at its own defaults. Marks judge the time of the
call; the other tables add one pass over every byte of the result.

"""
LOW_KINDS = {BY_PANDAS: "with dictionary", PLAIN: "without dictionary"}


def sections(summary: Summary) -> list[Section]:
    """The whole report."""
    out = [*marks_section(summary), *low(summary), *tables(summary), *few(summary), *sizes(summary)]
    return [*out, *memory_section(summary), *failures_section(summary), *machines(summary)]


def low_figures(summary: Summary, state: str) -> Iterator[tuple[str, str, dict[int, tuple[Figure, Place]]]]:
    """Kind of file, who, and the time of the call by threads."""
    places = summary.places(dataset=LOW, library="pandas", operation="read", state=state)
    for of, kind in LOW_KINDS.items():
        for engine in (*DEFAULTS, "limit"):
            found = {}
            for threads in THREADS:
                one = f"limit fill threads={threads}" if engine == "limit" else named(engine, of=of, threads=threads)
                for place in places:
                    figure = summary.figure(place, one, "open_s")
                    if figure is not None:
                        found[threads] = (figure, place)
            if found:
                yield kind, engine, found


def low(summary: Summary) -> Iterator[Section]:
    """GB/s of the DataFrame by threads."""
    for state, words in STATES.items():
        rows = [
            [kind, "a bare fill" if engine == "limit" else engine]
            + [speed(found[n][0], frame_nbytes(summary, found[n][1])) if n in found else "-" for n in THREADS]
            for kind, engine, found in low_figures(summary, state)
        ]
        if rows:
            header = ["file", "reader", *(f"{n} thread{'s' * (n > 1)}" for n in THREADS)]
            notes = ["GB/s of the DataFrame, the time of the call: median [quartiles]."]
            yield Section(f"Low entropy (1 GB, snappy) to pandas: {words}", header, rows, notes)


def tables(summary: Summary) -> Iterator[Section]:
    """All tables: to pandas, to each one's own frame, written, and ours read by pyarrow."""
    readers = [named(engine) for engine in DEFAULTS]
    feather = "pandas feather lz4"
    ours_read = [named("pyarrow"), named("pyarrow", of=BY_OURS), named("colonnade", of=BY_OURS)]
    groups = [
        ("pandas", "read", "Read to pandas", [*readers, feather]),
        ("pyarrow", "read", "Read to pyarrow", [named("colonnade"), named("pyarrow")]),
        ("polars", "read", "Read to polars", [named("colonnade"), named("polars")]),
        ("pandas", "write", "Written from pandas, at defaults", [*(written(engine) for engine in DEFAULTS), feather]),
        ("pandas", "read", "Files that Colonnade wrote at its defaults, read to pandas", ours_read),
    ]
    for library, operation, title, names in groups:
        for state, words in STATES.items():
            found = summary.places(library=library, operation=operation, state=state)
            places = [p for p in found if p.dataset in (*TABLES, *BESIDE) and summary.ratio(p, names[0], names[1])]
            kept = [name for name in names if any(summary.figure(p, name) for p in places)]
            if places:
                yield comparison(summary, f"{title}: {words}", places, kept, names[0])


def few(summary: Summary) -> Iterator[Section]:
    """200 of 18,000 columns."""
    names = [named(engine, columns=SOME) for engine in DEFAULTS]
    for state, words in STATES.items():
        places = summary.places(dataset=COLUMNS, operation="read", state=state)
        kept = [name for name in names if any(summary.figure(p, name) for p in places)]
        if places:
            yield comparison(summary, f"200 of 18,000 columns to pandas: {words}", places, kept, kept[0])


def sizes(summary: Summary) -> Iterator[Section]:
    """Bytes of each file, at everybody's defaults."""

    def name(cell: Cell) -> str | None:
        if cell.option.get("of") == BY_OURS and cell.engine == "pyarrow":  # where ours is not written in rounds
            return written("colonnade")
        return None if cell.options or cell.library != "pandas" else cell.contestant

    return bytes_section(summary, (LOW, *TABLES, *BESIDE), "parquet-", name)


def thread_curve(summary: Summary, path: Path) -> bool:
    """Speed by threads as a PNG. False where there is nothing to draw, or nothing to draw with."""
    alt = altair_or_none()
    rows = [
        {
            "kind": kind,
            "name": "a bare fill" if engine == "limit" else engine,
            "threads": threads,
            "speed": frame_nbytes(summary, place) / figure.median / 1e9,
        }
        for kind, engine, found in low_figures(summary, "repeat")
        for threads, (figure, place) in found.items()
    ]
    if alt is None or not rows:
        return False
    x = alt.X("threads:O", title="threads", axis=alt.Axis(labelAngle=0))
    y = alt.Y("speed:Q", title="GB/s", scale=alt.Scale(domainMin=0))
    colour = alt.Color("name:N", legend=alt.Legend(title=None, orient="bottom"))
    dash = alt.condition("datum.name == 'a bare fill'", alt.value([6, 4]), alt.value([1, 0]))
    panels = [
        alt.Chart(alt.InlineData(values=[row for row in rows if row["kind"] == kind]))
        .mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=45))
        .encode(x=x, y=y, color=colour, strokeDash=dash)
        .properties(width=430, height=320, title=kind)
        for kind in LOW_KINDS.values()
    ]
    chart = alt.hconcat(*panels).resolve_scale(y="shared", color="shared").properties(
        title="1 GB of low entropy (16 columns of float64, snappy) to a DataFrame, repeated"
    )  # fmt: skip
    chart.configure(background="white").save(path, scale_factor=2)
    return True


def write_report(summary: Summary, folder: Path) -> Path:
    """``parquet.md`` and, where the charting library is installed, the picture of the threads beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    picture = f"![GB/s by threads]({CURVE})\n\n" if thread_curve(summary, folder / CURVE) else ""
    return write_page(folder / "parquet.md", "Parquet", INTRODUCTION + picture, sections(summary))
