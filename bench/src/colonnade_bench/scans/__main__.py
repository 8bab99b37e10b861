"""``python -m colonnade_bench.scans``: runs the contests and writes their tables."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import re
import tempfile
from contextlib import suppress
from pathlib import Path

from colonnade_bench import machine
from colonnade_bench.section import Section, to_markdown, to_terminal

PARTS = {"columns": 7, "engines": 7, "dask": 3, "serve": 7, "memory": 3}
"""The rounds of each part. One round of `dask` takes two minutes."""
LIBRARIES = ("colonnade", "pyarrow", "polars", "duckdb", "dask", "distributed", "obstore", "uvicorn")
MACHINE = "Machine"
INTRODUCTION = """# Datasets, object stores and engines

Written by `make bench-scans`. Each round starts a process for every call, in random order, and calls twice. All answers
are compared before a time counts. *Peak memory* is that of the calling process, and for sums in Dask that of both
workers. How it is measured: [how we measure](how-we-measure.md).

"""


def main() -> None:
    """Runs the parts that are asked for."""
    parser = argparse.ArgumentParser(prog="colonnade_bench.scans", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; it can be repeated")
    parser.add_argument("--rounds", type=int, help="rounds of each part")
    parser.add_argument("--folder", type=Path, help="keep the data here, 15 GB; default: a temporary folder")
    parser.add_argument("--report", type=Path, help="folder of the report, scans.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        sections = [section for part in given.part or PARTS for section in measured(part, given.rounds, folder)]
        sections.append(about(folder))
    to_terminal(sections)
    if given.report:
        path = given.report / "scans.md"
        known = path.read_text("utf-8") if path.exists() else ""
        path.write_text(report(known, sections), encoding="utf-8")


def report(known: str, sections: list[Section]) -> str:
    """The report: the tables of these sections, and those of an earlier report that were not measured again."""
    tables = {title(table): table for table in tables_of(known)}
    tables.pop(MACHINE, None)  # it comes last
    tables |= {title(table): table for table in tables_of(to_markdown(sections))}
    return INTRODUCTION + "".join(tables.values())


def tables_of(text: str) -> list[str]:
    return re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]


def title(table: str) -> str:
    return table.partition("\n")[0].removeprefix("## ")


def measured(part: str, rounds: int | None, folder: Path) -> list[Section]:
    """The tables of a part."""
    module = importlib.import_module(f"colonnade_bench.scans.{part}")
    with module.contests(folder) as contests:
        return [contest.section(contest.run(rounds or PARTS[part])) for contest in contests]


def about(folder: Path) -> Section:
    """The machine and the versions."""
    found = machine.describe(folder, [])
    for name in LIBRARIES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found["versions"][name] = importlib.metadata.version(name)
    rows = [[name, shown(value)] for name, value in found.items() if name != "kind"]
    return Section(MACHINE, ["", ""], rows)


def shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items()) or "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    main()
