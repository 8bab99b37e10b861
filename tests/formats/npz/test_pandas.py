"""What NumPy and StaticFrame see in the NPZ of a DataFrame; the round trips are in test_matrix_pandas."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pandas")

import pandas as pd

import colonnade as cn
from colonnade.testing.cases_pandas import CASES, assert_identical

_NUMPY_CASES = [name for name in CASES if name.startswith("block ")]


@each("name", list(_NUMPY_CASES))
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
