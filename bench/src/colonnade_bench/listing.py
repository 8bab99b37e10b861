"""Lists what can be measured here: data sets by family, engines by group, transports, published tables.

`colonnade bench list` fits a screen or two. `colonnade bench list datasets` and the like show every member of one kind.
What is missing comes last, with the line that installs it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from colonnade_bench.datasets import DATASETS, FAMILIES, Dataset
from colonnade_bench.engines import ENGINES, GROUPS
from colonnade_bench.machine import reason_missing, versions_of
from colonnade_bench.panel.report_words import TITLES
from colonnade_bench.panel.tables import GROUPS as TOGETHER
from colonnade_bench.section import PIPE_WIDTH
from colonnade_bench.spec import shipped_names
from colonnade_bench.transports import TRANSPORTS
from colonnade_bench.transports.moving import MOVING

KINDS = ("datasets", "engines", "transports", "tables")
FEW = 5
"""A family with more members is cut short in the overview."""
PLUGINS = "plugins"
"""The group of engines of other distributions."""


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the argument of the command."""
    command.add_argument("kind", nargs="?", choices=KINDS, help="one kind only, with every member")


def main(arguments: argparse.Namespace) -> int:
    """Prints the overview, or all of one kind. The exit status is 0."""
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)
    whole = arguments.kind is not None
    for kind in [arguments.kind] if whole else KINDS:
        SHOW[kind](console, whole)
    if arguments.kind in (None, "engines"):
        show_missing(console)
    if not whole:
        console.print(f"\n`colonnade bench list {'|'.join(KINDS)}` shows one kind with every member.", markup=False)
    return 0


def families() -> Iterator[tuple[str, str, list[Dataset]]]:
    """Yields the families of data sets: name, a line about it, members. Those of a user come last."""
    listed: set[str] = set()
    for name, (about, members) in FAMILIES.items():
        found = list(members)
        listed |= {each.name for each in found}
        yield name, about, found
    if others := [DATASETS[name] for name in DATASETS if name not in listed]:
        yield "others", "registered by other packages", others


def groups() -> Iterator[tuple[str, list[str]]]:
    """Yields the groups of engines: name, members. Plug-ins come last."""
    listed: set[str] = set()
    for name, engines in GROUPS.items():
        members = [engine.name for engine in engines]
        listed |= set(members)
        yield name, members
    if plugins := [name for name in ENGINES if name not in listed]:
        yield PLUGINS, plugins


def cut(names: Sequence[str]) -> str:
    """Lists at most `FEW` names.

    >>> cut(["a", "b"]), cut(list("abcdefghijk"))
    ('a, b', 'a, b, c, d, e and 6 more')
    """
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def show_datasets(console: Console, whole: bool) -> None:
    """Shows the families, or every data set."""
    heading(console, "Data sets", f"{len(DATASETS)}; or a path of your own")
    table = columns(3)
    for name, tables in TOGETHER.items():
        table.add_row(name, "the default", f"{len(tables)} tables, one after another: {', '.join(tables)}")
    if whole:
        console.print(table)
    for name, about, members in families():
        if not whole:
            table.add_row(name, str(len(members)), escape(f"{about}: {cut([each.name for each in members])}"))
            continue
        heading(console, name, about)
        each_of = columns(3)
        for each in members:
            each_of.add_row(each.name, escape(each.about), ", ".join(each.libraries))
        console.print(each_of)
    if not whole:
        console.print(table)


def show_engines(console: Console, whole: bool) -> None:
    """Shows the groups of engines that can run here, or every such engine with its formats."""
    heading(console, "Engines", "those that can run here")
    table = columns(2)
    for group, members in groups():
        here = [name for name in members if reason_missing(name) is None]
        if not whole:
            table.add_row(group, escape(", ".join(here)) or "none that can run here")
            continue
        heading(console, group)
        each_of = columns(4)
        for name in here:
            engine = ENGINES[name]
            versions = ", ".join(f"{key} {value}" for key, value in versions_of(name).items())
            about = "; ".join(text for text in (engine.note, engine.security) if text)
            each_of.add_row(*map(escape, (name, formats_of(name), versions or "-", about)))
        console.print(each_of)
    if not whole:
        console.print(table)


def show_missing(console: Console) -> None:
    """Shows the engines that cannot run here, each with the line that installs it."""
    missing = {name: why for name in ENGINES if (why := reason_missing(name)) is not None}
    if missing:
        heading(console, "Missing here", "each with the line that installs it")
        table = columns(2)
        for name, why in missing.items():
            table.add_row(escape(name), escape(why))
        console.print(table)


def formats_of(name: str) -> str:
    """Lists the formats of an engine, with the codecs of each where there is a choice."""
    formats = ENGINES[name].formats
    return ", ".join(fmt if codecs == ("none",) else f"{fmt} ({', '.join(codecs)})" for fmt, codecs in formats.items())


def show_transports(console: Console, whole: bool) -> None:
    """Shows the transports of a panel and, if asked, those that only tables use."""
    heading(console, "Transports")
    table = columns(2)
    for name, title in TITLES.items():
        table.add_row(name, title)
    table.add_row("tcp-RATE[-DELAY]", "a link shaped to a rate and a delay, such as tcp-1gbit or tcp-100mbit-5ms")
    console.print(table)
    if whole:
        heading(console, "Of tables only")
        table = columns(2)
        for name in MOVING:
            table.add_row(name, f"{MOVING[name].about}, between two processes")
        for name in TRANSPORTS:
            if name not in TITLES:
                table.add_row(name, "a stream that another engine has written")
        console.print(table)


def show_tables(console: Console, whole: bool) -> None:
    """Shows the names of published tables and of panels."""
    heading(console, "Tables", "`colonnade bench table NAME` measures one again")
    console.print(f"  {', '.join(shipped_names('tables'))}", markup=False)
    heading(console, "Panels", "`colonnade bench --spec NAME`")
    console.print(f"  {', '.join(shipped_names())}", markup=False)


SHOW = {"datasets": show_datasets, "engines": show_engines, "transports": show_transports, "tables": show_tables}


def heading(console: Console, title: str, about: str = "") -> None:
    """Prints a title, with a remark after it."""
    console.print()
    console.print(f"[bold]{escape(title)}[/bold]" + (f": {escape(about)}" if about else ""))


def columns(count: int) -> Table:
    """Returns a table without lines or header, indented. Names do not wrap."""
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 2), pad_edge=True)
    table.add_column(no_wrap=True)
    for _ in range(count - 1):
        table.add_column(overflow="fold")
    return table
