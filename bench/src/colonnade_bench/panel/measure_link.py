"""Describes a link: parses given figures (``940Mbit/s,0.4ms``), or measures it.

Rates are stored in bits a second, whatever their unit: ``Mbit`` counts bits, ``MB`` bytes, ``MiB`` 1,048,576 bytes. The
delay is one way.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colonnade_bench.page_cache import set_cache
from colonnade_bench.panel.peer import Peer

_PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
RATES: dict[str, float] = {
    **{f"{prefix}bit/s": factor for prefix, factor in _PREFIXES.items()},
    **{f"{prefix}B/s": 8 * factor for prefix, factor in _PREFIXES.items()},
    **{f"{prefix}iB/s": 8.0 * 1024**k for k, prefix in enumerate(("K", "M", "G", "T"), 1)},
}
"""The units of a rate, in bits a second."""
DELAYS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_NUMBER = re.compile(r"\s*(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)\s*(.*?)\s*")

PROBE_S = 0.3
"""A probe doubles in size until it takes this many seconds."""
FIRST_NBYTES, LAST_NBYTES = 256 << 10, 256 << 20
DISK_NBYTES = 64 << 20
PINGS = 15


@dataclass(frozen=True)
class Link:
    """The link between the writer and the reader.

    Attributes
    ----------
    bps : float
        Bits a second. For a disk: of one write and one read, one after the other.
    delay_s : float
        Seconds, one way.
    where : str
        The target, as the answer names it.
    measured : bool
    write_bps, read_bps : float, optional
        Rates of a disk.
    note : str
        A limitation of the figures.
    """

    bps: float
    delay_s: float = 0.0
    where: str = "there"
    measured: bool = False
    write_bps: float | None = None
    read_bps: float | None = None
    note: str = ""

    @property
    def disk(self) -> bool:
        return self.write_bps is not None

    def per_read_bps(self, reads: int) -> float:
        """Returns the rate at which `reads` equal moves take as long as one write and `reads` reads."""
        if self.write_bps is None or self.read_bps is None:
            return self.bps
        return reads / (1 / self.write_bps + reads / self.read_bps)


def parse_rate(text: str) -> float:
    """Parses a rate into bits a second.

    >>> parse_rate("940 Mbit/s"), parse_rate("10MB/s"), parse_rate("1GiB/s")
    (940000000.0, 80000000.0, 8589934592.0)
    """
    return _parse(text, RATES, "rate", "940Mbit/s", _same_unit)


def parse_delay(text: str) -> float:
    """Parses a delay into seconds.

    >>> parse_delay("0.5ms")
    0.0005
    """
    return _parse(text, DELAYS, "delay", "0.4ms", lambda unit, known: unit == known, zero=True)


def parse_link(text: str) -> Link:
    """Parses ``RATE`` or ``RATE,DELAY``.

    >>> parse_link("100Mbit/s,5ms")
    Link(bps=100000000.0, delay_s=0.005, where='there', ...)

    Raises
    ------
    ValueError
        An unknown unit. The error lists the known ones.
    """
    rate, comma, delay = text.partition(",")
    return Link(parse_rate(rate), parse_delay(delay) if comma else 0.0)


def _parse(
    text: str, units: dict[str, float], what: str, example: str, same: Callable[[str, str], bool], zero: bool = False
) -> float:
    found = _NUMBER.fullmatch(text)
    number, unit = found.groups() if found else ("", "")
    factor = next((factor for known, factor in units.items() if same(unit, known)), None)
    if not number or factor is None or not (float(number) > 0 or zero):
        known = ", ".join(units)
        raise ValueError(f'advise: expected a {what} such as {example}, found "{text.strip()}"; known units: {known}')
    return float(number) * factor


def _same_unit(unit: str, known: str) -> bool:
    """Whether two units are the same.

    ``mbit``, ``Mbit``, ``Mbit/s`` and ``Mbps`` are the same. ``b`` and ``B`` differ, so their case counts.
    """
    if unit.endswith("bps") and not unit.endswith("Bps"):
        unit = unit[:-2] + "it/s"
    elif unit.endswith("Bps"):
        unit = unit[:-2] + "/s"
    if not unit.endswith("/s"):
        unit += "/s"
    if known.endswith("bit/s"):
        return unit.lower() == known.lower()
    return unit.endswith("B/s") and unit.lower() == known.lower()


# ---------------------------------------------------------------- measured


def measure(to: str | None, *, clock: Callable[[], float] = time.perf_counter, **options: Any) -> Link:
    """Measures the link to a URL (of a ``colonnade bench serve``), a folder, or this machine's temporary folder.

    `options` are the arguments of `connect`.
    """
    if to is not None and ("://" in to or to.startswith("unix:")):
        return measure_peer(to, clock=clock, **options)
    return measure_disk(Path(to) if to is not None else Path(tempfile.gettempdir()), clock=clock)


def measure_peer(url: str, *, clock: Callable[[], float] = time.perf_counter, **options: Any) -> Link:
    """Measures the delay with pings, then the rate with raw bytes.

    The number of bytes doubles until they take long enough for a reliable rate.
    """
    with Peer(url, **options) as peer:
        rounds = sorted(peer.ping(clock) for _ in range(PINGS))
        delay_s = rounds[len(rounds) // 2] / 2
        nbytes = FIRST_NBYTES
        seconds = peer.echo(os.urandom(nbytes), clock)
        while seconds < PROBE_S and nbytes < LAST_NBYTES:
            nbytes = min(LAST_NBYTES, nbytes * 2)
            seconds = peer.echo(memoryview(_noise(nbytes)), clock)
        moving_s = max(seconds - 2 * delay_s, seconds / 10)
    return Link(8 * nbytes / moving_s, delay_s, url, measured=True)


def measure_disk(folder: Path, *, nbytes: int = DISK_NBYTES, clock: Callable[[], float] = time.perf_counter) -> Link:
    """Writes and syncs raw bytes, and reads them after they have left the page cache.

    Raises
    ------
    OSError
        The folder does not exist or is not writable, or the disk is full.
    """
    data = _noise(nbytes)
    handle, name = tempfile.mkstemp(prefix="colonnade-advise-", dir=folder)
    path = Path(name)
    try:
        start = clock()
        with os.fdopen(handle, "wb", 0) as file:
            write_all(file, data)
            os.fsync(file.fileno())
        write_s = max(clock() - start, 1e-9)
        note = ""
        try:
            set_cache(path, "cold")
        except OSError:
            note = "what was written stays in the system's cache: reading is from memory, not from the disk"
        start = clock()
        with open(path, "rb", 0) as file:
            place = bytearray(1 << 20)
            while file.readinto(place):
                pass
        read_s = max(clock() - start, 1e-9)
    finally:
        path.unlink(missing_ok=True)
    bits = 8 * nbytes
    return Link(
        bits / (write_s + read_s), 0.0, str(folder), measured=True,
        write_bps=bits / write_s, read_bps=bits / read_s, note=note,
    )  # fmt: skip


def write_all(file: Any, data: Any, piece_nbytes: int = 256 << 10) -> None:
    """Writes all data in pieces small enough that no system delays a call."""
    view = memoryview(data).cast("B")
    for at in range(0, len(view), piece_nbytes):
        file.write(view[at : at + piece_nbytes])


def _noise(nbytes: int) -> bytes:
    """Returns bytes that devices and links can hardly compress. Only one MiB of them is generated."""
    piece = os.urandom(1 << 20)
    return (piece * (nbytes // len(piece) + 1))[:nbytes]
