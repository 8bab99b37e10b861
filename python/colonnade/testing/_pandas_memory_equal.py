"""Compares the memory of two DataFrames, without pandas' own comparison.

A cheap check for later results that must equal a first result. If it returns False, `assert_identical` decides and
names the difference.
"""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from ._arrow_cells import same_column
from .cases_cells import same_cells


def is_identical_in_memory(left: pd.DataFrame, right: pd.DataFrame) -> bool:
    """Whether classes, labels, names, attrs, flags and memory are identical.

    Frames that `assert_identical` accepts may differ in memory, so False does not prove a difference.
    """
    return (
        type(left) is type(right) is pd.DataFrame
        and left.shape == right.shape
        and left.flags == right.flags
        and repr(left.attrs) == repr(right.attrs)
        and _same_index(left.index, right.index)
        and _same_index(left.columns, right.columns)
        and all(
            _same_array(left._mgr.iget_values(position), right._mgr.iget_values(position))
            for position in range(left.shape[1])
        )
    )


def _same_index(left: pd.Index, right: pd.Index) -> bool:
    if type(left) is not type(right) or list(map(repr, left.names)) != list(map(repr, right.names)):
        return False
    if isinstance(left, pd.MultiIndex):
        # Levels in another order may give the same labels; `assert_identical` checks that.
        return (
            len(left.levels) == len(right.levels)
            and left.sortorder == right.sortorder
            and all(map(_same_memory, map(np.asarray, left.codes), map(np.asarray, right.codes)))
            and all(map(_same_index, left.levels, right.levels))
        )
    if isinstance(left, pd.RangeIndex):
        return (left.start, left.stop, left.step) == (right.start, right.stop, right.step)
    return getattr(left, "freq", None) == getattr(right, "freq", None) and _same_array(left.array, right.array)


def _same_array(left: Any, right: Any) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        return _same_memory(left, right)
    if isinstance(left, pd.Categorical):
        return (
            left.ordered == right.ordered
            and _same_memory(left.codes, right.codes)
            and _same_index(left.categories, right.categories)
        )
    if repr(left.dtype) != repr(right.dtype) or left.dtype != right.dtype:
        return False
    if isinstance(left.dtype, pd.IntervalDtype):
        return _same_array(left._left, right._left) and _same_array(left._right, right._right)
    if isinstance(left.dtype, pd.DatetimeTZDtype) and type(left.dtype.tz) is not type(right.dtype.tz):
        return False
    if isinstance(left, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray):
        held = ~left._mask
        return _same_memory(left._mask, right._mask) and _same_memory(left._data[held], right._data[held])
    if (arrow := getattr(left, "_pa_array", None)) is not None:
        return _same_arrow(arrow, right._pa_array)
    memory, other = getattr(left, "_ndarray", None), getattr(right, "_ndarray", None)
    return isinstance(memory, np.ndarray) and isinstance(other, np.ndarray) and _same_memory(memory, other)


def _same_arrow(left: Any, right: Any) -> bool:
    if not left.type.equals(right.type, check_metadata=True):
        return False
    if pa.types.is_nested(left.type):
        right.validate(full=True)  # An invalid array is an error here too.
    try:
        return same_column(left, right)
    except (KeyError, NotImplementedError):  # types that pyarrow supports only in part
        return False


def _same_memory(left: np.ndarray, right: np.ndarray) -> bool:
    if left.dtype != right.dtype or left.dtype.str != right.dtype.str or left.shape != right.shape:
        return False
    kind, itemsize = left.dtype.kind, left.dtype.itemsize
    if kind == "O":
        return same_cells(left.ravel().tolist(), right.ravel().tolist())
    if (kind in "fc" and itemsize > (8 if kind == "f" else 16)) or kind not in "biufcmMSUV" or left.dtype.names:
        return False  # Long doubles have padding bytes. Unknown types may have them too.
    return left.tobytes() == right.tobytes()
