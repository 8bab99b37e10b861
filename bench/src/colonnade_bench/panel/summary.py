"""The records of a panel as figures: medians with quartiles, by data, contestant, transport and size.

Several files are merged, one run beside the other: figures of different runs are never divided by one another, and
never stand in one column. A run that was interrupted, or whose last line is cut, counts as far as it goes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from colonnade_bench.cell import Cell
from colonnade_bench.panel.model import Candidate
from colonnade_bench.panel.report_records import Record, merged, read_records
from colonnade_bench.summary import Figure

TRANSPORTS = ("memory", "buffer", "file", "fifo", "unix", "tcp")
"""In the order in which they are shown; shaped links follow by rate, a remote host comes last."""

UNMARKED = ("pandas", "data.frame")
"""What a panel starts from and ends with; other libraries are named beside the contestant."""


@dataclass(frozen=True, order=True)
class Place:
    """Where contestants meet: the same data in one run."""

    run: str
    dataset: str


@dataclass(frozen=True, order=True)
class Contestant:
    """A cell less its data, transport and size."""

    engine: str
    format: str
    codec: str = "none"
    library: str = "pandas"
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, cell: Cell) -> Contestant:
        return cls(cell.engine, cell.format, cell.codec, cell.library, cell.options)

    @property
    def plain(self) -> Contestant:
        """The same without its framing, which changes no table: as its round trip was looked at."""
        return replace(self, options=tuple(pair for pair in self.options if pair[0] != "via"))

    @property
    def name(self) -> str:
        """What a reader sees.

        >>> Contestant("pickle", "pickle").name, Contestant("pyarrow", "feather", "lz4").name
        ('pickle', 'pyarrow feather lz4')
        """
        words = [self.engine] + [self.format] * (self.format != self.engine)
        words += [self.codec] * (self.codec != "none") + [f"{key}={value}" for key, value in self.options]
        return " ".join(words) + f" [{self.library}]" * (self.library not in UNMARKED)


@dataclass(frozen=True)
class Fidelity:
    """What a round trip keeps. `ok` is false where nothing came back."""

    ok: bool
    losses: tuple[str, ...] = ()
    error: str = ""

    @property
    def exact(self) -> bool:
        return self.ok and not self.losses


class Results:
    """All records of one or several runs.

    Examples
    --------
    >>> Results([]).places()
    []
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self.records = list(records)
        self._points: dict[Place, dict[tuple[Contestant, str], dict[float, list[Record]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        self._checks: dict[tuple[Place, Contestant], list[Record]] = defaultdict(list)
        self._kinds: dict[str, list[Record]] = defaultdict(list)
        self._ended: dict[Place, set[tuple[Contestant, str]]] = defaultdict(set)
        self._baselines: dict[tuple[str, str], list[Record]] = {}
        for record in self.records:
            self._kinds[record["kind"]].append(record)
            if record["kind"] not in ("panel", "check", "failed"):
                continue
            cell = Cell.from_json(record["cell"])
            place, contestant = Place(record["run"], cell.dataset), Contestant.of(cell)
            points = self._points[place]  # A place where all failed is a place.
            if record["kind"] == "panel":
                points[contestant, cell.transport][cell.size].append(record)
            elif record["kind"] == "failed":
                self._ended[place].add((contestant, cell.transport))
            elif record["kind"] == "check":
                self._checks[place, contestant].append(record)

    @classmethod
    def load(cls, *paths: Path) -> Results:
        """From JSON lines, or from the merged file of an earlier report.

        Raises
        ------
        ValueError
            A line other than a file's last one is no record.
        """
        return cls(merged([list(read_records(path)) for path in paths]))

    def kind(self, kind: str, run: str | None = None) -> list[Record]:
        return [record for record in self._kinds.get(kind, ()) if run in (None, record["run"])]

    def of(self, kind: str, place: Place) -> list[tuple[Cell, Record]]:
        """Records of a kind that speak of a cell of this place."""
        found = ((Cell.from_json(r["cell"]), r) for r in self.kind(kind, place.run) if "cell" in r)
        return [(cell, record) for cell, record in found if cell.dataset == place.dataset]

    def runs(self) -> list[str]:
        return list(dict.fromkeys(record["run"] for record in self.records))

    def places(self) -> list[Place]:
        return list(self._points)

    def contestants(self, place: Place) -> list[Contestant]:
        """All that were measured or checked there."""
        measured = {contestant for contestant, _ in self._points[place]}
        found = measured | {contestant for where, contestant in self._checks if where == place}
        return sorted(found, key=lambda each: (each.name.lower(), each))

    def transports(self, place: Place) -> list[str]:
        found = {transport for _, transport in self._points[place]}
        return sorted(found, key=lambda name: (rank(name), -(self.link_bps(place.run, name) or 0), name))

    def sizes(self, place: Place, contestant: Contestant, transport: str) -> list[float]:
        return sorted(self._points[place].get((contestant, transport), {}))

    def full_size(self, place: Place) -> float | None:
        """The largest size that every curve has come to; there, and only there, contestants are compared.

        A curve that has ended before (too slow, failed) does not count. Where time was over in the middle of a size,
        who had been measured at it was chance.
        """
        curves = {key: set(sizes) for key, sizes in self._points[place].items() if sizes}
        known = sorted({size for sizes in curves.values() for size in sizes}, reverse=True)
        for size in known:
            if all(size in sizes or key in self._ended[place] for key, sizes in curves.items()):
                return size
        return known[-1] if known else None

    def samples(self, place: Place, contestant: Contestant, transport: str, size: float) -> list[Record]:
        return self._points[place].get((contestant, transport), {}).get(size, [])

    def figure(
        self, place: Place, contestant: Contestant, transport: str, size: float, metric: str = "union_s"
    ) -> Figure | None:
        """Median and quartiles of a metric such as ``union_s`` or ``write.peak_nbytes``; None where it is not there."""
        return figure(self.samples(place, contestant, transport, size), metric)

    def curve(
        self, place: Place, contestant: Contestant, transport: str, metric: str = "union_s"
    ) -> list[tuple[float, Figure]]:
        """A figure a size, from the smallest."""
        found = (
            (s, self.figure(place, contestant, transport, s, metric)) for s in self.sizes(place, contestant, transport)
        )
        return [(size, each) for size, each in found if each is not None]

    def ranking(self, place: Place, transport: str) -> list[tuple[Contestant, Figure]]:
        """Those measured at the full size, the fastest first."""
        size = self.full_size(place)
        if size is None:
            return []
        found = ((c, self.figure(place, c, transport, size)) for c in self.contestants(place))
        return sorted(((c, f) for c, f in found if f is not None), key=lambda pair: pair[1].median)

    def fidelity(self, place: Place, contestant: Contestant) -> Fidelity | None:
        """What all checks of a contestant say together; None where there was none."""
        records = self._checks.get((place, contestant.plain))
        if not records:
            return None
        losses = dict.fromkeys(loss for record in records for loss in record.get("losses") or ())
        for record in records:
            for way, more in record.get("by_way", {}).items():
                losses |= dict.fromkeys(f"by a {way}: {loss}" for loss in more)
        bad = [record for record in records if not record["ok"]]
        if len(bad) == len(records):
            return Fidelity(False, (), str(bad[0].get("error", "")))
        return Fidelity(True, tuple(losses))

    def exact(self, place: Place, contestant: Contestant) -> bool:
        """Whether its round trip was looked at and lost nothing."""
        found = self.fidelity(place, contestant)
        return found is not None and found.exact

    def baselines(self, kind: str, run: str) -> list[Record]:
        """The links or floors of a run; of one that was measured in pieces, the middle one of each.

        What was measured after the last point is left out: no point stands on it.
        """
        if (kind, run) not in self._baselines:
            of_run = [record for record in self.records if record["run"] == run]
            end = max((k for k, record in enumerate(of_run) if record["kind"] == "panel"), default=len(of_run))
            found = [record for record in of_run[:end] if record["kind"] == kind] or self.kind(kind, run)
            pieces: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
            for record in found:
                pieces[record["transport"], record.get("dataset"), record.get("what")].append(record)
            self._baselines[kind, run] = [sorted(each, key=rate)[len(each) // 2] for each in pieces.values()]
        return self._baselines[kind, run]

    def link(self, run: str, transport: str) -> Record | None:
        """What was measured of a link."""
        return next((record for record in self.baselines("link", run) if record["transport"] == transport), None)

    def link_bps(self, run: str, transport: str) -> float | None:
        record = self.link(run, transport)
        return record["bps"] if record else None

    def candidate(self, place: Place, contestant: Contestant, size: float) -> Candidate | None:
        """What the model needs: encoding and decoding apart, in memory where that was measured, and bytes moved."""
        for transport in sorted({t for c, t in self._points[place] if c == contestant}, key=rank):
            samples = self.samples(place, contestant, transport, size)
            encode, decode = (cpu(samples, side, transport) for side in ("write", "read"))
            nbytes = figure(samples, "wire_nbytes")
            if encode and decode and nbytes:
                column = self.column_s(place, contestant, size)
                return Candidate(contestant.name, encode.median, decode.median, round(nbytes.median), column)
        return None

    def column_s(self, place: Place, contestant: Contestant, size: float) -> float | None:
        """The least median time to read one column, over all transports."""
        found = (self.figure(place, contestant, t, size, "column_s") for t in self.transports(place))
        return min((each.median for each in found if each is not None), default=None)


def rate(record: Record) -> float:
    """How fast a link or a floor was."""
    return float(record["bps"] if "bps" in record else record["nbytes"] / record["seconds"])


def figure(samples: Sequence[Record], metric: str) -> Figure | None:
    values = [value for sample in samples if (value := look_up(sample, metric)) is not None]
    return Figure.of(values) if values else None


def cpu(samples: Sequence[Record], side: str, transport: str) -> Figure | None:
    """Encoding or decoding alone. In memory there is nothing else, so the whole call counts."""
    found = figure(samples, f"{side}.encode_s") if side == "write" else decoding(samples)
    return found or (figure(samples, f"{side}.elapsed_s") if transport == "memory" else None)


def decoding(samples: Sequence[Record]) -> Figure | None:
    """Decoding and one pass over all values: a reader that maps or decodes later pays then."""
    reads = [sample["read"] for sample in samples if "decode_s" in sample["read"]]
    passes = [max(0.0, read.get("usable_s", 0.0) - read.get("open_s", 0.0)) for read in reads]
    values = [read["decode_s"] + seconds for read, seconds in zip(reads, passes, strict=True)]
    return Figure.of(values) if values else None


def look_up(record: Record, metric: str) -> float | None:
    """The value at a dotted path.

    >>> look_up({"write": {"encode_s": 0.5}}, "write.encode_s")
    0.5
    """
    value: Any = record
    for name in metric.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return None if value is None else float(value)


def rank(transport: str) -> int:
    if transport in TRANSPORTS:
        return TRANSPORTS.index(transport)
    return len(TRANSPORTS) + (transport == "remote")
