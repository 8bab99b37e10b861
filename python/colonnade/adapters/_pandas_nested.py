"""Converts object columns of pandas whose cells are lists of one type, or dicts of the same fields, to Arrow columns.

pyarrow infers the type and converts the cells. The converted cells must equal the originals, including their classes.
Otherwise the column is stored as mixed cells.
"""

import datetime as dt
import decimal
from typing import Any

import numpy as np

from .._core import ArrowColumn
from ._nested_cells import is_too_deep
from ._nul_names import fields_of, nul_name
from ._object_columns import object_tag
from ._pandas_strings import pyarrow_or_none

# A few cells usually show whether all are of one type, so this many are tried first.
_SAMPLE = 64
_EXACT = {type(None), bool, int, float, str, bytes, dt.date, dt.datetime, decimal.Decimal}


def column_from_nested(values: np.ndarray) -> ArrowColumn | None:
    """A 1-D object array of lists or of dicts, and None, as a tagged column; None if the cells are not of one type."""
    pa = pyarrow_or_none()
    if pa is None:
        return None
    cells = values.tolist()
    if len(cells) > _SAMPLE and _inferred(pa, cells[:_SAMPLE]) is None:
        return None
    array = _inferred(pa, cells)
    return None if array is None else ArrowColumn.from_arrow(array, object_tag(None))


def _inferred(pa: Any, cells: list[Any]) -> Any:
    if is_too_deep(cells):
        return None
    try:
        array = pa.array(cells)
        # Some formats cannot store structs without fields, so dicts without keys are stored as mixed cells.
        if (
            isinstance(array, pa.ChunkedArray)
            or "struct<>" in str(array.type)
            or nul_name(fields_of(array.type)) is not None
        ):
            return None
        return array if _cells_equal(cells, array.to_pylist()) else None
    except (pa.ArrowException, OverflowError, ValueError, TypeError, RecursionError):
        return None


def _cells_equal(cells: list[Any], found: list[Any]) -> bool:
    """Whether `found` holds the same cells, with the same classes, order of keys, and bits that `==` ignores."""
    if len(cells) != len(found):
        return False
    for a, b in zip(cells, found, strict=True):
        kind = type(a)
        if kind is not type(b):
            return False
        if kind is list:
            same = _cells_equal(a, b)
        elif kind is dict:
            same = (
                all(type(key) is str for key in a) and list(a) == list(b) and _cells_equal([*a.values()], [*b.values()])
            )
        elif kind is float:
            same = a == b or (a != a and b != b)
        elif kind in (dt.datetime, decimal.Decimal):
            same = repr(a) == repr(b)
        else:
            same = kind in _EXACT and a == b
        if not same:
            return False
    return True
