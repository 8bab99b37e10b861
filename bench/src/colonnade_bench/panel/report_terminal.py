"""Prints the report in a terminal: the answer, then the short tables."""

from __future__ import annotations

import re

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colonnade_bench.panel.report_answer import headline
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_sections import parts
from colonnade_bench.panel.summary import Results

LONG = ("details", "machine", "growth", "extrapolated", "gaps")
"""The tables that a terminal shows only on demand."""
ROOMY = 140
"""The width in columns from which a terminal also shows quartiles."""
QUARTILES = re.compile(r"(?<=s) \([\d.,]+ to [\d.,]+\)$")


def print_report(results: Results, console: Console | None = None, *, everything: bool = False) -> None:
    """Prints the answer and the tables of every place. `everything` adds the long ones."""
    console = console or Console()
    for place in results.places():
        console.print(escape(headline(results, place)), style="bold", soft_wrap=False)
        for part in parts(results, place):
            if everything or part.name not in LONG:
                console.print()
                console.print(as_table(part, brief=console.width < ROOMY and part.name in ("times", "fastest")))
        console.print()


def as_table(part: Part, *, brief: bool = False) -> Table:
    """Returns one section as a rich table. A brief one has medians without quartiles."""
    notes = escape("\n".join([*part.notes, *(["A wider terminal shows quartiles."] * brief)])) or None
    table = Table(title=escape(part.title), title_justify="left", caption=notes, caption_justify="left")
    for k, name in enumerate(part.header):
        table.add_column(escape(name), justify="right" if k >= part.numbers else "left", overflow="fold")
    for row in part.rows:
        table.add_row(*(escape(QUARTILES.sub("", text) if brief else text) for text in row))
    return table
