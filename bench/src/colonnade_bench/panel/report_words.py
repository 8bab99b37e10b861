"""Formats numbers and names in the same way for every report."""

from __future__ import annotations

from collections.abc import Sequence

TITLES = {
    "memory": "Conversion in memory",
    "buffer": "In-memory connection",
    "file": "File",
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
    through |= {"fifo": "through a named pipe", "unix": "through a Unix socket", "remote": "to the remote host"}
    return through.get(transport, f"over {title(transport)}")


def seconds(value: float) -> str:
    """Formats seconds with three digits, in a suitable unit.

    >>> seconds(3.14159), seconds(0.0456), seconds(2.5e-05), seconds(754)
    ('3.14 s', '45.6 ms', '25.0 µs', '754 s')
    """
    factor, unit = _scale(value)
    return f"{three(value * factor)} {unit}"


def spread(value: float, low: float, high: float) -> str:
    """Formats a time and the ends of its range in one unit.

    >>> spread(0.0456, 0.045, 1.2)
    '45.6 ms (45.0 to 1,200)'
    """
    factor, unit = _scale(value)
    return f"{three(value * factor)} {unit} ({three(low * factor)} to {three(high * factor)})"


def _scale(value: float) -> tuple[float, str]:
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if value * factor >= 0.9995:
            return factor, unit
    return 1e6, "µs"


def three(value: float) -> str:
    """Formats three digits without an exponent.

    >>> three(1234.6), three(99.96), three(0.5), three(0.0012)
    ('1,235', '100', '0.500', '0.00120')
    """
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    if abs(value) >= 0.9995:
        return f"{value:.2f}"
    return f"{value:.3g}" if value and abs(value) < 1e-4 else f"{value:#.3g}"


def nbytes(value: float) -> str:
    """Formats bytes in decimal units.

    >>> nbytes(62_000_000), nbytes(1_234), nbytes(12)
    ('62.0 MB', '1.23 kB', '12 B')
    """
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= 0.9995 * factor:
            return f"{three(value / factor)} {unit}"
    return f"{value:.0f} B"


def bits(value: float) -> str:
    """Formats bits per second.

    >>> bits(9.4e8), bits(6.02e9), bits(56_000)
    ('940 Mbit/s', '6.02 Gbit/s', '56.0 kbit/s')
    """
    for factor, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if value >= 0.9995 * factor:
            return f"{three(value / factor)} {unit}"
    return f"{value:.0f} bit/s"


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
