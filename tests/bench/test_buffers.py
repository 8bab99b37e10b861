"""The list for the toucher holds every byte of values and labels, of every kind of column."""

import numpy as np
import pytest

from colonnade_bench import buffers
from colonnade_bench.libraries import LIBRARIES

pd = pytest.importorskip("pandas")


def numbers(found):
    return sorted(b.nbytes for b in found if b.dtype != np.uint8)


def test_numpy_blocks_and_labels():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [1.0, 2.0, 3.0]}, index=[5, 6, 7], columns=pd.Index(["a", "b"]))
    assert sum(n for n in numbers(buffers.of_pandas(frame))) == 24 * 3
    assert buffers.of_pandas_index(pd.RangeIndex(10)) == []


@pytest.mark.parametrize(
    ("values", "nbytes"),
    [
        (pd.array([1, None, 3], dtype="Int64"), 3 * 8 + 3),
        (pd.array([True, None], dtype="boolean"), 2 + 2),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]).array, 16),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]).tz_localize("UTC").array, 16),
        (pd.period_range("2020", periods=3, freq="D").array, 24),
        (pd.interval_range(0, 4).array, 2 * 4 * 8),
        (pd.Categorical([10, 20, 10]), 3 + 16),
    ],
    ids=lambda value: type(value).__name__,
)
def test_extension_arrays(values, nbytes):
    assert buffers.nbytes(buffers.of_pandas(pd.DataFrame({0: values}, columns=pd.RangeIndex(1)))) == nbytes


def test_text_is_touched_through_its_arrow_buffers():
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({0: pd.array(["abc", None, "de"], dtype="str")}, columns=pd.RangeIndex(1))
    found = b"".join(bytes(memoryview(b)) for b in buffers.of_pandas(frame))
    assert b"abcde" in found


def test_levels_and_codes_of_hierarchical_labels():
    index = pd.MultiIndex.from_product([[1, 2], [1.5, 2.5, 3.5]])
    found = buffers.of_pandas_index(index)
    assert numbers(found) == sorted([6, 6, 16, 24])


def test_an_unknown_kind_of_array_is_an_error_not_a_gap():
    with pytest.raises(TypeError, match="no rule for the buffers"):
        buffers.of_pandas_array(object())


def test_static_frame_blocks_and_labels():
    sf = pytest.importorskip("static_frame")
    frame = sf.Frame(np.arange(6).reshape(3, 2), index=np.arange(3) * 5, columns=("a", "b"))
    assert numbers(buffers.of_static_frame(frame)) == [8, 24, 48]
    deep = frame.relabel(index=sf.IndexHierarchy.from_labels([(1, "x"), (1, "y"), (2, "x")]))
    assert numbers(buffers.of_static_frame(deep)) == [8, 12, 24, 48]


def test_polars_buffers():
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    assert buffers.nbytes(buffers.of_polars(pl.DataFrame({"a": [1, 2, 3]}))) == 24


@pytest.mark.parametrize("name", ["static-frame", "pandas", "polars"])
def test_differences_are_found(name):
    pytest.importorskip(name.replace("-", "_"))
    library = LIBRARIES[name]
    assert library.difference(library.tiny(), library.tiny()) is None
    assert library.difference(library.head(library.tiny(), 2), library.tiny()) is not None


def test_a_changed_dtype_or_name_is_a_difference():
    library = LIBRARIES["pandas"]
    original = library.tiny()
    assert library.difference(original.astype({"a": "int32"}), original) == "dtypes differ in columns 0"
    assert library.difference(original.rename_axis(index="i"), original).startswith("index differ")
