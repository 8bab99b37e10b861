"""Formats a titled table as Markdown or for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass, field

from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass
class Section:
    """One titled table, with notes under it."""

    title: str
    header: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


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
    """Prints sections as rich tables."""
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
