"""The next write to a target removes the leftovers of killed writers to it, and no other file."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.children import child
from tests.helpers.each import each

DATA = {"a": np.arange(1000), "b": np.linspace(0, 1, 1000)}
FORMATS = ("npz", "npy", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml")

# Local file systems, where a lock holds for all users. On others nothing is ever removed.
LOCAL = ("ext2/ext3", "xfs", "btrfs", "tmpfs", "overlayfs", "f2fs", "zfs", "ramfs", "bcachefs")


@pytest.fixture(autouse=True)
def local_disk(tmp_path: Path) -> None:
    found = subprocess.run(["stat", "-f", "-c", "%T", tmp_path], capture_output=True, text=True, check=True).stdout
    if found.strip() not in LOCAL:
        pytest.skip(f"no local disk under the temporary folder: {found.strip()}")


# The callback is called before the file takes its name.
WRITE = """
    data = {"a": np.arange(1000), "b": np.linspace(0, 1, 1000)}

    def stop(done, total):
        if done == total:
            say("writing")
            time.sleep(600)

    path, format, kind = sys.argv[1:4]
    if kind == "frame":
        options = {"directory": True} if format == "npy" else {}
        cn.write(data, path, format=format, progress=stop, **options)
    elif kind == "bundle":
        cn.write_bundle({"x": data, "y": data}, path, format=format, progress=stop)
    else:
        writer = cn.open_writer(path, format=format)
        writer.write(data)
        say("writing")
        time.sleep(600)
    say("written")
"""


def write(path: Path, format: str, kind: str, **options: Any) -> None:
    if kind == "bundle":
        cn.write_bundle({"x": DATA, "y": DATA}, path, format=format)
    else:
        cn.write(DATA, path, format=format, **({"directory": True} if format == "npy" else {}), **options)


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


CASES = [
    *((format, "frame") for format in FORMATS),
    *((format, "bundle") for format in ("npz", "msgpack", "json", "yaml")),
    *((format, "writer") for format in ("arrow", "arrows", "parquet", "msgpack", "csv", "ndjson")),
]


@each(("format", "kind"), list(CASES))
def test_the_next_write_removes_it(format: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{format}"
    write(path, format, kind)
    before = hidden(tmp_path)
    with child(WRITE, path, format, kind) as made:
        assert made.line() == "writing"
        left = hidden(tmp_path)
        assert len(left) == 1
        # Its writer lives, so another write does not remove it.
        write(path, format, kind)
        assert hidden(tmp_path) == left
        made.process.send_signal(signal.SIGKILL)
        made.process.wait()
    assert hidden(tmp_path) == left
    # Leftovers of another target stay.
    write(tmp_path / f"y.{format}", format, kind)
    assert hidden(tmp_path) == left
    write(path, format, kind)
    assert (before, hidden(tmp_path)) == ([], [])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [f"x.{format}", f"y.{format}"]


def test_a_write_that_is_alive_ends_as_it_should(tmp_path: Path) -> None:
    path = tmp_path / "x.arrow"
    with cn.open_writer(path) as writer:
        writer.write(DATA)
        cn.write({"c": np.arange(3)}, path)
        assert len(hidden(tmp_path)) == 1
        writer.write(DATA)
    assert len(cn.read(path)) == 2000
    assert hidden(tmp_path) == []


def test_only_names_of_this_target_go(tmp_path: Path) -> None:
    kept = [".x.npz.tmp", ".x.npz.1.tmp", ".x.npz.1.2.tmp~", ".x.npz.a.2.tmp", ".y.npz.1.2.tmp", ".x.npz.1.2.3.tmp"]
    for name in [*kept, ".x.npz.1.2.tmp"]:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".x.npz.3.0.tmp").symlink_to(".x.npz.tmp")
    (tmp_path / ".x.npz.4.0.tmp").mkdir()
    os.mkfifo(tmp_path / ".x.npz.5.0.tmp")
    cn.write(DATA, tmp_path / "x.npz")
    assert hidden(tmp_path) == sorted([*kept, ".x.npz.3.0.tmp", ".x.npz.4.0.tmp", ".x.npz.5.0.tmp"])


def test_a_directory_that_holds_other_files_stays(tmp_path: Path) -> None:
    for number, name in enumerate(["__meta__.json", ".__meta__.json.7.0.tmp", "precious"]):
        (tmp_path / f".x.7.{number}.tmp").mkdir()
        (tmp_path / f".x.7.{number}.tmp" / name).write_bytes(b"")
    cn.write(DATA, tmp_path / "x", format="npy", directory=True)
    assert hidden(tmp_path) == [".x.7.2.tmp"]


def test_through_a_link_it_goes_where_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.npz").symlink_to("real/x.npz")
    left, other = tmp_path / "real" / ".x.npz.1.2.tmp", tmp_path / ".link.npz.1.2.tmp"
    for path in (left, other):
        path.write_bytes(b"")
    cn.write(DATA, tmp_path / "link.npz")
    assert (left.exists(), other.exists()) == (False, True)
