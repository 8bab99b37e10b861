"""The commands that only show: `info`, `schema`, `head`, `versions`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import colonnade as cn

from .._values.terminal_text import label_text
from .describe import print_info
from .layout import GAP
from .reading import read_options, source_of
from .table import Table, print_line, print_table, terminal_width

_NARROW = 20
"""Columns of `head` with wider cells are narrowed to this where more columns fit then."""


def info(options: argparse.Namespace) -> int:
    """``colonnade info``."""
    from .datasets import is_dataset, opened, print_dataset

    if is_dataset(options.file):
        if options.json:
            raise cn.OptionError("--json: expected a file, found a dataset. Name one of its parts.")
        print_dataset(opened(options.file, options))
        return 0
    found = cn.inspect(source_of(options.file), **read_options(options))
    if options.json:
        print(json.dumps(found.to_dict(), ensure_ascii=not _is_utf8(), allow_nan=False, indent=2))
        return 0
    print_info(found)
    return 0


def schema(options: argparse.Namespace) -> int:
    """``colonnade schema``."""
    frame = _opened(options)
    table = Table()
    table.add_column("column", fit="wrap")
    table.add_column("type", fit="wrap")
    for label, dtype in frame.dtypes:
        table.add_row(label_text(label), dtype)
    print_table(table)
    return 0


def head(options: argparse.Namespace) -> int:
    """``colonnade head``."""
    frame = _opened(options)
    if options.columns:
        frame = frame.select(match_columns(frame, options.columns))
    part = frame.head(options.rows)
    from .._frame.repr import axis_title, render, title

    if 0 in part.shape:
        for line in render(part, width=terminal_width()).split("\n"):
            print_line(line)
        return 0
    print_line(title(frame))
    print_line(f"columns {axis_title(part.columns)}, index {axis_title(part.index)}")
    print_table(_grid_table(part, terminal_width()))
    return 0


def _opened(options: argparse.Namespace) -> cn.Frame:
    """The frame of a file, or the first rows of a dataset."""
    from .datasets import is_dataset, opened

    if is_dataset(options.file):
        return opened(options.file, options).head(getattr(options, "rows", 0))
    return cn.read(source_of(options.file), **read_options(options))


def versions(options: argparse.Namespace) -> int:
    """``colonnade versions``."""
    from .._api.versions import versions as all_versions

    found = all_versions()
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    table = Table()
    table.add_column()
    table.add_column(fit="wrap")
    for name, value in found.items():
        text = "not installed" if value is None else ", ".join(value) if isinstance(value, list) else str(value)
        table.add_row(name, text)
    print_table(table)
    return 0


def match_columns(frame: cn.Frame, paths: list[str]) -> list[Any]:
    """Returns the labels that the command line names by their text, with levels joined by a slash."""
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


def _grid_table(part: cn.Frame, width: int) -> Table:
    from .._frame.grid import make_grid

    grid = make_grid(
        part, max_rows=max(len(part), 1), width=width, gap=GAP, least=_NARROW, widest=width, column_types=False
    )
    table = Table()
    names = part.index.names
    for i, dtype in enumerate(grid.index_dtypes):
        heading = label_text(names[i]) if names[i] is not None else ""
        table.add_column(f"{heading}\n{dtype}".lstrip("\n"), is_bold=True, fit="cut")
    for labels, dtype, right in zip(grid.columns, grid.dtypes, grid.right, strict=True):
        table.add_column("\n".join([*labels, dtype]), is_right=right, fit="cut")
    for row in range(len(grid.index[0])):
        table.add_row(*(level[row] for level in grid.index), *(column[row] for column in grid.cells))
    return table


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
