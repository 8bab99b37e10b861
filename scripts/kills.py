"""Kills writers with SIGKILL at random moments: `python -m scripts.kills`.

A child process writes over a file, or to a dataset, and is killed after a random part of the time that a write takes.
Then the file holds the old frame or the new one, and the next write leaves no temporary file. A dataset has the old
rows or the new ones, every part that it lists is whole, and `remove_leftovers` removes everything else.
"""

import argparse
import os
import random
import signal
import statistics
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

import colonnade as cn
from scripts.faults import SUFFIXES, exact

WRITERS_OF_A_TARGET = 40
"""Then there is a new one: a dataset that is appended to grows, and a look at all of it takes longer."""


class Target(Protocol):
    """What is written again and again."""

    def write(self, number: int) -> None:
        """Write the frame of this number over what is there, or append it."""

    def found(self) -> Any:
        """What is there. An error if it is damaged, or not a whole frame."""

    def expected(self, number: int, before: Any) -> Any:
        """What is there after a write."""

    def names(self) -> set[str]:
        """The files that are there."""

    def left(self) -> set[str]:
        """The files that should not be there after a whole write."""


def rows(number: int, nrows: int) -> pd.DataFrame:
    """Frame `number`: numbers, text with nulls and times. Frames have different lengths and values."""
    numbers = np.arange(nrows - nrows // 4 * (number % 2)) + 1_000_000 * number
    text = pd.array([None if n % 7 == 0 else f"row {n % 97}" for n in numbers], dtype="string")
    return pd.DataFrame({"n": numbers, "x": numbers / 7, "text": text, "time": pd.to_datetime(numbers, unit="s")})


def checksum(of: Any) -> int:
    """The CRC-32 of a frame as MessagePack. In Arrow, bits behind the last row may be anything."""
    return zlib.crc32(cn.encode(of, "msgpack"))


@dataclass
class File:
    """A file or a directory with one of two frames."""

    path: Path
    frames: tuple[Any, Any]
    options: dict[str, Any]
    checksums: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for number in (1, 0):
            self.write(number)
            self.checksums.insert(0, self.found())
        assert self.checksums[0] != self.checksums[1]

    def write(self, number: int) -> None:
        """Write over the frame that is there."""
        cn.write(self.frames[number % 2], self.path, **self.options)

    def found(self) -> int:
        """The checksum of the frame."""
        cn.verify(self.path)
        return checksum(cn.read(self.path))

    def expected(self, number: int, before: Any) -> int:
        """The checksum of the new frame."""
        return self.checksums[number % 2]

    def names(self) -> set[str]:
        """The names next to the target."""
        return set(os.listdir(self.path.parent))

    def left(self) -> set[str]:
        """The names that are not the target."""
        return self.names() - {self.path.name}


@dataclass
class Dataset:
    """A dataset of three parts for each write."""

    path: Path
    mode: str
    nrows: int = 600

    def write(self, number: int) -> None:
        """Append three parts, or write them over those that are there."""
        mode = self.mode if self.path.exists() else "error"
        frame = rows(number, self.nrows).assign(attempt=number)
        cn.write_dataset(frame, self.path, mode=mode, rows_per_part=self.nrows // 3)

    def found(self) -> frozenset[int]:
        """The numbers of the frames that are there as a whole."""
        dataset = cn.dataset(self.path)
        for part in dataset.parts:
            cn.verify(part.source)
        numbers = set()
        for number, found in dataset.to_pandas().groupby("attempt"):
            here = found.drop(columns="attempt").sort_values("n", ignore_index=True)
            assert checksum(here) == checksum(rows(int(number), self.nrows)), f"only a part of frame {number}"
            numbers.add(int(number))
        return frozenset(numbers)

    def expected(self, number: int, before: Any) -> frozenset[int]:
        """The numbers after a write."""
        return frozenset({number} | (before if self.mode == "append" else set()))

    def names(self) -> set[str]:
        """The files at any depth."""
        return {str(path.relative_to(self.path)) for path in self.path.rglob("*") if path.is_file()}

    def left(self) -> set[str]:
        """The files that stay, besides the newest version, after all have become old."""
        for name in self.names():
            os.utime(self.path / name, (0, 0))
        cn.remove_leftovers(self.path)
        newest = max(name for name in self.names() if name.startswith("_colonnade/"))
        return self.names() - {newest} - {part.name for part in cn.dataset(self.path).parts}


def targets(folder: Path) -> dict[str, Callable[[int], Target]]:
    """All targets by their names. Each is made again after some kills."""

    def file(name: str, frames: tuple[Any, Any], **options: Any) -> Callable[[int], Target]:
        def made(attempt: int) -> Target:
            path = folder / f"{name}-{attempt}"
            path.mkdir()
            return File(path / name, frames, options)

        return made

    def dataset(mode: str) -> Callable[[int], Target]:
        def made(attempt: int) -> Target:
            target = Dataset(folder / f"{mode}-{attempt}", mode)
            target.write(0)
            return target

        return made

    frames = rows(0, 8_000), rows(1, 8_000)
    few = rows(0, 800), rows(1, 800)
    arrays = np.arange(200_000.0).reshape(-1, 4), np.arange(150_000.0).reshape(-1, 4) + 0.5
    out = {suffix: file(f"x.{suffix}", few if suffix == "yaml" else frames, **exact(suffix)) for suffix in SUFFIXES}
    return {
        **out,
        "npy": file("x.npy", arrays),
        "npy, directory": file("x", frames, format="npy", directory=True),
        "dataset, overwrite": dataset("overwrite"),
        "dataset, append": dataset("append"),
    }


def main() -> int:
    """Attack each target, and print one row of the table for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="of each target")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--only", default="", help="one target, by its name in the table")
    options = parser.parse_args()
    wrong: list[str] = []
    print("| target | kills | during a write | old | new | wrong | files left |\n|---|--:|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, made in targets(Path(folder)).items():
            if options.only in ("", name):
                wrong += attack(name, made, options.kills, random.Random(f"{options.seed} {name}"))
    print("\n".join(wrong))
    return 1 if wrong else 0


def attack(name: str, made: Callable[[int], Target], kills: int, drawn: random.Random) -> list[str]:
    """Kill writers of one target, print its row, and return what is wrong."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    duration_s = duration(made(-1))
    target, number = made(0), 0
    # A writer that ended before its kill is not counted.
    while counts["kills"] < kills and counts["writers"] < 5 * kills:
        if counts["writers"] and counts["writers"] % WRITERS_OF_A_TARGET == 0:
            target, number = made(counts["writers"]), 0
        counts["writers"] += 1
        before, names = target.found(), target.names()
        delay_s = drawn.random() * duration_s
        was_killed = is_killed(target, number + 1, delay_s)
        state, why = judged(target, number + 1, before)
        if not was_killed and state == "old":
            state, why = "wrong", "a whole write is not there"
        if was_killed or why:
            counts.update(["kills", state])
            counts["during"] += state == "new" or target.names() != names
        # The next write. Its number has the same frame, so that the two frames alternate.
        number += 3
        target.write(number)
        left = target.left()
        counts["left"] += len(left)
        if why or left:
            moment = f"writer {counts['writers']} after {delay_s * 1000:.2f} ms"
            wrong.append(f"{name}, {moment}: {why or f'left: {sorted(left)}'}")
    numbers = [counts[each] for each in ("kills", "during", "old", "new", "wrong", "left")]
    print(f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |", flush=True)
    return wrong


def duration(target: Target) -> float:
    """Seconds of one write in a child process."""
    taken = []
    for number in range(1, 8):
        child, said = started(target, number)
        os.read(said, 1)
        begun = time.monotonic()
        os.read(said, 1)
        taken.append(time.monotonic() - begun)
        ended(child, said)
    return statistics.median(taken)


def started(target: Target, number: int) -> tuple[int, int]:
    """A child process that writes once. It has all modules already, and says when it begins and ends to write."""
    said, says = os.pipe()
    child = os.fork()
    if child:
        os.close(says)
        return child, said
    try:
        os.write(says, b"1")
        target.write(number)
        os.write(says, b"2")
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def ended(child: int, said: int) -> bool:
    """Wait for the end of a child. Whether it was killed."""
    os.close(said)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise AssertionError("the child failed: see above")
    return os.WIFSIGNALED(status)


def is_killed(target: Target, number: int, delay_s: float) -> bool:
    """Start a write and kill it after a time. False if it had ended before."""
    child, said = started(target, number)
    os.read(said, 1)
    time.sleep(delay_s)
    os.kill(child, signal.SIGKILL)
    return ended(child, said)


def judged(target: Target, number: int, before: Any) -> tuple[str, str]:
    """`old`, `new` or `wrong`, and what is wrong."""
    try:
        found = target.found()
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}"
    if found == target.expected(number, before):
        return "new", ""
    return ("old", "") if found == before else ("wrong", f"expected {before} or the new frame, found {found}")


if __name__ == "__main__":
    sys.exit(main())
