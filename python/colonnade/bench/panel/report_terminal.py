"""The report in a terminal: the answer, then the tables that fit."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colonnade.bench.panel.report_answer import headline
from colonnade.bench.panel.report_part import Part
from colonnade.bench.panel.report_sections import parts
from colonnade.bench.panel.summary import Results

LONG = ("details", "machine", "growth", "extrapolated", "gaps", "floors")
"""What a terminal shows on demand."""


def print_report(results: Results, console: Console | None = None, *, everything: bool = False) -> None:
    """Print the answer and the tables of every place; `everything` adds the long ones."""
    console = console or Console()
    for place in results.places():
        console.print(escape(headline(results, place)), style="bold", soft_wrap=False)
        for part in parts(results, place):
            if everything or part.name not in LONG:
                console.print()
                console.print(as_table(part))
        console.print()


def as_table(part: Part) -> Table:
    """One section as a rich table."""
    notes = escape("\n".join(part.notes)) or None
    table = Table(title=escape(part.title), title_justify="left", caption=notes, caption_justify="left")
    for k, name in enumerate(part.header):
        table.add_column(escape(name), justify="right" if k >= part.numbers else "left", overflow="fold")
    for row in part.rows:
        table.add_row(*(escape(text) for text in row))
    return table
