"""The command lines of the papers: each measures its parts and writes a report with the table of its marks."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from colonnade_bench.page_cache import CACHES
from colonnade_bench.report import marks_section, to_terminal

DIRECTORY = Path("bench-results")


@dataclass(frozen=True)
class Paper:
    """One paper: `colonnade_bench.paper_<topic>` measures, `report_<topic>` writes."""

    topic: str
    about: str
    parts: tuple[str, ...]
    states: tuple[str, ...]
    transports: tuple[str, ...] = ()
    marks_only: str = ""
    kinds: tuple[str, ...] = ()
    chunks: str = ""
    fixtures: str = ""
    tables: str = ""
    libraries: tuple[str, ...] = ()
    rounds: int = 7

    def add_to(self, commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
        """The command and its arguments; those of `measure` have the names that they have there."""
        command = commands.add_parser(f"paper-{self.topic}", help=self.about)
        command.add_argument("--rounds", type=int, default=self.rounds)
        command.add_argument(
            "--size", type=float, default=1.0, help="multiple of everything; below 1 no mark is judged"
        )
        for name, choices in (("part", self.parts), ("state", self.states), ("transport", self.transports)):
            if choices:
                command.add_argument(
                    f"--{name}", action="append", choices=choices, dest=f"{name}s", help="all that apply by default"
                )
        if self.kinds:
            command.add_argument("--kind", action="append", choices=self.kinds, dest="kinds", help="tables")
        if self.chunks:
            command.add_argument("--chunk", action="append", dest="chunks", help=self.chunks)
        if self.fixtures:
            command.add_argument("--fixture", action="append", dest="fixtures", help=self.fixtures)
        if self.tables:
            command.add_argument("--table", action="append", dest="tables", help=self.tables)
            command.add_argument("--again", type=int, help="rounds of *repeat*; as many as of *first* by default")
        if self.marks_only:
            command.add_argument("--marks-only", action="store_true", help=self.marks_only)
        if self.libraries:
            command.add_argument(
                "--library", action="append", choices=self.libraries, dest="libraries", help="all by default"
            )
            command.add_argument("--cache", choices=CACHES, help="where a file lies that is read; warm by default")
            command.add_argument("--disk", type=float, default=500.0, help="MB/s, for the ideal I/O time of the report")
        command.add_argument("--out", type=Path, default=DIRECTORY)
        command.add_argument("--report", type=Path, help=f"where {self.topic}.md goes; default: the same as --out")
        command.add_argument("--report-only", action="store_true", help="from results measured before")

    def run(self, arguments: argparse.Namespace, note: Callable[[str], None]) -> None:
        """Measure, write the Markdown report, show the marks."""
        paper = import_module(f"colonnade_bench.paper_{self.topic}")
        write_report = import_module(f"colonnade_bench.report_{self.topic}").write_report
        arguments.out.mkdir(parents=True, exist_ok=True)
        if arguments.report_only:
            summary = paper.load(arguments.out)
        else:
            told = {name: value for name, value in vars(arguments).items() if name not in _OWN and value is not None}
            summary = paper.measure(arguments.out, **told, note=note)
        shown = {"disk": arguments.disk} if self.libraries else {}
        path = write_report(summary, arguments.report or arguments.out, **shown)
        to_terminal(marks_section(summary))
        note(f"The whole report: {path}")


# What the commands keep for themselves; all else is an argument of `measure`.
_OWN = ("command", "out", "report", "report_only", "disk")

PAPERS = {
    f"paper-{paper.topic}": paper
    for paper in (
        Paper(
            "arrow",
            "streams by chunk size and the nine fixtures, with the table of marks",
            parts=("streams", "files", "codecs"),
            states=("first", "repeat", "memory"),
            kinds=("floats", "wide", "text"),
            chunks="such as 16KiB; all by default",
            fixtures="such as wide-columnar; all nine by default",
        ),
        Paper(
            "connections",
            "from process to process by pipe, socket, TCP, TLS, with the table of marks",
            parts=("large", "text", "small", "pieces", "relay"),
            states=("first", "repeat"),
            transports=("pipe", "unix", "tcp", "tls"),
            marks_only="only the contestants that marks are judged by",
        ),
        Paper(
            "msgpack",
            "MessagePack in memory, of rows, by pipe and socket, with the table of marks",
            parts=("memory", "records", "wire", "file"),
            states=("first", "repeat"),
            transports=("fifo", "unix", "tcp"),
            marks_only="of the wire, only what marks are judged by",
        ),
        Paper(
            "text",
            "CSV, NDJSON, JSON and YAML files, with the table of marks",
            parts=("csv", "ndjson", "json", "yaml"),
            states=("first", "repeat"),
        ),
        Paper(
            "parquet",
            "Parquet by threads, many tables read and written, a few columns of many, with the table of marks",
            parts=("low", "files", "columns"),
            states=("first", "repeat", "memory"),
            tables="of the files, such as taxi; all by default",
        ),
        Paper(
            "codecs",
            "every format and codec, written, and read column by column; jagged events; with the table of marks",
            parts=("arange", "taxi", "flights", "events"),
            states=(),
            libraries=("awkward", "pyarrow", "polars", "pandas"),
            rounds=3,
        ),
    )
}
