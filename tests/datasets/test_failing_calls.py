"""Calls of the system that fail: no rows are lost without an error, and a commit that is there is no failure.

`scripts/dataset_faults.py` makes each call fail once.
"""

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from colonnade._dataset import places
from tests.helpers.each import each

ROWS = {"n": [1, 2, 3, 4], "key": ["a", "b", "a", "b"]}


def refusing(
    monkeypatch: pytest.MonkeyPatch, name: str, path: Path, number: int = errno.EACCES, times: int = 100
) -> None:
    """The next calls of this function of `os` fail for this path."""
    real: Callable[..., Any] = getattr(os, name)
    left = [times]

    def refuse(given: Any = ".", *arguments: Any, **keywords: Any) -> Any:
        if left[0] and not isinstance(given, int) and os.fspath(given) == str(path):
            left[0] -= 1
            raise OSError(number, os.strerror(number), str(path))
        return real(given, *arguments, **keywords)

    monkeypatch.setattr(os, name, refuse)


def plain_folder(folder: Path) -> Path:
    """Files that `write_dataset` has not written."""
    for key in "ab":
        cn.write({"n": [1, 2]}, folder / f"key={key}" / "1.parquet", mkdir=True)
    return folder


def numbers(folder: Path) -> list[int]:
    return sorted(cn.dataset(folder).read()["n"].to_numpy().tolist())


@each(
    "read",
    [
        lambda folder: cn.dataset(folder),
        lambda folder: cn.dataset(f"{folder}/*/*.parquet"),
        lambda folder: cn.dataset(f"{folder}/**/*.parquet"),
        lambda folder: cn.read(f"{folder}/*/1.parquet"),
        lambda folder: cn.read(f"{folder}/*/*.parquet"),
    ],
)
def test_a_folder_that_may_not_be_read_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Path], object]
) -> None:
    folder = plain_folder(tmp_path / "d")
    refusing(monkeypatch, "scandir", folder / "key=b")
    refusing(monkeypatch, "lstat", folder / "key=b" / "1.parquet")
    with pytest.raises(PermissionError, match="key=b"):
        read(folder)


def test_an_append_keeps_files_that_it_could_not_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = plain_folder(tmp_path / "d")
    with monkeypatch.context() as patch:
        refusing(patch, "scandir", folder / "key=b", errno.EIO)
        with pytest.raises(OSError):
            cn.write_dataset({"n": [3], "key": ["a"]}, folder, partition_by="key", mode="append")
    assert numbers(folder) == [1, 1, 2, 2]
    cn.write_dataset({"n": [3], "key": ["a"]}, folder, partition_by="key", mode="append")
    assert numbers(folder) == [1, 1, 2, 2, 3]


def test_the_manifest_is_not_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the types of the keys: without it 007 would be a number."""
    cn.write_dataset({"n": [1, 2], "key": ["007", "008"]}, tmp_path / "d", partition_by="key")
    assert cn.dataset(tmp_path / "d").to_pandas()["key"].tolist() == ["007", "008"]
    refusing(monkeypatch, "stat", tmp_path / "d", errno.EIO, 1)
    with pytest.raises(OSError, match="Input/output error"):
        cn.dataset(tmp_path / "d")


@each("allowed", [0, 1])
def test_the_system_starts_no_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    start, left = threading.Thread.start, [allowed]

    def refuse(thread: threading.Thread) -> None:
        if not left[0]:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    cn.write_dataset(ROWS, tmp_path / "d", partition_by="key")
    left[0] = allowed
    assert numbers(tmp_path / "d") == [1, 2, 3, 4]


def test_a_name_that_cannot_be_removed_is_no_failure_of_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error would say that nothing is visible, and who writes again would have the rows twice."""

    def refuse(path: str) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        cn.write_dataset(ROWS, tmp_path / "d")
    assert numbers(tmp_path / "d") == [1, 2, 3, 4]
    cn.write_dataset(ROWS, tmp_path / "d", mode="append")
    assert numbers(tmp_path / "d") == [1, 1, 2, 2, 3, 3, 4, 4]


@each("number", [errno.EIO, errno.EINVAL, errno.EACCES])
def test_the_folder_of_the_manifest_is_not_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Some file systems sync no folders. Other errors are raised, and say that the rows are visible."""
    sync = places._sync

    def refuse(path: str) -> None:
        if path.endswith("_colonnade") and os.path.exists(f"{path}/00000002.json"):
            raise OSError(number, os.strerror(number), path)
        sync(path)

    monkeypatch.setattr(places, "_sync", refuse)
    if number == errno.EIO:
        with pytest.raises(OSError, match=r"The file is there, but a power failure may remove it: .*00000002\.json"):
            cn.write_dataset(ROWS, tmp_path / "d")
    else:
        cn.write_dataset(ROWS, tmp_path / "d")
    assert numbers(tmp_path / "d") == [1, 2, 3, 4]


def test_parts_that_cannot_be_synced_are_not_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO), path)

    cn.write_dataset(ROWS, tmp_path / "d")
    with monkeypatch.context() as patch:
        patch.setattr(places, "_sync", refuse)
        with pytest.raises(OSError, match="Input/output error"):
            cn.write_dataset(ROWS, tmp_path / "d", mode="append")
    assert numbers(tmp_path / "d") == [1, 2, 3, 4]
