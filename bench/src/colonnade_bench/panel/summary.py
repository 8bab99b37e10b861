"""Computes figures from the records of a panel: medians with 95 % intervals, by data, engine, transport and size.

Several files are merged, but runs stay separate: figures of different runs are never divided by one another and never
share a column. An interrupted run, or one with a cut last line, counts as far as it goes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from colonnade_bench.cell import Cell
from colonnade_bench.intervals import of_median
from colonnade_bench.panel.loss_kinds import kind_of
from colonnade_bench.panel.model import Candidate
from colonnade_bench.panel.names import row_name, sentence_name
from colonnade_bench.panel.report_records import Record, merged, read_records
from colonnade_bench.summary import Figure

AnyRecord = TypeVar("AnyRecord", bound=Mapping[str, Any])

TRANSPORTS = ("memory", "buffer", "file", "file-cold", "fifo", "unix", "tcp")
"""The order of display. Shaped links follow by rate, and a remote host comes last."""


@dataclass(frozen=True, order=True)
class Place:
    """The data and run that contestants share in a comparison."""

    run: str
    dataset: str


@dataclass(frozen=True, order=True)
class Contestant:
    """A cell without its data, transport and size."""

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
        """The same contestant without its framing, which changes no table.

        Its round trip was checked without framing.
        """
        return replace(self, options=tuple(pair for pair in self.options if pair[0] != "via"))

    @property
    def name(self) -> str:
        """The name for readers.

        >>> Contestant("pickle", "pickle").name, Contestant("pyarrow", "feather", "lz4").name
        ('pickle', 'pyarrow feather lz4')
        """
        return row_name(self.engine, self.format, self.codec, self.options, self.library)

    @property
    def spoken(self) -> str:
        """The name within a sentence.

        >>> Contestant("pyarrow", "feather", "lz4").spoken
        'Feather with lz4 (pyarrow)'
        """
        return sentence_name(self.engine, self.format, self.codec, self.options, self.library)


@dataclass(frozen=True)
class Fidelity:
    """The result of a round trip's checks. `ok` is false if the round trip failed."""

    ok: bool
    losses: tuple[str, ...] = ()
    error: str = ""

    @property
    def exact(self) -> bool:
        return self.ok and not self.losses

    @property
    def values_kept(self) -> bool:
        """Whether only metadata was lost, or nothing (`loss_kinds.kind_of`)."""
        return self.ok and all(kind_of(loss) == "metadata" for loss in self.losses)


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
            points = self._points[place]  # a place where everything failed is listed too
            if record["kind"] == "panel":
                points[contestant, cell.transport][cell.size].append(record)
            elif record["kind"] == "failed":
                self._ended[place].add((contestant, cell.transport))
            elif record["kind"] == "check":
                self._checks[place, contestant].append(record)

    @classmethod
    def load(cls, *paths: Path) -> Results:
        """Reads JSON lines, or the merged file of an earlier report.

        Raises
        ------
        ValueError
            A line other than a file's last one is not a record.
        """
        return cls(merged([list(read_records(path)) for path in paths]))

    def _repr_html_(self) -> str:
        return str(notebook().results_html(self))

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame: a row for each engine, format, codec, transport and size."""
        return notebook().results_frame(self)

    def kind(self, kind: str, run: str | None = None) -> list[Record]:
        return [record for record in self._kinds.get(kind, ()) if run in (None, record["run"])]

    def of(self, kind: str, place: Place) -> list[tuple[Cell, Record]]:
        """Returns the records of a kind for cells of this place."""
        found = ((Cell.from_json(r["cell"]), r) for r in self.kind(kind, place.run) if "cell" in r)
        return [(cell, record) for cell, record in found if cell.dataset == place.dataset]

    def runs(self) -> list[str]:
        return list(dict.fromkeys(record["run"] for record in self.records))

    def places(self) -> list[Place]:
        return list(self._points)

    def contestants(self, place: Place) -> list[Contestant]:
        """Returns all contestants that were measured or checked at a place."""
        measured = {contestant for contestant, _ in self._points[place]}
        found = measured | {contestant for where, contestant in self._checks if where == place}
        return sorted(found, key=lambda each: (each.name.lower(), each))

    def transports(self, place: Place) -> list[str]:
        found = {transport for _, transport in self._points[place]}
        return sorted(found, key=lambda name: (rank(name), -(self.link_bps(place.run, name) or 0), name))

    def sizes(self, place: Place, contestant: Contestant, transport: str) -> list[float]:
        return sorted(self._points[place].get((contestant, transport), {}))

    def full_size(self, place: Place) -> float | None:
        """Returns the largest size that every curve has reached. Contestants are compared only there.

        A curve that ended early (too slow, failed) does not count. If time ran out in the middle of a size, chance
        decided which contestants have it.
        """
        curves = {key: set(sizes) for key, sizes in self._points[place].items() if sizes}
        known = sorted({size for sizes in curves.values() for size in sizes}, reverse=True)
        for size in known:
            if all(size in sizes or key in self._ended[place] for key, sizes in curves.items()):
                return size
        return known[-1] if known else None

    def samples(self, place: Place, contestant: Contestant, transport: str, size: float) -> list[Record]:
        """Returns the repetitions of a point, without the first call of each process."""
        return settled(self._points[place].get((contestant, transport), {}).get(size, []))

    def first_calls(self, place: Place, contestant: Contestant, transport: str, size: float) -> list[float]:
        """Returns the seconds of the first call of each process. Its memory is fresh, and nothing is in a cache."""
        records = self._points[place].get((contestant, transport), {}).get(size, [])
        return [record["union_s"] for record in records if record["round"] == 0]

    def stopped(self, place: Place, contestant: Contestant, transport: str) -> bool:
        """Whether a curve ended for a reason that is written down: it failed, or was too slow to go on."""
        return (contestant, transport) in self._ended[place]

    def figure(
        self, place: Place, contestant: Contestant, transport: str, size: float, metric: str = "union_s"
    ) -> Figure | None:
        """Returns the median of a metric with its interval, such as ``union_s`` or ``write.peak_nbytes``.

        None without samples.
        """
        return figure(self.samples(place, contestant, transport, size), metric)

    def curve(
        self, place: Place, contestant: Contestant, transport: str, metric: str = "union_s"
    ) -> list[tuple[float, Figure]]:
        """Returns one figure for each size, from the smallest."""
        found = (
            (s, self.figure(place, contestant, transport, s, metric)) for s in self.sizes(place, contestant, transport)
        )
        return [(size, each) for size, each in found if each is not None]

    def fidelity(self, place: Place, contestant: Contestant) -> Fidelity | None:
        """Joins all checks of a contestant. None if there was no check."""
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
        """Whether its round trip was checked and lost nothing."""
        found = self.fidelity(place, contestant)
        return found is not None and found.exact

    def baselines(self, kind: str, run: str) -> list[Record]:
        """Returns the links or floors of a run. If a resumed run measured one several times, the median counts.

        Records after the last point are left out, because no point belongs to them.
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
        """Returns the measured link of a transport."""
        return next((record for record in self.baselines("link", run) if record["transport"] == transport), None)

    def link_bps(self, run: str, transport: str) -> float | None:
        record = self.link(run, transport)
        return record["bps"] if record else None

    def candidate(self, place: Place, contestant: Contestant, size: float) -> Candidate | None:
        """Returns the costs for the model: encoding, decoding, and the bytes moved.

        The transport must measure encoding and decoding separately. Memory is preferred.
        """
        for transport in sorted({t for c, t in self._points[place] if c == contestant}, key=rank):
            samples = self.samples(place, contestant, transport, size)
            encode, decode = (cpu(samples, side, transport) for side in ("write", "read"))
            nbytes = figure(samples, "wire_nbytes")
            if encode and decode and nbytes:
                column = self.column_s(place, contestant, size)
                return Candidate(contestant.name, encode.median, decode.median, round(nbytes.median), column)
        return None

    def column_s(self, place: Place, contestant: Contestant, size: float) -> float | None:
        """Returns the least median time to read one column, over all transports."""
        found = (self.figure(place, contestant, t, size, "column_s") for t in self.transports(place))
        return min((each.median for each in found if each is not None), default=None)


