"""Public NPY and NPZ files, and generated hostile ones, against `numpy.load` and static-frame."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.corpora import CORPORA, Verdict, needs_corpora, verdicts
from tests.helpers.each import each

pytestmark = needs_corpora

FOLDERS = ("npy-hostile-gen", "npy-npyio", "npy-ndarray", "npy-numpy")

NPY = verdicts("npy")
NPZ = verdicts("npz")


def rows(of: list[Verdict], verdict: str) -> list:
    return [pytest.param(row, id=row.name) for row in of if row.verdict == verdict]


def numpy_arrays(path: Path) -> dict[str, np.ndarray]:
    """What numpy reads; `a.npy` in an archive is called `a`, as `numpy.load` calls it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # headers of Python 2
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return {"": loaded}
        with loaded:
            return {name: loaded[name] for name in loaded.files}


def assert_same_array(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(expected).tobytes()


def assert_read_as_numpy_does(path: Path) -> None:
    expected = numpy_arrays(path)
    found = cn.read_arrays(path)
    if path.suffix == ".npy":
        assert len(found) == 1
        found = {"": next(iter(found.values()))}
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        assert_same_array(found[name], array)


@each("row", rows(NPY, "ACCEPT"), per=50)
def test_npy_reads_as_numpy_does(row: Verdict) -> None:
    assert_read_as_numpy_does(row.path)


@each("row", rows(NPY, "ACCEPT"), per=50)
def test_npy_of_one_or_two_dimensions_is_a_frame(row: Verdict) -> None:
    (expected,) = numpy_arrays(row.path).values()
    if expected.ndim not in (1, 2):
        with pytest.raises(cn.ColonnadeError, match=r"read_arrays"):
            cn.read(row.path)
        return
    frame = cn.read(row.path)
    assert frame.shape == expected.reshape(len(expected), -1).shape
    assert_same_array(frame.to_numpy(), expected)


@each("mmap", [True, False])
@each("row", rows(NPY, "REJECT"))
def test_npy_is_refused(row: Verdict, mmap: bool) -> None:
    with pytest.raises(cn.ColonnadeError):
        cn.read(row.path, mmap=mmap).to_numpy()
        cn.verify(row.path)
    with pytest.raises(cn.ColonnadeError):
        cn.read_arrays(row.path)
        cn.verify(row.path)


@each("row", rows(NPY, "EITHER") + rows(NPZ, "EITHER"))
def test_either_reads_right_or_is_refused(row: Verdict) -> None:
    """Where numpy reads the file too, the values are the same; where it does not, ours are only not a crash."""
    try:
        found = cn.read_arrays(row.path)
    except cn.ColonnadeError:
        return
    if "numpy ok" not in row.note:
        return
    # A folder is no array: NumPy shows its zero bytes under its name.
    expected = {name: array for name, array in numpy_arrays(row.path).items() if not name.endswith("/")}
    assert len(found) == len(expected)
    for ours, theirs in zip(found.values(), expected.values(), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@each("row", rows(NPZ, "ACCEPT"), per=50)
def test_npz_arrays_read_as_numpy_does(row: Verdict) -> None:
    if "staticframe" in row.name:
        expected = numpy_arrays_of_frame(row.path)
        found = cn.read_arrays(row.path)
        assert found.keys() == expected.keys()
        for name, array in expected.items():
            assert_same_array(found[name], array)
    else:
        assert_read_as_numpy_does(row.path)


def numpy_arrays_of_frame(path: Path) -> dict[str, np.ndarray]:
    """The NPY members alone: `numpy.load` hands `__meta__.json` over as bytes."""
    with np.load(path, allow_pickle=False) as loaded:
        return {name: loaded[name] for name in loaded.files if isinstance(loaded[name], np.ndarray)}


@each("row", rows([row for row in NPZ if "staticframe" in row.name], "ACCEPT"), per=50)
def test_npz_frames_read_as_static_frame_does(row: Verdict) -> None:
    static_frame = pytest.importorskip("static_frame")
    expected = static_frame.Frame.from_npz(row.path)
    found = cn.read(row.path).to_static_frame()
    assert found.equals(expected, compare_name=True, compare_dtype=True, compare_class=True)


@each("mmap", [True, False])
@each("row", rows(NPZ, "REJECT"))
def test_npz_is_refused(row: Verdict, mmap: bool) -> None:
    with pytest.raises(cn.ColonnadeError):
        cn.read(row.path, mmap=mmap).to_numpy()
        cn.verify(row.path)


def test_every_hostile_file_has_a_verdict() -> None:
    """The generated folder states its own intents; the table above must agree with them and leave none out."""
    assert CORPORA is not None
    folder = CORPORA / "npy-hostile-gen"
    intents = json.loads((folder / "_intent.json").read_text())
    by_name = {row.path.name: row for row in NPY + NPZ if row.path.parent == folder}
    wants = {
        "accept": "ACCEPT",
        "reject": "REJECT",
        "reject-before-allocating": "REJECT",
        "either-documented": "EITHER",
    }
    assert {name: wants[case["intent"]] for name, case in intents.items()} == {
        name: row.verdict for name, row in by_name.items() if name in intents
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_without_a_verdict_read_as_numpy_does_or_are_refused(folder: str) -> None:
    assert CORPORA is not None
    judged = {row.path for row in NPY + NPZ}
    for path in sorted((CORPORA / folder).glob("*.np[yz]")):
        if path in judged:
            continue
        try:
            numpy_arrays(path)
        except Exception:
            with pytest.raises(cn.ColonnadeError):
                cn.read_arrays(path)
        else:
            assert_read_as_numpy_does(path)


@pytest.mark.parametrize("name", ["shape_huge.npy", "dtype_U_huge.npy"])
def test_huge_shapes_are_refused_by_limit_or_length(name: str) -> None:
    assert CORPORA is not None
    with pytest.raises(cn.ColonnadeError) as caught:
        cn.read(CORPORA / "npy-hostile-gen" / name)
    assert isinstance(caught.value, cn.LimitError | cn.TruncatedError | cn.DecodeError)


def test_bomb_obeys_a_limit() -> None:
    assert CORPORA is not None
    path = CORPORA / "npy-hostile-gen" / "z_bomb_50mb.npz"
    with pytest.raises(cn.LimitError):
        cn.read(path, limits=cn.Limits(max_nbytes=1 << 20)).to_numpy()
    assert cn.read(path).to_numpy().nbytes == 50 << 20
