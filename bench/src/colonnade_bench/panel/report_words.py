"""Formats numbers and names in the same way for every report."""

from __future__ import annotations

from collections.abc import Sequence

from colonnade.cli.amounts import digits_text, second_unit
from colonnade_bench.intervals import FEWEST
from colonnade_bench.summary import Figure

TITLES = {
    "memory": "Conversion in memory",
    "buffer": "In-memory connection",
    "file": "File",
    "file-cold": "File, cold cache",
    "fifo": "Named pipe",
    "unix": "Unix socket",
    "tcp": "TCP, same host",
    "remote": "Remote host",
}

PHRASES = {
    "memory": "in memory",
    "buffer": "through a buffer in memory",
    "file": "through a file",
    "file-cold": "through a file that is not in the page cache",
    "fifo": "through a named pipe",
    "unix": "through a Unix socket",
    "tcp": "over TCP on this host",
    "remote": "to the remote host",
}

NAMED = 3
"""So many names are listed in a sentence or a cell, if there are more."""
LONGEST = 200
"""The most characters of a reason in a row."""

MODELLED = "≈"
"""Marks every modelled figure."""


def title(transport: str) -> str:
    """Names a transport in words.

    >>> title("tcp"), title("tcp-1gbit"), title("tcp-100mbit-5ms")
    ('TCP, same host', 'TCP, 1 Gbit/s link', 'TCP, 100 Mbit/s link, 5 ms')
    """
    if transport in TITLES:
        return TITLES[transport]
    name, _, rest = transport.partition("-")
    if name != "tcp" or not rest:
        return transport
    rate, *delay = rest.split("-")
    for unit, written in (("gbit", " Gbit/s"), ("mbit", " Mbit/s"), ("kbit", " kbit/s")):
        rate = rate.replace(unit, written)
    return ", ".join([f"TCP, {rate} link", *(each.replace("ms", " ms") for each in delay)])


def phrase(transport: str) -> str:
    """Names a transport within a sentence.

    >>> phrase("file"), phrase("tcp"), phrase("tcp-1gbit")
    ('through a file', 'over TCP on this host', 'over 1 Gbit/s')
    """
    if transport in PHRASES:
        return PHRASES[transport]
    shaped = title(transport).removeprefix("TCP, ").replace(" link", "")
    return f"over {shaped}"


def spread(value: float, low: float, high: float) -> str:
    """Formats a time and the ends of its range in one unit.

    >>> spread(0.0456, 0.045, 1.2)
    '45.6 ms (45 to 1,200)'
    """
    factor, unit = second_unit(value)
    return f"{digits_text(value * factor)} {unit} ({digits_text(low * factor)} to {digits_text(high * factor)})"


def range_text(figure: Figure) -> str:
    """Formats the interval of a time, in the unit of its median. Too few repetitions have none.

    >>> range_text(Figure(0.0456, 0.045, 0.047, 8)), range_text(Figure(0.0456, 0.045, 0.047, 2))
    ('45 to 47 ms', 'none')
    """
    if figure.n < FEWEST:
        return "none"
    factor, unit = second_unit(figure.median)
    return f"{digits_text(figure.low * factor)} to {digits_text(figure.high * factor)} {unit}"


def fraction(value: float) -> str:
    """Formats a share of the data.

    >>> fraction(1.0), fraction(0.25), fraction(0.001414)
    ('all', '25 %', '0.14 %')
    """
    return "all" if value == 1 else f"{100 * value:.2g} %" if value < 0.995 else f"{100 * value:.1f} %"


def one_line(reason: str) -> str:
    r"""Returns a reason as one line of a row. Of a stack's whole text the last line says what happened.

    >>> one_line("writes no\n  lists"), one_line("Traceback (most recent call last):\n  File x\nValueError: 3 > 2")
    ('writes no lists', 'ValueError: 3 > 2')
    """
    if "Traceback (most recent call last)" in reason:
        reason = reason.rstrip().rpartition("\n")[2]
    line = " ".join(reason.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "\u2026"


def listed(names: Sequence[str]) -> str:
    """Lists names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def few(names: Sequence[str]) -> str:
    """Lists a few names in a sentence and counts the others.

    >>> few(["a", "b"]), few(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    if len(names) <= NAMED + 1:
        return listed(names)
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"


def slug(name: str) -> str:
    """Makes a file name.

    >>> slug("pyarrow parquet zstd")
    'pyarrow_parquet_zstd'
    """
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)
