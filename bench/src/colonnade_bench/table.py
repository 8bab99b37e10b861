"""Runs ``colonnade bench table NAME``: measures a published table, or parts of it, and writes its report."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from colonnade_bench.best_peer_chart import draw_best_peer
from colonnade_bench.chart import draw
from colonnade_bench.part import STATES
from colonnade_bench.registry import unknown
from colonnade_bench.report import sections, write_markdown
from colonnade_bench.runner import runner
from colonnade_bench.section import to_terminal
from colonnade_bench.spec import Spec, shipped_names
from colonnade_bench.spec_fields import listed
from colonnade_bench.summary import Summary

DIRECTORY = Path("bench-results")
DISK_MBPS = 500.0


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the arguments of the command."""
    command.add_argument("name", help=f"{', '.join(shipped_names('tables'))}; or a TOML file like theirs")
    command.add_argument(
        "--part", action="append", help="only this part; like the next five options, it can be repeated"
    )
    command.add_argument("--dataset", action="append", help="only these, by name or shell pattern")
    for factor in ("library", "transport", "codec"):
        command.add_argument(f"--{factor}", action="append", help="only engines with it")
    command.add_argument("--state", action="append", choices=STATES, help="only this state")
    command.add_argument("--rounds", type=int, help="the most rounds; figures to quote need at least seven")
    command.add_argument(
        "--size", type=float, default=1.0, help="fraction of each dataset; targets are judged only from 1 on"
    )
    command.add_argument("--targets-only", action="store_true", help="only the engines that a target compares")
    command.add_argument(
        "--cache", choices=("warm", "cold"), help="whether files are in the page cache before they are read"
    )
    command.add_argument(
        "--disk", type=float, help=f"speed of an ideal disk in MB/s, for the I/O time of each size ({DISK_MBPS:g})"
    )
    command.add_argument("--out", type=Path, default=DIRECTORY, help="folder of the results and of the measured files")
    command.add_argument("--report", type=Path, help="folder of the report (that of the results)")
    command.add_argument(
        "--report-only", action="store_true", help="write the report of existing results, measure nothing"
    )
    command.add_argument(
        "--restart", action="store_true", help="delete existing results instead of resuming an interrupted run"
    )


def spec_of(arguments: argparse.Namespace) -> Spec:
    """Returns the specification without the excluded parts."""
    spec = Spec.table(arguments.name)
    known = [part.name for part in spec.parts()]
    for name in arguments.part or ():
        if name not in known:
            raise unknown(f"part of {arguments.name}", name, known)
    wanted = [part for part in spec.part if not arguments.part or part["name"] in arguments.part]
    parts = [left for part in wanted if (left := narrowed(part, arguments)) is not None]
    if not parts:
        raise ValueError(f"bench: nothing to measure: no engine of {arguments.name} is what was asked for")
    return replace(
        spec,
        part=parts,
        size=[arguments.size],
        targets_only=arguments.targets_only,
        cache=arguments.cache or spec.cache,
        disk_bps=spec.disk_bps if arguments.disk is None else arguments.disk * 8e6,
    )


def narrowed(part: dict[str, Any], arguments: argparse.Namespace) -> dict[str, Any] | None:
    """Returns a part with the selected measurements, or None if nothing is selected."""
    out = dict(part)
    if arguments.rounds is not None:
        out["rounds"] = min(arguments.rounds, part.get("rounds", 7))
    rows = []
    for contestant in part.get("contestant", ()):
        row = dict(contestant)
        for factor in ("library", "transport", "codec"):
            asked = getattr(arguments, factor)
            default = {"library": "pandas", "transport": "file", "codec": "none"}[factor]
            row[factor] = [x for x in listed(row.get(factor, default)) if not asked or x in asked]
        states = listed(row.get("state") or part.get("state") or ["first", "repeat"])
        row["state"] = [state for state in states if not arguments.state or state in arguments.state]
        checked_only = row.get("operation") == []
        if all(row[f] for f in ("library", "transport", "codec")) and (row["state"] or checked_only):
            rows.append(row)
    if part.get("contestant") and not rows:
        return None
    out["contestant"] = rows
    return of_datasets(out, arguments.dataset) if arguments.dataset and part.get("dataset") else out


def of_datasets(part: dict[str, Any], patterns: list[str]) -> dict[str, Any] | None:
    """Returns a part with the matching datasets and the contestants that are measured with them."""
    from colonnade_bench.datasets import expand

    names = [name for name in expand(listed(part["dataset"])) if any(fnmatchcase(name, p) for p in patterns)]
    rows = [
        row
        for row in part["contestant"]
        if any(fnmatchcase(name, pattern) for name in names for pattern in listed(row.get("dataset", "*")))
    ]
    for row in rows:
        fitting = [p for p in listed(row.get("dataset", "*")) if any(fnmatchcase(name, p) for name in names)]
        row["dataset"] = fitting
    return {**part, "dataset": names, "contestant": rows} if names and rows else None


def main(arguments: argparse.Namespace) -> int:
    """Measures, writes the report and shows the targets. The exit status is 0, or 130 after an interruption."""
    name = Path(arguments.name).name.removesuffix(".toml")
    results, status = arguments.out / f"table-{name}.jsonl", 0
    if arguments.report_only:
        if not results.exists():
            print(f"bench: {results} does not exist; run without --report-only first", file=sys.stderr)
            return 2
        spec = Spec.table(arguments.name)
    else:
        spec = spec_of(arguments)
        if arguments.restart:
            results.unlink(missing_ok=True)
        if runner(spec, results, arguments.out, note).run() == "interrupted":
            print(f"interrupted: {results} has the records so far; the same command resumes", file=sys.stderr)
            status = 130
    summary, folder = Summary.load(results), arguments.report or arguments.out
    # The results may contain parts that were measured before, so the report uses the specification of all parts.
    spec = replace(spec, part=Spec.table(arguments.name).part)
    parts = sections(summary, spec)
    pictures = [*draw(summary, spec, folder, name), *draw_best_peer(summary, spec, folder, name)]
    path = write_markdown(folder / f"{name}.md", spec, parts, pictures)
    to_terminal([part for part in parts if part.brief] or parts[:1])
    note(f"The whole report: {path}")
    return status


def note(text: str) -> None:
    """Prints progress to standard error, so that tables can be piped."""
    print(text, file=sys.stderr, flush=True)
