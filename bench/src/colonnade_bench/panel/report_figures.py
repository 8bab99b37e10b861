"""Figures that several reports need: what each keeps, how near it comes to the floor, in which order they stand."""

from __future__ import annotations

from colonnade_bench.engines import ENGINES
from colonnade_bench.panel.report_records import Record
from colonnade_bench.panel.report_words import listed, nbytes, seconds, spread
from colonnade_bench.panel.summary import Contestant, Place, Results
from colonnade_bench.summary import Figure


def medians(results: Results, place: Place, contestant: Contestant, transport: str) -> list[tuple[float, float]]:
    """Size and median elapsed time, from the smallest."""
    return [(size, figure.median) for size, figure in results.curve(place, contestant, transport)]


def security(results: Results, place: Place, engine: str, format: str) -> str:
    """The engine's own note of a format: as the run recorded it, else as the engine says here."""
    for record in results.kind("plan", place.run):
        said = record.get("security", {}).get(engine)
        if isinstance(said, dict) and format in said:
            return str(said[format])
        if isinstance(said, str) and engine not in ENGINES:
            return said
    return ENGINES[engine].security_of(format) if engine in ENGINES else "-"


def ended(results: Results, run: str) -> str:
    """How the run came to its end."""
    ends = results.kind("end", run)
    if not ends:
        return "interrupted: the records stop without an end"
    left = ends[-1].get("left", 0)
    return str(ends[-1]["reason"]) + (f", {left} cells left" if left else "")


def ordered(results: Results, place: Place) -> list[Contestant]:
    """Exact ones first, each group by its fastest figure."""
    size = results.full_size(place) or 1.0

    def key(contestant: Contestant) -> tuple[bool, float, str]:
        found = (results.figure(place, contestant, t, size) for t in results.transports(place))
        least = min((f.median for f in found if f is not None), default=float("inf"))
        return not results.exact(place, contestant), least, contestant.name

    return sorted(results.contestants(place), key=key)


def labelled(results: Results, place: Place, contestant: Contestant) -> str:
    """A contestant's name, marked where its times are not to be ranked with those of exact ones."""
    found = results.fidelity(place, contestant)
    return contestant.name + (" (not checked)" if found is None else "" if found.exact else " (with losses)")


def storage(results: Results, place: Place, size: float) -> dict[Contestant, Figure]:
    """Bytes kept by each: in a file where there is one, else what it sent."""
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
    """Bytes a second of the ideal disk: the plan has it in bits, as all rates."""
    plans = results.kind("plan", place.run)
    return float((plans[-1].get("disk_bps") if plans else None) or 4e9) / 8


def ideal_s(results: Results, place: Place, contestant: Contestant, size: float) -> float | None:
    kept = storage(results, place, size).get(contestant)
    return kept.median / disk_rate(results, place) if kept else None


def floors_of(results: Results, place: Place) -> list[Record]:
    """Floors of the run, of this data where they say of which."""
    return [r for r in results.baselines("floor", place.run) if r.get("dataset", place.dataset) == place.dataset]


def floor(results: Results, place: Place, transport: str) -> Record | None:
    """What a transport's times are held against: a copy in memory, elsewhere the raw bytes."""
    found = [record for record in floors_of(results, place) if record["transport"] == transport]
    order = ("raw bytes", "memcpy", "write + fsync")
    return min(found, key=lambda r: order.index(r["what"]) if r["what"] in order else len(order), default=None)


def achieved(results: Results, place: Place, contestant: Contestant, transport: str, size: float) -> float | None:
    """Per cent of what the floor reaches with the data's bytes."""
    least, union = floor(results, place, transport), results.figure(place, contestant, transport, size)
    frame = results.figure(place, contestant, transport, size, "frame_nbytes")
    if least is None or union is None or frame is None or not union.median:
        return None
    return 100 * frame.median * float(least["seconds"] / least["nbytes"]) / union.median


def box(figure: Figure) -> str:
    """Median, and quartiles where there are samples enough."""
    if figure.n < 2:
        return seconds(figure.median)
    return spread(figure.median, figure.low, figure.high)


def shown(name: str, value: object) -> str:
    """A value of the machine's record."""
    return nbytes(value) if name.endswith("nbytes") and isinstance(value, int) else plain(value)


def plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {plain(each)}" for name, each in value.items()) or "-"
    if isinstance(value, list):
        return listed([str(each) for each in value])
    return str(value)
