"""StaticFrame's own reader and writer as the oracle of NPZ and NPY; the round trips are in test_matrix_static_frame."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("static_frame")

import static_frame as sf

import colonnade as cn
from colonnade.testing.cases_static_frame import CASES, assert_identical
from colonnade.testing.dtypes import DTYPES, sample
from tests.helpers.applies import applies

# What StaticFrame's NPZ cannot hold or read at all, told by a piece of the case's name.
_NOT_STATIC_FRAME = (
    "object",  # dtype object
    "several dtypes",  # the same, without rows
    ">f16",  # its reader has no buffer for long doubles of the other byte order
    ">c32",
    "all dtypes",
    "name that repeats",
    "name: bytes",  # no JSON
    "name: datetime",
    "name: infinity",
    "name: big int",
    "looks like a date",  # it revives the text as a date
)
# Names of a hierarchy's levels and of automatic labels are lost in its files.
_LOST_IN_STATIC_FRAME = ("automatic labels with names", "named levels")
_SHARED = [name for name in CASES if not any(part in name for part in _NOT_STATIC_FRAME)]


def _as_static_frame_keeps_it(name: str, frame: Any, folder: Path) -> Any:
    """The frame, or what is left of it in StaticFrame's own file."""
    if not any(part in name for part in _LOST_IN_STATIC_FRAME):
        return frame
    frame.to_npz(folder / "own.npz")
    return type(frame).from_npz(folder / "own.npz")


@each("name", list(_SHARED), per=50)
def test_static_frame_opens_our_files(name: str, tmp_path: Path) -> None:
    frame = CASES[name]()
    path = tmp_path / "frame.npz"
    cn.write(frame, path)
    assert_identical(_as_static_frame_keeps_it(name, frame, tmp_path), type(frame).from_npz(path))


@each("name", list(_SHARED), per=50)
@applies(lambda name: "one hundred thousand" not in name)
def test_static_frame_opens_our_directories(name: str, tmp_path: Path) -> None:
    frame = CASES[name]()
    path = tmp_path / "frame"
    cn.write(frame, path, format="npy", directory=True)
    assert_identical(_as_static_frame_keeps_it(name, frame, tmp_path), type(frame).from_npy(path))


def test_static_frame_opens_every_dtype_it_knows(tmp_path: Path) -> None:
    dtypes = [dtype for dtype in DTYPES if dtype not in (">f16", ">c32")]
    frame = sf.Frame(sf.TypeBlocks.from_blocks([sample(dtype, 4) for dtype in dtypes]), columns=dtypes)
    cn.write(frame, tmp_path / "frame.npz")
    assert_identical(frame, sf.Frame.from_npz(tmp_path / "frame.npz"))


@each("name", list(_SHARED), per=50)
def test_we_open_what_static_frame_writes(name: str, tmp_path: Path) -> None:
    path = tmp_path / "frame.npz"
    CASES[name]().to_npz(path)
    unreadable = name == "no columns labelled rows"  # StaticFrame writes it and cannot open it
    wanted = CASES[name]() if unreadable else sf.Frame.from_npz(path)
    assert_identical(wanted, cn.read(path).to_static_frame())
    assert_identical(wanted, cn.read(path).to_native())


@pytest.mark.parametrize("folder", [False, True])
def test_names_in_files_of_static_frame(folder: bool, tmp_path: Path) -> None:
    for number, name in enumerate((float("inf"), float("-inf"), -(2**63), 2**64 - 1, "np.datetime64('2020-01-01')")):
        frame = sf.Frame(np.arange(2), name=name)
        path = tmp_path / str(number)
        if folder:
            frame.to_npy(path)
            wanted = sf.Frame.from_npy(path)
        else:
            frame.to_npz(path)
            wanted = sf.Frame.from_npz(path)
        assert_identical(wanted, cn.read(path).to_static_frame())


def test_a_name_of_many_digits_in_a_file_of_static_frame(tmp_path: Path) -> None:
    path = tmp_path / "frame.npz"
    sf.Frame(np.arange(2), name=2**80 + 1).to_npz(path)
    assert cn.read(path).name == 2**80 + 1


def test_arrays_are_immutable_and_over_the_map(tmp_path: Path) -> None:
    values = np.arange(400_000.0).reshape(4000, 100)
    path = tmp_path / "frame.npz"
    cn.write(sf.Frame(values), path)
    frame = cn.read(path).to_static_frame()
    (array,) = frame._blocks._blocks
    assert not array.flags.writeable
    assert not array.flags.owndata
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True


def test_blocks_keep_their_shape(tmp_path: Path) -> None:
    rows = np.arange(12, dtype=np.int16).reshape(4, 3)
    blocks = [rows, np.asfortranarray(rows), rows[:, 0], rows[:, 1] * 0.5]
    frame = sf.Frame(sf.TypeBlocks.from_blocks(blocks))
    path = tmp_path / "frame.npz"
    cn.write(frame, path)
    stored = sf.Frame.from_npz(path)._blocks
    assert [block.shape for block in stored._blocks] == [(4, 3), (4, 3), (4,), (4,)]
    assert_identical(sf.Frame(stored), cn.read(path).to_static_frame())


def test_compat_refuses_what_static_frame_cannot_hold(tmp_path: Path) -> None:
    frame = CASES["objects text and none"]()
    with pytest.raises(cn.EncodeError, match=r"column.*nulls"):
        cn.write(frame, tmp_path / "frame.npz", compat="static-frame")
    assert list(tmp_path.iterdir()) == []
