"""Replays recorded writes as if the power had failed: `python -m scripts.power_loss`.

strace records what one write with `fsync=True` asks of the file system. A power failure after any of these calls
leaves on the disk what was synced, and of the rest any part in any order. Each such state is built in a folder and
read. The file must be the old or the new one as a whole; after the call has returned, the new one.
"""

import itertools
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

import colonnade as cn
from scripts.faults import PROGRAM, SUFFIXES, build, exact
from scripts.system_calls import MARK

CALLS = (
    "openat,write,pwrite64,ftruncate,fallocate,fchmod,fsync,fdatasync,"
    "rename,renameat,renameat2,unlink,unlinkat,readlink"
)
SECTOR = 512
# More states of one failure are drawn at random.
MOST_STATES = 400


Write = tuple[int, bytes | None]
"""An offset and the bytes there; without bytes, the new size of the file."""


@dataclass
class File:
    """A file of the recorded write: what is on the disk, and what may be."""

    synced: bytes = b""
    waiting: list["Write"] = field(default_factory=list)


@dataclass
class Disk:
    """The files and names of the folder."""

    files: dict[int, File]
    names: dict[str, int]
    """Names on the disk."""
    renames: list[tuple[str, str | None, int]] = field(default_factory=list)
    """Changes of names that are not synced: the new name, the old one, the file."""


def main() -> int:
    """Attack each format, and print one row of the table for it."""
    build()
    # The model finds what is wrong with a program that does not sync.
    assert attack("npz", ignored=frozenset({"sync"}))["wrong"] > 0
    assert attack("npz", ignored=frozenset({"sync folder"}))["wrong"] > 0
    wrong = 0
    print("| format | calls | states after a failure | old | new | wrong |\n|---|--:|--:|--:|--:|--:|")
    for suffix in SUFFIXES:
        counts = attack(suffix)
        wrong += counts["wrong"]
        print(f"| {suffix} | {' | '.join(f'{count:,}' for count in counts.values())} |", flush=True)
    return 1 if wrong else 0


