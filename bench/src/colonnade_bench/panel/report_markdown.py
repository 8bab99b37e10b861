"""Writes the report as Markdown: every table of every place, with links to the pictures in the same folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from pathlib import Path

from colonnade_bench.panel.report_answer import headline
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_sections import DETAILS_NAME, parts
from colonnade_bench.panel.summary import Place, Results
from colonnade_bench.section import to_markdown

SHOWN = ("elapsed-straight", "elapsed", "storage", "split", "ribbon")
"""The pictures to show next to their table. All others are linked."""
GROUPED = ("fidelity", "safety")


def as_markdown(results: Results, pictures: dict[Place, list[Path]] | None = None, *, everything: bool = True) -> str:
    """Formats the report. `pictures` are paths relative to it. Without `everything` it lacks the longest table."""
    out, pictures = ["# Which format is fastest: for this data, over this link\n\n"], pictures or {}
    for place in results.places():
        out.append(f"**{literal(headline(results, place))}**\n\n")
        for path in pictures.get(place, []):
            if path.stem in SHOWN and (path.suffix == ".svg" or path.with_suffix(".svg") not in pictures[place]):
                out.append(f"![{path.stem}]({path.as_posix()})\n\n")
        shown = (part for part in parts(results, place) if everything or part.name != DETAILS_NAME)
        out.append(to_markdown(harmless(map(grouped, shown))))
    return "".join(out)


def grouped(part: Part) -> Part:
    """Joins the engines of rows that are equal otherwise, in tables where many are: a reader looks for the few."""
    if part.name not in GROUPED:
        return part
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, *rest in part.rows:
        groups.setdefault(tuple(rest), []).append(name)
    return replace(part, rows=[[", ".join(names), *rest] for rest, names in groups.items()])


def harmless(found: Iterable[Part]) -> list[Part]:
    """Escapes tables, so that no text has a meaning in Markdown or HTML."""
    return [
        Part(
            literal(part.title),
            [literal(name) for name in part.header],
            [[literal(text) for text in row] for row in part.rows],
            [literal(note) for note in part.notes],
            part.name,
            part.numbers,
        )
        for part in found
    ]


def literal(text: str) -> str:
    r"""Escapes text from records, so that it appears unchanged.

    >>> print(literal("a*b <i>"))
    a\*b &lt;i&gt;
    """
    for mark in "\\`*_[]":
        text = text.replace(mark, "\\" + mark)
    return escape(text, quote=False)
