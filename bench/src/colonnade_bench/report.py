"""Reports a table's records in sections: targets, times and ratios, memory, sizes, failures, the machine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from colonnade_bench.cell import Cell
from colonnade_bench.section import Section, to_markdown
from colonnade_bench.small_batch_cost import cost_sections
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Figure, Place, Summary, geometric_mean
from colonnade_bench.verdicts import verdicts

TITLES = {
    "write": "Write onto a fresh name",
    "replace": "Write over an existing file",
    "read": "Read, usable",
    "columns": "Read column by column, with the maximum of each",
    "leaf": "Read one field of the records in lists",
    "channel": "From one process to another: the time of the call",
}
METRICS = {"channel": "open_s", "columns": "open_s", "leaf": "open_s"}
"""The metric to show for a call. All other calls show *usable*, which includes one pass over every byte."""
WIDE = 8
"""A table with more contestants than this shows them in rows instead of columns."""
STATES = {
    "first": "first call of a fresh process, empty pools",
    "repeat": "repeated, earlier result dropped, pools warm",
}


def sections(summary: Summary, spec: Spec) -> list[Section]:
    """Returns a table's report: targets first, then times and ratios, memory, sizes, failures, the machine."""
    return [
        *targets_section(summary, spec),
        *times_sections(summary),
        *cost_sections(summary),
        *relay_section(summary),
        *memory_section(summary),
        *sizes_section(summary, spec.disk_bps),
        *failures_section(summary),
        *machine_section(summary),
    ]


def targets_section(summary: Summary, spec: Spec) -> Iterable[Section]:
    found = verdicts(summary, spec.targets())
    if found:
        rows = [[v.work, v.against, v.wanted, v.first, v.repeat, v.word] for v in found]
        notes = [
            "A target is judged by *first*, unless it says *repeat*; the other state stands beside it where it applies."
        ]
        notes += [
            f"Run {run} mixes builds: the core was rebuilt meanwhile. Not to be quoted." for run in summary.rebuilt()
        ]
        yield Section("Targets", ["work", "against", "wanted", "first", "repeat", "target"], rows, notes)


def times_sections(summary: Summary) -> Iterable[Section]:
    """Yields a section for each part, library, call, state and transport. Each section compares its contestants."""
    groups: dict[tuple[str, ...], list[Place]] = {}
    for place in sorted(summary.places(), key=lambda p: (p.run, p.library, p.operation, p.state)):
        key = (place.run, place.library, place.operation, place.state, twin(place.dataset))
        groups.setdefault(key, []).append(place)
    for (_, library, operation, state, kind), places in groups.items():
        names = dict.fromkeys(name for place in places for name in summary.contestants(place))
        rest = f"{library}{', ' + kind if kind else ''}, {STATES[state]}"
        for way in dict.fromkeys(transport_of(name) for name in names):
            chosen = sorted(
                (n for n in names if transport_of(n) == way), key=lambda n: (not n.startswith("colonnade"), n)
            )
            # For given streams the call itself is compared. A reader is not responsible for the time to find the
            # buffers of a million chunks.
            metric = "open_s" if way == "given" else METRICS.get(operation, "usable_s")
            title = "Read, the time of the call" if way == "given" else TITLES[operation]
            told = f"{title}: {rest}{', ' + way if way else ''}"
            show = comparison if len(chosen) <= WIDE else ranking
            section = show(summary, told, places, chosen, metric)
            if section.rows:
                yield section


def transport_of(contestant: str) -> str:
    """Returns the transport in a contestant's name. A file has none.

    >>> transport_of("raw bytes (unix)"), transport_of("pickle pickle")
    ('unix', '')
    """
    return contestant.rpartition(" (")[2].removesuffix(")") if contestant.endswith(")") else ""


