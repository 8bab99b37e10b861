"""The NumPy adapter without any format: array or mapping -> core -> the same again."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from colonnade import DecodeError, EncodeError, InputError
from colonnade._core import ArrowColumn, Axis, CoreFrame, FrameBuilder
from colonnade.adapters import find_adapter
from colonnade.adapters import numpy as adapter
from colonnade.testing import strategies
from colonnade.testing.cases_numpy import CASES, REFUSED, assert_identical
from tests.helpers.each import each


@each("name", list(CASES), per=50)
def test_every_case_comes_back(name: str) -> None:
    data = CASES[name]()
    back = adapter.from_frame(adapter.to_frame(data))
    assert_identical(data, back)
    arrays = back.values() if isinstance(back, dict) else [back]
    assert not any(array.flags.writeable for array in arrays)


@each("name", list(REFUSED))
def test_what_cannot_be_held_is_refused_by_name(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises((EncodeError, InputError)) as raised:
        adapter.to_frame(make())
    assert message in str(raised.value)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(strategies.numpy_data())
def test_random_data_come_back(data: Any) -> None:
    assert_identical(data, adapter.from_frame(adapter.to_frame(data)))


def test_the_adapter_is_found_by_the_class() -> None:
    assert find_adapter(np.zeros(1)) is adapter
    assert find_adapter(np.zeros(1, [("a", "i4")]).view(np.recarray)) is adapter
    assert adapter.WRITABLE is False


@each(
    "array",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(48.0).reshape(6, 8)[::-2, 1::3],
        np.arange(5),
        np.arange(10)[::-2],
    ],
    ids=["C", "F", "strided", "1-D", "reversed"],
)
def test_arrays_are_not_copied(array: np.ndarray) -> None:
    assert np.shares_memory(array, adapter.from_frame(adapter.to_frame(array)))


def test_fields_are_not_copied_on_the_way_in() -> None:
    data = np.zeros(4, [("a", "<i4"), ("b", "<f8")])
    core = adapter.to_frame(data)
    assert np.shares_memory(core.column(0), data)
    assert np.shares_memory(core.column(1), data)


def test_mapped_files_are_arrays_like_others(tmp_path: Any) -> None:
    data = np.memmap(tmp_path / "raw", np.int32, "w+", shape=(4, 3))
    data[:] = np.arange(12).reshape(4, 3)
    back = adapter.from_frame(adapter.to_frame(data))
    assert np.array_equal(back, data)


def test_a_selection_of_fields_is_structured_again() -> None:
    data = CASES["structured"]()
    back = adapter.from_frame(adapter.to_frame(data).select([2, 0]))
    assert back.dtype.names == ("c", "a")
    assert back["c"].tobytes() == data["c"].tobytes()
    assert back["a"].dtype == data["a"].dtype


def test_a_mask_is_null_to_others() -> None:
    data = {"n": np.ma.MaskedArray([1, 2], [0, 1]), "s": np.ma.MaskedArray(["a", "b"], [1, 0])}
    core = adapter.to_frame(data)
    assert [core.column(i).null_count for i in range(2)] == [1, 1]
    pa = pytest.importorskip("pyarrow")
    assert [pa.array(core.column(i)).to_pylist() for i in range(2)] == [[1, None], [None, "b"]]


def test_subarrays_are_lists_to_others_and_stay_in_a_selection() -> None:
    data = np.array([(1, [[1, 2], [3, 4]])], [("a", "<i4"), ("m", "<f8", (2, 2))])
    core = adapter.to_frame(data)
    assert adapter.from_frame(core.select([1])).dtype == np.dtype([("m", "<f8", (2, 2))])
    pa = pytest.importorskip("pyarrow")
    assert pa.array(core.column(1)).to_pylist() == [[[1.0, 2.0], [3.0, 4.0]]]


@each(
    "tag",
    ['{"kind":"masked_array","descr":"<U1"}', '{"kind":"subarray","descr":"<i8","shape":[2]}',
     '{"kind":"subarray","descr":"O","shape":[]}', '{"kind":"subarray","descr":"<f8","shape":[]}',
     '{"kind":"subarray","descr":"<i8","shape":[-1]}', '{"kind":"subarray"}'],
)  # fmt: skip
def test_a_tag_that_does_not_fit_is_damage(tag: str) -> None:
    for column in (ArrowColumn.from_masked(np.arange(2), None, tag), ArrowColumn.struct([], tag)):
        with pytest.raises(DecodeError):
            adapter.from_frame(_core([column]))


def test_a_selection_of_columns_stays_two_dimensional() -> None:
    data = np.arange(12).reshape(3, 4)
    assert np.array_equal(adapter.from_frame(adapter.to_frame(data).select([3, 1, 1])), data[:, [3, 1, 1]])


def test_a_selection_of_a_mapping_is_a_mapping() -> None:
    data = {"a": np.arange(2), 7: np.array(["x", "y"]), (1, "t"): np.array([True, False])}
    back = adapter.from_frame(adapter.to_frame(data).select([2, 0]))
    assert list(back) == [(1, "t"), "a"]


# --------------------------------------------------------------------------- frames of other libraries


def _core(columns: list[np.ndarray | ArrowColumn], labels: Axis | None = None, origin: str | None = None) -> CoreFrame:
    nrows = len(columns[0])
    builder = FrameBuilder(nrows, len(columns))
    for position, column in enumerate(columns):
        if isinstance(column, ArrowColumn):
            builder.add_arrow(position, column)
        else:
            builder.add_arrays([column], position)
    axis = Axis.levels([np.array(list("abcdefg")[: len(columns)])], ["Index"])
    return builder.finish(Axis.auto(0, nrows, 1), labels or axis, "null", None, origin)


def test_one_dtype_gives_two_dimensions() -> None:
    back = adapter.from_frame(_core([np.arange(3), np.arange(3) * 2], origin='{"library":"pandas"}'))
    assert np.array_equal(back, [[0, 0], [1, 2], [2, 4]])
    assert back.dtype == np.int64


def test_several_dtypes_give_fields() -> None:
    back = adapter.from_frame(_core([np.arange(2), np.array([0.5, 1.5]), np.array(["x", "yz"])]))
    assert back.dtype == np.dtype([("a", "<i8"), ("b", "<f8"), ("c", "<U2")])
    assert back.tolist() == [(0, 0.5, "x"), (1, 1.5, "yz")]


def test_text_columns_give_one_dtype() -> None:
    column = ArrowColumn.from_objects(np.array(["a", "bc"], dtype=object), "str")
    assert adapter.from_frame(_core([column, column])).tolist() == [["a", "a"], ["bc", "bc"]]


def test_fields_need_labels_that_are_text() -> None:
    with pytest.raises(EncodeError, match=r"labels that are text.*found 0"):
        adapter.from_frame(_core([np.arange(2), np.array([0.5, 1.5])], Axis.auto(0, 2, 1)))


def test_fields_need_labels_that_are_unique() -> None:
    labels = Axis.levels([np.array(["x", "x"])], ["Index"])
    with pytest.raises(EncodeError, match=r"'x' twice"):
        adapter.from_frame(_core([np.arange(2), np.array([0.5, 1.5])], labels))


def test_a_column_without_a_numpy_dtype_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(EncodeError, match=r"column at position 0.*time64"):
        adapter.from_frame(_core([ArrowColumn.from_arrow(pa.array([1, 2], pa.time64("ns")))]))


def test_a_description_that_makes_no_dtype_is_damage() -> None:
    origin = '{"library":"numpy","class":"structured","dtype":{"names":["a"],"formats":["?!"]}}'
    with pytest.raises(DecodeError, match=r"description of a dtype"):
        adapter.from_frame(_core([np.arange(2)], origin=origin))
