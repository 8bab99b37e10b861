"""Parquet from every source and to every target, in whole and in part; and what is told of what is no such file."""

import errno
import gzip
import io
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

import pandas as pd

import colonnade as cn
from tests.helpers.pipes import piped

FRAME = pd.DataFrame(
    {
        "price": np.arange(1000) / 4,
        "kind": pd.Categorical(["a", None, "b", "a"] * 250),
        "word": [None if i % 7 == 0 else f"word {i}" for i in range(1000)],
    },
    index=pd.Index(np.arange(1000) * 3, name="id"),
)
DATA = cn.encode(FRAME, "parquet", row_group_size=300)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "x.parquet"
    made.write_bytes(DATA)
    return made


def through_pipe(read: Callable[[int], Any], *pieces: bytes) -> Any:
    number = piped(*(pieces or (DATA,)))
    try:
        return read(number)
    finally:
        os.close(number)


# ---------------------------------------------------------------------------- sources


@each("mmap", [True, False, None])
@each("kind", [str, Path, os.fsencode], ids=["str", "Path", "PathLike of bytes"])
def test_paths(path: Path, kind: Callable[[Any], Any], mmap: bool | None) -> None:
    class Named:
        def __fspath__(self) -> Any:
            return kind(path) if kind is not Path else str(path)

    for source in (Named(),) if kind is os.fsencode else (kind(path), Named()):
        pd.testing.assert_frame_equal(cn.read(source, mmap=mmap).to_pandas(), FRAME)
        pd.testing.assert_frame_equal(cn.read(source, mmap=mmap, columns=["word"]).to_pandas(), FRAME[["word"]])