def ranking(summary: Summary, title: str, places: list[Place], contestants: list[str], metric: str) -> Section:
    """Shows one row for each place and contestant, the fastest first.

    A row has milliseconds and their multiple of Colonnade's time.
    """
    rows: list[list[str]] = []
    for place in places:
        figures = {n: f for n in contestants if (f := summary.figure(place, n, metric))}
        base = next((n for n in figures if n.startswith("colonnade")), None)
        for name in sorted(figures, key=lambda n: figures[n].median):
            ratio = summary.ratio(place, base, name, metric) if base and name != base else None
            rows.append([_dataset(place), name, _cell(figures[name], None), f"{ratio.median:.2f}x" if ratio else ""])
    note = "Milliseconds: median [quartiles], then how many times the time of ours (median of per-round ratios)."
    return Section(title, ["dataset", "contestant", "ms", "of ours"], rows, [note])


def comparison(summary: Summary, title: str, places: list[Place], contestants: list[str], metric: str) -> Section:
    """Shows one row for each place and one column for each contestant.

    A cell has milliseconds and their multiple of the first contestant's time.
    """
    base = contestants[0]
    places = [place for place in places if any(summary.figure(place, name, metric) for name in contestants)]
    rows: list[list[str]] = []
    ratios: dict[str, list[float]] = {name: [] for name in contestants}
    for place in places:
        row = [_dataset(place)]
        for name in contestants:
            figure, ratio = summary.figure(place, name, metric), summary.ratio(place, base, name, metric)
            if ratio is not None:
                ratios[name].append(ratio.median)
            row.append(_cell(figure, None if name == base else ratio))
        rows.append(row)
    if len(places) > 1:
        means = [f"{geometric_mean(r):.2f}x" if r and n != base else "" for n, r in ratios.items()]
        rows.append(["geometric mean", *means])
    note = f"Milliseconds: median [quartiles], then how many times the time of {base} (median of per-round ratios)."
    return Section(title, ["dataset", *contestants], rows, [note])


def twin(dataset: str) -> str:
    """Returns the twin of a fixture that a dataset is. A mean over different twins has no meaning.

    >>> twin("fixture-tall-mixed-1e6-unique"), twin("fixture-tall-mixed-1e6")
    ('unique', '')
    """
    last = dataset.rpartition("-")[2]
    return last if dataset.startswith("fixture-") and last in ("unique", "consolidated") else ""


def _dataset(place: Place) -> str:
    return place.dataset if place.size == 1.0 else f"{place.dataset} x {place.size:g}"


def _cell(figure: Figure | None, ratio: Figure | None) -> str:
    if figure is None:
        return "-"
    text = f"{ms(figure.median)} [{ms(figure.low)}-{ms(figure.high)}]"
    return text if ratio is None else f"{text} {ratio.median:.2f}x"


def ms(seconds: float) -> str:
    """Formats milliseconds with three digits.

    >>> ms(0.0123456), ms(1.5), ms(0.00021)
    ('12.3', '1500', '0.21')
    """
    value = seconds * 1e3
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def memory_section(summary: Summary) -> Iterable[Section]:
    rows = []
    for record in summary.kind("memory"):
        cell, size = Cell.from_json(record["cell"]), record["frame_nbytes"] or 1
        parts = (record["private_nbytes"], record["file_nbytes"], record["total_nbytes"], record["held_nbytes"] or 0)
        shares = [f"{value / size:.3f}" for value in parts]
        row = [cell.dataset, cell.library, record["operation"], cell.contestant, f"{size / 1e6:.1f}"]
        rows.append([*row, *shares])
    if rows:
        header = ["dataset", "library", "call", "contestant", "frame MB", "private", "file", "both", "private held"]
        notes = [
            "Growth during one call in a fresh process, as a multiple of the frame. Private: peak RssAnon (private"
            " dirty pages), file: peak RssFile, both sampled from outside every 0.2 ms; both: the kernel's VmHWM;"
            " private held: Private_Dirty of smaps_rollup after the call, result alive."
        ]
        yield Section("Peak memory", header, rows, notes)


