"""The command line of a panel: ``colonnade bench [DATA ...]``."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from colonnade.cli.security import add_security, security_of
from colonnade_bench.panel.progress import Progress
from colonnade_bench.runner import runner
from colonnade_bench.spec import VIA, Spec

OUT = Path("bench-results/panel")
DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|)")
SECONDS = {"": 1.0, "s": 1.0, "min": 60.0, "h": 3600.0}


def duration(text: str) -> float:
    """Parses seconds from a text such as ``90``, ``90s``, ``5min``, ``2h``.

    >>> duration("5min")
    300.0
    """
    found = DURATION.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f'"{text}" is no duration; expected a number and s, min or h, such as 5min')
    return float(found[1]) * SECONDS[found[2]]


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the arguments of a panel, in the groups of its help."""
    command.add_argument(
        "data",
        metavar="DATA",
        nargs="*",
        help="data sets (`colonnade bench list datasets`) or your own files; six tables by default",
    )
    command.add_argument("--quick", action="store_true", help="a small panel, under five minutes on two cores")
    what = command.add_argument_group("what is measured; each may be given several times")
    for name in ("engine", "format", "codec", "transport"):
        what.add_argument(f"--{name}", metavar="NAME", action="append", help=f"this {name} instead of all of the panel")
    what.add_argument("--size", metavar="FRACTION", action="append", type=float, help="of the rows, such as 0.1")
    what.add_argument("--dataset", metavar="NAME", action="append", help="the same as DATA")
    what.add_argument("--via", action="append", choices=VIA, help="framed: also wrapped in our message framing")
    long = command.add_argument_group("how long")
    long.add_argument("--budget", metavar="TIME", type=duration, help="for the whole run, such as 10min")
    long.add_argument("--point", metavar="TIME", type=duration, help="an engine whose size took longer gets no larger")
    long.add_argument("--repetitions", metavar="N", type=int, help="of each point, in each of two processes")
    long.add_argument("--no-faults", action="store_true", help="do not try damaged copies")
    out = command.add_argument_group("results")
    out.add_argument(
        "--out", metavar="DIR", type=Path, default=OUT, help=f"their folder, on the disk that is tested ({OUT})"
    )
    out.add_argument("--restart", action="store_true", help="delete existing results, do not resume")
    out.add_argument("--report-only", action="store_true", help="write the report of existing results again")
    out.add_argument("--spec", metavar="FILE", help="a TOML file that says all of this, or default, quick, msgpack")
    out.add_argument("--disk", metavar="MB/S", type=float, help="of an ideal disk, for the I/O time of each row")
    command.add_argument_group("another host").add_argument(
        "--remote", metavar="URL", help="of a `colonnade bench serve`: adds the transport remote"
    )
    add_security(command)


def spec_of(arguments: argparse.Namespace) -> Spec:
    """Returns the specification of the arguments.

    Filters of a shipped specification choose among its rows. Rows that are named by engine and format need no choice.
    """
    spec = Spec.load(arguments.spec or ("quick" if arguments.quick else "default"))
    if arguments.engine and arguments.format and not arguments.spec:
        spec = spec.but(include=[], exclude=[])
    transport = arguments.transport
    if arguments.remote and "remote" not in (transport or ()):
        transport = [*(transport or spec.transport), "remote"]
    return spec.but(
        dataset=[*arguments.data, *(arguments.dataset or ())] or None,
        engine=arguments.engine,
        format=arguments.format,
        codec=arguments.codec,
        transport=transport,
        remote=arguments.remote,
        remote_options=security_of(arguments) or None,
        size=sorted(arguments.size) if arguments.size else None,
        via=arguments.via,
        repetitions=arguments.repetitions,
        budget_s=arguments.budget,
        point_s=arguments.point,
        disk_bps=None if arguments.disk is None else arguments.disk * 8e6,
        faults=False if arguments.no_faults else None,
    )


def main(arguments: argparse.Namespace) -> int:
    """Measures, then writes the reports.

    The exit status is 0, or 130 after an interruption, which keeps all records.
    """
    from colonnade_bench.panel.report_all import write_reports
    from colonnade_bench.panel.report_terminal import print_report
    from colonnade_bench.panel.summary import Results

    results = arguments.out / "panel.jsonl"
    status = 0
    if not arguments.report_only:
        if arguments.restart:
            results.unlink(missing_ok=True)
        with Progress() as progress:
            panel = runner(spec_of(arguments), results, arguments.out, progress.note)
            reason = panel.run()
        if reason == "interrupted":
            print(f"interrupted: what was found is in {results}; the same command goes on from there", file=sys.stderr)
            status = 130
    elif not results.exists():
        print(f"bench: {results} is not there; run it without --report-only first", file=sys.stderr)
        return 2
    paths = write_reports([results], arguments.out)
    print_report(Results.load(results))
    print(f"the page: {next((p for p in paths if p.suffix == '.html'), arguments.out)}", file=sys.stderr)
    return status
