"""The commands that look: `info`, `schema`, `head`, `versions`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

import colonnade as cn

from .._values.terminal_text import label_text, nbytes_text
from .reading import read_options, source_of
from .table import Table, print_table, rich_console, rich_text

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_MOST_COLUMNS = 40
_MOST_MEMBERS = 30


def info(options: argparse.Namespace) -> int:
    """``colonnade info``."""
    found = cn.inspect(source_of(options.file), format=options.source_format, threads=options.threads)
    if options.json:
        print(json.dumps(found.to_dict(), ensure_ascii=not _is_utf8(), allow_nan=False, indent=2))
        return 0
    facts = Table(has_header=False, padding=(0, 2))
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for what, text in found.facts():
        facts.add_row(what, text)
    print_table(facts)
    if found.schema is not None and found.schema.fields:
        print_table(_schema_table(found))
    if found.members:
        print_table(_member_table(found) if found.parquet is None else _chunk_table(found))
    return 0


def schema(options: argparse.Namespace) -> int:
    """``colonnade schema``."""
    frame = cn.read(source_of(options.file), **read_options(options))
    table = Table()
    table.add_column("column", overflow="fold")
    table.add_column("type", overflow="fold")
    for label, dtype in frame.dtypes:
        table.add_row(label_text(label), dtype)
    print_table(table)
    return 0


def head(options: argparse.Namespace) -> int:
    """``colonnade head``."""
    frame = cn.read(source_of(options.file), **read_options(options))
    if options.columns:
        frame = frame.select(match_columns(frame, options.columns))
    part = frame.head(options.rows)
    console = rich_console()
    from .._frame.repr import axis_title, render, title

    if 0 in part.shape:
        console.print(rich_text(render(part, width=console.width)), soft_wrap=True)
        return 0
    console.print(rich_text(title(frame)))
    console.print(rich_text(f"columns {axis_title(part.columns)}, index {axis_title(part.index)}"))
    console.print(_grid_table(part, console.width))
    return 0


def versions(options: argparse.Namespace) -> int:
    """``colonnade versions``."""
    from .._api.versions import versions as all_versions

    found = all_versions()
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    table = Table(has_header=False, padding=(0, 2))
    table.add_column()
    table.add_column()
    for name, value in found.items():
        text = "not installed" if value is None else ", ".join(value) if isinstance(value, list) else str(value)
        table.add_row(name, text)
    print_table(table)
    return 0


def match_columns(frame: cn.Frame, paths: list[str]) -> list[Any]:
    """The labels named on the command line: by their text, levels joined by a slash."""
    names: dict[str, Any] = {}
    for label in frame.columns:
        names.setdefault(_joined(label), label)
        if isinstance(label, tuple):
            for end in range(1, len(label)):
                names.setdefault(_joined(label[:end]), label[:end])
    labels: list[Any] = []
    for text in paths:
        # A label may hold a comma itself: the whole text goes first.
        labels += [names.get(part, part) for part in ([text] if text in names else text.split(","))]
    return labels


def _joined(label: Any) -> str:
    return "/".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _schema_table(found: cn.Info) -> Table:
    assert found.schema is not None
    fields = found.schema.fields
    table = Table(f"{len(fields):,} columns")
    table.add_column("position", justify="right")
    table.add_column("label", overflow="fold")
    table.add_column("dtype", overflow="fold")
    table.add_column("layout")
    for position, item in enumerate(fields[:_MOST_COLUMNS]):
        table.add_row(f"{position:,}", label_text(item.label), item.dtype, item.layout)
    left = len(fields) - _MOST_COLUMNS
    table.caption = f"... {left:,} more; --json lists all" if left > 0 else None
    return table


def _member_table(found: cn.Info) -> Table:
    members = found.members[:_MOST_MEMBERS]
    packed = any(codec != "stored" for codec in found.codecs)
    table = Table(f"{len(found.members):,} members", padding=(0, 1))
    table.add_column("name", overflow="fold", min_width=24)
    for column in ("codec", "offset", "size", *(("compressed",) if packed else ())):
        table.add_column(column, justify="left" if column == "codec" else "right", no_wrap=True)
    table.add_column("descr", overflow="fold")
    table.add_column("shape", overflow="fold")
    for member in members:
        shape = member.get("shape")
        sizes = [nbytes_text(member["nbytes"]), *([nbytes_text(member["compressed_nbytes"])] if packed else [])]
        table.add_row(
            str(member["name"]),
            str(member["method"]),
            "" if member.get("offset") is None else str(member["offset"]),
            *sizes,
            str(member.get("descr") or ""),
            "" if shape is None else " x ".join(map(str, shape)) or "()",
        )
    left = len(found.members) - len(members)
    table.caption = f"... {left:,} more; --json lists all" if left else None
    return table


def _chunk_table(found: cn.Info) -> Table:
    members = found.members[:_MOST_MEMBERS]
    table = Table(f"{len(found.members):,} column chunks", padding=(0, 1))
    table.add_column("group", justify="right")
    table.add_column("name", overflow="fold", min_width=8)
    table.add_column("encodings", overflow="fold")
    table.add_column("codec")
    for column in ("size", "compressed", "nulls"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("least ... largest", overflow="ellipsis", no_wrap=True)
    for member in members:
        statistics = member["statistics"] or {}
        least, largest, nulls = statistics.get("min"), statistics.get("max"), statistics.get("null_count")
        table.add_row(
            f"{member['group']:,}",
            str(member["name"]),
            ", ".join(member["encodings"]),
            str(member["method"]),
            nbytes_text(member["nbytes"]),
            nbytes_text(member["compressed_nbytes"]),
            "" if nulls is None else f"{nulls:,}",
            "" if least is None else f"{label_text(least)} ... {label_text(largest)}",
        )
    left = len(found.members) - len(members)
    table.caption = f"... {left:,} more; --json lists all" if left else None
    return table


def _grid_table(part: cn.Frame, width: int) -> RichTable:
    from rich import box
    from rich.table import Table as RichTable

    from .._frame.grid import make_grid

    # A space on either side of each cell and one between them.
    grid = make_grid(part, max_rows=max(len(part), 1), width=width, gap=3)
    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    names = part.index.names
    for i, dtype in enumerate(grid.index_dtypes):
        heading = label_text(names[i]) if names[i] is not None else ""
        table.add_column(rich_text(f"{heading}\n{dtype}".lstrip("\n")), style="bold", no_wrap=True)
    for labels, dtype, right in zip(grid.columns, grid.dtypes, grid.right, strict=True):
        table.add_column(rich_text("\n".join([*labels, dtype])), justify="right" if right else "left", no_wrap=True)
    for row in range(len(grid.index[0])):
        cells = [level[row] for level in grid.index] + [column[row] for column in grid.cells]
        table.add_row(*map(rich_text, cells))
    return table


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
