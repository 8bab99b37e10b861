"""Compares nested cells with pyarrow's conversion of them, which changes some silently and crashes on others."""

import datetime as dt
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

MOST_DEPTH = 60
_SLICE = 4096
_PARTS = (list, tuple, dict, set, frozenset, np.ndarray)


def is_too_deep(cells: Iterable[Any]) -> bool:
    """Whether a cell nests deeper than `MOST_DEPTH`: pyarrow's builder has no depth limit and can crash."""
    level = [cell for cell in cells if isinstance(cell, _PARTS)]
    for _ in range(MOST_DEPTH):
        if not level:
            return False
        # Each container is visited once: a list that holds another list twice would double the work at every level.
        below = {id(part): part for cell in level for part in _parts(cell) if isinstance(part, _PARTS)}
        level = list(below.values())
    return bool(level)


def _parts(cell: Any) -> Iterable[Any]:
    if isinstance(cell, dict):
        return cell.values()
    if isinstance(cell, np.ndarray):
        return cell.flat if cell.dtype == object else ()
    return list(cell)


def are_arrays(cells: list[Any], array: Any) -> bool:
    """Whether all cells are arrays of the dtype that `array`'s lists have. Then the conversion changes no value."""
    import pyarrow as pa

    dtypes = {cell.dtype if type(cell) is np.ndarray and cell.ndim == 1 else None for cell in cells if cell is not None}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    if dtype is None or dtype.kind not in "biufmM" or not isinstance(array, pa.ListType | pa.LargeListType):
        return False
    return bool(array.value_type.equals(pa.from_numpy_dtype(dtype)))


def first_changed(cells: list[Any], array: Any) -> int | None:
    """The position of the first cell that differs from its value in `array`; None if no cell differs."""
    for start in range(0, len(cells), _SLICE):
        part = cells[start : start + _SLICE]
        try:
            found = array.slice(start, len(part)).to_pylist()
        except ValueError:  # Without pandas, no Python object holds nanoseconds.
            continue
        for position, (a, b) in enumerate(zip(part, found, strict=True), start):
            if not _represents(a, b):
                return position
    return None


def _represents(a: Any, b: Any) -> bool:
    """Whether `b` represents the cell `a`. A list may have been a tuple or an array, and a missing key is None."""
    if isinstance(a, np.generic | np.ndarray):
        if a.dtype.kind in "mM":
            return True  # The conversion copies ticks.
        a = a.tolist()
    if a is None or b is None:
        return a is b
    if isinstance(a, Mapping):
        if not isinstance(b, dict) or any(type(key) is not str or key not in b for key in a):
            return False
        return all(_represents(a.get(key), value) for key, value in b.items())
    if isinstance(a, list | tuple | set | frozenset):
        return isinstance(b, list) and len(a) == len(b) and all(itertools.starmap(_represents, zip(a, b, strict=True)))
    if isinstance(a, dt.datetime):
        return isinstance(b, dt.datetime) and _moment(a) == _moment(b)
    if isinstance(a, dt.date):
        return type(b) is dt.date and a == b
    if isinstance(a, dt.time):
        return isinstance(b, dt.time) and a == b and not a.fold
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and a == b
    return bool(a == b or (a != a and b != b))


def _moment(moment: dt.datetime) -> tuple[object, ...]:
    zone = moment.tzinfo
    # The offset fully describes a fixed offset or a zone without a name.
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    named = None if name is None or str(name).upper() in ("UTC", "ETC/UTC") else name
    return (moment.replace(tzinfo=None, fold=0), moment.utcoffset(), named)
