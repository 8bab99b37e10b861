"""Formats a titled table as Markdown or for a terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape
from rich.table import Table

PIPE_WIDTH = 200


@dataclass
class Section:
    """One titled table, with notes under it. Only `brief` tables are printed after a measurement."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)
    brief: bool = field(default=False, kw_only=True)


def to_markdown(parts: Iterable[Section]) -> str:
    """Formats sections as Markdown tables."""
    out = io.StringIO()
    for part in parts:
        out.write(f"## {part.title}\n\n")
        out.write("| " + " | ".join(part.header) + " |\n|" + "---|" * len(part.header) + "\n")
        for row in part.rows:
            out.write("| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in row) + " |\n")
        out.write("".join(f"\n{note}\n" for note in part.notes) + "\n")
    return out.getvalue()


def to_terminal(parts: Iterable[Section], console: Console | None = None) -> None:
    """Prints sections as rich tables. No figure is cut: a pipe gets wide lines, a narrow terminal folds its cells."""
    console = console or Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    for part in parts:
        table = Table(
            title=part.title,
            title_justify="left",
            caption=escape("\n".join(part.notes)) or None,
            caption_justify="left",
        )
        for k, name in enumerate(part.header):
            left = k == 0 or name == "contestant" or part.header[0] != "dataset"
            table.add_column(escape(name), justify="left" if left else "right", overflow="fold")
        for row in part.rows:
            table.add_row(*(escape(text) for text in row))
        console.print(table)
