"""Formats numbers and names in the same way for every report."""

from __future__ import annotations

from collections.abc import Sequence

from colonnade.cli.amounts import digits_text, second_unit

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

    >>> phrase("file"), phrase("tcp-1gbit")
    ('through a file', 'over TCP, 1 Gbit/s link')
    """
    through = {"memory": "converted in memory", "buffer": "through a buffer in memory", "file": "through a file"}
    through |= {"file-cold": "through a file that is not in the page cache"}
    through |= {"fifo": "through a named pipe", "unix": "through a Unix socket", "remote": "to the remote host"}
    return through.get(transport, f"over {title(transport)}")


def spread(value: float, low: float, high: float) -> str:
    """Formats a time and the ends of its range in one unit.

    >>> spread(0.0456, 0.045, 1.2)
    '45.6 ms (45 to 1,200)'
    """
    factor, unit = second_unit(value)
    return f"{digits_text(value * factor)} {unit} ({digits_text(low * factor)} to {digits_text(high * factor)})"


def fraction(value: float) -> str:
    """Formats a share of the data.

    >>> fraction(1.0), fraction(0.25), fraction(0.001414)
    ('all', '25 %', '0.14 %')
    """
    return "all" if value == 1 else f"{100 * value:.2g} %" if value < 0.995 else f"{100 * value:.1f} %"


def listed(names: Sequence[str]) -> str:
    """Lists names in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def slug(name: str) -> str:
    """Makes a file name.

    >>> slug("pyarrow parquet zstd")
    'pyarrow_parquet_zstd'
    """
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)
