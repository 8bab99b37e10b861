"""Files that are replaced, cut or removed while they are read, or while a frame over them is in use.

Without a map there is the frame or a typed error. With a map, a file that was replaced or removed keeps its values; one
that was cut may end the process, as docs/trust/security.md says. So files are cut in child processes only.
"""

import json
import shutil
import signal
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import child

COMMON = """
import collections, json, pathlib, random

FORMATS = ("npz", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml", "large.npz")
# Above 1 MiB, so that it may be mapped, and the large one above 16 MiB: without a map, its columns are read on demand.
SIZES = {"large.npz": 1_100_000, "yaml": 40_000}

def data(format, seed=1):
    drawn = np.random.default_rng(seed)
    n = SIZES.get(format, 70_000)
    return {"a": drawn.random(n), "b": drawn.integers(0, 1 << 60, n)}

def same(frame, expected):
    if frame.shape != (len(expected["a"]), 2):
        return False
    found = frame.to_numpy()
    return all(np.array_equal(found[name], expected[name]) for name in expected)

folder = pathlib.Path(sys.argv[1])
"""

AFTER = """
CHANGES = {
    "cut": lambda path, format: os.truncate(path, path.stat().st_size // 2 + 1),
    "emptied": lambda path, format: os.truncate(path, 0),
    "replaced": lambda path, format: cn.write(data(format, 2), path),
    "removed": lambda path, format: path.unlink(),
}
found = {}
for format in FORMATS:
    expected = data(format)
    for change in sys.argv[3].split():
        path = folder / f"x.{format}"
        cn.write(expected, path)
        assert path.stat().st_size >= 1 << 20
        frame = cn.read(path, mmap=sys.argv[2] == "mapped")
        CHANGES[change](path, format)
        try:
            outcome = "same" if same(frame, expected) else "another frame"
        except cn.ColonnadeError as error:
            outcome = type(error).__name__
        found[f"{format}, {change}"] = outcome
say(json.dumps(found))
"""

DURING = """
drawn = random.Random(1)

def change(path, whole, other, stop):
    while not stop.is_set():
        copy = path.with_suffix(".copy")
        copy.write_bytes(drawn.choice((whole, other)))
        os.replace(copy, path)
        time.sleep(drawn.random() * 0.004)
        if drawn.random() < 0.2:
            path.unlink()
        else:
            os.truncate(path, drawn.randrange(len(whole)))
        time.sleep(drawn.random() * 0.002)

found = {}
for format in FORMATS:
    path = folder / f"x.{format}"
    frames = [data(format, seed) for seed in (1, 2)]
    whole, other = (cn.encode(frame, format.split(".")[-1]) for frame in frames)
    stop = threading.Event()
    changing = threading.Thread(target=change, args=(path, whole, other, stop), daemon=True)
    path.write_bytes(whole)
    changing.start()
    outcomes = collections.Counter()
    for _ in range(15):
        try:
            read = cn.read(path, mmap=False)
            outcomes["frame" if any(same(read, expected) for expected in frames) else "another frame"] += 1
        except (cn.ColonnadeError, FileNotFoundError) as error:
            outcomes[type(error).__name__] += 1
    stop.set()
    changing.join()
    found[format] = outcomes
say(json.dumps(found))
"""

MAPPED = """
path = folder / f"x.{sys.argv[2]}"
cn.write(data(sys.argv[2]), path)
frame = cn.read(path)
os.truncate(path, path.stat().st_size // 4)
say("cut")
same(frame, data(sys.argv[2]))
"""


def answer(script: str, *arguments: object) -> dict:
    with child(COMMON + script, *arguments) as made:
        status, output, errors = made.end()
    assert status == 0, (status, errors)
    return json.loads(output)


def test_without_a_map_a_frame_outlives_its_file(tmp_path: Path) -> None:
    found = answer(AFTER, tmp_path, "read", "cut emptied replaced removed")
    assert len(found) == 40
    # The columns of a large archive are read when they are needed, of the file that was opened.
    others = {name: outcome for name, outcome in found.items() if outcome != "same"}
    assert others == {"large.npz, cut": "TruncatedError", "large.npz, emptied": "TruncatedError"}


def test_mapped_a_frame_outlives_a_replaced_and_a_removed_file(tmp_path: Path) -> None:
    found = answer(AFTER, tmp_path, "mapped", "replaced removed")
    assert len(found) == 20
    assert set(found.values()) == {"same"}


def test_without_a_map_files_change_while_they_are_read(tmp_path: Path) -> None:
    """A part of a table of text is a table too: it has no length."""
    found = answer(DURING, tmp_path)
    for format, outcomes in found.items():
        allowed = {"frame", "TruncatedError", "DecodeError", "FileNotFoundError"}
        if format in ("csv", "ndjson", "yaml", "arrows"):
            allowed.add("another frame")
        assert set(outcomes) <= allowed, (format, outcomes)
    total = sum(map(Counter, found.values()), Counter())
    assert total["frame"] > 10
    assert total.total() - total["frame"] > 10


@pytest.mark.parametrize("format", ["npz", "arrow"])
def test_mapped_a_file_that_is_cut_ends_the_process(format: str, tmp_path: Path) -> None:
    with child(COMMON + MAPPED, tmp_path, format) as made:
        assert made.line() == "cut"
        assert made.end()[0] == -signal.SIGBUS


# --------------------------------------------------------------------------- directories of NPY members

KINDS = ("f8", "f4", "i8", "i4", "i2", "u1", "u2", "M8[s]")


def columns(number: int) -> dict[str, np.ndarray]:
    """One member for each kind."""
    return {kind: np.full(20_000, number).astype(kind) for kind in KINDS}


def write(number: int, path: Path) -> None:
    cn.write(columns(number), path, format="npy", directory=True)


def numbers_of(frame: cn.Frame) -> set[int]:
    return {int(value) for values in frame.to_numpy().values() for value in np.unique(values.astype("i8"))}


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_a_directory_that_is_gone_before_its_values_are_read(how: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    write(1, path)
    frame = cn.read(path)
    if how == "replaced":
        write(2, path)
    else:
        shutil.rmtree(path)
    with pytest.raises(cn.DecodeError, match="read the directory again"):
        frame.to_numpy()


def test_a_directory_that_was_moved_keeps_its_values(tmp_path: Path) -> None:
    write(1, tmp_path / "x")
    frame = cn.read(tmp_path / "x")
    (tmp_path / "x").rename(tmp_path / "y")
    write(2, tmp_path / "x")
    assert numbers_of(frame) == {1}


def test_members_of_two_directories_are_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write(0, path)
    stop = threading.Event()

    def replace() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            write(number, path)

    replacing = threading.Thread(target=replace)
    replacing.start()
    frames = []
    try:
        for _ in range(100):
            try:
                frames.append(numbers_of(cn.read(path)))
            except (cn.DecodeError, FileNotFoundError):
                frames.append(set())
    finally:
        stop.set()
        replacing.join()
    assert max(map(len, frames)) == 1, frames
