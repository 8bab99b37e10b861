"""Prints the report in a terminal: the answer, one short table for each question, and last what the run lacks."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colonnade_bench.panel.report_answer import answer, banner
from colonnade_bench.panel.report_figures import ended
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_sections import parts
from colonnade_bench.panel.report_words import few, one_line
from colonnade_bench.panel.summary import Place, Results
from colonnade_bench.section import PIPE_WIDTH

QUESTIONS = ("fastest", "stored", "fidelity")
"""The tables that answer a question each. The others are shown on demand."""
MOST_ROWS = 12
"""A question's table is cut after so many rows."""
FEW_LOSSES = 2
"""A question's table shows so many losses of an engine."""
BRIEF = {"fastest": ("transport", "engine", "time", "95 % interval", "repetitions", "tied with", "next")}
"""The columns of a question's table in a terminal, where it has more than these."""
ROOMY = 140
"""The width in columns from which a terminal also shows the interval of every time."""
INTERVALS = re.compile(r"(?<=s) \([\d.,]+ to [\d.,]+\)$")


def print_report(results: Results, console: Console | None = None, *, everything: bool = False) -> None:
    """Prints the answer of every place, then its tables. `everything` prints all tables, and all of each."""
    console = console or Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    for place in results.places():
        if found := banner(results, place):
            console.print(escape(found), style="bold reverse")
        for k, text in enumerate(answer(results, place)):
            console.print(escape(text), style="bold" if k == 0 else None, highlight=False)
        tables = parts(results, place)
        for part in tables:
            if everything:
                show(console, part, brief=console.width < ROOMY and part.name == "times")
            elif part.name in QUESTIONS:
                show(console, shortened(part))
        console.print()
        for line in last_lines(results, place, tables):
            console.print(escape(line), highlight=False)
        console.print()


def show(console: Console, part: Part, *, brief: bool = False) -> None:
    """Prints a table, with a line above it. One without rows is a sentence."""
    console.print()
    if part.rows:
        console.print(as_table(part, brief=brief))
    else:
        console.print(escape(f"{part.title} Nothing. {' '.join(part.notes)}"), highlight=False)


def shortened(part: Part) -> Part:
    """Returns a question's table as a terminal shows it: its first columns and rows, and of fidelity only losses."""
    rows, notes = part.rows, list(part.notes)
    if part.name == "fidelity":
        rows = [[*row[:2], few_losses(row[2])] for row in rows if row[1] != "exact"]
        notes.append(f"Exact: {len(part.rows) - len(rows)} of {len(part.rows)}.")
    if len(rows) > MOST_ROWS:
        notes.append(f"And {len(rows) - MOST_ROWS} more: `colonnade bench report` shows all.")
        rows = rows[:MOST_ROWS]
    columns = BRIEF.get(part.name, part.header)
    kept = [k for k, name in enumerate(part.header) if name in columns]
    rows = [[row[k] for k in kept] for row in rows]
    return replace(part, header=[part.header[k] for k in kept], rows=rows, notes=notes)


def as_table(part: Part, *, brief: bool = False) -> Table:
    """Returns one section as a rich table. A brief one has medians without intervals."""
    notes = escape("\n".join([*part.notes, *(["A wider terminal shows intervals."] * brief)])) or None
    table = Table(title=escape(part.title), title_justify="left", caption=notes, caption_justify="left")
    for k, name in enumerate(part.header):
        table.add_column(escape(name), justify="right" if k >= part.numbers else "left", overflow="fold")
    for row in part.rows:
        table.add_row(*(escape(INTERVALS.sub("", text) if brief else text) for text in row))
    return table


def few_losses(text: str) -> str:
    """Shortens a list of losses.

    >>> few_losses("a: zone; b: zone; c: zone; d: zone")
    'a: zone; b: zone; and 2 more'
    """
    losses = text.split("; ")
    more = [f"and {len(losses) - FEW_LOSSES} more"] if len(losses) > FEW_LOSSES else []
    return "; ".join([*losses[:FEW_LOSSES], *more])


def last_lines(results: Results, place: Place, tables: Sequence[Part]) -> list[str]:
    """Returns the last lines: budget and completeness, then what failed and what is missing."""
    plans = results.kind("plan", place.run)
    budget_s = plans[-1].get("spec", {}).get("budget_s") if plans else None
    within = f", budget {budget_s / 60:,.3g} min" if budget_s else ""
    out = [f"Run {place.run}{within}: {ended(results, place.run)}."]
    if failed := [name for part in tables if part.name == "failures" for name in failed_in(part)]:
        out.append(f"Failed somewhere: {few(failed)}. `colonnade bench report` says where and why.")
    for record in results.kind("missing", place.run):
        out.append(f"Missing: {record['engine']}: {one_line(str(record['reason']))}.")
    return out


def failed_in(failures: Part) -> list[str]:
    """Returns the engines with a row among the failures, without those whose larger sizes were only too slow."""
    rows = [row for row in failures.rows if row[1] != "not measured" and not row[2].startswith(SLOW)]
    return list(dict.fromkeys(row[0] for row in rows))


SLOW = ("larger sizes: ", "over the time budget")
"""How the reason of a curve begins that ended because it was slow. That is no failure."""
