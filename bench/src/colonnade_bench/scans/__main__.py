"""``python -m colonnade_bench.scans``: runs the contests and writes their tables."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import tempfile
from contextlib import suppress
from pathlib import Path

from colonnade_bench import machine
from colonnade_bench.section import Section, to_markdown, to_terminal

PARTS = {"columns": 7, "engines": 7, "dask": 3, "serve": 7, "memory": 3}
"""The rounds of each part. One round of `dask` takes two minutes."""
LIBRARIES = ("colonnade", "pyarrow", "polars", "duckdb", "dask", "distributed", "obstore", "uvicorn")
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
        (given.report / "scans.md").write_text(INTRODUCTION + to_markdown(sections), encoding="utf-8")


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
    return Section("Machine", ["", ""], rows)


def shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items()) or "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    main()
