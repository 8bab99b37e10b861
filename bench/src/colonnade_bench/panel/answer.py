"""Computes an answer from measurements: the winner here, the winners on other links, and the certainty.

It measures nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from colonnade.cli.amounts import bit_rate_text, nbytes_text, seconds_text
from colonnade_bench.intervals import told_apart
from colonnade_bench.panel.measure_link import Link
from colonnade_bench.panel.model import Candidate, Regret, least_regret, pipelined_s, serial_s, winners
from colonnade_bench.panel.race import Standing
from colonnade_bench.panel.report_words import listed
from colonnade_bench.panel.sample import Sample
from colonnade_bench.panel.takeovers import beside

LOW_BPS, HIGH_BPS = 1e6, 100e9
"""The range of links to consider besides the given one."""
ROBUST_FACTOR = 10.0
"""The robust pick covers links that are up to this many times slower or faster."""
GAP = 0.2
"""A larger difference between model and measurement is reported."""

DIGITS = 2
"""Digits of predicted times, sizes and rates: a model is no more exact."""


@dataclass(frozen=True)
class Walk:
    """The measured way of the winner, median of the repetitions: seconds of the parts and of the whole."""

    encode_s: float
    move_s: float
    decode_s: float
    total_s: float
    model_s: float

    @property
    def gap(self) -> float:
        """Measured divided by modelled, minus 1."""
        return self.total_s / self.model_s - 1


@dataclass
class Answer:
    """All findings.

    Attributes
    ----------
    columns : tuple of str
        The columns to read. Empty means all.
    floors : dict
        Seconds of a copy in memory, of the raw frame over the link, of writing it to disk.
    path : Walk or None
        None if the way could not be tried.
    """

    sample: Sample
    link: Link
    standings: Sequence[Standing]
    reads: int = 1
    columns: tuple[str, ...] = ()
    floors: dict[str, float] = field(default_factory=dict)
    path: Walk | None = None
    reason: str = "complete"

    @property
    def bps(self) -> float:
        """The rate of the link, for the given number of reads."""
        return self.link.per_read_bps(self.reads)

    @property
    def share(self) -> float:
        """The share of columns for the model: all, or the least.

        The least is then the time of reading the wanted columns.
        """
        return 0.0 if self.columns else 1.0

    @property
    def low_bps(self) -> float:
        return min(LOW_BPS, self.bps / 2)

    @property
    def high_bps(self) -> float:
        return max(HIGH_BPS, self.bps * 2)

    def seconds(self, candidate: Candidate) -> float:
        """Seconds over this link, one step after another."""
        return serial_s(candidate, self.bps, self.link.delay_s, self.reads, self.share)

    def pipelined(self, candidate: Candidate) -> float:
        """Seconds over this link if the steps overlap."""
        return pipelined_s(candidate, self.bps, self.link.delay_s, self.reads, self.share)

    def of(self, standing: Standing) -> Candidate:
        """The costs of a standing, scaled to the whole frame."""
        return standing.candidate(self.sample.scale)

    def ranked(self, *, lossless: bool) -> list[Standing]:
        """Returns the measured standings, fastest over this link first: the lossless ones, or the others."""
        found = [s for s in self.standings if s.measured and s.lossless is lossless]
        return sorted(found, key=lambda standing: self.seconds(self.of(standing)))

    @property
    def contenders(self) -> list[Standing]:
        """The standings to compare: the lossless ones, or all others if there are none."""
        return self.ranked(lossless=True) or self.ranked(lossless=False)

    @property
    def ribbon(self) -> list[tuple[float, float, str]]:
        """The winner of each range of rates."""
        return winners([self.of(s) for s in self.contenders], self.low_bps, self.high_bps, self.reads, self.share)

    @property
    def winner(self) -> Standing:
        """The fastest standing. Raises IndexError if nothing was measured."""
        return self.contenders[0]

    @property
    def tied(self) -> list[Standing]:
        """The standings that ran all laps and whose medians' ratio to the winner has an interval that holds 1."""
        first = self.lap_seconds(self.winner)
        return [s for s in self.contenders[1:] if not s.out and not told_apart(self.lap_seconds(s), first)]

    def lap_seconds(self, standing: Standing) -> list[float]:
        """Returns the seconds of each lap, over this link."""
        scale = self.sample.scale
        part_s = None if standing.columns_s is None else standing.columns_s * scale
        laps = (
            Candidate("", lap.encode_s * scale, lap.decode_s * scale, lap.nbytes * scale, part_s)
            for lap in standing.shown
        )
        return [self.seconds(lap) for lap in laps]

    @property
    def robust(self) -> Regret:
        """The best pick if the link is not well known."""
        low, high = self.bps / ROBUST_FACTOR, self.bps * ROBUST_FACTOR
        return least_regret([self.of(s) for s in self.contenders], low, high, self.link.delay_s, self.reads, self.share)

    @property
    def limit(self) -> str:
        """The part that takes most of the winner's time."""
        candidate = self.of(self.winner)
        parts = {
            "the disk" if self.link.disk else "the link": self.reads
            * (8 * candidate.nbytes / self.bps + self.link.delay_s),
            "encoding": candidate.encode_s,
            "decoding": self.reads * candidate.decoding_s(self.share),
        }
        return max(parts, key=lambda name: parts[name])

    @property
    def achievable_s(self) -> float:
        """Seconds for the winner's bytes over this link plus one copy of the frame.

        No format of that size can be faster.
        """
        candidate = self.of(self.winner)
        moving = self.reads * (8 * candidate.nbytes / self.bps + self.link.delay_s)
        return moving + self.floors.get("memcpy", 0.0)

    def rows_of(self, engine: str) -> int:
        """The number of contenders of an engine. The best of many is faster by chance."""
        return sum(standing.entrant.engine == engine for standing in self.contenders)

    @property
    def findings(self) -> list[str]:
        """Further facts for the reader: a sample, an early end, a model that does not fit."""
        out = [self.sample.note, self.link.note]
        if self.reason != "complete":
            left = sum(not standing.shown and not standing.out for standing in self.standings)
            unmeasured = sum(standing.out.startswith("not measured") for standing in self.standings) + left
            out.append(f"The race ended early ({self.reason}); {unmeasured} candidates were not measured.")
        if self.contenders and (many := self.rows_of(self.winner.entrant.engine)) > 1:
            engine = self.winner.entrant.engine
            most = max(
                (self.rows_of(s.entrant.engine) for s in self.contenders if s.entrant.engine != engine), default=0
            )
            out.append(f"The winner is the best of {many} candidates of {engine}; another engine has {most} at most.")
        if few := [f"{s.entrant.name} ({s.count})" for s in self.contenders if not s.certain and not s.out]:
            out.append(f"Too few laps for an interval: {listed(few)}.")
        if self.contenders and not self.winner.lossless:
            out.append("No candidate brings this frame back as it was; the losses are listed.")
        if self.path is not None and abs(self.path.gap) > GAP:
            how = f"{abs(self.path.gap):.0%} {'longer' if self.path.gap > 0 else 'shorter'}"
            measured, modelled = seconds_text(self.path.total_s, DIGITS), seconds_text(self.path.model_s, DIGITS)
            out.append(f"Finding: the measured path took {measured}, {how} than the model's {modelled}.")
        return [text for text in out if text]

    @property
    def sentence(self) -> str:
        """The answer in one line: who wins here and elsewhere, then the frame, ties, limits."""
        return f"{self.headline} {self.context}" if self.contenders else self.context

    @property
    def headline(self) -> str:
        """The first sentences: the winner over this link, and the winners over slower and faster ones."""
        if not self.contenders:
            return "Nothing was measured."
        over = f"to {self.link.where} and back" if self.link.disk else f"over {bit_rate_text(self.bps, DIGITS)}"
        took = seconds_text(self.seconds(self.of(self.winner)), DIGITS)
        few = "" if self.winner.certain else f" ({self.winner.count} only)"
        word = "Fastest" if self.winner.lossless else "Fastest, with losses,"
        return f"{word} {over}: {self.winner.entrant.spoken}, {took}{few}. {self._elsewhere()}".rstrip()

    @property
    def context(self) -> str:
        """The sentence after the headline: the frame, the way, ties, the limit."""
        nrows, ncols, nbytes = self.sample.nrows, self.sample.ncols, nbytes_text(self.sample.nbytes, DIGITS)
        frame = f"For this frame ({nrows:,} x {ncols:,}, {nbytes}), {self._way()}"
        if not self.contenders:
            return f"{frame}: nothing was measured."
        tied = "tied with " + listed([s.entrant.spoken for s in self.tied]) if self.tied else "no ties"
        return f"{frame}: {tied}; limited by {self.limit}."

    def _way(self) -> str:
        figures = bit_rate_text(self.bps, DIGITS) + (
            f", {seconds_text(self.link.delay_s, DIGITS)}" if self.link.delay_s else ""
        )
        way = f"to {self.link.where} and back" if self.link.disk else "from here to there"
        reads = f", read {self.reads} times" if self.reads > 1 else ""
        if self.columns:
            reads += f", {len(self.columns)} of {self.sample.ncols} columns read"
        return f"{way}{reads} ({'measured' if self.link.measured else 'given as'} {figures})"

    def _elsewhere(self) -> str:
        """Says which candidates win on slower and on faster links."""
        spoken = {s.entrant.name: s.entrant.spoken for s in self.contenders}
        return beside(self.ribbon, self.bps, self.winner.entrant.name, spoken, lambda bps: bit_rate_text(bps, DIGITS))

    def to_json(self) -> dict[str, Any]:
        """Returns everything for a JSON file."""
        rows = []
        for standing in self.standings:
            entrant = standing.entrant
            row: dict[str, Any] = {
                "name": entrant.name, "engine": entrant.engine, "format": entrant.format, "codec": entrant.codec,
                "losses": standing.losses, "out": standing.out or None,
                "nlaps": len(standing.laps),
                "laps": [[lap.encode_s, lap.decode_s, lap.nbytes] for lap in standing.laps],
                "first_lap": None,
            }  # fmt: skip
            if standing.first is not None:
                row["first_lap"] = [standing.first.encode_s, standing.first.decode_s, standing.first.nbytes]
            if standing.shown:
                candidate = self.of(standing)
                row.update(
                    encode_s=candidate.encode_s, decode_s=candidate.decoding_s(self.share), nbytes=candidate.nbytes,
                    serial_s=self.seconds(candidate), pipelined_s=self.pipelined(candidate),
                )  # fmt: skip
            rows.append(row)
        sample = self.sample
        out: dict[str, Any] = {
            "kind": "advice",
            "sentence": self.sentence,
            "frame": {"nrows": sample.nrows, "ncols": sample.ncols, "nbytes": sample.nbytes},
            "sample": {"nrows": len(sample.frame), "nbytes": sample.sample_nbytes, "nblocks": sample.nblocks},
            "link": {**vars(self.link), "reads": self.reads, "columns": list(self.columns)},
            "reason": self.reason,
            "candidates": rows,
            "floors": self.floors,
            "findings": self.findings,
        }
        if self.contenders:
            robust = self.robust
            out["winner"] = self.winner.entrant.name
            out["tied"] = [standing.entrant.name for standing in self.tied]
            out["ribbon"] = [{"from_bps": a, "to_bps": b, "name": name} for a, b, name in self.ribbon]
            out["robust"] = {"name": robust.name, "worst_regret": robust.worst, "at_bps": robust.bps}
            out["achievable"] = self.achievable_s / self.seconds(self.of(self.winner))
        if self.path is not None:
            out["path"] = {**vars(self.path), "gap": self.path.gap}
        return out
