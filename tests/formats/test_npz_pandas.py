"""The pandas rows of the round-trip matrix through NPZ and NPY: every case, every way in and out."""

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

pytest.importorskip("pandas")

import pandas as pd

import colonnade as cn
from colonnade.testing import strategies_pandas
from colonnade.testing.cases_pandas import CASES, REFUSED, assert_identical


@pytest.mark.parametrize("name", CASES)
def test_every_case_comes_back(name: str, tmp_path: Path) -> None:
    frame = CASES[name]()
    path = tmp_path / "frame.npz"
    cn.write(frame, path)
    assert_identical(frame, CASES[name]())  # writing leaves the frame alone
    assert_identical(frame, cn.read(path).to_pandas())
    assert_identical(frame, cn.read(path, mmap=False, verify=True).to_native())
    assert_identical(frame, cn.read(path, mmap=True).to_native())


@pytest.mark.parametrize("name", CASES)
def test_every_case_comes_back_from_bytes(name: str) -> None:
    frame = CASES[name]()
    assert_identical(frame, cn.decode(cn.encode(frame, "npz")).to_pandas())


@pytest.mark.parametrize("compression", ["zstd", "deflate"])
@pytest.mark.parametrize("name", CASES)
def test_every_case_comes_back_compressed(name: str, compression: str) -> None:
    frame = CASES[name]()
    assert_identical(frame, cn.decode(cn.encode(frame, "npz", compression=compression)).to_pandas())


@pytest.mark.parametrize("name", CASES)
def test_every_case_comes_back_from_a_directory(name: str, tmp_path: Path) -> None:
    frame = CASES[name]()
    if frame.shape[1] > 1000:
        pytest.skip("thousands of files")
    cn.write(frame, tmp_path / "frame", format="npy", directory=True)
    assert_identical(frame, cn.read(tmp_path / "frame").to_pandas())


@pytest.mark.parametrize("name", CASES)
def test_every_case_comes_back_without_a_file(name: str) -> None:
    frame = CASES[name]()
    assert_identical(frame, cn.Frame(frame).to_pandas())
    assert cn.Frame(frame).shape == frame.shape


@pytest.mark.parametrize("name", CASES)
def test_the_same_frame_gives_the_same_bytes(name: str) -> None:
    assert cn.encode(CASES[name](), "npz") == cn.encode(CASES[name](), "npz")


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_held_is_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    make, message = REFUSED[name]
    with pytest.raises(cn.EncodeError) as raised:
        cn.write(make(), tmp_path / "frame.npz")
    assert message in str(raised.value)
    assert list(tmp_path.iterdir()) == []


_NUMPY_CASES = [name for name in CASES if name.startswith("block ")]


@pytest.mark.parametrize("name", _NUMPY_CASES)
def test_numpy_reads_the_blocks(name: str, tmp_path: Path) -> None:
    frame = CASES[name]()
    cn.write(frame, tmp_path / "frame.npz")
    with np.load(tmp_path / "frame.npz") as members:
        blocks = [members[member] for member in members if member.startswith("__blocks_")]
    columns = [column for block in blocks for column in (block.T if block.ndim == 2 else [block])]
    assert len(columns) == frame.shape[1]
    for position, column in enumerate(columns):
        assert column.dtype == frame.dtypes.iloc[position]
        assert column.tobytes() == frame.iloc[:, position].to_numpy().tobytes()


def test_static_frame_opens_what_pandas_wrote(tmp_path: Path) -> None:
    sf = pytest.importorskip("static_frame")
    frame = pd.DataFrame(
        {"id": [1, 2, 3], "price": [1.5, 2.5, np.nan], "sold": [True, False, True]},
        index=pd.date_range("2020-01-01", periods=3, freq="D", name="day").as_unit("ns"),
    )
    frame.columns.name = "what"
    path = tmp_path / "frame.npz"
    cn.write(frame, path)
    opened = sf.Frame.from_npz(path)
    assert opened.columns.values.tolist() == ["id", "price", "sold"]
    assert type(opened.index) is sf.IndexNanosecond
    assert (opened.index.values == frame.index.to_numpy()).all()
    assert (opened.index.name, opened.columns.name) == ("day", "what")
    assert opened["id"].values.tolist() == [1, 2, 3]
    pd.testing.assert_frame_equal(cn.read(path).to_pandas(), frame, check_freq=True)


