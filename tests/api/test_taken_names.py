"""Temporary files and folders of writers: names that are taken, and folders that cannot be made or opened."""

import errno
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.transports import Background
from tests.helpers.each import each
from tests.helpers.shortage import no_descriptors

DATA = np.arange(6.0).reshape(3, 2)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@each("is_directory", [True, False])
def test_a_name_that_is_taken_is_not_used(is_directory: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    options: dict[str, Any] = {"directory": True} if is_directory else {}
    seen: list[str] = []
    cn.write(DATA, path, progress=lambda done, total: seen.extend(names(tmp_path)), **options)
    front, _, number = next(name for name in seen if name.endswith(".tmp")).removesuffix(".tmp").rpartition(".")
    taken = [f"{front}.{int(number) + i}.tmp" for i in range(1, 30)]
    for name in taken:
        (tmp_path / name).mkdir()
        (tmp_path / name / "precious").write_bytes(b"1")
    cn.write(DATA + 1, path, **options)
    assert names(tmp_path) == sorted([*taken, path.name])
    assert all((tmp_path / name / "precious").exists() for name in taken)
    np.testing.assert_array_equal(cn.read(path).to_numpy(), DATA + 1)


def test_a_file_system_that_takes_no_folder_is_the_systems_error() -> None:
    with pytest.raises(FileNotFoundError):
        cn.write(DATA, "/proc/x.npy", directory=True)


def test_a_folder_that_cannot_be_opened_is_removed(tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / "x.npy", directory=True)  # imports what it needs
    before, over = tmp_path.stat().st_nlink, threading.Event()
    with no_descriptors() as release:

        def watch() -> None:
            # One attempt is enough: a writer that tries on and on gets its descriptors.
            while not over.wait(0.001):
                if tmp_path.stat().st_nlink > before + 2:
                    release()

        watching = Background(watch)
        try:
            with pytest.raises(OSError) as raised:
                cn.write(DATA, tmp_path / "y.npy", directory=True)
        finally:
            over.set()
            watching.result()
    assert raised.value.errno == errno.EMFILE
    assert names(tmp_path) == ["x.npy"]