def sizes_section(summary: Summary, disk_bps: float) -> Iterable[Section]:
    table: dict[tuple[str, str], dict[str, str]] = {}
    names: dict[str, None] = {}
    for cell, record in summary.checks():
        if (
            record["ok"]
            and record.get("wire_nbytes")
            and cell.engine != "limit"
            and not cell.options
            and cell.transport != "given"
        ):
            key = (cell.dataset, f"{record['frame_nbytes'] / 1e6:.2f}")
            share = record["wire_nbytes"] / record["frame_nbytes"]
            ideal_ms = record["wire_nbytes"] * 8e3 / disk_bps
            table.setdefault(key, {})[cell.contestant] = (
                f"{record['wire_nbytes'] / 1e6:.2f} ({share:.2f}; {ideal_ms:.3g} ms)"
            )
            names[cell.contestant] = None
    if table:
        contestants = sorted(names, key=lambda name: (not name.startswith("colonnade"), name))
        note = (
            f"MB on disk (share of the frame in memory; ideal I/O time at {disk_bps / 8e6:g} MB/s). Judge codecs by the"
            " `unique` twins: others repeat."
        )
        if len(contestants) > WIDE:
            rows = [[*key, name, cells[name]] for key, cells in table.items() for name in contestants if name in cells]
            yield Section("Sizes", ["dataset", "frame MB", "contestant", "MB"], rows, [note])
            return
        rows = [[*key, *(cells.get(name, "-") for name in contestants)] for key, cells in table.items()]
        yield Section("Sizes", ["dataset", "frame MB", *contestants], rows, [note])


def relay_section(summary: Summary) -> Iterable[Section]:
    rows = [
        [
            f"{r['nbytes'] / 1e9:.2f}",
            f"{r['private_nbytes'] / (1 << 20):.1f}",
            f"{r['total_nbytes'] / (1 << 20):.1f}",
            f"{r['seconds']:.2f}",
            "equal" if r["equal"] else "**not equal**",
        ]
        for r in summary.kind("relay")
    ]
    if rows:
        note = "Growth of the relay's memory over what it holds while idle; rows and a check sum are compared."
        yield Section("A relay", ["GB", "private MiB", "with files MiB", "seconds", "what came out"], rows, [note])


def failures_section(summary: Summary) -> Iterable[Section]:
    rows = [[r["engine"], "", "not there", r["reason"]] for r in summary.kind("missing")]
    for cell, record in summary.checks():
        if not record["ok"]:
            rows.append([cell.contestant, f"{cell.dataset} ({cell.library})", "fails", record.get("error", "")])
        elif record.get("difference"):
            rows.append([cell.contestant, f"{cell.dataset} ({cell.library})", "not equal", record["difference"]])
    for record in summary.kind("error"):
        cell = record.get("cell", {})
        row = [f"{cell.get('engine')} {cell.get('format')}", str(cell.get("dataset")), "fails", record["error"]]
        if row not in rows:
            rows.append(row)
    if rows:
        yield Section("Not measured, or not equal", ["engine", "dataset", "what", "why"], rows)


def machine_section(summary: Summary) -> Iterable[Section]:
    for record in summary.kind("machine"):
        rows = [[name, _plain(value)] for name, value in record.items() if name not in ("kind", "run")]
        yield Section(f"Machine (run {record['run']})", ["", ""], rows)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {item}" for key, item in value.items()) or "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def write_markdown(path: Path, spec: Spec, parts: Iterable[Section], pictures: Iterable[Path] = ()) -> Path:
    """Writes the report of a table as a page. Creates its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = "".join(f"![{spec.title}]({picture.name})\n\n" for picture in pictures)
    path.write_text(f"# {spec.title}\n\n{spec.introduction.strip()}\n\n{drawn}{to_markdown(parts)}", encoding="utf-8")
    return path