def attack(suffix: str, *, ignored: frozenset[str] = frozenset()) -> dict[str, int]:
    """The states after each call, counted. `ignored` calls are treated as if the program had not made them."""
    frame = pd.DataFrame({"n": range(300), "text": [f"text {n}" for n in range(300)]})
    counts = dict.fromkeys(["calls", "states", "old", "new", "wrong"], 0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = folder / f"target.{suffix}"
        cn.write(frame, folder / "source.arrow")
        cn.write(frame[:5], target, **exact(suffix))
        old = target.read_bytes()
        calls = [call for call in recorded(folder, target) if call[0] not in ignored]
        new = target.read_bytes()
        counts["calls"] = len(calls)
        assert old != new
        for ncalls in range(len(calls) + 1):
            disk = Disk({-1: File(synced=old)}, {target.name: -1})
            for call in calls[:ncalls]:
                apply(disk, *call)
            for state in states(disk):
                counts["states"] += 1
                found = state.get(target.name)
                allowed = {new: "new"} if ncalls == len(calls) else {old: "old", new: "new"}
                counts[allowed.get(found or b"", "wrong")] += 1
    return counts


def recorded(folder: Path, target: Path) -> Iterator[tuple[str, str, bytes, int]]:
    """The calls of one write: name, file or names, bytes, offset or size."""
    log = folder / "log"
    command = [str(PROGRAM), "write", str(target), str(folder / "source.arrow")]
    tracer = ["strace", "-o", str(log), "-e", f"trace={CALLS}", "-xx", "-s", "10000000"]
    subprocess.run([*tracer, *command], check=True, capture_output=True)
    marks, paths, offsets = 0, dict[int, str](), dict[int, int]()
    for line in log.read_text().splitlines():
        call, _, rest = line.partition("(")
        texts = [bytes.fromhex(text.replace(r"\x", "")) for text in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', rest)]
        numbers = [int(number) for number in re.findall(r"(?<![\w.])-?\d+(?![\w.])", re.sub(r'"[^"]*"', "", rest))]
        result = -1 if "= -1" in rest or not numbers else numbers[-1]
        if call == "readlink" and texts[0] == MARK.encode():
            marks += 1
        if marks != 1 or result < 0:
            continue
        name = Path(texts[0].decode()).name if texts and call not in ("write", "pwrite64") else ""
        if call == "openat":
            paths[result], offsets[result] = name, 0
            if "O_CREAT" in rest:
                yield "create", name, b"", 0
        elif call == "write":
            fd = numbers[0]
            yield "write", paths[fd], texts[0], offsets[fd]
            offsets[fd] += result
        elif call == "pwrite64":
            yield "write", paths[numbers[0]], texts[0], numbers[-2]
        elif call == "ftruncate":
            yield "size", paths[numbers[0]], b"", numbers[1]
        elif call == "fallocate":
            # Reserved space is zeros up to there, as a write of nothing behind it makes them.
            yield "write", paths[numbers[0]], b"", numbers[2] + numbers[3]
        elif call in ("fsync", "fdatasync"):
            path = paths[numbers[0]]
            yield ("sync folder" if path == target.parent.name else "sync"), path, b"", 0
        elif call.startswith("rename"):
            yield "rename", name, Path(texts[1].decode()).name.encode(), 0
        elif call.startswith("unlink"):
            raise AssertionError(f"the write removes {name}")


def apply(disk: Disk, call: str, name: str, content: bytes, number: int) -> None:
    """What a call changes on the disk, or may change."""
    if call == "create":
        number_of_file = max(disk.files) + 1
        disk.files[number_of_file] = File()
        disk.renames.append((name, None, number_of_file))
        return
    if call == "sync folder":
        for new, old, renamed in disk.renames:
            disk.names[new] = renamed
            if old is not None:
                disk.names.pop(old, None)
        disk.renames.clear()
        return
    number_of_file = next(file for new, _, file in reversed(disk.renames) if new == name)
    file = disk.files[number_of_file]
    if call == "write":
        file.waiting.append((number, content))
    elif call == "size":
        file.waiting.append((number, None))
    elif call == "sync":
        file.synced = with_writes(file.synced, file.waiting)
        file.waiting.clear()
    elif call == "rename":
        disk.renames.append((content.decode(), name, number_of_file))


def with_writes(content: bytes, writes: list[Write]) -> bytes:
    """The bytes of a file after these writes, each at its offset."""
    out = bytearray(content)
    for offset, data in writes:
        if data is None:
            del out[offset:]
            data = b""
        out.extend(bytes(max(offset + len(data) - len(out), 0)))
        out[offset : offset + len(data)] = data
    return bytes(out)


def states(disk: Disk) -> Iterator[dict[str, bytes]]:
    """What may be on the disk: any names that wait, and any sectors of any writes that wait."""
    for kept in itertools.product([False, True], repeat=len(disk.renames)):
        names = dict(disk.names)
        for is_kept, (new, old, file) in zip(kept, disk.renames, strict=True):
            if is_kept:
                names[new] = file
                names.pop(old or "", None)
        for contents in file_states(disk, sorted(set(names.values()))):
            yield {name: contents[file] for name, file in names.items()}


def file_states(disk: Disk, files: list[int]) -> Iterator[dict[int, bytes]]:
    """What the bytes of these files may be: any sectors of the writes that wait."""
    pieces = [
        (file, (offset + at, data and data[at : at + SECTOR]))
        for file in files
        for offset, data in disk.files[file].waiting
        for at in range(0, len(data or b"") or 1, SECTOR)
    ]
    drawn = random.Random(7)
    if 2 ** len(pieces) <= MOST_STATES:
        choices: Iterator[tuple[bool, ...]] = itertools.product([False, True], repeat=len(pieces))
    else:
        choices = (tuple(drawn.random() < 0.5 for _ in pieces) for _ in range(MOST_STATES))
    for choice in choices:
        kept = [piece for piece, is_kept in zip(pieces, choice, strict=True) if is_kept]
        yield {
            file: with_writes(disk.files[file].synced, [write for other, write in kept if other == file])
            for file in files
        }


if __name__ == "__main__":
    if not shutil.which("strace"):
        sys.exit("power_loss: expected strace, found none. Install it: bash scripts/system-packages.sh")
    sys.exit(main())
