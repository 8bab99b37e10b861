"""Makes the published pages again from their records: ``python -m colonnade_bench.panel.publish examples``.

Figures of the records are rounded to four or five digits and sums are omitted, which makes the files a third as large.
Each folder with a ``panel.jsonl.xz`` gets its ``report.md`` without the table of every figure, and the pictures that it
already has are drawn again. One page shows all folders. Nothing of it is edited by hand, and a test compares the files
with their records.
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any

from colonnade_bench.panel.processor_time import SUMS
from colonnade_bench.panel.report_markdown import SHOWN, as_markdown
from colonnade_bench.panel.report_records import read_records
from colonnade_bench.panel.summary import Results

RECORDS = "panel.jsonl.xz"
MEMORY = ("peak_nbytes", "held_nbytes")
CHANGES = "changes.txt"
"""What the run of a folder changed in the ranking of the one published before. The page shows it."""


def folders(root: Path) -> list[Path]:
    """Returns the folders of published records."""
    return sorted(path.parent for path in root.glob(f"*/{RECORDS}"))


def rounded(value: Any, name: str = "") -> Any:
    """Returns a record with four digits of each time and each amount of memory. Repetitions differ in the second.

    The time of a repetition keeps five: tables show three, and two roundings in a row would change the third.

    >>> rounded({"union_s": 0.02798787399660796, "user_s": 0.01234567, "peak_nbytes": 12197888, "rows": [1.5]})
    {'union_s': 0.027988, 'user_s': 0.01235, 'peak_nbytes': 12200000, 'rows': [1.5]}
    """
    if isinstance(value, dict):
        return {key: rounded(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each, name) for each in value]
    if isinstance(value, float):
        return float(f"{value:.{5 if name == 'union_s' else 4}g}")
    return int(float(f"{value:.4g}")) if name in MEMORY and value is not None else value


def tighten(path: Path) -> None:
    """Rounds the records of a file, and omits their sums. A second time changes nothing."""
    records = (rounded({k: v for k, v in record.items() if k not in SUMS}) for record in read_records(path))
    lines = [json.dumps(record, separators=(",", ":")) + "\n" for record in records]
    path.write_bytes(lzma.compress("".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))


def report(folder: Path) -> str:
    """Returns the text of a folder's ``report.md``, with the pictures of its folder."""
    results = Results.load(folder / RECORDS)
    pictures = [path for name in SHOWN if (path := Path("pictures") / f"{name}.png") and (folder / path).exists()]
    # Half of a report is the table of every figure, which the page and the records have too.
    return as_markdown(results, {results.places()[0]: pictures} if pictures else None, everything=False)


def page_of_all(root: Path) -> str:
    """Returns the text of ``page.html``."""
    from colonnade_bench.panel.page import page

    changes: dict[str, str] = {}
    for folder in folders(root):
        if (folder / CHANGES).exists():
            text = " ".join((folder / CHANGES).read_text("utf-8").split())
            changes[next(read_records(folder / RECORDS))["run"]] = text
    return page(Results.load(*(folder / RECORDS for folder in folders(root))), changes)


def draw(folder: Path) -> None:
    """Draws the pictures of the report's folder."""
    from colonnade_bench.panel.report_pictures import write_pictures

    results = Results.load(folder / RECORDS)
    there = sorted((folder / "pictures").glob("*.png"))
    with tempfile.TemporaryDirectory() as drawn:
        made = {path.name: path for path in write_pictures(results, results.places()[0], Path(drawn))} if there else {}
        for picture in there:
            picture.write_bytes(made[picture.name].read_bytes())


def main(root: Path) -> int:
    for path in sorted(root.glob("*/*.jsonl.xz")):
        tighten(path)
    for folder in folders(root):
        draw(folder)
        (folder / "report.md").write_text(report(folder), encoding="utf-8")
        print(folder / "report.md")
    (root / "page.html").write_text(page_of_all(root), encoding="utf-8")
    print(root / "page.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "examples")))
