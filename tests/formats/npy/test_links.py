"""A directory of NPY members holds regular files: what a link leads to is not read, and no pipe is waited for."""

import os
import socket
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn

DATA = {"a": np.arange(5), "b": np.linspace(0, 1, 5)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "x"
    cn.write(DATA, path, format="npy", directory=True)
    return path


def member(folder: Path) -> Path:
    """One that holds values."""
    return next(path for path in sorted(folder.iterdir()) if path.name.startswith("__blocks") or "block" in path.name)


def refused(folder: Path, name: str, what: str) -> None:
    for look in (lambda: cn.read(folder).to_numpy(), lambda: cn.inspect(folder), lambda: cn.verify(folder)):
        with pytest.raises(cn.DecodeError, match=f"expected a regular file, found {what}") as caught:
            look()
        assert name in str(caught.value)


@pytest.mark.parametrize("where", ["outside", "inside", "nowhere"])
def test_a_link(folder: Path, where: str) -> None:
    found = member(folder)
    target = {"outside": folder.parent / "secret.npy", "inside": folder / "real", "nowhere": folder / "none"}[where]
    if where == "nowhere":
        found.unlink()
    else:
        found.rename(target)
    found.symlink_to(target)
    refused(folder, found.name, "a symbolic link")


def test_a_link_as_metadata(folder: Path) -> None:
    meta = folder / "__meta__.json"
    meta.rename(folder.parent / "meta")
    meta.symlink_to("../meta")
    refused(folder, meta.name, "a symbolic link")


@pytest.mark.parametrize("what", ["a named pipe", "a socket", "a directory"])
def test_what_is_no_file(folder: Path, what: str) -> None:
    extra = folder / "extra.npy"
    with socket.socket(socket.AF_UNIX) as bound:
        if what == "a named pipe":
            os.mkfifo(extra)
        elif what == "a directory":
            extra.mkdir()
        else:
            # The path of a socket has 107 bytes.
            here = os.open(folder, os.O_RDONLY)
            bound.bind(f"/proc/self/fd/{here}/extra.npy")
            os.close(here)
        refused(folder, extra.name, what)


@pytest.mark.parametrize("what", ["a symbolic link", "a named pipe"])
def test_a_member_that_becomes_another_thing(folder: Path, what: str) -> None:
    frame = cn.read(folder)
    for path in list(folder.iterdir()):
        if path.suffix == ".npy":
            path.rename(folder.parent / path.name)
            if what == "a named pipe":
                os.mkfifo(path)
            else:
                path.symlink_to(folder.parent / path.name)
    with pytest.raises(cn.DecodeError, match=f"found {what}"):
        frame.to_numpy()


def test_other_names_and_a_link_to_the_directory_do_not_matter(folder: Path) -> None:
    (folder / "README").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe")
    (folder / "more").mkdir()
    link = folder.parent / "link"
    link.symlink_to(folder.name)
    for path in (folder, link):
        found = cn.read(path).to_numpy()
        assert all(np.array_equal(found[name], DATA[name]) for name in DATA)
