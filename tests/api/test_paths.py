"""Patterns of paths: the paths of the standard library's `glob`, and errors where it has none."""

import glob
import os
from pathlib import Path

import pytest

from colonnade._io import paths
from tests.helpers.each import each

FILES = ["a.npz", "b.npz", ".hidden.npz", "x/a.npz", "x/y/a.npz", "x/.h/a.npz", "z[1]/c.npz", "e/", "*star/d.csv"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for name in FILES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if name.endswith("/") else path.touch()
    (root / "link").symlink_to(root / "x")
    (root / "broken").symlink_to(root / "nowhere")
    return root


@each(
    "pattern",
    [
        "*",
        "*.npz",
        ".*",
        "?.npz",
        "[ab].npz",
        "[!a].npz",
        "x/*",
        "*/*.npz",
        "*/a.npz",
        "*/y/*.npz",
        "**/*.npz",
        "**/a.npz",
        "x/**/*.npz",
        "**/y/**/a.npz",
        "x/.*/*.npz",
        "z[[]1]/*",
        "[*]star/*",
        "nowhere/*",
        "a.npz/*",
        "*/nowhere",
        "broken*",
        "**/broken*",
    ],
)
def test_the_paths_of_glob(tree: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    absolute = f"{tree}/{pattern}"
    assert paths.matching(absolute) == sorted(set(glob.glob(absolute, recursive=True)))
    monkeypatch.chdir(tree)
    assert paths.matching(pattern) == sorted(set(glob.glob(pattern, recursive=True)))


def test_what_cannot_be_looked_at_is_an_error(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.is_folder(str(tree))
    assert paths.is_file(f"{tree}/a.npz")
    for absent in ("nowhere", "a.npz/b", "broken"):
        assert not paths.is_folder(f"{tree}/{absent}")
        assert not paths.is_file(f"{tree}/{absent}")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    for name in ("stat", "lstat", "scandir"):
        monkeypatch.setattr(os, name, refuse)
    for call in (paths.is_folder, paths.is_file, paths.matching):
        with pytest.raises(PermissionError):
            call(str(tree))
    with pytest.raises(PermissionError):
        paths.matching(f"{tree}/*")
    with pytest.raises(PermissionError):
        list(paths.walk(str(tree)))
