"""The folder of the public test files, and the mark of the tests that read it; they are skipped if it is absent.

The corpora are not part of the repository. They are expected next to it, in ``../shared/corpora``;
the environment variable ``COLONNADE_CORPORA`` names another folder.

    from tests.helpers.corpora import CORPORA, needs_corpora

    @needs_corpora
    def test_reads_them():
        for path in CORPORA.glob("npy-numpy/*.npy"): ...
"""

import csv
import os
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

_folder = Path(os.environ.get("COLONNADE_CORPORA") or ROOT.parent / "shared" / "corpora")

CORPORA: Path | None = _folder if (_folder / "VERDICTS.tsv").is_file() else None

ABSENT = f"no corpora at {_folder} (COLONNADE_CORPORA names another folder)"

# `-m corpora` runs these tests alone; tests/conftest.py skips them where the corpora are absent.
needs_corpora = pytest.mark.corpora


class Verdict(NamedTuple):
    """One row of VERDICTS.tsv."""

    path: Path
    name: str
    kind: str
    verdict: str
    note: str


def verdicts(*kinds: str) -> list[Verdict]:
    """The rows of VERDICTS.tsv of these kinds, by path; none where the corpora are absent."""
    if CORPORA is None:
        return []
    with open(CORPORA / "VERDICTS.tsv", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        found = [
            Verdict(CORPORA / row["path"], row["path"], row["kind"], row["verdict"], row["note"] or "")
            for row in rows
            if row["kind"] in kinds
        ]
    return sorted(found, key=lambda row: row.name)
