"""Makes each system call of a read and of a write fail once: `python -m scripts.faults`.

strace counts the calls of `fuzz/src/bin/one_call.rs` between its two marks. Then the program runs once for each call
and each error that the call may give. A run may end in two ways: with the frame, or with a typed error. After a write
the target holds the old file or the whole new one, and the next write leaves no other file.
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

import numpy as np
import pandas as pd

import colonnade as cn
from scripts.system_calls import HEAD, Fault, calls_between_marks, faults_of, inject, report, run

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target" / "release" / "one_call"
SUFFIXES = ["npz", "arrow", "arrows", "parquet", "msgpack", "csv", "csv.gz", "json", "ndjson", "yaml"]
SECONDS = 20


@dataclass(frozen=True)
class Task:
    """A read or write of one file, in a folder of its own."""

    kind: str
    suffix: str
    folder: Path
    expected: str

    @property
    def target(self) -> Path:
        """The file that is read or written."""
        return self.folder / f"target.{self.suffix}"

    def command(self, folder: Path) -> list[str]:
        """The program and its arguments, for the target in this folder."""
        target = str(folder / self.target.name)
        return [str(PROGRAM), self.kind, target] + ([str(self.folder / "source.arrow")] if self.kind == "write" else [])


def main() -> int:
    """Attack each format, and print one row of the table for each read and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="one format, by its suffix")
    options = parser.parse_args()
    build()
    wrong: list[str] = []
    print(f"| format | {HEAD}")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        for suffix in SUFFIXES:
            if options.only in ("", suffix):
                for kind in ("read", "write"):
                    wrong += attack(prepare(Path(folder), kind, suffix), pool)
    print("\n".join(wrong))
    return 1 if wrong else 0


def build() -> None:
    """Build the program whose calls fail."""
    command = ["cargo", "build", "--locked", "--release", "-p", "colonnade-fuzz", "--bin", "one_call"]
    subprocess.run(command, cwd=ROOT, check=True)


def exact(suffix: str) -> dict[str, Any]:
    """The options that keep every frame: text formats store its schema."""
    return {"schema": "header"} if suffix.split(".")[0] in ("csv", "json", "ndjson", "yaml") else {}


def nrows(suffix: str) -> int:
    """Rows of the frame for a format: enough to be mapped, fewer where text is slow."""
    return 2_000 if suffix == "yaml" else 60_000


def frame(suffix: str) -> pd.DataFrame:
    """Numbers, text, nulls and times."""
    numbers = np.arange(nrows(suffix))
    text = pd.array([None if n % 7 == 0 else f"row {n % 97}" for n in numbers], dtype="string")
    times = pd.to_datetime(numbers, unit="s")
    return pd.DataFrame({"n": numbers, "x": numbers / 7, "text": text, "time": times})


def prepare(folder: Path, kind: str, suffix: str) -> Task:
    """The task with its files, and with what the program prints when nothing fails."""
    work = folder / f"{kind}-{suffix}"
    work.mkdir()
    source = frame(suffix)
    cn.write(source, work / "source.arrow")
    # Before a write the target holds another frame.
    cn.write(source if kind == "read" else source.iloc[:5], work / f"target.{suffix}", **exact(suffix))
    task = Task(kind, suffix, work, "")
    copy = copied(task)
    plain = subprocess.run(task.command(copy), capture_output=True, text=True, check=True)
    shutil.rmtree(copy)
    return Task(kind, suffix, work, plain.stdout)


def copied(task: Task) -> Path:
    """A folder with a copy of the target, for one run."""
    folder = Path(tempfile.mkdtemp(dir=task.folder))
    shutil.copy(task.target, folder)
    return folder


def attack(task: Task, pool: ThreadPoolExecutor) -> list[str]:
    """Prints the row of a task, and returns the faults that ended wrong."""
    folder = copied(task)
    calls = calls_between_marks(task.command(folder), folder / "log")
    shutil.rmtree(folder)
    faults = faults_of(calls)
    return report((task.suffix, task.kind), calls, faults, pool.map(lambda fault: outcome(task, fault), faults))


def outcome(task: Task, fault: Fault) -> tuple[str, str]:
    """`frame`, `error` or `wrong`, and what is wrong."""
    folder = copied(task)
    ended, why = run(inject(fault, task.command(folder)), task.expected, SECONDS)
    if ended != "wrong" and task.kind == "write":
        ended, why = judged_files(task, folder, ended)
    shutil.rmtree(folder)
    return ended, why


def judged_files(task: Task, folder: Path, ended: str) -> tuple[str, str]:
    """Whether the files are right after a write that ended in this way."""
    target = folder / task.target.name
    is_old = target.read_bytes() == task.target.read_bytes()
    is_new = not is_old and len(cn.read(target).to_pandas()) == nrows(task.suffix)
    if not (is_new if ended == "frame" else is_old or is_new):
        return "wrong", "the target is neither the old file nor the new one"
    subprocess.run(task.command(folder), capture_output=True, check=True)
    left = [path.name for path in folder.iterdir() if path != target]
    return ("wrong", f"the next write leaves {left}") if left else (ended, "")


if __name__ == "__main__":
    sys.exit(main())
