"""Reports a table's records in sections: targets, times and ratios, memory, sizes, failures, the machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from colonnade.cli.amounts import byte_rate_text, seconds_text
from colonnade_bench.best_peer import best_peer_sections
from colonnade_bench.cell import Cell
from colonnade_bench.section import Section, to_markdown
from colonnade_bench.small_batch_cost import cost_sections
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary
from colonnade_bench.times_report import WIDE, times_sections
from colonnade_bench.transports.moving import MOVING
from colonnade_bench.verdicts import verdicts


def sections(summary: Summary, spec: Spec) -> list[Section]:
    """Returns a table's report: targets first, then times and ratios, memory, sizes, failures, the machine."""
    return [
        *best_peer_sections(summary, spec),
        *targets_section(summary, spec),
        *times_sections(summary, spec),
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
        rows = [[v.workload, v.baseline, v.required, v.first, v.repeat, v.word] for v in found]
        notes = ["A target is judged by *first*, unless it says *repeat*; the other state is shown where it applies."]
        notes += [
            f"Run {run} mixes builds: the core was rebuilt meanwhile. Do not quote it." for run in summary.rebuilt()
        ]
        header = ["workload", "baseline", "required", "first", "repeat", "target"]
        yield Section("Targets", header, rows, notes, brief=True)


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
    measured = {
        cell: (record["wire_nbytes"], record["frame_nbytes"])
        for cell, record in summary.checks()
        if record["ok"]
        and record.get("wire_nbytes")
        and cell.engine != "limit"
        and cell.transport not in ("given", *MOVING)
    }
    table: dict[tuple[str, str, str], dict[str, str]] = {}
    names: dict[str, None] = {}
    for cell, (nbytes, frame_nbytes) in measured.items():
        # Options of reading change no file.
        if cell.options and measured.get(replace(cell, options=())) == (nbytes, frame_nbytes):
            continue
        shown = f"{nbytes / 1e6:.2f} ({nbytes / frame_nbytes:.2f}; {seconds_text(nbytes * 8 / disk_bps)})"
        key = (cell.dataset, cell.library, f"{frame_nbytes / 1e6:.2f}")
        table.setdefault(key, {})[cell.contestant] = shown
        names[cell.contestant] = None
    if table:
        contestants = sorted(names, key=lambda name: (not name.startswith("colonnade"), name))
        note = (
            f"MB on disk (share of the frame in memory; ideal I/O time at {byte_rate_text(disk_bps / 8)})."
            " Judge codecs by the `unique` twins: others repeat."
        )
        header = ["dataset", "library", "frame MB"]
        if len(contestants) > WIDE:
            rows = [[*key, name, cells[name]] for key, cells in table.items() for name in contestants if name in cells]
            yield Section("Sizes", [*header, "contestant", "MB"], rows, [note])
            return
        rows = [[*key, *(cells.get(name, "-") for name in contestants)] for key, cells in table.items()]
        yield Section("Sizes", [*header, *contestants], rows, [note])


def relay_section(summary: Summary) -> Iterable[Section]:
    rows = [
        [
            f"{r['nbytes'] / 1e9:.2f}",
            f"{r['private_nbytes'] / (1 << 20):.1f}",
            f"{r['total_nbytes'] / (1 << 20):.1f}",
            f"{r['seconds']:.2f}",
            f"{r['nbytes'] / r['seconds'] / 1e9:.2f}",
            f"{r['nbatches']:,}",
            "equal" if r["equal"] else "**not equal**",
        ]
        for r in summary.kind("relay")
    ]
    if rows:
        note = "Growth of the relay's memory over what it holds while idle; rows and a check sum are compared."
        header = ["GB", "private MiB", "with files MiB", "seconds", "GB/s", "batches", "result"]
        yield Section("A relay", header, rows, [note])


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
    """Yields a section for each machine, with the time and the load of each run."""
    alike: dict[str, list[dict[str, object]]] = {}
    for record in summary.kind("machine"):
        same = {name: value for name, value in record.items() if name not in ("kind", "run", "time", "load")}
        alike.setdefault(str(same), []).append(record)
    for records in alike.values():
        runs = ", ".join(str(record["run"]) for record in records)
        rows = []
        for name, value in records[0].items():
            if name in ("time", "load"):
                rows.append([name, "; ".join(_plain(record[name]) for record in records)])
            elif name not in ("kind", "run"):
                rows.append([name, _plain(value)])
        yield Section(f"Machine (run{'s' * (len(records) > 1)} {runs})", ["", ""], rows)


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
