"""The marks of Parquet. They judge the time of the call: to pandas, everybody has made every byte by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from colonnade_bench.marks import ROUNDS_WANTED, Verdict
from colonnade_bench.marks_connections import verdict
from colonnade_bench.marks_text import STATES, TableMark
from colonnade_bench.paper_parquet import (
    BY_OURS,
    BY_PANDAS,
    COLUMNS,
    DEFAULTS,
    LARGEST,
    LOW,
    PLAIN,
    SOME,
    TABLES,
    WATCHED,
    reader,
)
from colonnade_bench.spec import Cell
from colonnade_bench.summary import Figure, Summary, geometric_mean


def named(engine: str, dataset: str = LOW, **more: Any) -> str:
    """A reader's name in the records."""
    return reader(dataset, engine, **more)[0].contestant


def written(engine: str) -> str:
    """A writer's."""
    return Cell(LOW, "pandas", engine, "parquet", DEFAULTS[engine]).contestant


def short(dataset: str) -> str:
    return dataset.removeprefix("parquet-")


@dataclass(frozen=True)
class MeanMark:
    """The geometric mean over all tables of the peer's time by ours. Judged in *first*."""

    work: str
    ours: str
    peer: str
    against: str
    least: float
    library: str = "pandas"
    operation: str = "read"
    datasets: Sequence[str] = TABLES

    def judge(self, summary: Summary) -> Verdict:
        texts, words = {}, {}
        for state in STATES:
            found = self.found(summary, state)
            mean = geometric_mean([figure.median for figure in found.values()]) if found else 0.0
            texts[state] = self.text(found, mean) if found else "-"
            words[state] = verdict([mean >= self.least], list(found.values()), len(self.datasets))
        measured = any(word != "-" for word in words.values())
        wanted = f"geomean >= {self.least:g}x"
        return Verdict(self.work, self.against, wanted, texts["first"], texts["repeat"], words["first"], measured)

    def found(self, summary: Summary, state: str) -> dict[str, Figure]:
        """The ratio of each table."""
        fixed = {"library": self.library, "operation": self.operation, "state": state, "size": 1.0}
        metric = "open_s" if self.operation == "read" else "usable_s"
        ratios = {p.dataset: summary.ratio(p, self.ours, self.peer, metric) for p in summary.places(**fixed)}
        return {name: ratio for name, ratio in ratios.items() if ratio is not None and name in self.datasets}

    def text(self, found: dict[str, Figure], mean: float) -> str:
        """The mean and the least, and what is missing from a full measurement."""
        least = min(found, key=lambda name: found[name].median)
        rounds = min(figure.n for figure in found.values())
        text = f"{mean:.2f}x; least {found[least].median:.2f}x ({short(least)})"
        text += "" if len(found) == len(self.datasets) else f"; {len(found)} of {len(self.datasets)}"
        return text + ("" if rounds >= ROUNDS_WANTED else f"; {rounds} rounds")


def sizes(summary: Summary) -> dict[str, dict[str, int]]:
    """Bytes at defaults, by table and engine; whole tables only."""
    out: dict[str, dict[str, int]] = {}
    for cell, record in summary.checks():
        own = cell.format == "parquet" and "of" not in cell.option and cell.codec == DEFAULTS.get(cell.engine)
        if own and cell.size == 1.0 and record.get("wire_nbytes"):
            out.setdefault(cell.dataset, {})[cell.engine] = record["wire_nbytes"]
    return out


@dataclass(frozen=True)
class SmallerMark:
    """pyarrow's bytes by ours, both at defaults: the geometric mean over all tables."""

    work: str = "from pandas, at defaults: size"
    least: float = 1.3

    def judge(self, summary: Summary) -> Verdict:
        found = {
            name: each["pyarrow"] / each["colonnade"]
            for name, each in sizes(summary).items()
            if name in TABLES and {"pyarrow", "colonnade"} <= each.keys()
        }
        wanted = f"geomean >= {self.least:g}x smaller"
        if not found:
            return Verdict(self.work, written("pyarrow"), wanted, "-", "", "-", False)
        mean, least = geometric_mean(found.values()), min(found, key=lambda name: found[name])
        text = f"{mean:.2f}x; least {found[least]:.2f}x ({short(least)})"
        word = "short" if mean < self.least else "pass" if len(found) == len(TABLES) else "partly"
        return Verdict(self.work, written("pyarrow"), wanted, text, "", word, True)


