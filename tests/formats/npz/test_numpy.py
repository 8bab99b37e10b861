"""NumPy itself as the oracle of NPZ and NPY files; the round trips are in test_matrix_numpy."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.testing.cases_numpy import CASES, assert_identical
from colonnade.testing.dtypes import DTYPES, sample
from tests.helpers.applies import applies
from tests.helpers.each import each

_PLAIN = [name for name in CASES if name[:3] in ("1-D", "2-D")]


@each("name", list(CASES), per=50)
@applies(lambda name: "one hundred thousand" not in name)
def test_every_case_comes_back_from_npy(name: str, tmp_path: Path) -> None:
    data = CASES[name]()
    path = tmp_path / "data.npy"
    cn.write(data, path)
    assert_identical(data, cn.read(path).to_numpy())


def _columns(path: Path) -> list[np.ndarray]:
    """The columns that `numpy.load` finds in a file of ours, left to right."""
    with np.load(path, allow_pickle=False) as loaded:
        count = sum(name.startswith("__blocks_") for name in loaded.files)
        blocks = [loaded[f"__blocks_{number}__"] for number in range(count)]
    return [column for block in blocks for column in (block.T if block.ndim == 2 else [block])]


@each("name", list(_PLAIN), per=50)
def test_numpy_loads_the_arrays_of_our_files(name: str, tmp_path: Path) -> None:
    data = CASES[name]()
    path = tmp_path / "data.npz"
    cn.write(data, path)
    wanted = data.reshape(len(data), -1).T
    for found, column in zip(_columns(path), wanted, strict=True):
        np.testing.assert_array_equal(found, column)
        assert found.dtype.str == column.dtype.str
        assert found.tobytes() == column.tobytes()


def test_numpy_loads_the_columns_of_a_mapping(tmp_path: Path) -> None:
    data = {dtype: sample(dtype, 5) for dtype in DTYPES}
    path = tmp_path / "data.npz"
    cn.write(data, path)
    for found, dtype in zip(_columns(path), DTYPES, strict=True):
        assert found.dtype.str == dtype
        assert found.tobytes() == data[dtype].tobytes()
    with np.load(path, allow_pickle=False) as loaded:
        assert loaded["__values_columns_0__"].tolist() == DTYPES


@each("name", list(_PLAIN), per=50)
def test_numpy_loads_our_lone_arrays(name: str, tmp_path: Path) -> None:
    data = CASES[name]()
    path = tmp_path / "data.npy"
    cn.write(data, path)
    found = np.load(path, allow_pickle=False)
    assert found.shape == data.shape
    assert found.dtype.str == data.dtype.str
    assert found.tobytes() == data.tobytes()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_columns_saved_by_numpy(save: Any, tmp_path: Path) -> None:
    data = {dtype.strip("<>|"): sample(dtype, 5) for dtype in DTYPES}
    path = tmp_path / "data.npz"
    save(path, **data)
    frame = cn.read(path)
    assert list(frame.columns) == list(data)
    for label, column in data.items():
        assert_identical(column, frame[label].to_numpy())


@each("order", ["C", "F"])
@each("dtype", list(DTYPES), per=20)
def test_a_matrix_saved_by_numpy(dtype: str, order: Any, tmp_path: Path) -> None:
    data = np.array(sample(dtype, 12).reshape(4, 3), order=order)
    np.savez(tmp_path / "data.npz", data)
    np.save(tmp_path / "data.npy", data)
    for path in (tmp_path / "data.npz", tmp_path / "data.npy"):
        found = cn.read(path).to_numpy()
        assert found.dtype.str == data.dtype.str
        assert found.shape == data.shape
        assert found.tobytes() == data.tobytes()


def test_a_structured_array_saved_by_numpy(tmp_path: Path) -> None:
    data = CASES["structured"]()
    np.save(tmp_path / "data.npy", data)
    frame = cn.read(tmp_path / "data.npy")
    assert list(frame.columns) == list(data.dtype.names)
    assert_identical(data, frame.to_numpy())


def test_a_matrix_is_the_map_itself(tmp_path: Path) -> None:
    data = np.arange(400_000.0).reshape(4000, 100)
    for order in ("C", "F"):
        path = tmp_path / f"{order}.npz"
        cn.write(np.array(data, order=order), path)
        found = cn.read(path).to_numpy()
        assert np.array_equal(found, data)
        assert not found.flags.writeable
        assert not found.flags.owndata
        assert found.flags.f_contiguous == (order == "F")


def test_a_large_matrix_split_by_compression_is_one_again() -> None:
    data = np.arange(1_500_000.0).reshape(1500, 1000)
    for given_array in (data, np.asfortranarray(data)):
        assert_identical(
            given_array, cn.decode(cn.encode(given_array, "npz", compression="zstd", compression_level=1)).to_numpy()
        )


def test_one_column_of_a_frame_is_one_array() -> None:
    data = {"a": np.arange(3), "b": np.array([0.5, 1.5, 2.5])}
    frame = cn.decode(cn.encode(data, "npz"))
    assert_identical(data["b"], frame["b"].to_numpy())
    assert_identical(
        np.array([1, 2]), cn.decode(cn.encode(data, "npz"), columns=["a"], rows=slice(1, 3))["a"].to_numpy()
    )


def test_names_of_fields_are_the_columns() -> None:
    data = CASES["structured aligned"]()
    frame = cn.decode(cn.encode(data, "npz"))
    assert list(frame.columns) == list(data.dtype.names)
    selected = frame.select(["c", "a"]).to_numpy()
    assert selected.dtype.names == ("c", "a")
    assert selected["c"].tobytes() == data["c"].tobytes()


def test_thousands_of_small_members_are_read_without_a_map(tmp_path: Path) -> None:
    """More than 16 MiB, of which the members' headers have pages of nearly all."""
    wanted = {f"c{i}": np.arange(i, i + 1_000, dtype=["<i8", "<f8", ">u8"][i % 3]) for i in range(2_200)}
    path = tmp_path / "small_members.npz"
    np.savez(path, **wanted)
    frame = cn.read(path, mmap=False)
    for found in (frame.to_pandas(), frame.to_static_frame()):
        assert list(found.columns) == list(wanted)
        for name, column in wanted.items():
            np.testing.assert_array_equal(found[name].values, column)


@pytest.mark.parametrize("nchars", [8_131, 8_132, 8_133, 65_000])
def test_long_names_of_members_are_read_without_a_map(nchars: int, tmp_path: Path) -> None:
    """More than 16 MiB, and local headers that do not fit into 8 KiB."""
    wanted = {"x" * nchars: np.arange(1_500_000), "b": np.arange(1_500_000, 3_000_000)}
    path = tmp_path / "long_names.npz"
    np.savez(path, **wanted)
    frame = cn.read(path, mmap=False).to_pandas()
    assert list(frame.columns) == list(wanted)
    for name, column in wanted.items():
        np.testing.assert_array_equal(frame[name].values, column)