def test_static_frame_opens_hierarchical_labels(tmp_path: Path) -> None:
    sf = pytest.importorskip("static_frame")
    index = pd.MultiIndex.from_product([["b", "a"], pd.period_range("2020-01", periods=2, freq="M")], names=["x", "m"])
    frame = pd.DataFrame({"v": np.arange(4)}, index=index)
    cn.write(frame, tmp_path / "frame.npz")
    opened = sf.Frame.from_npz(tmp_path / "frame.npz")
    assert type(opened.index) is sf.IndexHierarchy
    assert opened.index.index_types.values.tolist() == [sf.Index, sf.IndexYearMonth]
    assert opened.index.values_at_depth(0).tolist() == ["b", "b", "a", "a"]
    assert opened.index.name == ("x", "m")
    assert_identical(frame, cn.read(tmp_path / "frame.npz").to_pandas())


def test_short_labels_are_stored_as_unicode_and_uneven_ones_are_not(tmp_path: Path) -> None:
    labels = ["x" * 1_000_000, *"abcdefg"]
    frame = pd.DataFrame(np.eye(8, 2), columns=["short", "a longer one"], index=labels)
    cn.write(frame, tmp_path / "frame.npz")
    members = zipfile.ZipFile(tmp_path / "frame.npz").namelist()
    assert "__values_columns_0__.npy" in members
    assert "__values_index_0__.npy" not in members
    assert (tmp_path / "frame.npz").stat().st_size < 2_000_000
    assert_identical(frame, cn.read(tmp_path / "frame.npz").to_pandas())


@pytest.mark.parametrize("mmap", [True, False])
def test_two_frames_of_one_file_share_no_writes(tmp_path: Path, mmap: bool) -> None:
    path = tmp_path / "frame.npz"
    frame = pd.DataFrame(np.zeros((200_000, 3)))
    frame["n"] = pd.array([1, None] * 100_000, dtype="Int64")
    frame["c"] = pd.Categorical(["a", "b"] * 100_000)
    frame["t"] = pd.date_range("2020", periods=200_000, freq="min", tz="UTC")
    cn.write(frame, path)
    before = path.read_bytes()
    lazy = cn.read(path, mmap=mmap)
    first, second = lazy.to_pandas(), lazy.to_pandas()
    first.iloc[0, 0] = 7.0
    first.iloc[1, 3] = 9
    first.iloc[0, 4] = "b"
    first.iloc[0, 5] = pd.Timestamp("1999-01-01", tz="UTC")
    assert first.iloc[0, 0] == 7.0
    assert first.iloc[1, 3] == 9
    assert first.iloc[0, 4] == "b"
    for other in (second, lazy.to_pandas(), cn.read(path, mmap=mmap).to_pandas()):
        assert_identical(frame, other)
    assert path.read_bytes() == before


def test_columns_and_rows_of_a_file(tmp_path: Path) -> None:
    frame = CASES["everything at once"]()
    path = tmp_path / "frame.npz"
    cn.write(frame, path)
    assert_identical(frame.iloc[1:3], cn.read(path, rows=slice(1, 3)).to_pandas())
    chosen = [8, 0, 3]
    selected = cn.read(path, columns=[frame.columns[i] for i in chosen]).to_pandas()
    expected = frame.iloc[:, chosen]
    pd.testing.assert_frame_equal(selected, expected, check_freq=True)


def test_a_frequency_does_not_outlive_a_selection_of_labels(tmp_path: Path) -> None:
    days = pd.date_range("2020-01-01", periods=5, freq="D")
    frame = pd.DataFrame(np.arange(25.0).reshape(5, 5), columns=days, index=days)
    path = tmp_path / "frame.npz"
    cn.write(frame, path)
    chosen = cn.read(path, columns=[days[0], days[3], days[4]]).to_pandas()
    assert chosen.columns.freq is None
    assert chosen.index.freq == days.freq
    assert cn.read(path, rows=slice(2, 5)).to_pandas().index.freq == days.freq


@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(strategies_pandas.pandas_frames())
def test_random_frames_come_back(frame: pd.DataFrame) -> None:
    assert_identical(frame, cn.decode(cn.encode(frame, "npz")).to_pandas())
    assert_identical(frame, cn.Frame(frame).to_pandas())
