"""Caches converted column labels, so that a sequence of frames with the same columns converts them once.

A few short axes are cached, by labels, dtype and name. Only plain `pandas.Index` objects are cached: other classes have
more state (a frequency, which can be set), and a RangeIndex costs nothing. The cache keeps no data alive, and later
changes by a user do not affect it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import is_
from typing import Any

import numpy as np
import pandas as pd

from .._core import Axis

# Maximum entries in each direction, labels of one axis, and bytes of its labels.
_MAX_ENTRIES = 8
_MAX_LABELS = 1000
_MAX_NBYTES = 1 << 18


@dataclass(frozen=True, slots=True)
class _CachedAxis:
    """Labels of a pandas index, and the axis converted from them."""

    cells: Any
    dtype: Any
    name: Any
    axis: Axis

    def is_of(self, cells: Any, dtype: Any, name: Any) -> bool:
        # By identity, because 1, 1.0 and True are equal but differ in type.
        if self.name is not name or not _same_dtype(self.dtype, dtype):
            return False
        if isinstance(cells, list):
            return len(cells) == len(self.cells) and all(map(is_, cells, self.cells))
        return cells is self.cells or bool(cells.equals(self.cells))


# Tuples are replaced as a whole, so that threads see a consistent state.
_axes: tuple[_CachedAxis, ...] = ()
_indexes: tuple[tuple[Axis, pd.Index], ...] = ()


def axis_of(index: pd.Index, make: Callable[[pd.Index], Axis]) -> Axis:
    """The axis that `make` converts from the index, or the cached one of an equal index."""
    global _axes
    cells = _cells(index)
    if cells is None:
        return make(index)
    dtype, name = index.dtype, index.name
    for entry in _axes:
        if entry.is_of(cells, dtype, name):
            return entry.axis
    axis = make(index)
    nbytes = 0 if isinstance(cells, list) else cells.get_total_buffer_size()  # a slice counts the whole buffer
    if nbytes <= _MAX_NBYTES and _is_short(axis):
        axis = axis.detached()
        _axes = (_CachedAxis(cells, dtype, name, axis), *_axes[: _MAX_ENTRIES - 1])
    return axis


def index_of(axis: Axis, make: Callable[[Axis], pd.Index]) -> pd.Index:
    """The index that `make` converts from the axis, or a view of the cached one, which can be renamed."""
    global _indexes
    if axis.is_auto:
        return make(axis)
    for entry, index in _indexes:
        if entry.same(axis):
            return index.view()
    if axis.depth != 1 or len(axis) > _MAX_LABELS or not _is_short(axis):
        return make(axis)
    copy = axis.detached()
    index = make(copy)
    if type(index) is not pd.Index:
        return index
    values = getattr(index._values, "_ndarray", index._values)
    if isinstance(values, np.ndarray):
        values.flags.writeable = False  # writing to these labels by force must not change the labels of other frames
    _indexes = ((copy, index), *_indexes[: _MAX_ENTRIES - 1])
    return index.view()


def _cells(index: pd.Index) -> Any:
    """The cache key of labels: the list of them, or an immutable array.

    None if there are too many labels, if they need no conversion, or if their comparison is slow.
    """
    if type(index) is not pd.Index or len(index) > _MAX_LABELS:
        return None
    values = index._values
    if isinstance(values, np.ndarray):
        return values.tolist() if values.dtype == object else None
    if isinstance(values.dtype, pd.StringDtype):
        array = getattr(values, "_pa_array", None)
        return values._ndarray.tolist() if array is None else array
    return None


def _same_dtype(a: Any, b: Any) -> bool:
    if a is b:
        return True
    texts = isinstance(a, pd.StringDtype) and isinstance(b, pd.StringDtype)
    return texts and a.storage == b.storage and a.na_value is b.na_value


def _is_short(axis: Axis) -> bool:
    if axis.is_auto or axis.depth != 1:
        return False
    level = axis.level(0)
    return (level.nbytes if isinstance(level, np.ndarray) else level.nbytes()) <= _MAX_NBYTES
