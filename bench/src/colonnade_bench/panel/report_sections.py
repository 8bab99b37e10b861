"""Builds the tables of one place. The terminal, Markdown and the page show the same tables."""

from __future__ import annotations

from colonnade.cli.amounts import bit_rate_text, byte_rate_text, nbytes_text, seconds_text
from colonnade_bench.panel.growth import WARN_ABOVE, Growth, fit
from colonnade_bench.panel.growth import extrapolated as beyond
from colonnade_bench.panel.ranking import ranking
from colonnade_bench.panel.report_answer import data, interval, measured_link, some, winner, winner_of
from colonnade_bench.panel.report_figures import (
    achieved,
    best_of,
    box,
    disk_rate,
    ended,
    floor,
    floors_of,
    frame_nbytes,
    labelled,
    medians,
    ordered,
    share_text,
    shown,
    storage,
)
from colonnade_bench.panel.report_findings import findings, gaps_of
from colonnade_bench.panel.report_framed import framed
from colonnade_bench.panel.report_part import Part
from colonnade_bench.panel.report_trust import failures, fidelity, safety
from colonnade_bench.panel.report_words import MODELLED, few, fraction, range_text, title
from colonnade_bench.panel.summary import Place, Results


def parts(results: Results, place: Place) -> list[Part]:
    """Returns all tables of a place that have rows."""
    made = [
        fastest(results, place),
        times(results, place),
        stored(results, place),
        findings(results, place),
        growth(results, place),
        extrapolated(results, place),
        fidelity(results, place),
        safety(results, place),
        failures(results, place),
        floors(results, place),
        gaps(results, place),
        framed(results, place),
        details(results, place),
        machine(results, place),
    ]
    return [part for part in made if part.rows]


UNKNOWN = "unknown: too few repetitions"


def fastest(results: Results, place: Place) -> Part:
    """Shows the first engine of each transport, what is tied with it and what comes next."""
    header = ["transport", "engine", "time", "95 % interval", "repetitions", "tied with", "next", "limited by"]
    header.append("faster, but with losses")
    rows = []
    for transport in results.transports(place):
        found = ranking(results, place, transport)
        if not found.rows:
            continue
        where, first = title(transport) + measured_link(results, place, transport), found.rows[0]
        best = winner_of(results, place, found)
        if best is None:
            rivals = f"no winner yet: {some([c.name for c in found.unmeasured])} not measured"
            rows.append([where, rivals, *["-"] * (len(header) - 2)])
            continue
        name = best.contestant.name + ("" if best.exact else " (with losses)")
        name += best_of(results, place, transport, best.contestant)
        tied = (few([row.contestant.name for row in found.tied]) or "-") if first.certain else UNKNOWN
        after = found.runner_up if first.certain else next(iter(found.rows[1:]), None)
        following = f"{after.contestant.name}, {after.slower.value:.2f} times as long" if after is not None else "-"
        lossy = f"{best.lossy[0].name}, {seconds_text(best.lossy[1].median)}" if best.lossy else "-"
        figures = [seconds_text(first.figure.median), range_text(first.figure), str(first.figure.n)]
        rows.append([where, name, *figures, tied, following, best.limit or "-", lossy])
    notes = ["Time: from the writer's start until every value is usable at the reader; median of the repetitions."]
    notes.append("Tied: the 95 % interval of the ratio of the two medians holds 1. Next: the first that is not tied.")
    return Part("Which is fastest?", header, rows, notes, "fastest")


