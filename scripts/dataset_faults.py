"""Makes each system call of a dataset's reads and writes fail once: `python -m scripts.dataset_faults`.

strace fails the calls of `scripts/one_dataset.py`. A read ends with all rows, or with a typed error. After a write the
dataset has the rows of before or those of after: all after a success, and either of them after an error. A further
append is then added to these.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import colonnade as cn
from scripts.one_dataset import KINDS, rows
from scripts.system_calls import HEAD, Fault, calls_between_marks, faults_of, inject, report, run

SECONDS = 30
OLD, NEW, FURTHER = list(range(100)), list(range(100, 200)), list(range(200, 210))


@dataclass(frozen=True)
class Work:
    """One kind of read or write, of a folder that each run copies."""

    kind: str
    folder: Path

    @property
    def is_write(self) -> bool:
        """Whether it changes the dataset."""
        return not self.kind.startswith(("read", "scan"))

    @property
    def before(self) -> list[int]:
        """The numbers in the dataset before a write."""
        return [] if self.kind == "new" else OLD

    @property
    def after(self) -> list[int]:
        """The numbers in the dataset after a write."""
        return OLD + NEW if self.kind.startswith("append") else NEW


def main() -> int:
    """Attack each kind, and print one row of the table for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="one kind")
    only = parser.parse_args().only
    wrong: list[str] = []
    print(f"| parts | {HEAD}")
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind in KINDS:
            if only in ("", kind):
                wrong += attack(prepared(kind, Path(name)), pool)
    print("\n".join(wrong))
    return 1 if wrong else 0


def prepared(kind: str, folder: Path) -> Work:
    """The folder before the work: none, plain files, or a dataset of two versions."""
    work = Work(kind, folder / kind)
    work.folder.mkdir()
    dataset = work.folder / "dataset"
    if "plain" in kind or "pattern" in kind:
        for key in (0, 1):
            half = {name: values[key::2] for name, values in rows(0, 100).items() if name != "key"}
            cn.write(half, dataset / f"key={key}" / "1.parquet", mkdir=True)
    elif kind != "new":
        for start in (0, 50):
            cn.write_dataset(rows(start, start + 50), dataset, partition_by="key", mode="append")
    return work


def copied(work: Work) -> Path:
    """The folder of the dataset, for one run."""
    folder = Path(tempfile.mkdtemp(dir=work.folder)) / "dataset"
    if work.kind != "new":
        shutil.copytree(work.folder / "dataset", folder)
    return folder


def command(work: Work, folder: Path) -> list[str]:
    """The program, and its arguments."""
    return [sys.executable, "-m", "scripts.one_dataset", work.kind, str(folder)]


def attack(work: Work, pool: ThreadPoolExecutor) -> list[str]:
    """Prints the row of a kind, and returns the faults that ended wrong."""
    calls = calls_between_marks(command(work, copied(work)), work.folder / "log")
    plain = subprocess.run(command(work, copied(work)), capture_output=True, text=True, check=True).stdout
    faults = faults_of(calls)
    return report(("parquet", work.kind), calls, faults, pool.map(lambda fault: outcome(work, fault, plain), faults))


def outcome(work: Work, fault: Fault, expected: str) -> tuple[str, str]:
    """`frame`, `error` or `wrong`, and what is wrong."""
    folder = copied(work)
    ended, why = run(inject(fault, command(work, folder)), expected, SECONDS)
    if ended != "wrong" and work.is_write:
        try:
            ended, why = judged_rows(folder, work.before, work.after, ended)
        except (cn.ColonnadeError, OSError) as error:
            ended, why = "wrong", f"afterwards {type(error).__name__}: {error}"
    shutil.rmtree(folder.parent)
    return ended, why


def judged_rows(dataset: Path | str, before: list[int], after: list[int], ended: str, **access: Any) -> tuple[str, str]:
    """Whether the rows are right after a write that ended in this way, and after a further append."""
    found = numbers(dataset, access)
    if found not in ([after] if ended == "frame" else [before, after]):
        return "wrong", f"after {ended} the dataset has {len(found)} rows"
    cn.write_dataset(rows(200, 210), dataset, partition_by="key", mode="append", **access)
    if (more := numbers(dataset, access)) != found + FURTHER:
        return "wrong", f"after a further append the dataset has {len(more)} rows"
    return ended, ""


def numbers(dataset: Path | str, access: dict[str, Any]) -> list[int]:
    """The rows of a dataset; none if there is no part."""
    try:
        return sorted(cn.dataset(dataset, **access).read()["n"].to_numpy().tolist())
    except FileNotFoundError:
        return []


if __name__ == "__main__":
    sys.exit(main())
