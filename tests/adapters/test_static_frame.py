"""The StaticFrame adapter without any format: Frame -> core -> Frame, and frames that other libraries made."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.each import each

pytest.importorskip("static_frame")

import static_frame as sf

from colonnade import EncodeError
from colonnade._core import ArrowColumn, Axis, CoreFrame, FrameBuilder
from colonnade.adapters import _static_frame_axes, find_adapter
from colonnade.adapters import static_frame as adapter
from colonnade.testing import strategies
from colonnade.testing.cases_static_frame import CASES, REFUSED, assert_identical


@each("name", list(CASES), per=50)
def test_every_case_comes_back(name: str) -> None:
    frame = CASES[name]()
    assert_identical(frame, adapter.from_frame(adapter.to_frame(frame)))


@each("name", list(REFUSED))
def test_what_cannot_be_held_is_refused_by_name(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(EncodeError) as raised:
        adapter.to_frame(make())
    assert message in str(raised.value)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(strategies.static_frames())
def test_random_frames_come_back(frame: sf.Frame) -> None:
    assert_identical(frame, adapter.from_frame(adapter.to_frame(frame)))


def test_the_adapter_is_found_by_the_class() -> None:
    assert find_adapter(sf.FrameGO()) is adapter
    assert adapter.LIBRARY == "static_frame"
    assert adapter.WRITABLE is False


def test_arrays_are_shared_both_ways_and_immutable() -> None:
    blocks = [np.arange(6.0).reshape(3, 2), np.array([1, 2, 3])]
    for block in blocks:
        block.flags.writeable = False
    frame = sf.Frame(sf.TypeBlocks.from_blocks(blocks))
    back = adapter.from_frame(adapter.to_frame(frame))
    for given_array, array in zip(frame.iter_array(axis=0), back.iter_array(axis=0), strict=True):
        assert np.shares_memory(given_array, array)
        assert not array.flags.writeable


def test_a_subclass_is_refused() -> None:
    class Mine(sf.Frame):
        pass

    with pytest.raises(EncodeError, match=r"found .*Mine"):
        adapter.to_frame(Mine(np.arange(2)))


def test_an_index_subclass_is_refused() -> None:
    class Mine(sf.Index):
        pass

    with pytest.raises(EncodeError, match=r"index: .*found .*Mine"):
        adapter.to_frame(sf.Frame(np.arange(2), index=Mine(("a", "b")), own_index=True))


def test_string_dtype_is_refused_by_name() -> None:
    string_dtype = getattr(np.dtypes, "StringDType", None)
    if string_dtype is None:
        pytest.skip("NumPy before 2.0 has no StringDType")
    frame = sf.Frame(np.array(["a", "b"], string_dtype()), columns=("s",))
    with pytest.raises(EncodeError, match=r"column 's'.*StringDType"):
        adapter.to_frame(frame)


@pytest.mark.parametrize("name", ["the article frame", "shape 0 x 3", "shape 3 x 0", "automatic labels with names"])
def test_versions_without_the_private_names_do_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "BlockIndex", None)
    monkeypatch.setattr(_static_frame_axes, "PositionsAllocator", None)
    frame = CASES[name]()
    assert_identical(frame, adapter.from_frame(adapter.to_frame(frame)))


def test_another_signature_of_type_blocks_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        from_blocks = staticmethod(sf.TypeBlocks.from_blocks)

        def __init__(self, **keywords: object) -> None:
            raise TypeError("another signature")

    frame = CASES["blocks 1d and 2d in both orders"]()
    core = adapter.to_frame(frame)
    monkeypatch.setattr(adapter.sf, "TypeBlocks", Other)
    back = adapter.from_frame(core)
    monkeypatch.undo()
    assert_identical(frame, back)


def test_blocks_kept_elsewhere_are_read_as_columns() -> None:
    frame = CASES["blocks 1d and 2d in both orders"]()

    class Public:
        """What a Frame shows in public."""

        iter_array = frame.iter_array

    columns = adapter._arrays(Public())
    assert [array.shape for array in columns] == [(4,)] * frame.shape[1]


# --------------------------------------------------------------------------- frames of other libraries


def _core(column: np.ndarray | ArrowColumn, index: Axis | None = None, columns: Axis | None = None) -> CoreFrame:
    nrows = len(column)
    builder = FrameBuilder(nrows, 1)
    if isinstance(column, ArrowColumn):
        builder.add_arrow(0, column)
    else:
        builder.add_arrays([column], 0)
    return builder.finish(index or Axis.auto(0, nrows, 1), columns or Axis.levels([np.array(["x"])], ["Index"]))


def _text(*cells: object) -> ArrowColumn:
    return ArrowColumn.from_objects(np.array(cells, dtype=object), "str")


def _masked(values: list[object], dtype: str, mask: list[bool] | None) -> ArrowColumn:
    return ArrowColumn.from_masked(np.array(values, dtype), None if mask is None else np.array(mask))


ARROW_COLUMNS = {
    "text": (lambda: _text("a", "bcd"), np.array(["a", "bcd"])),
    "text that ends in NUL": (lambda: _text("a\0", "b"), np.array(["a\0", "b"], dtype=object)),
    "text with nulls": (lambda: _text("a", None), np.array(["a", None], dtype=object)),
    "bytes": (
        lambda: ArrowColumn.from_objects(np.array([b"a\0", b""], dtype=object), "bytes"),
        np.array([b"a\0", b""], dtype=object),
    ),
    "int": (lambda: _masked([1, 2], "i2", None), np.array([1, 2], "i2")),
    "int with nulls": (lambda: _masked([1, 2], "i2", [False, True]), np.array([1, None], dtype=object)),
    "float with nulls": (lambda: _masked([0.5, 2], "f8", [False, True]), np.array([0.5, None], dtype=object)),
    "bool": (lambda: _masked([True, False], "?", None), np.array([True, False])),
    "bool with nulls": (lambda: _masked([True, False], "?", [False, True]), np.array([True, None], dtype=object)),
    "times": (lambda: _masked([5, 7], "M8[us]", None), np.array([5, 7], "M8[us]")),
    "times with nulls": (lambda: _masked([5, 7], "M8[us]", [True, False]), np.array(["NaT", 7], "M8[us]")),
    "durations with nulls": (lambda: _masked([5, 7], "m8[s]", [True, False]), np.array(["NaT", 7], "m8[s]")),
    "void": (lambda: ArrowColumn.from_fixed(np.array([b"ab", b"c"], "V2")), np.array([b"ab", b"c"], "V2")),
    "categories": (
        lambda: ArrowColumn.dictionary(np.array([1, 0, 1], "i1"), _text("low", "high"), False),
        np.array(["high", "low", "high"]),
    ),
    "categories with nulls": (
        lambda: ArrowColumn.dictionary(np.array([1, -1], "i1"), _text("low", "high"), True),
        np.array(["high", None], dtype=object),
    ),
    "no categories": (
        lambda: ArrowColumn.dictionary(np.array([-1, -1], "i1"), _text(), True),
        np.array([None, None], dtype=object),
    ),
}


@each("name", list(ARROW_COLUMNS))
def test_arrow_columns_become_arrays_of_the_same_values(name: str) -> None:
    make, wanted = ARROW_COLUMNS[name]
    frame = adapter.from_frame(_core(make()))
    (found,) = frame.iter_array(axis=0)
    assert found.dtype == wanted.dtype
    assert found.tolist() == wanted.tolist() or np.array_equal(found, wanted, equal_nan=True)
    assert list(map(type, found.tolist())) == list(map(type, wanted.tolist()))
    assert not found.flags.writeable


def test_columns_without_a_numpy_dtype_are_refused_by_name() -> None:
    pa = pytest.importorskip("pyarrow")
    zoned = pa.array([1, 2], pa.timestamp("ns", "Europe/Rome"))
    for column in (zoned, pa.array([1, 2], pa.time64("ns"))):
        with pytest.raises(EncodeError, match=r"static-frame: column 'x': expected"):
            adapter.from_frame(_core(ArrowColumn.from_arrow(column)))


def test_a_tag_that_changes_what_the_values_mean_is_refused() -> None:
    periods = ArrowColumn.from_masked(np.array([1, 2]), None, '{"kind":"period","freq":"M"}')
    with pytest.raises(EncodeError, match=r"column 'x'.*period"):
        adapter.from_frame(_core(periods))


def test_labels_that_are_not_unique_are_refused() -> None:
    core = _core(np.arange(3), index=Axis.levels([np.array(["a", "b", "a"])], ["Index"]))
    with pytest.raises(EncodeError, match=r"index: expected labels that are unique.*'a'"):
        adapter.from_frame(core)


def test_hierarchical_labels_that_are_not_unique_are_refused() -> None:
    levels = [np.array([1, 1, 1]), np.array(["a", "b", "a"])]
    core = _core(np.arange(3), index=Axis.levels(levels, ["Index", "Index"], "IndexHierarchy"))
    with pytest.raises(EncodeError, match=r"index: expected labels that are unique"):
        adapter.from_frame(core)


@each("unit", ["Y", "M", "D", "h", "m", "s", "ms", "us", "ns"])
def test_dates_of_other_libraries_get_the_class_of_their_unit(unit: str) -> None:
    labels = np.array([3, 1], f"M8[{unit}]")
    for cls in ("Index", "DatetimeIndex"):
        frame = adapter.from_frame(_core(np.arange(2), index=Axis.levels([labels], [cls], cls, '"when"')))
        assert frame.index.dtype == labels.dtype
        assert type(frame.index) is not sf.Index
        assert frame.index.name == "when"


def test_dates_of_a_unit_without_a_class_are_refused() -> None:
    core = _core(np.arange(2), index=Axis.levels([np.array([3, 1], "M8[ps]")], ["Index"]))
    with pytest.raises(EncodeError, match=r"index: expected datetime64 labels.*\[ps\]"):
        adapter.from_frame(core)


def test_a_range_that_is_not_the_positions_becomes_its_labels() -> None:
    core = _core(np.arange(3), index=Axis.auto(10, 4, -2, "RangeIndex", '"r"'))
    index = adapter.from_frame(core).index
    assert index.values.tolist() == [10, 8, 6]
    assert index.name == "r"
    assert index.dtype == np.int64


def test_other_labels_in_arrow_layout() -> None:
    wanted = {"text": ["a", "b"], "null": ["a", None]}
    for cells in wanted.values():
        frame = adapter.from_frame(_core(np.arange(2), index=Axis.levels([_text(*cells)], ["Index"])))
        assert frame.index.values.tolist() == cells


def test_a_name_that_is_a_list_becomes_a_tuple() -> None:
    levels = [np.array([1, 2]), np.array([3, 4])]
    axis = Axis.levels(levels, ["Index", "Index"], "MultiIndex", '["a",["b"]]')
    assert adapter.from_frame(_core(np.arange(2), index=axis)).index.name == ("a", ("b",))
