"""Computes figures that several reports need: storage, the share of the floor, and the order of engines."""

from __future__ import annotations

from colonnade.cli.amounts import nbytes_text, seconds_text
from colonnade_bench.engines import ENGINES
from colonnade_bench.intervals import FEWEST
from colonnade_bench.panel.report_records import Record
from colonnade_bench.panel.report_words import listed, spread
from colonnade_bench.panel.summary import Contestant, Place, Results
from colonnade_bench.summary import Figure


def medians(results: Results, place: Place, contestant: Contestant, transport: str) -> list[tuple[float, float]]:
    """Returns size and median elapsed time, from the smallest size."""
    return [(size, figure.median) for size, figure in results.curve(place, contestant, transport)]


def security(results: Results, place: Place, engine: str, format: str) -> str:
    """Returns the engine's security note on a format, from the run's records or the installed engine."""
    for record in results.kind("plan", place.run):
        said = record.get("security", {}).get(engine)
        if isinstance(said, dict) and format in said:
            return str(said[format])
        if isinstance(said, str) and engine not in ENGINES:
            return said
    return ENGINES[engine].security_of(format) if engine in ENGINES else "-"


def ended(results: Results, run: str) -> str:
    """Says how the run ended."""
    ends = results.kind("end", run)
    if not ends:
        return "interrupted: the records stop without an end"
    left = ends[-1].get("left", 0)
    return str(ends[-1]["reason"]) + (f", {left} cells left" if left else "")


def ordered(results: Results, place: Place) -> list[Contestant]:
    """Orders engines: exact ones first, each group by its fastest figure."""
    size = results.full_size(place) or 1.0

    def key(contestant: Contestant) -> tuple[bool, float, str]:
        found = (results.figure(place, contestant, t, size) for t in results.transports(place))
        least = min((f.median for f in found if f is not None), default=float("inf"))
        return not results.exact(place, contestant), least, contestant.name

    return sorted(results.contestants(place), key=key)


def labelled(results: Results, place: Place, contestant: Contestant) -> str:
    """Returns an engine's name, marked if its times must not be ranked with exact ones."""
    found = results.fidelity(place, contestant)
    return contestant.name + (" (not checked)" if found is None else "" if found.exact else " (with losses)")


def storage(results: Results, place: Place, size: float) -> dict[Contestant, Figure]:
    """Returns the stored bytes of each engine: of its file if there is one, else of its message."""
    out = {}
    order = sorted(results.transports(place), key=lambda name: name != "file")
    for contestant in results.contestants(place):
        found = (results.figure(place, contestant, transport, size, "wire_nbytes") for transport in order)
        figure = next((each for each in found if each is not None), None)
        if figure is not None:
            out[contestant] = figure
    return out


def frame_nbytes(results: Results, place: Place, contestant: Contestant, size: float) -> float | None:
    found = (results.figure(place, contestant, t, size, "frame_nbytes") for t in results.transports(place))
    return next((each.median for each in found if each is not None), None)


def disk_rate(results: Results, place: Place) -> float:
    """Returns bytes a second of the ideal disk. The plan stores bits a second, as for all rates."""
    plans = results.kind("plan", place.run)
    return float((plans[-1].get("disk_bps") if plans else None) or 4e9) / 8


def floors_of(results: Results, place: Place) -> list[Record]:
    """Returns the floors of the run. A floor that names its data must be of this data."""
    return [r for r in results.baselines("floor", place.run) if r.get("dataset", place.dataset) == place.dataset]


def floor(results: Results, place: Place, transport: str) -> Record | None:
    """Returns the floor of a transport: a copy in memory for ``memory``, raw bytes for all others."""
    found = [record for record in floors_of(results, place) if record["transport"] == transport]
    order = ("raw bytes", "memcpy", "write + fsync")
    return min(found, key=lambda r: order.index(r["what"]) if r["what"] in order else len(order), default=None)


def best_of(results: Results, place: Place, transport: str, contestant: Contestant) -> str:
    """Names the number of rows of which a row is the engine's best. The best of many is faster by chance."""
    size = results.full_size(place) or 1.0
    rivals = [c for c in results.contestants(place) if results.samples(place, c, transport, size)]
    count = sum(each.engine == contestant.engine for each in rivals)
    return f", best of {count} rows of {contestant.engine}" if count > 1 else ""


def line_s(record: Record, nbytes: float) -> float | None:
    """Returns the seconds of a floor for this many bytes: a line through its two sizes.

    None for older records, which have one size: the bytes of a format are not those of the frame in memory.
    """
    if "few_seconds" not in record or record["nbytes"] <= record["few_nbytes"]:
        return None
    byte_s = max(0.0, record["seconds"] - record["few_seconds"]) / (record["nbytes"] - record["few_nbytes"])
    delay_s = max(0.0, record["few_seconds"] - byte_s * record["few_nbytes"])
    return float(delay_s + byte_s * nbytes)


def achieved(results: Results, place: Place, contestant: Contestant, transport: str, size: float) -> float | None:
    """Returns the least time for an engine's own bytes as a percentage of its elapsed time.

    The bytes must move, and each value must be written once at the reader. The two may overlap, so the longer counts.
    """
    moving, copying = floor(results, place, transport), floor(results, place, "memory")
    union, frame, wire = (
        results.figure(place, contestant, transport, size, metric)
        for metric in ("union_s", "frame_nbytes", "wire_nbytes")
    )
    if moving is None or copying is None or union is None or frame is None or wire is None or not union.median:
        return None
    copy_s = line_s(copying, frame.median)
    move_s = copy_s if transport == "memory" else line_s(moving, wire.median)
    return None if copy_s is None or move_s is None else 100 * max(copy_s, move_s) / union.median


def share_text(share: float) -> str:
    """Formats a share of the floor.

    >>> share_text(54.3), share_text(242.0)
    ('54 %', 'at the floor')
    """
    return f"{share:.0f} %" if share <= 100 else "at the floor"


def box(figure: Figure) -> str:
    """Formats the median, with its 95 % interval if there are enough repetitions for one."""
    if figure.n < FEWEST:
        return seconds_text(figure.median)
    return spread(figure.median, figure.low, figure.high)


def shown(name: str, value: object) -> str:
    """Formats a value of the machine's record."""
    return nbytes_text(value) if name.endswith("nbytes") and isinstance(value, int) else plain(value)


def plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items()) or "-"
    if isinstance(value, list):
        return listed([str(each) for each in value])
    return str(value)