@each("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8), io.BytesIO])
def test_memory(kind: Callable[[bytes], Any]) -> None:
    pd.testing.assert_frame_equal(cn.read(kind(DATA)).to_pandas(), FRAME)
    found = cn.read(kind(DATA), columns=["word", "price"], rows=slice(290, 310)).to_pandas()
    pd.testing.assert_frame_equal(found, FRAME[["word", "price"]].iloc[290:310])


def test_memory_that_changes_later_is_a_copy_where_it_was_decoded() -> None:
    data = bytearray(DATA)
    found = cn.read(data).to_pandas()
    data[:] = bytes(len(data))
    pd.testing.assert_frame_equal(found, FRAME)


@pytest.mark.parametrize("columns", [None, ["word"], ["wort"]])
def test_open_files_are_read_from_where_they_stand(tmp_path: Path, columns: list[str] | None) -> None:
    """Twice, where a name is not there: the second look finds the nearest."""
    path = tmp_path / "behind"
    path.write_bytes(b"header: " + DATA)
    for buffering in (0, -1):
        with open(path, "rb", buffering=buffering) as file:
            assert file.read(8) == b"header: "
            if columns == ["wort"]:
                with pytest.raises(cn.ColumnNotFound, match="nearest: 'word'"):
                    cn.read(file, columns=columns)
                continue
            found = cn.read(file, columns=columns).to_pandas()
            pd.testing.assert_frame_equal(found, FRAME if columns is None else FRAME[columns])
    number = os.open(path, os.O_RDONLY)
    os.lseek(number, 8, os.SEEK_SET)
    try:
        assert cn.read(number).shape == FRAME.shape
    finally:
        os.close(number)


def test_packed_files_and_temporary_ones(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "x.gz", "wb") as packed:
        cn.write(FRAME, packed, format="parquet")
    with gzip.open(tmp_path / "x.gz", "rb") as unpacked:
        pd.testing.assert_frame_equal(cn.read(unpacked).to_pandas(), FRAME)
    with tempfile.TemporaryFile() as file:
        cn.write(FRAME, file, format="parquet")
        file.seek(0)
        pd.testing.assert_frame_equal(cn.read(file).to_pandas(), FRAME)


def test_a_file_that_is_gone_stays_readable_once_open(path: Path) -> None:
    frame = cn.read(path)
    path.unlink()
    pd.testing.assert_frame_equal(frame.to_pandas(), FRAME)


@pytest.mark.parametrize("size", [None, 7, 1000])
def test_pipes_are_read_to_their_end(size: int | None) -> None:
    """The footer stands last, so all of it is kept in memory first."""
    pieces = [DATA] if size is None else [DATA[i : i + size] for i in range(0, len(DATA), size)]
    pd.testing.assert_frame_equal(through_pipe(lambda fd: cn.read(fd).to_pandas(), *pieces), FRAME)
    part = through_pipe(lambda fd: cn.read(fd, columns=["price"], rows=slice(-5, None)).to_pandas(), *pieces)
    pd.testing.assert_frame_equal(part, FRAME[["price"]].iloc[-5:])
    some = through_pipe(lambda fd: cn.read(fd, filters=[("price", ">=", 249)], format="parquet").to_pandas(), *pieces)
    pd.testing.assert_frame_equal(some, FRAME[FRAME["price"] >= 249])


def test_what_else_takes_a_pipe(tmp_path: Path) -> None:
    assert through_pipe(lambda fd: cn.inspect(fd).shape) == (1000, 3)
    through_pipe(cn.verify)
    with pytest.raises(cn.DecodeError):
        through_pipe(cn.verify, DATA[:-9])
    batches = through_pipe(lambda fd: [len(frame) for frame in cn.open_reader(fd)])
    assert batches == [300, 300, 300, 100]
    through_pipe(lambda fd: cn.convert(fd, tmp_path / "x.arrow"))
    pd.testing.assert_frame_equal(cn.read(tmp_path / "x.arrow").to_pandas(), FRAME)
    with pytest.raises(cn.ColumnNotFound, match="nearest: 'price'"):
        through_pipe(lambda fd: cn.read(fd, columns=["prize"]))
    with pytest.raises(cn.LimitError, match="max_nbytes"):
        through_pipe(lambda fd: cn.read(fd, limits=cn.Limits(max_nbytes=1000)))


# ---------------------------------------------------------------------------- targets


def test_pipes_are_written_front_to_back(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    came: list[bytes] = []

    def take(source: int | Path) -> None:
        with open(source, "rb") as file:
            came.append(file.read())

    taking = threading.Thread(target=take, args=(ours,))
    taking.start()
    cn.write(FRAME, theirs, format="parquet", row_group_size=300)
    os.close(theirs)
    taking.join()
    assert came == [DATA]

    os.mkfifo(tmp_path / "named.parquet")
    # Either end waits for the other to be opened.
    taking = threading.Thread(target=take, args=(tmp_path / "named.parquet",))
    taking.start()
    cn.write(FRAME, tmp_path / "named.parquet", row_group_size=300)
    taking.join()
    assert came == [DATA, DATA]


def test_a_pipe_that_nobody_reads_is_broken() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with pytest.raises(BrokenPipeError):
        cn.write(FRAME, theirs, format="parquet")
    os.close(theirs)


class Full:
    """Takes some bytes, and then no more."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, data: memoryview) -> int:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, "no room")
        return len(data)


@pytest.mark.parametrize("room", [0, 3, 1000, len(DATA) - 1])
def test_a_target_that_is_full_says_so(room: int) -> None:
    with pytest.raises(OSError, match="no room") as raised:
        cn.write(FRAME, Full(room), format="parquet", row_group_size=300)
    assert raised.value.errno == errno.ENOSPC
    cn.write(FRAME, Full(len(DATA)), format="parquet", row_group_size=300)


def test_open_files_are_written_from_where_they_stand(tmp_path: Path) -> None:
    with open(tmp_path / "x", "wb") as file:
        file.write(b"header: ")
        cn.write(FRAME, file, format="parquet", row_group_size=300)
        file.write(b" the end")
    assert (tmp_path / "x").read_bytes() == b"header: " + DATA + b" the end"


def test_the_old_file_is_replaced_in_one_step(path: Path) -> None:
    """Who has it open goes on with what it was; a frame over it may be written onto itself."""
    frame = cn.read(path)
    with open(path, "rb") as open_before:
        cn.write(frame.slice(0, 5), path)
        assert open_before.read() == DATA
    pd.testing.assert_frame_equal(cn.read(path).to_pandas(), FRAME.iloc[:5])
    pd.testing.assert_frame_equal(frame.to_pandas(), FRAME)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_link_is_followed(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.parquet"
    link.symlink_to(path)
    cn.write(FRAME[:3], link)
    assert link.is_symlink()
    assert cn.read(path).shape == (3, 3)


def test_folders_that_are_not_there_or_no_folders(path: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        cn.write(FRAME, tmp_path / "absent" / "x.parquet")
    with pytest.raises(NotADirectoryError):
        cn.write(FRAME, path / "x.parquet")
    folder = tmp_path / "folder.parquet"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match="folder"):
        cn.write(FRAME, folder)
    with pytest.raises(IsADirectoryError, match="folder"), cn.open_writer(folder) as writer:
        writer.write(FRAME)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["folder.parquet", "x.parquet"]
    assert path.read_bytes() == DATA
    assert list(folder.iterdir()) == []


READ_ONLY = """
import os, sys
import pandas as pd
import colonnade as cn
path = sys.argv[1]
frame = pd.DataFrame({"a": [1, 2, 3]})
cn.encode(frame, "parquet")  # whatever is imported late is imported now
if os.geteuid() == 0:
    os.seteuid(65534)
for target in (path, path + ".new.parquet"):
    for write in (lambda: cn.write(frame, target), lambda: cn.open_writer(target).write(frame)):
        try:
            write()
        except PermissionError:
            continue
        print("written")
assert cn.read(path).shape == (1000, 3)
"""


def test_a_folder_that_may_not_be_written() -> None:
    """As an ordinary user: root may write anywhere, so a root test run steps down in the child."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.parquet")
        path.write_bytes(DATA)
        os.chmod(path, 0o644)
        os.chmod(folder, 0o555)
        try:
            done = subprocess.run(
                [sys.executable, "-c", READ_ONLY, path], capture_output=True, text=True, check=False, timeout=120
            )
        finally:
            os.chmod(folder, 0o755)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert path.read_bytes() == DATA
        assert [entry.name for entry in Path(folder).iterdir()] == ["x.parquet"]


# ---------------------------------------------------------------------------- what is no such file

LOOKS: dict[str, Callable[..., Any]] = {
    "read": cn.read,
    "columns": lambda source, **options: cn.read(source, columns=["price"], **options),
    "rows": lambda source, **options: cn.read(source, rows=slice(0, 1), **options),
    "read_pandas": cn.read_pandas,
    "open_reader": cn.open_reader,
    "inspect": cn.inspect,
    "verify": cn.verify,
}
every_look = each("look", LOOKS.values(), ids=LOOKS)


@every_look
def test_a_file_that_is_not_there(look: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=re.escape(str(tmp_path / "absent.parquet"))):
        look(tmp_path / "absent.parquet")


@every_look
@each("data", [b"", b"P", b"PAR1", b"PAR1" + bytes(7), DATA[:200], DATA[:-1], DATA[:-8]], ids=len)
def test_a_file_that_was_cut_short(look: Callable[..., Any], data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.parquet"
    path.write_bytes(data)
    with pytest.raises(cn.DecodeError, match=r"parquet: .*The file was cut short.*fetch or write it again"):
        look(path)


@every_look
@each("data", [b"price,kind\n1.5,a\n" * 3, b"\x89PNG\r\n\x1a\n" + bytes(100), bytes(100)])
def test_another_file_under_this_suffix(look: Callable[..., Any], data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    path.write_bytes(data)
    with pytest.raises(cn.DecodeError, match=r"parquet: .*expected PAR1 at the end. This is no Parquet file\."):
        look(path)
    with pytest.raises(cn.DecodeError, match="This is no Parquet file"):
        look(path, format="parquet")


@every_look
def test_another_format_under_this_suffix_and_this_under_anothers(look: Callable[..., Any], tmp_path: Path) -> None:
    """The first bytes are believed before the suffix; what the caller says is compared with them."""
    (tmp_path / "x.parquet").write_bytes(cn.encode(FRAME, "arrow"))
    (tmp_path / "x.csv").write_bytes(DATA)
    look(tmp_path / "x.parquet")
    look(tmp_path / "x.csv")
    with pytest.raises(cn.DecodeError, match=r"parquet: .*expected parquet, found the first bytes of arrow"):
        look(tmp_path / "x.parquet", format="parquet")
    for format in ("csv", "npz", "arrow", "msgpack", "json"):
        with pytest.raises(cn.DecodeError, match=f"{format}: .*expected {format}, found the first bytes of parquet"):
            look(tmp_path / "x.csv", format=format)


@every_look
def test_a_folder(look: Callable[..., Any], tmp_path: Path) -> None:
    with pytest.raises(cn.DecodeError, match=r"parquet: .*expected a file, found a directory"):
        look(tmp_path, format="parquet")


@each(
    ("options", "near"),
    [
        ({"columns": ["prise"]}, "price"),
        ({"columns": "Word"}, "word"),
        ({"filters": [("knid", "==", "a")]}, "kind"),
        ({"filters": [[("price", ">", 1)], [("wod", "==", "a")]]}, "word"),
        ({"filters": [("prise", ">", 1)], "columns": ["kind"]}, "price"),
        ({"categories": ["wrod"]}, "word"),
    ],
)
def test_a_mistyped_column_is_told_the_nearest(options: dict[str, Any], near: str, path: Path) -> None:
    for source in (path, DATA):
        with pytest.raises(cn.ColumnNotFound, match=f"is not there; nearest: '{near}'"):
            cn.read(source, **options)


def test_a_mistyped_option_is_told_the_nearest(path: Path) -> None:
    with pytest.raises(cn.OptionError, match="parquet: unknown option 'fliter'; nearest: 'filters'"):
        cn.read(path, fliter=[])
    with pytest.raises(cn.OptionError, match="parquet: unknown option 'row_group_sise'; nearest: 'row_group_size'"):
        cn.write(FRAME, path, row_group_sise=3)
    assert path.read_bytes() == DATA


def test_one_frame_is_no_bundle(path: Path, tmp_path: Path) -> None:
    for options in ({}, {"format": "parquet"}):
        with pytest.raises(cn.UnsupportedError, match="parquet: expected a format that holds several frames"):
            cn.write_bundle({"a": FRAME}, tmp_path / "two.parquet", **options)
    with pytest.raises(cn.DecodeError, match=r"found a Parquet file. Open it with cn\.read"):
        cn.read_bundle(path)
    with pytest.raises(cn.DecodeError, match=r"found a Parquet file. Open it with cn\.read"):
        cn.read_arrays(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.parquet"]
