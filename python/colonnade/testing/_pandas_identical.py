"""Compares two DataFrames to the bit, with NaN payloads, kinds of null and attrs, which `pandas.testing` ignores."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from .cases_cells import same_cell, same_cells


def assert_identical(left: pd.DataFrame, right: pd.DataFrame) -> None:
    """Asserts the same class, labels, dtypes, names, attrs, flags and bits. The AssertionError names the difference.

    Values under the mask of a missing value may differ, and so may the order of a MultiIndex' levels.
    """
    assert type(left) is type(right), (type(left), type(right))
    assert left.shape == right.shape, (left.shape, right.shape)
    left, right = _without_nested(left, right)
    pd.testing.assert_frame_equal(
        left, right, check_exact=True, check_freq=True, check_flags=True, check_index_type=True, check_column_type=True
    )
    _assert_same_index(left.index, right.index)
    _assert_same_index(left.columns, right.columns)
    assert repr(left.attrs) == repr(right.attrs), (left.attrs, right.attrs)
    for position, (a, b) in enumerate(zip(_arrays(left), _arrays(right), strict=True)):
        _assert_same_array(a, b, f"column {left.columns[position]!r}")


def _arrays(frame: pd.DataFrame) -> list[Any]:
    """The array of each column, without a Series around it, because tests often compare thousands of columns."""
    return [frame._mgr.iget_values(position) for position in range(frame.shape[1])]


def _without_nested(left: pd.DataFrame, right: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compares objects, Arrow's view types and nested types. Returns the columns that pandas can compare."""
    nested = [
        _is_nested(dtype) or (isinstance(dtype, np.dtype) and dtype.kind == "O" and _is_mixed(left.iloc[:, i]))
        for i, dtype in enumerate(left.dtypes)
    ]
    if not any(nested):
        return left, right
    for position in np.flatnonzero(nested):
        a, b = left.iloc[:, position], right.iloc[:, position]
        where = f"column {left.columns[position]!r}"
        if a.dtype == object:
            _assert_same_array(a.array, b.array, where)
            continue
        assert isinstance(b.dtype, pd.ArrowDtype), (where, a.dtype, b.dtype)
        kinds = a.dtype.pyarrow_dtype, b.dtype.pyarrow_dtype
        assert kinds[0].equals(kinds[1], check_metadata=True), (where, *kinds)
        cells = [column.array._pa_array.to_pylist() for column in (a, b)]
        assert repr(cells[0]) == repr(cells[1]), (where, *cells)
        b.array._pa_array.validate(full=True)
    flat = np.flatnonzero(np.logical_not(nested))
    _assert_same_index(left.columns, right.columns)
    return left.iloc[:, flat], right.iloc[:, flat]


def _is_mixed(column: pd.Series) -> bool:
    return not set(map(type, column.tolist())) <= {str, bytes, bool, type(None)}


def _is_nested(dtype: Any) -> bool:
    if not isinstance(dtype, pd.ArrowDtype):
        return False
    kind = dtype.pyarrow_dtype
    # `dtype.type` is not enough: libraries patch it for view types (vortex does), which pandas still cannot compare.
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return True
    try:
        return dtype.type in (list, dict) or kind.num_fields > 0
    except NotImplementedError:
        return True


def _assert_same_index(left: pd.Index, right: pd.Index) -> None:
    assert type(left) is type(right), (type(left), type(right))
    assert left.equals(right), (left, right)
    assert list(map(repr, left.names)) == list(map(repr, right.names)), (left.names, right.names)
    if isinstance(left, pd.MultiIndex):
        assert left.nlevels == right.nlevels, (left.nlevels, right.nlevels)
        for i in range(left.nlevels):
            assert left.levels[i].dtype == right.levels[i].dtype, (left.levels[i], right.levels[i])
            _assert_same_array(left._get_level_values(i).array, right._get_level_values(i).array, f"level {i}")
        return
    assert getattr(left, "freq", None) == getattr(right, "freq", None), (left, right)
    _assert_same_array(left.array, right.array, "labels")


def _assert_same_array(left: Any, right: Any, where: str) -> None:
    assert type(left) is type(right), (where, type(left), type(right))
    assert repr(left.dtype) == repr(right.dtype), (where, left.dtype, right.dtype)
    assert left.dtype == right.dtype, (where, left.dtype, right.dtype)
    if isinstance(left.dtype, pd.CategoricalDtype):
        _assert_same_index(left.categories, right.categories)
        assert left.ordered == right.ordered, where
        assert left.codes.dtype == right.codes.dtype, where
    if isinstance(left.dtype, pd.IntervalDtype):
        _assert_same_array(left.left.array, right.left.array, f"{where}, left")
        _assert_same_array(left.right.array, right.right.array, f"{where}, right")
        return
    if isinstance(left, pd.arrays.SparseArray):
        assert repr(left.sp_index) == repr(right.sp_index), (where, left.sp_index, right.sp_index)
        assert repr(left.fill_value) == repr(right.fill_value), (where, left.fill_value, right.fill_value)
        _assert_same_array(left.sp_values, right.sp_values, where)
        return
    if isinstance(left.dtype, pd.DatetimeTZDtype):
        assert type(left.dtype.tz) is type(right.dtype.tz), (where, left.dtype.tz, right.dtype.tz)
    if isinstance(left, pd.arrays.FloatingArray):
        assert (left._mask == right._mask).all(), where
        assert left._data[~left._mask].tobytes() == right._data[~right._mask].tobytes(), where
        return
    if _is_plain_arrow(left):
        assert left._pa_array.type == right._pa_array.type, (where, left._pa_array.type, right._pa_array.type)
        assert left._pa_array.equals(right._pa_array), (where, left, right)
        return
    a, b = _cells(left), _cells(right)
    if a.dtype == object:
        cells, others = a.tolist(), b.tolist()
        if same_cells(cells, others):
            return
        for i, (x, y) in enumerate(zip(cells, others, strict=True)):
            assert same_cell(x, y), (where, i, x, y)
        raise AssertionError((where, cells, others))
    assert a.dtype.str == b.dtype.str, (where, a.dtype, b.dtype)
    if a.dtype.kind in "fc" and a.dtype.itemsize // (1 if a.dtype.kind == "f" else 2) > 8:
        # Long doubles have padding bytes.
        np.testing.assert_array_equal(np.signbit(a.real), np.signbit(b.real), where)
        np.testing.assert_array_equal(a, b, where)
    else:
        assert a.tobytes() == b.tobytes(), (where, a, b)


def _is_plain_arrow(array: Any) -> bool:
    """Whether Arrow's own comparison is exact to the bit. For floats and nested types it ignores NaN bits."""
    held = getattr(array, "_pa_array", None)
    return held is not None and not (
        pa.types.is_floating(held.type) or pa.types.is_nested(held.type) or pa.types.is_dictionary(held.type)
    )


def _cells(array: Any) -> np.ndarray:
    """The memory of a NumPy-backed array; objects for all other arrays."""
    if isinstance(array, np.ndarray):
        return array
    memory = getattr(array, "_ndarray", None)
    return np.asarray(array, dtype=object) if memory is None else memory
