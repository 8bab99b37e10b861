"""Values and labels as text for a terminal: one line each, no control characters, cut to a width."""

import reprlib
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from .time_text import duration_text

ELLIPSIS = "…"
# A cell may hold a list of a million items. Only a few items of each level are shown.
_nested = reprlib.Repr()
_nested.maxlevel, _nested.maxstring, _nested.maxother = 4, 32, 40


def clean(text: str) -> str:
    """`text` without line ends and control characters: a file must not move the reader's cursor."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii") for char in text
    )


def width_of(text: str) -> int:
    """The number of terminal columns of `text`. East Asian wide characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def truncate(text: str, width: int) -> str:
    """`text` in at most `width` columns. An ellipsis replaces cut text."""
    if width_of(text) <= width:
        return text
    fitting = ""
    for char in text:
        if width_of(fitting + char) > width - 1:
            break
        fitting += char
    return fitting + ELLIPSIS


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled with spaces to `width` columns; `right` puts the text at the right end."""
    fill = " " * max(0, width - width_of(text))
    return fill + text if right else text + fill


def cell_text(value: Any) -> str:
    """One value of a frame."""
    if value is None:
        return "null"
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    if isinstance(value, complex | np.complexfloating):
        return f"{complex(value):.6g}"
    if isinstance(value, np.void):
        return clean(repr(value.tobytes()))
    if isinstance(value, bytes):
        return clean(repr(value[:64]))
    if isinstance(value, str):
        # A cell may hold very long text. Only the displayed part is cleaned.
        return clean(value[:256])
    if isinstance(value, list | tuple | dict):
        return clean(_nested.repr(value))
    if isinstance(value, np.timedelta64) and not np.isnat(value):
        unit, count = np.datetime_data(value.dtype)
        return duration_text(int(value.astype("i8")) * count, unit) or clean(str(value))
    if isinstance(value, np.datetime64) and not np.isnat(value) and np.datetime_data(value.dtype)[0] == "generic":
        return str(value.view("i8"))  # NumPy has no text for a time without a unit, so the count is shown
    return clean(str(value))


def label_text(label: Any) -> str:
    """One label, or a tuple of labels as StaticFrame and pandas write it."""
    if isinstance(label, tuple):
        parts = ", ".join(repr(part) if isinstance(part, str) else label_text(part) for part in label)
        return clean(f"({parts},)" if len(label) == 1 else f"({parts})")
    if label is None:
        return "None"
    return cell_text(label)


def table(rows: Sequence[Sequence[str]], gap: int = 2) -> str:
    """A text table. All rows have the same number of cells, and each column is as wide as its widest cell."""
    if not rows:
        return ""
    widths = [max(width_of(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        (" " * gap).join(pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
