"""Compares predictions with measurements: whether the model of `advise` holds on real files, pipes and links.

A prediction uses no figure of the point that it is compared with. A candidate's costs come from its records over a Unix
socket: two processes, with encoding and decoding measured separately, as `advise` does. Without such records they come
from memory. The cost of moving comes from the floor: raw bytes over the same transport, which need the same system
calls and the same fresh pages.

A buffered engine takes the sum of the parts: during encoding nothing moves, and before decoding everything has arrived.
A file is written during encoding, and read during decoding. The copy into the page cache replaces the copy into a
buffer, so each side takes the longer of the two. A reader that maps the file is faster still, which no cost of a buffer
predicts. If a file was written and read as a buffer (``via=framed``), those records are compared instead. An engine
that streams takes its slowest stage plus the fill. Sending is part of the writer's stage and receiving of the reader's,
because each end has one thread for both.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from colonnade.cli.amounts import seconds_text
from colonnade_bench.cell import Cell
from colonnade_bench.engines import ENGINES
from colonnade_bench.panel.advise import CANDIDATES
from colonnade_bench.panel.answer import DIGITS
from colonnade_bench.panel.model import Candidate, pipelined_s
from colonnade_bench.panel.summary import settled
from colonnade_bench.spec import Spec

INPUTS = ("unix", "memory")
"""The transports whose records give the costs, the best first."""
LEFT_OUT = ("memory", "buffer")
"""No data moves over these transports."""
COMPARED = ("file", "fifo", "tcp", "tcp-1gbit", "tcp-100mbit", "tcp-10mbit")
LARGE_ERROR = 0.2
GOAL_MEDIAN = 0.1
GOAL_LARGE = 2
"""The number of candidates that may exceed `LARGE_ERROR`, however many there are."""


@dataclass(frozen=True)
class Row:
    """One candidate over one transport."""

    transport: str
    name: str
    cell: Cell
    predicted_s: float
    measured_s: float
    model: str

    @property
    def error(self) -> float:
        """Predicted divided by measured, minus 1."""
        return self.predicted_s / self.measured_s - 1


@dataclass(frozen=True)
class Fit:
    """All candidates over one transport."""

    transport: str
    count: int
    median_error: float
    large: int

    @property
    def good(self) -> bool:
        """Whether the goal is met: a median of at most 10 %, and at most two over 20 %."""
        return self.median_error <= GOAL_MEDIAN and self.large <= GOAL_LARGE


@dataclass(frozen=True)
class Way:
    """The time of raw bytes over one transport: seconds for the first byte, and for each further one.

    `written` is the share of writing, for a transport that writes first and then reads.
    """

    delay_s: float
    byte_s: float
    written: float = 0.5

    def seconds(self, nbytes: float) -> float:
        return self.delay_s + self.byte_s * nbytes


def compare(records: Iterable[Mapping[str, Any]]) -> list[Row]:
    """Returns a row for each candidate and transport with a prediction and a measurement in one run on the same data.

    Modelled records (``"modelled": true``) are no measurements and are skipped.
    """
    records = [record for record in records if not record.get("modelled")]
    out: list[Row] = []
    for run in dict.fromkeys(record.get("run") for record in records):
        out += _compare_run([record for record in records if record.get("run") == run])
    return out


def _compare_run(records: Sequence[Mapping[str, Any]]) -> list[Row]:
    measured: dict[Cell, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        if record["kind"] == "panel":
            measured[Cell.from_json(record["cell"])].append(record)
    measured = {cell: settled(found) for cell, found in measured.items()}
    known = ways(records)
    out = []
    for cell, found in measured.items():
        costs = _costs(cell, measured)
        way = known.get((cell.transport, cell.dataset)) or known.get((cell.transport, None))
        framed = cell.option.get("via") == "framed"
        buffered_file = replace(cell, options=(("via", "framed"),))
        if cell.transport in (*LEFT_OUT, *INPUTS) or costs is None or way is None:
            continue
        if framed is not (cell.transport == "file" and buffered_file in measured):
            continue
        direct = cell.transport == "file" and not framed
        streamed = cell.transport != "file" and cell.format in streams(cell.engine)
        own = known.get((cell.transport.partition("-")[0], cell.dataset), way)
        out.append(
            Row(
                cell.transport,
                costs.name,
                cell,
                through_file(costs, way) if direct else predict(costs, way, own, streamed=streamed),
                statistics.median(record["union_s"] for record in found),
                "file" if direct else "overlapping" if streamed else "one after another",
            )
        )
    return out


def predict(costs: Candidate, way: Way, own: Way, *, streamed: bool) -> float:
    """Returns seconds of the union. `own` gives the ends' cost to send and to receive, without a shaped link."""
    if not streamed:
        return costs.encode_s + way.seconds(costs.nbytes) + costs.decode_s
    moving_s = own.byte_s * costs.nbytes
    ends = replace(costs, encode_s=costs.encode_s + moving_s, decode_s=costs.decode_s + moving_s)
    return pipelined_s(ends, 8 / way.byte_s, way.delay_s)


