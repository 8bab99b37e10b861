"""Defines the columns that a part of a table can show for each contestant, such as time, throughput and bytes.

A specification lists them by name: ``column = ["time", "throughput", "bytes"]``. Every column works for every kind of
measurement. It shows ``-`` if the records lack its figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from colonnade_bench.summary import Figure, Place, Summary


@dataclass(frozen=True)
class Row:
    """One contestant in one place, with the metric to show and the contestant whose time is the unit of the ratio."""

    summary: Summary
    place: Place
    contestant: str
    metric: str
    base: str | None = None

    def figure(self, value: Callable[[Mapping[str, Any]], float]) -> Figure | None:
        """Returns median and quartiles of a value of each sample. Samples without its fields do not count."""
        return self.summary.figure_of(self.place, self.contestant, value)

    def nbytes(self, name: str) -> int | None:
        """Returns a number of bytes from the check of the round trip."""
        check = self.summary.check_of(self.place, self.contestant)
        found = check.get(name) if check else None
        return int(found) if found else None


def time(row: Row) -> str:
    return interval(row.figure(lambda sample: sample[row.metric] * 1e3))


def ratio(row: Row) -> str:
    if row.base is None or row.contestant == row.base:
        return ""
    found = row.summary.ratio(row.place, row.base, row.contestant, row.metric)
    return f"{found.median:.2f}x" if found else "-"


def throughput(row: Row) -> str:
    return gigabytes_per_second(row, row.metric)


def usable_throughput(row: Row) -> str:
    return gigabytes_per_second(row, "usable_s")


def gigabytes_per_second(row: Row, metric: str) -> str:
    nbytes = row.nbytes("frame_nbytes")
    if nbytes is None:
        return "-"

    def speed(sample: Mapping[str, Any]) -> float:
        # Only `message_s` is the time of one message. The other metrics cover all `count` messages.
        messages = 1 if metric == "message_s" else sample.get("count", 1)
        return float(nbytes * messages / sample[metric] / 1e9)

    return interval(row.figure(speed))


def message_rate(row: Row) -> str:
    return interval(row.figure(lambda sample: 1 / sample["message_s"]), whole)


def processor_time(row: Row) -> str:
    total = row.figure(lambda sample: per_message(sample, "user_s", "system_s"))
    user = row.figure(lambda sample: per_message(sample, "user_s"))
    system = row.figure(lambda sample: per_message(sample, "system_s"))
    if total is None or user is None or system is None:
        return "-"
    return f"{interval(total)} ({digits(user.median)} + {digits(system.median)})"


def sender_time(row: Row) -> str:
    return interval(row.figure(lambda sample: per_message(sample, "sender_s")))


def receiver_time(row: Row) -> str:
    return interval(row.figure(lambda sample: per_message(sample, "receiver_s")))


def size(row: Row) -> str:
    nbytes = row.nbytes("wire_nbytes")
    return "-" if nbytes is None else f"{nbytes:,}"


def rounds(row: Row) -> str:
    found = row.figure(lambda sample: sample[row.metric])
    return str(found.n) if found else "-"


def per_message(sample: Mapping[str, Any], *names: str) -> float:
    """Returns the milliseconds of some fields together, for one message."""
    return sum(float(sample[name]) for name in names) / float(sample.get("count", 1)) * 1e3


@dataclass(frozen=True)
class Column:
    """A column: its header, its text for a contestant, and the sentence that explains it."""

    header: str
    text: Callable[[Row], str]
    note: str


COLUMNS: dict[str, Column] = {
    "time": Column("ms", time, "ms: elapsed milliseconds of one call or message, median [quartiles]."),
    "ratio": Column("vs Colonnade", ratio, "vs Colonnade: the time divided by that of {base}, median of the rounds."),
    "throughput": Column("GB/s", throughput, "GB/s: bytes of the result in memory per second, median [quartiles]."),
    "usable_throughput": Column(
        "usable GB/s", usable_throughput, "usable GB/s: the same with one pass over every byte of the result."
    ),
    "message_rate": Column("messages/s", message_rate, "messages/s: median [quartiles]."),
    "processor_time": Column(
        "CPU ms",
        processor_time,
        "CPU ms: processor time of one call or message in all processes, median [quartiles] (user + system).",
    ),
    "sender_time": Column("sender CPU ms", sender_time, "sender CPU ms: the sending process's share of it."),
    "receiver_time": Column("receiver CPU ms", receiver_time, "receiver CPU ms: the receiving process's share of it."),
    "bytes": Column("bytes", size, "bytes: size of the file, or of all that is sent for one message."),
    "rounds": Column("rounds", rounds, "rounds: the number of samples behind each figure of the row."),
}
DEFAULT = ("time", "ratio")


def notes(names: list[str], base: str) -> list[str]:
    """Returns the sentences under a table of these columns."""
    return [" ".join(COLUMNS[name].note.format(base=base) for name in names)]


# ---------------------------------------------------------------- text


def interval(figure: Figure | None, show: Callable[[float], str] | None = None) -> str:
    """Formats median and quartiles.

    >>> interval(Figure(10.0, 8.0, 12.5, 7)), interval(None)
    ('10 [8-12.5]', '-')
    """
    if figure is None:
        return "-"
    show = show or digits
    return f"{show(figure.median)} [{show(figure.low)}-{show(figure.high)}]"


def digits(value: float) -> str:
    """Formats a number with three digits.

    >>> digits(12.3456), digits(1500), digits(0.21)
    ('12.3', '1500', '0.21')
    """
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def whole(value: float) -> str:
    """Formats a whole number with separators.

    >>> whole(99999.6)
    '100,000'
    """
    return f"{value:,.0f}"
