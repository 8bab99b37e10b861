"""Reads the Markdown tables of published pages."""

from __future__ import annotations

import re
from pathlib import Path

Table = list[dict[str, str]]
"""Rows, each a mapping from column name to cell."""


def table_below(page: Path, heading: str) -> Table:
    """Returns the first table below the first heading that `heading`, a regular expression, matches.

    Raises
    ------
    LookupError
        The page has no such heading, or no table below it.
    """
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith("#") and re.search(heading, line)), None)
    if start is None:
        raise LookupError(f"{page} has no heading {heading!r}")
    rows: list[list[str]] = []
    for line in lines[start + 1 :]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows or line.startswith("#"):
            break
    if len(rows) < 3:
        raise LookupError(f"{page} has no table below {heading!r}")
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def figure(cell: str) -> float | None:
    """Returns the first number of a cell, which is the median. None if there is none.

    >>> figure("10.8 [9.6-14.2]"), figure("1,281"), figure("-")
    (10.8, 1281.0, None)
    """
    found = re.match(r"[\d,]+(\.\d+)?", cell)
    return float(found[0].replace(",", "")) if found else None


def quartiles(cell: str) -> tuple[float, float] | None:
    """Returns the quartiles of a cell.

    >>> quartiles("10.8 [9.6-14.2] 1.5x")
    (9.6, 14.2)
    """
    found = re.search(r"\[([\d.]+)-([\d.]+)\]", cell)
    return (float(found[1]), float(found[2])) if found else None
