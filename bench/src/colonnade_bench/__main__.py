"""The command line: `colonnade bench ...` and `python -m colonnade_bench ...`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from colonnade.cli import os_error_text, status_of
from colonnade_bench import listing, table
from colonnade_bench.datasets import DATASETS
from colonnade_bench.panel import tables as datasets
from colonnade_bench.panel.cli import add_arguments as add_panel_arguments
from colonnade_bench.panel.cli import main as panel
from colonnade_bench.panel.predicted_run import add_arguments as add_predicted_arguments
from colonnade_bench.panel.predicted_run import main as predicted
from colonnade_bench.panel.serve import add_arguments as add_serve_arguments
from colonnade_bench.panel.serve import main as serve
from colonnade_bench.panel.stability import add_arguments as add_stability_arguments
from colonnade_bench.panel.stability import main as stability
from colonnade_bench.registry import did_you_mean
from colonnade_bench.report import sections
from colonnade_bench.section import to_markdown, to_terminal
from colonnade_bench.spec import Spec
from colonnade_bench.summary import Summary
from colonnade_bench.table import note


def parser() -> argparse.ArgumentParser:
    """Builds the command line. Arguments without a command start a panel, and its help is the help of all."""
    top = argparse.ArgumentParser(prog="colonnade bench", usage=USAGE)
    commands = top.add_subparsers(dest="command", required=True, prog="colonnade bench")
    panels = commands.add_parser(
        "panel",
        prog="colonnade bench",
        usage=USAGE,
        description="Which format is fastest, by measurement: for your data, through files, sockets and links.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_panel_arguments(panels)

    add_predicted_arguments(commands.add_parser("predicted", help="what advise predicts, against what is measured"))
    add_stability_arguments(commands.add_parser("stability", help="whether two runs of a panel rank alike"))
    add_serve_arguments(commands.add_parser("serve", help="the other host of `--remote` and of `advise --to`"))
    table.add_arguments(commands.add_parser("table", help="a published table, measured again"))
    listing.add_arguments(commands.add_parser("list", help="data sets, engines, transports, tables"))

    show = commands.add_parser("report", help="the report of results files, also of several machines")
    show.add_argument("results", type=Path, nargs="+")
    show.add_argument("--markdown", action="store_true")
    show.add_argument("--out", type=Path, help="of panels: write page, report and pictures there")
    panels.epilog = epilog(commands)
    return top


def epilog(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> str:
    """Returns the end of the help: the commands, the figures, examples."""
    helps = {action.dest: action.help for action in commands._get_subactions()}
    named = "".join(f"  {name:<22}{text}\n" for name, text in helps.items())
    return f"commands (`colonnade bench COMMAND --help`):\n{named}\n" + (
        f"well-known figures, measured again:\n  {', '.join(FIGURES)}\n\n{EXAMPLES}"
    )


USAGE = "colonnade bench [DATA ...] [--quick] [options]\n       colonnade bench COMMAND ..."

EXAMPLES = """\
examples:
  colonnade bench --quick                                   every format in five minutes, and a page
  colonnade bench trips.parquet --transport tcp-1gbit       your own file, over a link of 1 Gbit/s
  colonnade bench --engine pyarrow --engine polars --format parquet --transport file"""
"""Three ways to begin."""

FIGURES = {
    "arrow-stream": ["table", "arrow", "--part", "streams"],
    "parquet-threads": ["table", "parquet", "--part", "low"],
    "codecs": ["table", "codecs"],
    "msgpack": ["panel", "--spec", "msgpack", "--out", "bench-results/msgpack"],
}
"""Well-known figures. One command remakes each."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns the exit status."""
    given = list(sys.argv[1:] if argv is None else argv)
    known = parser()
    if given and given[0] in FIGURES:
        given[:1] = FIGURES[given[0]]
    try:
        if not given or given[0] not in COMMANDS:
            refuse_mistyped(given[:1])
            given.insert(0, "panel")
        arguments = known.parse_args(given)
        return COMMANDS[arguments.command](arguments)
    except (KeyError, ValueError, OSError) as error:
        note(said(error))
        return status_of(error)


def refuse_mistyped(first: Sequence[str]) -> None:
    """Raises KeyError if the first word is neither a command, an option, a data set nor a path."""
    for word in first:
        if word.startswith("-") or word in datasets.GROUPS or word in DATASETS:
            continue
        path = Path(word)
        if path.exists() or path.suffix or len(path.parts) > 1:
            continue  # a path: the panel says if there is no such file
        hint = did_you_mean(word, [*COMMANDS, *FIGURES, *datasets.GROUPS, *DATASETS]) or "."
        raise KeyError(
            f'bench: no command and no data set "{word}"{hint} '
            "`colonnade bench list` names data sets, `colonnade bench --help` commands; a path must exist"
        )


def said(error: Exception) -> str:
    """Formats an error as one line."""
    if isinstance(error, OSError):
        return os_error_text(error)
    return str(error.args[0] if isinstance(error, KeyError) else error)


def advise(argv: Sequence[str] | None = None) -> int:
    """Runs ``colonnade advise DATA``: recommends a format for this data over this link."""
    from colonnade_bench.panel.advise import add_arguments, main

    command = argparse.ArgumentParser(
        prog="colonnade advise", description="Which format is fastest for this data over this link, by measurement."
    )
    add_arguments(command)
    return main(command.parse_args(argv))


def report(arguments: argparse.Namespace) -> int:
    """Writes reports from results files, also of other machines. Panels of several machines appear side by side."""
    if any(of_panel(path) for path in arguments.results):
        return report_panels(arguments)
    parts = sections(Summary.load(*arguments.results), spec_of(arguments.results))
    if arguments.markdown:
        print(to_markdown(parts))
    else:
        to_terminal(parts)
    return 0


def plans(path: Path) -> list[dict[str, object]]:
    """Returns the specifications recorded in a results file."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line)["spec"] for line in file if '"kind": "plan"' in line]


def of_panel(path: Path) -> bool:
    """Whether the file holds the records of a panel."""
    return path.suffix == ".json" or any(not spec.get("part") for spec in plans(path))


def spec_of(paths: Sequence[Path]) -> Spec:
    """Returns the last specification in a table's results. The report judges its targets."""
    found = [spec for path in paths for spec in plans(path)]
    return Spec.of(found[-1]) if found else Spec()


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


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "panel": panel,
    "predicted": predicted,
    "stability": stability,
    "serve": serve,
    "table": table.main,
    "list": listing.main,
    "report": report,
}

if __name__ == "__main__":
    sys.exit(main())
