"""``python -m colonnade_bench.r_package``: measures Colonnade for R against R's own ways, and writes the report."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from colonnade_bench import machine
from colonnade_bench.engines import ENGINES
from colonnade_bench.r_package.measure import OURS, PARTS, Records, Settings
from colonnade_bench.r_package.report import sections
from colonnade_bench.scans.__main__ import shown
from colonnade_bench.section import Section, to_markdown, to_terminal
from colonnade_bench.table import DIRECTORY

VERSIONS_OF = (OURS, "R jsonlite", "R rjson", "R data.table")
FEWEST_ROUNDS = 5
PAGE = "r-package.md"
INTRODUCTION = """# Colonnade for R against R's own

Written by `make bench-r`. All contestants are measured in one run and take turns, and each round begins with another
one. Before a time counts, what comes back is compared with the data: Colonnade and `serialize` must return identical
data frames, and what other libraries lose is listed. The tables have the types of R's own nycflights13, with NA. In
memory and over the socket, each contestant has processes of its own. Over a socket of R, Colonnade's message is
written by `writeBin()` after its length, and `serialize` writes to the connection itself. `cn_connect` is Colonnade's
own connection, with Arrow streams. The other parts run in one process, with files in memory if the system has a folder
for them. R collects its garbage before each call. How it is measured: [how we measure](how-we-measure.md). R's
engines: [R](r.md).

"""


def main() -> None:
    """Measures the parts that are asked for."""
    parser = argparse.ArgumentParser(prog="colonnade_bench.r_package", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part; it can be repeated")
    parser.add_argument("--rounds", type=int, default=Settings.rounds, help="rounds of each part")
    parser.add_argument(
        "--report", type=Path, help=f"folder of the report, {PAGE}; needs {FEWEST_ROUNDS} rounds and all parts"
    )
    given = parser.parse_args()
    if (reason := ENGINES[OURS].missing()) is not None:
        sys.exit(f"bench: {reason}")
    if given.report and (given.part or given.rounds < FEWEST_ROUNDS):
        parser.error(f"--report needs all parts and {FEWEST_ROUNDS} rounds")
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as scratch:
        about = described(Path(scratch))
        found = measured(given.part or PARTS, Settings(Path(scratch), given.rounds))
    DIRECTORY.mkdir(exist_ok=True)
    (DIRECTORY / "r-package.json").write_text(json.dumps({"machine": about, **found}), encoding="utf-8")
    tables = [*sections(found), table_of(about)]
    to_terminal(tables)
    if given.report:
        (given.report / PAGE).write_text(INTRODUCTION + to_markdown(tables), encoding="utf-8")


def measured(parts: Any, settings: Settings) -> dict[str, Records]:
    out = {}
    for part in parts:
        print(f"{part}:", flush=True)
        out[part] = PARTS[part](settings)
    return out


def described(folder: Path) -> dict[str, Any]:
    """Describes the machine, with the versions of R and its packages."""
    return machine.describe(folder, VERSIONS_OF)


def table_of(about: dict[str, Any]) -> Section:
    return Section("Machine", ["", ""], [[name, shown(value)] for name, value in about.items() if name != "kind"])


if __name__ == "__main__":
    main()
