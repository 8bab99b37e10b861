"""The measurement of connections as tables: marks, a gigabyte, small frames, pieces, the relay, the machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from colonnade_bench._pages import write_page
from colonnade_bench.marks_connections import (
    FLIGHT,
    GIGABYTE,
    OURS,
    OURS_SMALL,
    PICKLE,
    PIECES,
    RAW,
    SMALL,
    STREAM,
    fastest,
    pieces_ratio,
    places_of,
)
from colonnade_bench.report import STATES, Section, failures_section, machine_section, marks_section, ms
from colonnade_bench.report_arrow import speed
from colonnade_bench.summary import Figure, Place, Summary
from colonnade_bench.transports.moving import MOVING

INTRODUCTION = """\
Written by `make bench-connections`. How it is measured: [benchmarks.md](../benchmarks.md). Sender and receiver are two
processes on one machine. The time runs from the sender's call to the receiver's DataFrame, on one clock. Ours is
`connection.send(frame)` and `cn.read_pandas(connection)`, for small frames `receive().to_pandas()`; *raw* is as many
bytes by the standard library's largest useful calls into a buffer that is there before; pyarrow's stream goes over a
file object of the same kind of socket or pipe, with its Table made ahead. Where a peer can be used in several ways, its
fastest in that table is what ours is compared with; all of them are listed under *Every contestant*.

