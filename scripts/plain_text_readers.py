"""Which programs read our plain text right, with their plain call: `make release-check`, part readers.

Each program opens files that `cn.write` wrote with its defaults, and tells their columns. The cells are compared with
those of the frame: "right", or the columns that differ. Prints a Markdown table; fails where a program is missing,
finds another shape, or another value than its own rules explain (`EXPLAINED`).
"""

import csv
import datetime as dt
import importlib.metadata
import json
import math
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.csv
import pyarrow.json
import yaml

import colonnade as cn

Columns = dict[str, list[Any]]

FRAME: Columns = {
    "count": [1, -2, 3_000_000_000, 0],
    "price": [1.5, -0.1, 1e-300, 1e22],
    "part": [0.25, None, 3.0, None],
    "sold": [True, False, True, True],
    "name": ["plain", 'quote " and, comma', "two\nlines", "naïve 漢字 🙂"],
    "note": ["x", None, "y", "z"],
    "day": [dt.date(2024, 2, 29), dt.date(1970, 1, 1), dt.date(1999, 12, 31), dt.date(2024, 3, 1)],
    "when": [dt.datetime(2024, 2, 29, 12, 30), dt.datetime(1999, 12, 31, 23, 59, 59), *[dt.datetime(2000, 1, 1)] * 2],
}

# Where a program's own rules give another value than the frame has, and which rule.
EXPLAINED = {
    ("LibreOffice", "csv", "sold"): "`sold`: `true` is text",
    ("pyarrow", "csv", "note"): '`note`: the null of a text column is `""` (`strings_can_be_null=False`)',
    ("R read.csv", "csv", "sold"): "`sold`: `true` is text (`as.logical` reads it)",
    ("R read.csv", "csv", "note"): '`note`: the null of a text column is `""` (`na.strings="NA"`)',
}

R_TELLS = """
options(digits = 17)
tell <- function(df) cat(jsonlite::toJSON(as.list(df), na = "null", digits = NA, POSIXt = "ISO8601"))
"""


def told_by_r(read: str, path: Path) -> Columns:
    """The columns of the data frame that the R expression `read` makes of its first argument."""
    text = subprocess.run(
        ["Rscript", "-e", f"{R_TELLS}\ntell({read})", path], check=True, capture_output=True, text=True
    )
    found: Columns = json.loads(text.stdout)
    return found


def by_jq(path: Path) -> Columns:
    """The records that jq prints."""
    slurp = ["--slurp"] if path.suffix == ".ndjson" else []
    text = subprocess.run(["jq", *slurp, ".", path], check=True, capture_output=True, text=True).stdout
    return transposed(json.loads(text))


def by_duckdb(path: Path) -> Columns:
    """The columns of the relation that the file's name is."""
    relation = duckdb.sql(f"from '{path}'")
    assert relation is not None
    found: Columns = relation.to_arrow_table().to_pydict()
    return found


def by_libreoffice(path: Path) -> Columns:
    """The cells of the sheet, with their types. The import options are comma, double quotes, UTF-8."""
    made = path.with_suffix(".fods")
    command = ["soffice", f"-env:UserInstallation=file://{path.parent}/profile", "--headless"]
    subprocess.run(
        [*command, "--infilter=CSV:44,34,76", "--convert-to", "fods", "--outdir", path.parent, path],
        check=True,
        capture_output=True,
    )
    office = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
    table = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
    rows = []
    for row in ET.parse(made).getroot().iter(f"{table}table-row"):
        cells: list[Any] = []
        for cell in row.iter(f"{table}table-cell"):
            kind = cell.get(f"{office}value-type")
            text = "\n".join("".join(part.itertext()) for part in cell)
            number = cell.get(f"{office}value")
            value: Any = text if kind == "string" else cell.get(f"{office}date-value") if kind == "date" else number
            cells += [float(value) if kind == "float" else value] * int(cell.get(f"{table}number-columns-repeated", 1))
        rows.append(cells[: len(FRAME)])
    names, *records = [row for row in rows if any(cell is not None for cell in row)]
    return {name: [record[i] for record in records] for i, name in enumerate(names)}


def transposed(records: list[dict[str, Any]]) -> Columns:
    """Records as columns."""
    return {name: [record[name] for record in records] for name in records[0]}


def by_python_csv(path: Path) -> Columns:
    """The fields as text."""
    with path.open(newline="", encoding="utf-8") as file:
        return transposed(list(csv.DictReader(file)))