def through_file(costs: Candidate, way: Way) -> float:
    """Returns seconds of both sides, one after the other."""
    moving_s = way.seconds(costs.nbytes)
    return max(costs.encode_s, moving_s * way.written) + max(costs.decode_s, moving_s * (1 - way.written))


@dataclass(frozen=True)
class Compared(Spec):
    """A panel that measures coding and moving separately over a Unix socket. All other transports work as usual."""

    def keeps(self, cell: Cell) -> bool:
        framed = cell.option.get("via") == "framed"
        if cell.transport == "unix":
            return super().keeps(cell) and framed is (cell.format in streams(cell.engine))
        return super().keeps(cell) and (cell.transport == "file" or not framed)


def spec(dataset: str = "nycflights13", size: float = 1.0, compared: Sequence[str] = COMPARED, **more: Any) -> Compared:
    """Returns the panel to compare: the candidates of `advise`, over every transport of `compared`."""
    only = [
        {"library": "pandas", "engine": entrant.engine, "format": entrant.format, "codec": entrant.codec}
        for entrant in CANDIDATES
    ]
    engines = list(dict.fromkeys(entrant.engine for entrant in CANDIDATES))
    transports = [*reversed(INPUTS), *compared]
    return Compared(
        [dataset],
        engines,
        transport=transports,
        size=[size],
        via=["plain", "framed"],
        include=only,
        faults=False,
        **more,
    )


def ways(records: Iterable[Mapping[str, Any]]) -> dict[tuple[str, str | None], Way]:
    """Returns the cost of each transport: by dataset from the floors, or without a dataset from a shaped link.

    A shaped link's rate is the faster of the two, because other work on the machine slowed the other one down. Of a
    file's floors the unsynced one counts, if there is one, because engines do not sync either.
    """
    out: dict[tuple[str, str | None], Way] = {}
    for record in records:
        if record["kind"] == "link":
            out[record["transport"], None] = Way(record["delay_s"], 8 / record["bps"])
    synced: set[tuple[str, str | None]] = set()
    for record in records:
        if record["kind"] != "floor" or record["transport"] in LEFT_OUT or not record["nbytes"]:
            continue
        key = (record["transport"], record.get("dataset"))
        if record["what"] == "write + fsync" and key in out and key not in synced:
            continue
        (synced.add if record["what"] == "write + fsync" else synced.discard)(key)
        link = out.get((record["transport"], None), Way(0.0, float("inf")))
        byte_s = max(record["seconds"] - link.delay_s, 1e-12) / record["nbytes"]
        written = record["write_s"] / record["seconds"] if "write_s" in record else Way.written
        out[key] = Way(link.delay_s, min(byte_s, link.byte_s), written)
    return out


def streams(engine: str) -> tuple[str, ...]:
    """Returns the formats that an engine writes to an open stream. Empty for an unknown engine."""
    return ENGINES[engine].streams if engine in ENGINES else ()


def _costs(cell: Cell, measured: Mapping[Cell, Sequence[Mapping[str, Any]]]) -> Candidate | None:
    """Returns the costs of a candidate, from records that are not compared."""
    for transport in INPUTS:
        found = [
            record
            for options in ((("via", "framed"),), ())
            for record in measured.get(replace(cell, transport=transport, options=options), ())
            if transport != cell.transport and "encode_s" in record["write"] and "decode_s" in record["read"]
        ]
        if found:
            return Candidate(
                replace(cell, transport="file", options=()).contestant,
                statistics.median(record["write"]["encode_s"] for record in found),
                statistics.median(map(_usable_s, (record["read"] for record in found))),
                statistics.median(record["wire_nbytes"] for record in found),
            )
    return None


def _usable_s(read: Mapping[str, Any]) -> float:
    """Returns seconds of decoding and one pass over all values."""
    touching_s = read["usable_s"] - read["open_s"] if "usable_s" in read and "open_s" in read else 0.0
    return float(read["decode_s"] + touching_s)


def fits(rows: Sequence[Row]) -> list[Fit]:
    """Returns the quality of the model for each transport."""
    out = []
    for transport in dict.fromkeys(row.transport for row in rows):
        errors = [abs(row.error) for row in rows if row.transport == transport]
        out.append(Fit(transport, len(errors), statistics.median(errors), sum(error > LARGE_ERROR for error in errors)))
    return out


def to_markdown(rows: Sequence[Row]) -> str:
    """Formats two tables: the quality for each transport, and every candidate."""
    lines = [
        "| way | candidates | median error | over 20 % | goal |",
        "|---|---:|---:|---:|---|",
    ]
    for fit in fits(rows):
        goal = "met" if fit.good else "not met"
        lines.append(f"| {fit.transport} | {fit.count} | {fit.median_error:.0%} | {fit.large} | {goal} |")
    lines += ["", "| way | candidate | model | predicted | measured | error |", "|---|---|---|---:|---:|---:|"]
    for row in rows:
        predicted, measured = seconds_text(row.predicted_s, DIGITS), seconds_text(row.measured_s, DIGITS)
        lines.append(f"| {row.transport} | {row.name} | {row.model} | {predicted} | {measured} | {row.error:+.0%} |")
    return "\n".join(lines) + "\n"
