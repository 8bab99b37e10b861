"""The commands that look: `info`, `head`, `versions`."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

import colonnade as cn

from .._api.versions import versions as all_versions
from .._values.terminal_text import clean, label_text, nbytes_text
from .standard_streams import standard

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_MOST_COLUMNS = 40
_MOST_MEMBERS = 30


def source_of(name: str) -> Any:
    """The source that a file name on the command line means."""
    return standard(0) if name == "-" else name


def info(options: argparse.Namespace) -> int:
    """``colonnade info``."""
    found = cn.inspect(source_of(options.file), format=options.source_format, threads=options.threads)
    if options.json:
        print(json.dumps(found.to_dict(), ensure_ascii=not _is_utf8(), allow_nan=False, indent=2))
        return 0
    console = _console()
    facts = _table(box=None, show_header=False, padding=(0, 2, 0, 0))
    facts.add_column(style="bold", no_wrap=True)
    facts.add_column(overflow="fold")
    for what, text in found.facts():
        facts.add_row(what, _text(text))
    console.print(facts)
    if found.schema is not None and found.schema.fields:
        console.print(_schema_table(found))
    if found.members:
        console.print(_member_table(found) if found.parquet is None else _chunk_table(found))
    return 0


def head(options: argparse.Namespace) -> int:
    """``colonnade head``."""
    frame = cn.read(source_of(options.file), format=options.source_format, threads=options.threads)
    if options.columns:
        frame = frame.select(_match_columns(frame, options.columns))
    part = frame.head(options.rows)
    console = _console()
    from .._frame.repr import axis_title, render, title

    if 0 in part.shape:
        console.print(_text(render(part, width=console.width)), soft_wrap=True)
        return 0
    console.print(_text(title(frame)))
    console.print(_text(f"columns {axis_title(part.columns)}, index {axis_title(part.index)}"))
    console.print(_grid_table(part, console.width))
    return 0


def versions(options: argparse.Namespace) -> int:
    """``colonnade versions``."""
    found = all_versions()
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    table = _table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in found.items():
        text = "not installed" if value is None else ", ".join(value) if isinstance(value, list) else str(value)
        table.add_row(name, _text(text))
    _console().print(table)
    return 0


def _match_columns(frame: cn.Frame, paths: list[str]) -> list[Any]:
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


def _schema_table(found: cn.Info) -> "Table":
    assert found.schema is not None
    fields = found.schema.fields
    table = _table(title=f"{len(fields):,} columns", title_justify="left")
    table.add_column("position", justify="right")
    table.add_column("label", overflow="fold")
    table.add_column("dtype", overflow="fold")
    table.add_column("layout")
    for position, item in enumerate(fields[:_MOST_COLUMNS]):
        table.add_row(f"{position:,}", _text(label_text(item.label)), _text(item.dtype), item.layout)
    left = len(fields) - _MOST_COLUMNS
    table.caption = f"... {left:,} more; --json lists all" if left > 0 else None
    table.caption_justify = "left"
    return table


def _member_table(found: cn.Info) -> "Table":
    members = found.members[:_MOST_MEMBERS]
    packed = any(codec != "stored" for codec in found.codecs)
    table = _table(title=f"{len(found.members):,} members", title_justify="left", padding=(0, 1, 0, 0))
    table.add_column("name", overflow="fold", min_width=24)
    for column in ("codec", "offset", "size", *(("compressed",) if packed else ())):
        table.add_column(column, justify="left" if column == "codec" else "right", no_wrap=True)
    table.add_column("descr", overflow="fold")
    table.add_column("shape", overflow="fold")
    for member in members:
        shape = member.get("shape")
        sizes = [nbytes_text(member["nbytes"]), *([nbytes_text(member["compressed_nbytes"])] if packed else [])]
        table.add_row(
            _text(str(member["name"])),
            str(member["method"]),
            "" if member.get("offset") is None else str(member["offset"]),
            *sizes,
            _text(str(member.get("descr") or "")),
            "" if shape is None else " x ".join(map(str, shape)) or "()",
        )
    left = len(found.members) - len(members)
    table.caption = f"... {left:,} more; --json lists all" if left else None
    table.caption_justify = "left"
    return table


def _chunk_table(found: cn.Info) -> "Table":
    members = found.members[:_MOST_MEMBERS]
    table = _table(title=f"{len(found.members):,} column chunks", title_justify="left", padding=(0, 1, 0, 0))
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
            _text(str(member["name"])),
            _text(", ".join(member["encodings"])),
            str(member["method"]),
            nbytes_text(member["nbytes"]),
            nbytes_text(member["compressed_nbytes"]),
            "" if nulls is None else f"{nulls:,}",
            "" if least is None else _text(f"{label_text(least)} ... {label_text(largest)}"),
        )
    left = len(found.members) - len(members)
    table.caption = f"... {left:,} more; --json lists all" if left else None
    table.caption_justify = "left"
    return table


def _grid_table(part: cn.Frame, width: int) -> "Table":
    from .._frame.grid import make_grid

    # A space on either side of each cell and one between them.
    grid = make_grid(part, max_rows=max(len(part), 1), width=width, gap=3)
    table = _table(pad_edge=False)
    names = part.index.names
    for i, dtype in enumerate(grid.index_dtypes):
        heading = label_text(names[i]) if names[i] is not None else ""
        table.add_column(_text(f"{heading}\n{dtype}".lstrip("\n")), style="bold", no_wrap=True)
    for labels, dtype, right in zip(grid.columns, grid.dtypes, grid.right, strict=True):
        table.add_column(_text("\n".join([*labels, dtype])), justify="right" if right else "left", no_wrap=True)
    for row in range(len(grid.index[0])):
        cells = [level[row] for level in grid.index] + [column[row] for column in grid.cells]
        table.add_row(*map(_text, cells))
    return table


def _table(**options: Any) -> "Table":
    from rich import box
    from rich.table import Table

    options.setdefault("box", box.SIMPLE_HEAD)
    return Table(**options)


def _text(text: str) -> Any:
    """Text of a file: never read as markup, never a control character."""
    from rich.text import Text

    return Text("\n".join(clean(line) for line in text.split("\n")))


def _console() -> "Console":
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            # rich would end the process with status 1; what a broken pipe means is decided in one place, in cli.py.
            raise BrokenPipeError

    return PlainConsole(highlight=False, markup=False, emoji=False)


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