Reader = Callable[[Path], Columns]
READERS: dict[str, dict[str, Reader]] = {
    "csv": {
        "pandas": lambda path: pd.read_csv(path).to_dict("list"),
        "polars": lambda path: pl.read_csv(path, try_parse_dates=True).to_dict(as_series=False),
        "pyarrow": lambda path: pyarrow.csv.read_csv(
            path, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True)
        ).to_pydict(),
        "DuckDB": by_duckdb,
        "Python's csv": by_python_csv,
        "R read.csv": lambda path: told_by_r("read.csv(commandArgs(TRUE)[1])", path),
        "LibreOffice": by_libreoffice,
    },
    "json": {
        "pandas": lambda path: pd.read_json(path).to_dict("list"),
        "polars": lambda path: pl.read_json(path).to_dict(as_series=False),
        "DuckDB": by_duckdb,
        "jq": by_jq,
        "R jsonlite": lambda path: told_by_r("jsonlite::fromJSON(commandArgs(TRUE)[1])", path),
    },
    "ndjson": {
        "pandas": lambda path: pd.read_json(path, lines=True).to_dict("list"),
        "polars": lambda path: pl.read_ndjson(path).to_dict(as_series=False),
        "pyarrow": lambda path: pyarrow.json.read_json(path).to_pydict(),
        "DuckDB": by_duckdb,
        "jq": by_jq,
        "R jsonlite": lambda path: told_by_r("jsonlite::stream_in(file(commandArgs(TRUE)[1]), verbose = FALSE)", path),
    },
    "yaml": {"PyYAML": lambda path: transposed(yaml.safe_load(path.read_text(encoding="utf-8")))},
}
PROGRAMS = {"jq": "jq", "R": "Rscript", "LibreOffice": "soffice"}


def same(found: Any, wanted: Any, program: str) -> bool:
    """Whether a cell is what it was. A time may be its ISO text, and any cell text where a program has no types."""
    if wanted is None:
        return (
            found is None
            or (isinstance(found, float) and math.isnan(found))
            or (found == "" and program == "Python's csv")
        )
    if isinstance(wanted, dt.date):
        try:
            moment = pd.Timestamp(found).tz_localize(None)
        except (ValueError, TypeError):
            return False
        return bool(moment == pd.Timestamp(wanted))
    if program == "Python's csv" and not isinstance(wanted, str):
        return bool(found == str(wanted).lower() if isinstance(wanted, bool) else float(found) == wanted)
    return bool(found == wanted) and isinstance(found, bool) == isinstance(wanted, bool)


def verdict(found: Columns, program: str, format: str) -> tuple[str, bool]:
    """The word for the table, and whether it is right or explained."""
    rows = {len(cells) for cells in found.values()}
    if list(found) != list(FRAME) or rows != {4}:
        return f"another shape: {list(found)}, {rows} rows", False
    wrong = [n for n, cells in FRAME.items() if not all(map(lambda f, w: same(f, w, program), found[n], cells))]
    told = [EXPLAINED.get((program, format, name), f"{name}: found {found[name]}") for name in wrong]
    return "; ".join(told) or "right", all((program, format, name) in EXPLAINED for name in wrong)


def version(program: str) -> str:
    """The installed version."""
    name = program.split()[0]
    for command in (["jq", "--version"], ["Rscript", "--version"], ["soffice", "--version"]):
        if PROGRAMS.get(name) == command[0]:
            text = subprocess.run(command, check=True, capture_output=True, text=True)
            return next(word for word in (text.stdout + text.stderr).replace("jq-", "").split() if word[0].isdigit())
    if name == "Python's":
        return sys.version.split()[0]
    return importlib.metadata.version(name.lower())


def main() -> None:
    """Prints the table."""
    missing = [name for name, program in PROGRAMS.items() if shutil.which(program) is None]
    if missing:
        sys.exit(f"readers: not installed: {', '.join(missing)} (apt-get install jq r-base-core libreoffice-calc)")
    all_right = True
    print("| program | " + " | ".join(READERS) + " |\n|---|" + "---|" * len(READERS))
    with tempfile.TemporaryDirectory() as folder:
        for program in dict.fromkeys(name for readers in READERS.values() for name in readers):
            cells = []
            for format, readers in READERS.items():
                path = Path(folder) / f"x.{format}"
                cn.write(pl.DataFrame(FRAME), path, on_loss="raise")
                word, is_right = verdict(readers[program](path), program, format) if program in readers else ("", True)
                cells.append(word)
                all_right = all_right and is_right
            print(f"| {program} {version(program)} | " + " | ".join(cells) + " |")
    if not all_right:
        sys.exit("readers: a program found something else")


if __name__ == "__main__":
    main()
