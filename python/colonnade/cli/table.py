"""Tables of the command line, for a terminal, a file or a pipe, never wider than the width there is.

Only a terminal gets bold text, from rich, whose import takes half as long as NumPy's.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from .._values.terminal_text import ELLIPSIS, clean, pad, width_of
from .layout import GAP, Column, choose, fitted

if TYPE_CHECKING:
    from rich.console import Console

_RULE = "─"


class Table:
    """Rows of text under a title, with a line of column names if there are any."""

    def __init__(self, title: str | None = None) -> None:
        self.title = title
        self.note: str | None = None
        self._columns: list[Column] = []
        self._rows: list[list[str]] = []

    def add_column(self, name: str = "", **options: Any) -> None:
        """Add a column. `options` are the attributes of `Column`."""
        self._columns.append(Column(_clean_lines(name), **options))

    def add_row(self, *cells: str) -> None:
        """Add a row. Cells are text of a file."""
        self._rows.append([_clean_lines(cell) for cell in cells])

    def lines(self, width: int) -> list[str]:
        """The table as lines of at most `width` columns."""
        return [text for text, _ in self.styled_lines(width)]

    def styled_lines(self, width: int) -> list[tuple[str, list[tuple[int, int]]]]:
        """Each line with the parts of it that are bold, as start and end."""
        natural = [
            max(width_of(line) for text in (column.name, *(row[i] for row in self._rows)) for line in text.split("\n"))
            for i, column in enumerate(self._columns)
        ]
        widths = choose(self._columns, natural, width)
        found: list[tuple[str, list[tuple[int, int]]]] = [] if self.title is None else [(self.title, [])]
        if any(column.name for column in self._columns):
            names = [column.name for column in self._columns]
            found += [(line, [(0, len(line))]) for line, _ in self._line(names, widths, is_header=True)]
            found.append((_RULE * min(width, sum(widths.values()) + GAP * (len(widths) - 1)), []))
        for row in self._rows:
            found += self._line(row, widths)
        left_out = [c.name.replace("\n", " ") for i, c in enumerate(self._columns) if i not in widths]
        notes = [self.note] if self.note else []
        if left_out:
            notes.append(f"not shown at this width: {', '.join(left_out)}; --json has all")
        return found + [(line, []) for note in notes for line in fitted(note, Column(fit="wrap"), width)]

    def _line(
        self, cells: list[str], widths: dict[int, int], is_header: bool = False
    ) -> list[tuple[str, list[tuple[int, int]]]]:
        """One row, in as many lines as its highest cell. Column names end directly above the rule."""
        parts = {i: fitted(cells[i], self._columns[i], width) for i, width in widths.items()}
        height = max(map(len, parts.values()))
        lines = []
        for number in range(height):
            line, bold = "", []
            for i, width in widths.items():
                place = number - (height - len(parts[i]) if is_header else 0)
                text = parts[i][place] if 0 <= place < len(parts[i]) else ""
                start = len(line)
                line += pad(text, width, right=self._columns[i].is_right)
                bold += [(start, len(line))] if self._columns[i].is_bold else []
                line += " " * GAP
            lines.append((line.rstrip(), bold))
        return lines


def print_table(table: Table) -> None:
    """Print a table on stdout."""
    lines = table.styled_lines(terminal_width())
    if _is_plain():
        for text, _ in lines:
            print_line(text)
        return
    from rich.text import Text

    console = rich_console()
    for text, bold in lines:
        styled = Text(_encodable(text))
        for start, end in bold:
            styled.stylize("bold", start, end)
        console.print(styled, soft_wrap=True)


def print_line(text: str) -> None:
    """Print a line of text from a file on stdout: no control characters, nothing that the encoding lacks."""
    print(_encodable(clean(text)))


def _encodable(text: str) -> str:
    encoding = sys.stdout.encoding or "utf-8"
    if encoding.lower().replace("-", "") == "utf8":
        return text
    plain = text.replace(_RULE, "-").replace(ELLIPSIS, "~")
    return plain.encode(encoding, "backslashreplace").decode(encoding)


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
    """Whether rich would put no colour into stdout."""
    is_asked = any(name in os.environ for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"))
    return not is_asked and not sys.stdout.isatty()


def terminal_width() -> int:
    """The width of the first standard stream that is a terminal, or what COLUMNS says; 80 where there is neither."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    # stdout last: behind a pipe (`| less`) the text still reaches the terminal that stdin and stderr are.
    for descriptor in range(3):
        try:
            return os.get_terminal_size(descriptor).columns or 80
        except OSError:
            continue
    return 80
