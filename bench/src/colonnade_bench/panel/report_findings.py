"""Lists findings, one sentence each: times that grow faster than the data, and models that measurements contradict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from colonnade_bench.panel.growth import WARN_ABOVE, fit
from colonnade_bench.panel.model import pipelined_s, serial_s
from colonnade_bench.panel.report_answer import candidates
from colonnade_bench.panel.report_figures import medians
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_words import title
from colonnade_bench.panel.summary import Contestant, Place, Results

FINDING = 0.2
"""A larger gap between model and measurement is reported."""
MOST = 5
"""At most this many growing engines are named."""


@dataclass(frozen=True)
class Gap:
    """The two models' times for one engine over one measured link, and the measured time."""

    contestant: Contestant
    transport: str
    measured_s: float
    serial_s: float
    pipelined_s: float

    @property
    def off(self) -> float:
        """The relative gap between the nearer model and the measurement."""
        return min((said / self.measured_s - 1 for said in (self.serial_s, self.pipelined_s)), key=abs)

    @property
    def is_finding(self) -> bool:
        return abs(self.off) > FINDING


def gaps_of(results: Results, place: Place) -> Iterator[Gap]:
    """Yields every engine over every measured link."""
    size = results.full_size(place) or 1.0
    for contestant, candidate in candidates(results, place, lossy=True).items():
        for transport in results.transports(place):
            link, figure = results.link(place.run, transport), results.figure(place, contestant, transport, size)
            if link is not None and figure is not None:
                said = (model(candidate, link["bps"], link["delay_s"]) for model in (serial_s, pipelined_s))
                yield Gap(contestant, transport, figure.median, *said)


def findings(results: Results, place: Place) -> Part:
    """Returns the findings. The part has no rows if there are none."""
    rows = [[text] for text in (growing(results, place), contradicted(results, place)) if text]
    return Part("Findings", ["finding"], rows, [], "findings")


def growing(results: Results, place: Place) -> str:
    """Names the engines that certainly grow faster than the data."""
    found = []
    for contestant in results.contestants(place):
        for transport in results.transports(place):
            grown = fit(medians(results, place, contestant, transport))
            if grown is not None and grown.certain:
                found.append((grown.exponent.value, f"{contestant.name} over {title(transport)}"))
    if not found:
        return ""
    found.sort(reverse=True)
    named = ", ".join(f"{who} (exponent {exponent:.2f})" for exponent, who in found[:MOST])
    more = f" and {len(found) - MOST} more" if len(found) > MOST else ""
    return f"Elapsed time grows faster than the data, by an exponent above {WARN_ABOVE}: {named}{more}."


def contradicted(results: Results, place: Place) -> str:
    """Counts how often both models miss the measured time over a link, and names the largest gap."""
    gaps = list(gaps_of(results, place))
    far = [gap for gap in gaps if gap.is_finding]
    if not far:
        return ""
    worst = max(far, key=lambda gap: abs(gap.off))
    where = f"{worst.contestant.name} over {title(worst.transport)}, {round(100 * worst.off):+d} %"
    count = f"{len(far)} of {len(gaps)} times over a measured link"
    return f"{count} are over 20 % from both models (one after another, overlapping), furthest {where}."
