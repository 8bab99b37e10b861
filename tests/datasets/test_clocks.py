"""Datasets under clocks that jump or are wrong: no committed row is lost, and no writer loses its parts silently."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from colonnade._dataset.places import Folder
from colonnade._dataset.write_dataset import begin

DAY_S = 86_400.0
TWO_HOURS_S = 7_200.0


def numbers_of(path: Path) -> list[int]:
    return sorted(cn.dataset(path).read()["n"].to_numpy().tolist())


def jump(path: Path, pattern: str = "*") -> None:
    """The clock jumps forward by a day: files that match have times of a day before."""
    for file in path.rglob(pattern):
        if file.is_file():
            changed = file.stat().st_mtime - DAY_S
            os.utime(file, (changed, changed))


def append(path: Path, *numbers: int) -> None:
    cn.write_dataset({"n": list(numbers)}, path, mode="append")


def once_when_made(monkeypatch: pytest.MonkeyPatch, is_meant: Callable[[str], bool], work: Callable[[], Any]) -> None:
    """Do this before the first file with a name that is meant is made."""
    create, waiting = Folder.create, [work]

    def changed(place: Folder, name: str, data: bytes) -> bool:
        if is_meant(name) and waiting:
            waiting.pop()()
        return create(place, name, data)

    monkeypatch.setattr(Folder, "create", changed)


@pytest.mark.parametrize("jumps", [[DAY_S], [-DAY_S], [0, DAY_S], [0, -DAY_S], [DAY_S, 0, -DAY_S]])
def test_a_clock_that_jumps_at_each_look(jumps: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, looks = time.time, [0]

    def jumping() -> float:
        looks[0] += 1
        return real() + jumps[looks[0] % len(jumps)]

    monkeypatch.setattr(time, "time", jumping)
    for n in range(6):
        cn.write_dataset({"n": [n]}, tmp_path, mode="append" if n else "error")
        assert cn.remove_leftovers(tmp_path, older_than_s=TWO_HOURS_S).names == ()
    assert numbers_of(tmp_path) == [*range(6)]
    cn.write_dataset({"n": [7]}, tmp_path, mode="overwrite")
    assert numbers_of(tmp_path) == [7]


@pytest.mark.parametrize("fsync", [True, False])
def test_a_clock_that_jumps_forward_while_others_remove_leftovers(fsync: bool, tmp_path: Path) -> None:
    """Parts that were removed are never listed. The write fails, and can be done again."""
    append(tmp_path, 1)

    def rows() -> Iterator[cn.Frame]:
        yield cn.Frame({"n": [2]})
        jump(tmp_path)
        assert len(cn.remove_leftovers(tmp_path, older_than_s=TWO_HOURS_S).names) == 2  # a part, and a manifest
        yield cn.Frame({"n": [3]})

    with pytest.raises(cn.ConflictError, match="it was removed while others were written"):
        cn.write_dataset(rows(), tmp_path, mode="append", rows_per_part=1, fsync=fsync)
    assert numbers_of(tmp_path) == [1]
    append(tmp_path, 2, 3)
    assert numbers_of(tmp_path) == [1, 2, 3]


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_clock_of_the_machine_that_removes_leftovers_is_ahead(
    dry_run: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the disk counts."""
    append(tmp_path, 1)
    real = time.time

    def rows() -> Iterator[cn.Frame]:
        yield cn.Frame({"n": [2]})
        with monkeypatch.context() as patched:
            patched.setattr(time, "time", lambda: real() + 30 * DAY_S)
            assert cn.remove_leftovers(tmp_path, dry_run=dry_run).names == ()
        yield cn.Frame({"n": [3]})

    cn.write_dataset(rows(), tmp_path, mode="append", rows_per_part=1)
    assert numbers_of(tmp_path) == [1, 2, 3]


def test_a_version_that_was_removed_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a writer commits, others commit twice, the clock jumps, and older versions are removed."""
    append(tmp_path, 1)

    def others() -> None:
        append(tmp_path, 2)
        append(tmp_path, 3)
        jump(tmp_path / "_colonnade")
        assert len(cn.remove_leftovers(tmp_path, older_than_s=TWO_HOURS_S).names) == 3
        assert numbers_of(tmp_path) == [1, 2, 3]

    once_when_made(monkeypatch, lambda name: name.endswith("00000003.json"), others)
    append(tmp_path, 4)
    assert numbers_of(tmp_path) == [1, 2, 3, 4]


def test_an_overwrite_of_a_version_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(tmp_path, 1)

    def others() -> None:
        append(tmp_path, 2)
        append(tmp_path, 3)
        jump(tmp_path / "_colonnade")
        cn.remove_leftovers(tmp_path, older_than_s=TWO_HOURS_S)

    once_when_made(monkeypatch, lambda name: name.endswith("00000003.json"), others)
    with pytest.raises(cn.ConflictError, match="another writer was first"):
        cn.write_dataset({"n": [4]}, tmp_path, mode="overwrite")
    assert numbers_of(tmp_path) == [1, 2, 3]


def test_a_clock_that_was_set_back(tmp_path: Path) -> None:
    """A version that was the newest one until now stays for its readers, though the next one seems to be older."""
    cn.write_dataset({"n": [1]}, tmp_path)
    reader = cn.dataset(tmp_path)
    cn.write_dataset({"n": [2]}, tmp_path, mode="overwrite")
    jump(tmp_path, "part-*")
    jump(tmp_path, "00000003.json")
    cn.remove_leftovers(tmp_path, older_than_s=TWO_HOURS_S)
    assert reader.read()["n"].to_numpy().tolist() == [1]
    assert numbers_of(tmp_path) == [2]


def test_parts_that_are_committed_while_leftovers_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They seem to be old, and were not listed yet when the search began."""
    append(tmp_path, 1)
    transaction = begin(tmp_path, "parquet", (), 1, "append", None, {})
    written = transaction.write([cn.Frame({"n": [2]})], is_first=True)
    jump(tmp_path)
    once_when_made(monkeypatch, lambda name: name.endswith(".tmp"), lambda: transaction.commit([written]))
    cn.remove_leftovers(tmp_path, older_than_s=TWO_HOURS_S)
    assert numbers_of(tmp_path) == [1, 2]
