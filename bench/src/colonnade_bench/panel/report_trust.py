"""Builds tables on reliability: losses of a round trip, outcomes of damaged copies, and failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from colonnade.cli.amounts import nbytes_text
from colonnade_bench.panel.report_figures import ordered, security
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_records import Record
from colonnade_bench.panel.report_words import fraction, title
from colonnade_bench.panel.summary import Contestant, Place, Results


def fidelity(results: Results, place: Place) -> Part:
    rows = []
    for contestant in ordered(results, place):
        found = results.fidelity(place, contestant)
        if found is None:
            rows.append([contestant.name, "not checked", "-"])
        elif found.ok:
            rows.append([contestant.name, "exact" if found.exact else "with losses", "; ".join(found.losses) or "-"])
        else:
            rows.append([contestant.name, "failed", found.error or "-"])
    return Part("Fidelity", ["contestant", "round trip", "what is lost"], rows, [], "fidelity")


def safety(results: Results, place: Place) -> Part:
    outcomes: dict[Contestant, dict[str, dict[str, None]]] = {}
    for cell, record in results.of("fault", place):
        found = outcomes.setdefault(Contestant.of(cell), {}).setdefault(record["what"], {})
        found[record["outcome"]] = None
    rows = []
    for contestant in results.contestants(place):
        seen = outcomes.get(contestant, {})
        words = [", ".join(seen.get(what, {})) or "-" for what in ("truncated", "flipped")]
        rows.append([contestant.name, *words, security(results, place, contestant.engine, contestant.format)])
    notes = ["Unnoticed: no error, and the result is still right. Silently wrong: no error, other values."]
    header = [
        "contestant",
        "a truncated copy",
        "a copy with a flipped bit",
        "can reading run code? is there a checksum?",
    ]
    return Part("Safety", header, rows if outcomes else [], notes, "safety")


LEAST_NBYTES = 4 << 20
"""The least growth of memory after a repetition that is reported. Pools and caches grow a little now and then."""


def leaks(results: Results, place: Place) -> Iterator[tuple[str, str, str]]:
    """Yields contestants whose memory grows after each of the last repetitions by half of the data or of its bytes."""
    for contestant in results.contestants(place):
        for transport in results.transports(place):
            for size in results.sizes(place, contestant, transport)[-1:]:
                samples = results.samples(place, contestant, transport, size)
                for side in ("write", "read"):
                    found = grows(samples, side)
                    if found:
                        kept = f"it leaks: {nbytes_text(found)} more are held after each repetition"
                        yield contestant.name, f"{title(transport)}, {fraction(size)}, {side}", kept
                        break


def grows(samples: Sequence[Record], side: str) -> int:
    """Returns the growth of memory after each of the last two repetitions of one process. 0 if it is too small."""
    last = samples[-3:]
    held = [sample[side].get("held_nbytes") for sample in last]
    if len(last) < 3 or None in held or [sample["round"] for sample in last] != sorted(s["round"] for s in last):
        return 0
    least = min(after - before for before, after in pairwise(held))
    data = min(last[-1].get("frame_nbytes") or 0, last[-1].get("wire_nbytes") or 0)
    return least if least > max(LEAST_NBYTES, data // 2) else 0


def failures(results: Results, place: Place) -> Part:
    """Shows failures and missing engines: one row each, with the reason."""
    where: dict[tuple[str, str], list[str]] = {}
    for cell, record in results.of("failed", place):
        key = Contestant.of(cell).name, str(record["reason"])
        where.setdefault(key, []).append(f"{title(cell.transport)}, {fraction(cell.size)}")
    for cell, record in results.of("check", place):
        if not record["ok"]:
            key = Contestant.of(cell).name, str(record.get("error", ""))
            where.setdefault(key, []).append(f"{title(cell.transport)}, check")
    for record in results.kind("missing", place.run):
        where.setdefault((str(record["engine"]), str(record["reason"])), []).append("not measured")
    for name, place_of, reason in leaks(results, place):
        where.setdefault((name, reason), []).append(place_of)
    rows = [[name, "; ".join(dict.fromkeys(places)), reason] for (name, reason), places in where.items()]
    return Part("Failures, and what is missing", ["contestant", "where", "why"], rows, [], "failures")
