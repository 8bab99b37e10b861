"""Decides which links the page offers, and says why an engine has no figure over a way."""

from __future__ import annotations

from typing import Any

from colonnade_bench.panel.ranking import Ranking
from colonnade_bench.panel.report_answer import HIGH_BPS, LOW_BPS
from colonnade_bench.panel.report_figures import floors_of
from colonnade_bench.panel.report_words import one_line
from colonnade_bench.panel.summary import Contestant, Place, Results

MEASURED = (("Memory", "memory"), ("File", "file"))
"""Presets of a way that has no rate of its own."""
LINKS = (("Wi-Fi 100 Mbit/s", 1e8), ("1 GbE", 1e9), ("10 GbE", 1e10), ("NVMe 3 GB/s", 24e9))
"""Presets of a link, in bits per second. A link that the run was asked for at this rate is measured."""

FASTER = 1.1
"""A link that is faster than asked by more than this factor is not the link of the preset."""


def presets(results: Results, place: Place, ways: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Returns the presets, and the number of the one to begin with.

    `way` is the number of the way that was measured, or None: then the preset is modelled. Ways without a preset come
    last, as `more`. The page begins with the last way that has rows, as the headline does: readers ask about a real
    link first.
    """
    numbers = {each["id"]: number for number, each in enumerate(ways)}
    out: list[dict[str, Any]] = []
    for label, transport in MEASURED:
        if transport in numbers or transport == "memory":
            out.append({"label": label, "way": numbers.get(transport), "bps": HIGH_BPS})
    out += [{"label": label, "way": link_of(results, place, ways, bps), "bps": bps} for label, bps in LINKS]
    used = {each["way"] for each in out}
    rest = [(each["title"], number) for number, each in enumerate(ways) if number not in used]
    out += [{"label": label, "way": number, "bps": ways[number]["bps"], "more": True} for label, number in rest]
    last = max((number for number, each in enumerate(ways) if each["exact"] or each["lossy"]), default=None)
    first = next((k for k, each in enumerate(out) if last is not None and each["way"] == last), 0)
    return out, first


def link_of(results: Results, place: Place, ways: list[dict[str, Any]], bps: float) -> int | None:
    """Returns the number of the way that is a link without delay, asked for at this rate and at most as fast."""
    for number, each in enumerate(ways):
        record = results.link(place.run, each["id"])
        if record and record.get("asked_bps") == bps >= record["bps"] / FASTER and not record.get("asked_delay_s"):
            return number
    return None


def raw_bps(results: Results, place: Place, transport: str) -> float:
    """Returns the rate at which raw bytes move over a transport without a link: where the slider begins."""
    found = [
        8 * record["nbytes"] / record["seconds"]
        for record in floors_of(results, place)
        if record["transport"] == transport and record["what"] == "raw bytes"
    ]
    return min(max(found[-1], LOW_BPS), HIGH_BPS) if found else HIGH_BPS


def absent(results: Results, place: Place, found: Ranking, numbers: dict[Contestant, int]) -> list[list[str]]:
    """Returns the name and the reason of each engine that has no figure over this way."""
    measured = {row.contestant for row in (*found.exact, *found.lossy)}
    reasons = {
        Contestant.of(cell): str(record["reason"])
        for cell, record in results.of("failed", place)
        if cell.transport == found.transport
    }
    out = []
    for contestant in dict.fromkeys((*numbers, *found.unmeasured)):
        if contestant in measured:
            continue
        fidelity = results.fidelity(place, contestant)
        failed = f"round trip failed: {fidelity.error}" if fidelity is not None and not fidelity.ok else ""
        ended = "not measured: the run ended before" if contestant in found.unmeasured else "not measured on this way"
        out.append([contestant.name, one_line(reasons.get(contestant) or failed or ended)])
    out += [[str(record["engine"]), one_line(str(record["reason"]))] for record in results.kind("missing", place.run)]
    return out