def times(results: Results, place: Place) -> Part:
    """Shows elapsed time by engine and transport, exact ones first."""
    transports, size = results.transports(place), results.full_size(place) or 1.0
    kept, rate, rows = storage(results, place, size), disk_rate(results, place), []
    for contestant in ordered(results, place):
        found = [results.figure(place, contestant, transport, size) for transport in transports]
        counts = [figure.n for figure in found if figure is not None]
        if counts:
            count = str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
            cells = [box(figure) if figure else "-" for figure in found]
            ideal = seconds_text(kept[contestant].median / rate) if contestant in kept else "-"
            rows.append([labelled(results, place, contestant), ideal, count, *cells])
    notes = [f"Of {data(results, place)}. Median (95 % interval). Those with losses come below those without."]
    notes.append(f"Ideal I/O: the bytes it stores at {byte_rate_text(rate)}.")
    header = ["engine", "ideal I/O", "repetitions", *(title(transport) for transport in transports)]
    return Part("Elapsed time to encode, write, read and decode", header, rows, notes, "times", 1)


def stored(results: Results, place: Place) -> Part:
    rows, size = [], results.full_size(place) or 1.0
    for contestant, figure in sorted(storage(results, place, size).items(), key=lambda pair: pair[1].median):
        frame = frame_nbytes(results, place, contestant, size)
        share = f"{100 * figure.median / frame:.1f} %" if frame else "-"
        ideal = seconds_text(figure.median / disk_rate(results, place))
        rows.append([labelled(results, place, contestant), f"{figure.median:,.0f}", share, ideal])
    header = ["engine", "bytes", "of the data in memory", "ideal I/O"]
    return Part("What does it cost to store?", header, rows, [f"Measured, of {data(results, place)}."], "stored", 1)


def growth(results: Results, place: Place) -> Part:
    """Shows fitted exponents. A warning marks those that grow faster than the data."""
    transports, rows = results.transports(place), []
    for contestant in results.contestants(place):
        fits = [fit(medians(results, place, contestant, transport)) for transport in transports]
        if any(fits):
            rows.append([contestant.name, *(exponent(found) if found else "-" for found in fits)])
    notes = ["time ~ size ^ exponent, fitted to the larger half of the sizes; 95 % intervals."]
    notes.append(f"! exponent above {WARN_ABOVE}; !? above it, but the interval reaches below.")
    return Part("Growth with size", ["engine", *map(title, transports)], rows, notes, "growth", 1)


def exponent(found: Growth) -> str:
    value = found.exponent
    mark = "" if not found.warns else "! " if found.certain else "!? "
    return f"{mark}{value.value:.2f} ({value.low:.2f} to {value.high:.2f})"


def extrapolated(results: Results, place: Place) -> Part:
    """Shows the modelled times of engines that stopped early, from their fitted growth."""
    rows = []
    for contestant in results.contestants(place):
        for transport in results.transports(place):
            curve = medians(results, place, contestant, transport)
            found = beyond(curve)
            if found is not None:
                single = len(results.samples(place, contestant, transport, curve[-1][0])) == 1
                there = seconds_text(curve[-1][1]) + " (one repetition)" * single
                words = [fraction(curve[-1][0]), there, f"{MODELLED} {interval(found)}"]
                rows.append([contestant.name, title(transport), *words])
    header = ["engine", "transport", "measured up to", "elapsed there", "all of the data"]
    notes = [
        f"{MODELLED} modelled from the last point and the growth above, with its 95 % interval; in no other table."
    ]
    return Part("Extrapolated, not measured", header, rows, notes, "extrapolated", 2)


def floors(results: Results, place: Place) -> Part:
    """Shows the least time of each transport for the same number of raw bytes.

    Next to it is the share of that rate that the fastest engine reaches.
    """
    rows = []
    size = results.full_size(place) or 1.0
    for record in floors_of(results, place):
        rate = byte_rate_text(record["nbytes"] / record["seconds"])
        found = winner(results, place, record["transport"])
        near = "-"
        if found is not None and record is floor(results, place, record["transport"]):
            share = achieved(results, place, found.contestant, record["transport"], size)
            near = f"{found.contestant.name}: {share_text(share)}" if share is not None else "-"
        rows.append(
            [
                title(record["transport"]),
                record["what"],
                nbytes_text(record["nbytes"]),
                seconds_text(record["seconds"]),
                rate,
                near,
            ]
        )
    notes = [
        "Per cent of achievable: the time of as many raw bytes as the engine moves, from a line through floors of two "
        "sizes, or of one copy of the data if that takes longer, by the elapsed time.",
        "At the floor: no slower than that, by a copy that overlaps with moving or is not needed for a mapped file.",
    ]
    header = ["transport", "what", "bytes", "elapsed", "rate", "the fastest reaches"]
    return Part("Floors", header, rows, notes, "floors", 2)