@dataclass(frozen=True)
class SmallestMark:
    """The largest tables in no more bytes than the best peer's at its defaults."""

    work: str = "from pandas, at defaults: size of taxi and flights"

    def judge(self, summary: Summary) -> Verdict:
        parts, good = [], []
        for name, each in sizes(summary).items():
            peers = {engine: nbytes for engine, nbytes in each.items() if engine != "colonnade"}
            if name in LARGEST and peers and "colonnade" in each:
                best = min(peers, key=lambda engine: peers[engine])
                good.append(each["colonnade"] <= peers[best])
                parts.append(f"{short(name)} {each['colonnade'] / 1e6:.1f} MB, {best} {peers[best] / 1e6:.1f} MB")
        word = "-" if not good else "short" if not all(good) else "pass" if len(good) == len(LARGEST) else "partly"
        return Verdict(self.work, "the smallest peer", "<= it", "; ".join(parts) or "-", "", word, bool(good))


@dataclass(frozen=True)
class PeakMark:
    """Peak private growth of a read to pandas, as a multiple of the frame; the largest counts."""

    work: str = "peak memory of the read to pandas"
    most: float = 1.15

    def judge(self, summary: Summary) -> Verdict:
        shares: dict[str, float] = {}
        for record in summary.kind("memory"):
            cell = Cell.from_json(record["cell"])
            whole = cell.size == 1.0 and cell.dataset in (LOW, *WATCHED) and record["frame_nbytes"]
            if cell.engine == "colonnade" and whole:
                shares[short(cell.dataset)] = record["private_nbytes"] / record["frame_nbytes"]
        text = ", ".join(f"{name} {share:.3f}x" for name, share in shares.items()) or "-"
        word = "-" if not shares else "pass" if max(shares.values()) <= self.most else "short"
        return Verdict(self.work, "the frame", f"<= {self.most}x", text, "", word, bool(shares))


def _low(what: str, of: str, peer: str, against: str, least: float) -> TableMark:
    ours = named("colonnade", of=of, threads=2)
    work = f"low entropy {what}, snappy, to pandas"
    return TableMark(work, ours, "read", (peer,), against, least, (LOW,), metric="open_s")


def _mean(peer: str, against: str, least: float, library: str = "pandas") -> MeanMark:
    return MeanMark(f"{len(TABLES)} tables to {library}", named("colonnade"), named(peer), against, least, library)


PYARROW = "`pq.read_table().to_pandas()`"
PARQUET_MARKS: list[TableMark | MeanMark | SmallerMark | SmallestMark | PeakMark] = [
    _low("with dictionary", BY_PANDAS, named("pyarrow", of=BY_PANDAS, threads=2), PYARROW, 4.0),
    _low("with dictionary", BY_PANDAS, "limit fill threads=2", "a bare parallel fill", 0.7),
    _low("without dictionary", PLAIN, named("pyarrow", of=PLAIN, threads=2), PYARROW, 2.3),
    _mean("pyarrow", PYARROW, 3.0),
    _mean("polars", "`pl.read_parquet().to_pandas()`", 2.0),
    _mean("duckdb", "`duckdb.read_parquet().df()`", 4.0),
    _mean("pyarrow", "`pq.read_table`", 1.3, "pyarrow"),
    _mean("polars", "`pl.read_parquet`", 1.3, "polars"),
    TableMark(
        "200 of 18,000 columns to pandas",
        named("colonnade", columns=SOME),
        "read",
        (named("pyarrow", columns=SOME),),
        "`pq.read_table(columns=).to_pandas()`",
        15.0,
        (COLUMNS,),
        metric="open_s",
    ),
    MeanMark(
        "from pandas, at defaults: time",
        written("colonnade"),
        written("pyarrow"),
        "`pq.write_table`",
        3.0,
        operation="write",
    ),
    SmallerMark(),
    SmallestMark(),
    MeanMark(
        "our files at defaults, read by pyarrow",
        named("pyarrow", of=BY_OURS),
        named("pyarrow"),
        "its own files, read by pyarrow",
        1.0,
    ),
    PeakMark(),
]