def notebook() -> Any:
    """Returns the module that shows results in a notebook. It needs this one first."""
    from colonnade_bench.panel import notebook as module

    return module


def rate(record: Record) -> float:
    """Returns the rate of a link or a floor."""
    return float(record["bps"] if "bps" in record else record["nbytes"] / record["seconds"])


def settled(records: Sequence[AnyRecord]) -> list[AnyRecord]:
    """Returns the records without the first call of each process, if at least two are left.

    The first call touches fresh memory: moving a byte then takes three times as long. It is a figure of its own
    (`Results.first_calls`).
    """
    later = [record for record in records if record["round"] > 0]
    return later if len(later) > 1 else list(records)


def values_of(samples: Sequence[Record], metric: str = "union_s") -> list[float]:
    """Returns the values of a metric. Samples without it are left out."""
    return [value for sample in samples if (value := look_up(sample, metric)) is not None]


def figure(samples: Sequence[Record], metric: str) -> Figure | None:
    return estimate(values_of(samples, metric))


def estimate(values: Sequence[float]) -> Figure | None:
    """Returns the median with its 95 % interval. None without values."""
    if not values:
        return None
    found = of_median(values)
    return Figure(found.value, found.low, found.high, len(values))


def cpu(samples: Sequence[Record], side: str, transport: str) -> Figure | None:
    """Returns the time of encoding or decoding. In memory nothing else happens, so the whole call counts."""
    found = figure(samples, f"{side}.encode_s") if side == "write" else decoding(samples)
    return found or (figure(samples, f"{side}.elapsed_s") if transport == "memory" else None)


def decoding(samples: Sequence[Record]) -> Figure | None:
    """Returns the time of decoding plus one pass over all values.

    A reader that maps a file or decodes lazily does its work during that pass.
    """
    reads = [sample["read"] for sample in samples if "decode_s" in sample["read"]]
    passes = [max(0.0, read.get("usable_s", 0.0) - read.get("open_s", 0.0)) for read in reads]
    values = [read["decode_s"] + seconds for read, seconds in zip(reads, passes, strict=True)]
    return estimate(values)


def look_up(record: Record, metric: str) -> float | None:
    """Returns the value at a dotted path.

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
