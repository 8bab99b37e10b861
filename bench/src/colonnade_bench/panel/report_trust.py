"""Builds tables on reliability: losses of a round trip, outcomes of damaged copies, and failures."""

from __future__ import annotations

from collections.abc import Iterator

from colonnade.cli.amounts import nbytes_text
from colonnade_bench.panel.leaks import proven
from colonnade_bench.panel.report_figures import ordered, security
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_words import fraction, one_line, title
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
            rows.append([contestant.name, "failed", one_line(found.error) or "-"])
    return Part("What is lost?", ["engine", "round trip", "what is lost"], rows, [], "fidelity")


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
        "engine",
        "a truncated copy",
        "a copy with a flipped bit",
        "can reading run code? is there a checksum?",
    ]
    return Part("Safety", header, rows if outcomes else [], notes, "safety")


def leaks(results: Results, place: Place) -> Iterator[tuple[str, str, str]]:
    """Yields the engine's rows that a trial proved to leak."""
    for cell, found in proven(record for _, record in results.of("leak", place)):
        span = f"95 % interval {nbytes_text(found.low)} to {nbytes_text(found.high)}"
        why = f"it leaks: {nbytes_text(found.value)} more are held after each repetition ({span})"
        yield Contestant.of(cell).name, f"{title(cell.transport)}, {fraction(cell.size)}", why


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
    rows = [[name, "; ".join(dict.fromkeys(places)), one_line(reason)] for (name, reason), places in where.items()]
    return Part("Failures, and what is missing", ["engine", "where", "why"], rows, [], "failures")
