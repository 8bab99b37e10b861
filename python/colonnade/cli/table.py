"""Tables of the command line. Into a file or a pipe a table of ASCII text that fits is laid out here.

rich lays out all others: on a terminal, in colour, and where cells must be cut or wrapped. Importing it takes half as
long as importing NumPy.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from .._values.terminal_text import clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable


class Table:
    """Rows of text, with or without a line of column names."""

    def __init__(self, title: str | None = None, *, has_header: bool = True, padding: tuple[int, int] = (1, 1)) -> None:
        self.title = title
        self.caption: str | None = None
        self._has_header = has_header
        self._left, self._right = padding
        self._columns: list[tuple[str, dict[str, Any]]] = []
        self._rows: list[list[str]] = []

    def add_column(self, name: str = "", **options: Any) -> None:
        """Add a column. `options` are those of rich's columns."""
        self._columns.append((name, options))

    def add_row(self, *cells: str) -> None:
        """Add a row. Cells are text of a file."""
        self._rows.append([_clean_lines(cell) for cell in cells])

    def lines(self, width: int) -> list[str] | None:
        """The table as rich prints it; None where that takes more than padding ASCII text to the widths of columns."""
        names = [name for name, _ in self._columns]
        every = [names, *self._rows] if self._has_header else self._rows
        notes = [text for text in (self.title, self.caption) if text is not None]
        if not every or not all(text.isascii() and text.isprintable() for row in [*every, notes] for text in row):
            return None
        widths = [max(len(row[i]) for row in every) for i in range(len(names))]
        widths = [max(w, options.get("min_width", 0)) for w, (_, options) in zip(widths, self._columns, strict=True)]
        rows = [self._line(row, widths) for row in every]
        total = len(rows[0])
        if total > width or any(len(note) > total for note in notes):
            return None
        if self._has_header:
            rule = "─".join("─" * (self._left + w + self._right) for w in widths)
            rows = [" " * total, rows[0], f" {rule} ", *rows[1:], " " * total]
        above = [] if self.title is None else [self.title.ljust(total)]
        below = [] if self.caption is None else [self.caption.ljust(total)]
        return [*above, *rows, *below]

    def _line(self, row: list[str], widths: list[int]) -> str:
        cells = (
            " " * self._left
            + (text.rstrip().rjust(w) if options.get("justify") == "right" else text.ljust(w))
            + " " * self._right
            for text, w, (_, options) in zip(row, widths, self._columns, strict=True)
        )
        return f" {' '.join(cells)} " if self._has_header else "".join(cells)

    def rich(self) -> RichTable:
        """The table for rich."""
        from rich import box
        from rich.table import Table as RichTable

        made = RichTable(
            title=self.title,
            caption=self.caption,
            title_justify="left",
            caption_justify="left",
            box=box.SIMPLE_HEAD if self._has_header else None,
            show_header=self._has_header,
            padding=(0, self._right, 0, self._left),
        )
        for name, options in self._columns:
            made.add_column(name, **options)
        for row in self._rows:
            made.add_row(*map(rich_text, row))
        return made


def print_table(table: Table) -> None:
    """Print a table on stdout."""
    lines = table.lines(_width()) if _is_plain() else None
    if lines is None:
        rich_console().print(table.rich())
    else:
        print("\n".join(lines))


def rich_text(text: str) -> Any:
    """Text of a file for rich: never read as markup, never a control character."""
    from rich.text import Text

    return Text(_clean_lines(text))


def _clean_lines(text: str) -> str:
    """`text` with no control characters but line ends."""
    return "\n".join(map(clean, text.split("\n")))


def rich_console() -> Console:
    """The console of rich on stdout."""
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            # rich would end the process with status 1; what a broken pipe means is decided in one place, in cli.py.
            raise BrokenPipeError

    return PlainConsole(highlight=False, markup=False, emoji=False)


def _is_plain() -> bool:
    """Whether stdout takes UTF-8 and rich would put no colour into it."""
    is_asked = any(name in os.environ for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"))
    return not is_asked and not sys.stdout.isatty() and (sys.stdout.encoding or "").lower().startswith("utf")


def _width() -> int:
    """The width that rich takes: of the first standard stream that is a terminal, or what COLUMNS says."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit():
        return int(columns)
    for descriptor in range(3):
        try:
            return os.get_terminal_size(descriptor).columns or 80
        except OSError:
            continue
    return 80