"""
PEERS = (("raw", RAW), ("pyarrow stream", STREAM), ("Flight", FLIGHT), ("pickle", PICKLE))
TITLES = {
    GIGABYTE: "1 GB, 16 columns of float64 and int64, to pandas",
    "wire-text": "1 GB, 8 columns of numbers and 4 of text, to pandas",
}
SMALL_TITLES = {
    SMALL: "100,000 frames of 1 KiB (16 x 8 float64), pandas to pandas",
    "wire-1KiB-mixed": "20,000 frames of about 1 KiB (16 x 8, five dtypes), pandas to pandas",
}


def sections(summary: Summary) -> list[Section]:
    """The whole report."""
    out = [*marks_section(summary), *large(summary), *small(summary), *pieces(summary), *relays(summary)]
    return [*out, *everyone(summary), *failures_section(summary), *machines(summary)]


def machines(summary: Summary) -> Iterator[Section]:
    """One table of the machine: the runs are parts of one session; what differs stands in a row a run."""
    found = list(machine_section(summary))
    if not found:
        return
    yield found[-1]
    runs = [[str(r[key]) for key in ("run", "time", "load", "core_build")] for r in summary.kind("machine")]
    yield Section("Runs", ["run", "time", "load at its start", "build"], runs)


def frame_nbytes(summary: Summary, place: Place) -> int:
    """Bytes of the frame, as it was when checked."""
    for cell, record in summary.checks():
        if cell.dataset == place.dataset and cell.size == place.size and record.get("frame_nbytes"):
            return int(record["frame_nbytes"])
    return 0


def transports_of(summary: Summary, place: Place) -> list[str]:
    names = summary.contestants(place)
    return [transport for transport in MOVING if f"{OURS} ({transport})" in names]


def large(summary: Summary) -> Iterator[Section]:
    """A gigabyte: a row a transport."""
    for dataset, title in TITLES.items():
        for state, text in STATES.items():
            rows = []
            for place in places_of(summary, dataset, state, whole=False):
                nbytes = frame_nbytes(summary, place)
                rows += [large_row(summary, place, transport, nbytes) for transport in transports_of(summary, place)]
            if rows:
                order = list(MOVING)
                rows.sort(key=lambda row: order.index(row[0]))
                header = ["transport", "ours", "raw", "of raw"]
                header += [word for name, _ in PEERS[1:] for word in (name, "ours is")]
                header += ["usable: of raw", "CPU s, ours", "CPU s, raw"]
                notes = [
                    "GB/s: median [quartiles]; ratios and shares are medians of per-round ones. *Usable*: with one pass"
                    " over every byte of the result. CPU s: user and system seconds of both processes together."
                ]
                yield Section(f"{title}: {text}", header, rows, notes)


def large_row(summary: Summary, place: Place, transport: str, nbytes: int) -> list[str]:
    """One transport: ours and each peer at its best."""
    ours = f"{OURS} ({transport})"
    row = [transport, speed(summary.figure(place, ours, "open_s"), nbytes)]
    raw = fastest(summary, place, RAW, transport)
    for name, peer in PEERS:
        best = fastest(summary, place, peer, transport)
        figure = summary.figure(place, best, "open_s") if best else None
        ratio = summary.ratio(place, ours, best, "open_s") if best else None
        row.append(speed(figure, nbytes))
        row.append("-" if ratio is None else f"{ratio.median:.0%}" if name == "raw" else f"{ratio.median:.2f}x")
    usable = summary.ratio(place, ours, raw, "usable_s") if raw else None
    row.append(f"{usable.median:.0%}" if usable else "-")
    return [*row, cpu(summary, place, ours), cpu(summary, place, raw)]


def cpu(summary: Summary, place: Place, contestant: str | None) -> str:
    """User and system seconds, both ends."""
    parts = [summary.figure(place, contestant, name) for name in ("user_s", "system_s")] if contestant else []
    return "{:.2f} + {:.2f}".format(*(f.median for f in parts if f)) if parts and all(parts) else "-"


def rate(figure: Figure | None) -> str:
    """Messages a second: median [quartiles].

    >>> rate(Figure(1e-5, 0.8e-5, 1.25e-5, 7))
    '100,000 [80,000-125,000]'
    """
    if figure is None:
        return "-"
    return "{:,.0f} [{:,.0f}-{:,.0f}]".format(*(1 / s for s in (figure.median, figure.high, figure.low)))


def small(summary: Summary) -> Iterator[Section]:
    """Messages a second."""
    for dataset, title in SMALL_TITLES.items():
        rows = []
        for place in places_of(summary, dataset, "repeat", whole=False):
            for transport in transports_of(summary, place):
                ours = f"{OURS_SMALL} ({transport})"
                contestants = [name for name in summary.contestants(place) if name.endswith(f" ({transport})")]
                contestants.sort(key=lambda name: (name != ours, not name.startswith("colonnade"), name))
                for name in contestants:
                    ratio = summary.ratio(place, ours, name, "message_s") if name != ours else None
                    ends = [micros(summary, place, name, end) for end in ("sender_s", "receiver_s")]
                    figure = summary.figure(place, name, "message_s")
                    rows.append([name, rate(figure), f"{ratio.median:.2f}x" if ratio else "", *ends])
        if rows:
            notes = ["Ours is: how many times more messages a second than that one. us: CPU a message, at each end."]
            header = ["contestant", "messages a second", "ours is", "sender us", "receiver us"]
            yield Section(f"{title}: {STATES['repeat']}", header, rows, notes)


def micros(summary: Summary, place: Place, name: str, metric: str) -> str:
    """CPU microseconds a message of one end."""
    figure, count = summary.figure(place, name, metric), summary.figure(place, name, "count")
    return f"{figure.median / count.median * 1e6:.1f}" if figure and count else "-"


def pieces(summary: Summary) -> Iterator[Section]:
    """64 MB, whole and in pieces."""
    rows = []
    for place in places_of(summary, PIECES, "repeat", whole=False):
        for transport in ("memory", "unix"):
            for name in ("colonnade frame-message", "colonnade bytes-message", RAW):
                ratio = pieces_ratio(summary, name, transport, whole=False)
                pair = [summary.figure(place, f"{name}{cut} ({transport})", "open_s") for cut in ("", " piece=1024")]
                if ratio is None or not all(pair):
                    continue
                raw = summary.ratio(
                    place, f"{name} piece=1024 ({transport})", f"{RAW} piece=1024 ({transport})", "open_s"
                )
                cells = [f"{ms(f.median)} [{ms(f.low)}-{ms(f.high)}]" for f in pair if f]
                share = f"{raw.median:.0%}" if raw and name != RAW else ""
                rows.append([name, transport, *cells, f"{ratio.median:.2f}x", share])
    if rows:
        notes = [
            "Milliseconds. From *memory* the pieces are there already, so that only what cutting costs the receiver is"
            " measured. Over a Unix socket the sender makes one call a piece, which costs everybody: the raw bytes in"
            " the same pieces stand beside, and *of raw* is the share of their speed."
        ]
        header = ["what", "from", "in one piece", "in pieces of 1 KiB", "longer", "of raw, in pieces"]
        yield Section("64 MB in pieces", header, rows, notes)


def relays(summary: Summary) -> Iterator[Section]:
    """Memory of the process in the middle."""
    rows = []
    for record in summary.kind("relay"):
        parts = [f"{record[name] / (1 << 20):.1f}" for name in ("private_nbytes", "total_nbytes")]
        gigabytes = record["nbytes"] / 1e9
        row = [f"{gigabytes:.1f}", *parts, f"{gigabytes / record['seconds']:.2f}", f"{record['nbatches']:,}"]
        rows.append([*row, "yes" if record["equal"] else "NO"])
    if rows:
        header = ["GB", "private MiB over idle", "peak MiB over idle", "GB/s", "batches received", "equal"]
        notes = [
            "`cn.convert(connection, connection)` between two Unix sockets: the sender writes one frame of 100 MB again"
            " and again through `cn.open_writer`, the receiver adds up every byte. Private: peak RssAnon, sampled from"
            " outside; peak: the kernel's VmHWM. Idle: after a small message was relayed."
        ]
        yield Section("A relay of one message of 10 GB", header, rows, notes)


def everyone(summary: Summary) -> Iterable[Section]:
    """All contestants of the gigabyte."""
    rows = []
    for dataset in TITLES:
        for state in STATES:
            for place in places_of(summary, dataset, state, whole=False):
                nbytes = frame_nbytes(summary, place)
                for name in sorted(summary.contestants(place)):
                    figures = [speed(summary.figure(place, name, metric), nbytes) for metric in ("open_s", "usable_s")]
                    rows.append([dataset, state, name, *figures, cpu(summary, place, name)])
    if rows:
        header = ["dataset", "state", "contestant", "GB/s", "usable GB/s", "user + system s"]
        yield Section("Every contestant, a gigabyte", header, rows)


def write_report(summary: Summary, folder: Path) -> Path:
    """``connections.md`` in `folder`."""
    title = "Connections: pipes, sockets, TCP, TLS"
    return write_page(folder / "connections.md", title, INTRODUCTION, sections(summary))