def gaps(results: Results, place: Place) -> Part:
    """Shows the times over a measured link that differ by more than 20 % from both modelled ones."""
    rows = []
    found = list(gaps_of(results, place))
    for gap in found:
        if gap.is_finding:
            said = (gap.measured_s, gap.serial_s, gap.pipelined_s)
            off = f"{round(100 * gap.off):+d} %"
            rows.append([gap.contestant.name, title(gap.transport), *map(seconds_text, said), off])
    header = ["engine", "transport", "measured", "one after another", "overlapping", "the nearer one is off by"]
    notes = [
        f"{len(found) - len(rows)} of {len(found)} times are within 20 % of one model, and are omitted.",
        "Modelled: encoding, moving and decoding one after another, or overlapping in pieces.",
        "Both models start from encoding and decoding as measured, bytes as measured and the link as measured.",
    ]
    return Part("Model against measurement", header, rows, notes, "gaps", 2)


DETAILS_NAME = "details"
DETAILS = {
    "user": "user_s",
    "system": "system_s",
    "write": "write.elapsed_s",
    "write user": "write.user_s",
    "write system": "write.system_s",
    "read": "read.elapsed_s",
    "read user": "read.user_s",
    "read system": "read.system_s",
    "open": "read.open_s",
    "usable": "read.usable_s",
    "first chunk": "first_chunk_s",
    "one column": "column_s",
    "some rows": "rows_s",
}
PEAKS = {"write peak": "write.peak_nbytes", "read peak": "read.peak_nbytes", "bytes moved": "wire_nbytes"}
CORES = {"cores used": "cores_used"}


def details(results: Results, place: Place) -> Part:
    """Shows every figure of the largest size."""
    rows = []
    size = results.full_size(place) or 1.0
    for contestant in ordered(results, place):
        for transport in results.transports(place):
            union = results.figure(place, contestant, transport, size)
            if union is None:
                continue
            share = achieved(results, place, contestant, transport, size)
            row = [labelled(results, place, contestant), title(transport), seconds_text(union.median)]
            row.append(share_text(share) if share is not None else "-")
            for units, names in ((seconds_text, DETAILS), (nbytes_text, PEAKS), ("{:.1f}".format, CORES)):
                found = (results.figure(place, contestant, transport, size, metric) for metric in names.values())
                row += [units(figure.median) if figure else "-" for figure in found]
            rows.append([*row, str(union.n)])
    header = ["engine", "transport", "elapsed", "of achievable", *DETAILS, *PEAKS, *CORES, "repetitions"]
    notes = ["Medians. User and system: of both sides. Cores used: their sum by the elapsed time."]
    told = [k for k, name in enumerate(header) if k < 4 or any(row[k] != "-" for row in rows)]
    rows = [[row[k] for k in told] for row in rows]
    return Part("Every figure of the largest size", [header[k] for k in told], rows, notes, DETAILS_NAME, 2)


def machine(results: Results, place: Place) -> Part:
    rows: list[list[str]] = []
    for record in results.kind("machine", place.run)[-1:]:
        rows = [[name, shown(name, value)] for name, value in record.items() if name not in ("kind", "run")]
    for record in results.baselines("link", place.run):
        asked = f"asked {bit_rate_text(record['asked_bps'])}, " if record.get("asked_bps") else ""
        measured = f"measured {bit_rate_text(record['bps'])}, {seconds_text(record['delay_s'])}"
        rows.append([title(record["transport"]), f"{asked}{measured}, by {record['how']}"])
    rows.append(["ended", ended(results, place.run)])
    return Part(f"Machine and versions (run {place.run})", ["what", "value"], rows, [], "machine")
