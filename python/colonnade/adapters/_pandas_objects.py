"""Converts object columns of pandas. Columns of only str, bytes or bool, with missing values of any kind, and of lists
or dicts of one type become typed columns. All others become mixed cells.

pyarrow converts text and bytes if it is installed, because it is several times faster with Python objects.
"""

from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn
from ._object_columns import column_from_objects, is_plain_nan, object_tag, objects_from_column
from ._pandas_nested import column_from_nested
from ._pandas_strings import pyarrow_or_none, to_pyarrow

# The types of text and bytes that store values contiguously, with offsets.
_OFFSETS = ("utf8", "large_utf8", "binary", "large_binary")

NULLS_TAG = '{"kind":"object_nulls"}'

_NULL_NAMES: dict[type, str] = {type(None): "none", float: "nan", type(pd.NA): "na"}
_NULL_CODES: dict[type, int] = {type(None): 1, float: 2, type(pd.NA): 3}
_TYPED = {str, bytes, bool}
_NESTED = ({list}, {dict})
_NULLS = np.array([None, None, np.nan, pd.NA], dtype=object)


def column_from_pandas_objects(values: np.ndarray, where: str) -> ArrowColumn:
    """Converts a 1-D object array to a tagged column. EncodeError, beginning with `where`, for an unsupported cell."""
    kinds = set(map(type, values.tolist()))
    nulls = kinds & _NULL_CODES.keys()
    present = kinds - nulls
    if present in _NESTED and nulls <= {type(None)}:
        nested = column_from_nested(values)
        if nested is not None:
            return nested
    if len(present) > 1 or not present <= _TYPED:
        return column_from_objects(values, where)
    missing = pd.isna(values) if nulls - {type(None)} else None
    if missing is not None and not _is_unambiguous(values[missing].tolist(), values[~missing].tolist(), nulls):
        return column_from_objects(values, where)
    if len(nulls) <= 1:
        column = _by_pyarrow(values, present, nulls)
        return column_from_objects(values, where) if column is None else column
    # The column has several of None, NaN and NA, so a second column stores the kind of each missing value.
    cells = values.copy()
    cells[missing] = None
    which = np.zeros(len(values), dtype=np.uint8)
    which[missing] = [_NULL_CODES[type(cell)] for cell in values[missing].tolist()]
    children = [("values", column_from_objects(cells, where)), ("nulls", ArrowColumn.from_masked(which, None))]
    return ArrowColumn.struct(children, NULLS_TAG)


def _is_unambiguous(missing: list[Any], rest: list[Any], nulls: set[type]) -> bool:
    """Whether a tag can describe each missing cell, and the other cells are of the column's kind."""
    if set(map(type, missing)) != nulls or not nulls.isdisjoint(map(type, rest)):
        return False
    return all(is_plain_nan(cell) for cell in missing if type(cell) is float)


def objects_from_tagged(column: ArrowColumn, tag: dict[str, Any], where: str) -> np.ndarray:
    """The object array of a column with at most one kind of missing value."""
    if pyarrow_or_none() is None or column.type not in _OFFSETS:
        return objects_from_column(column, tag)
    cells = _cells(to_pyarrow(column))
    null = tag.get("null", "none")
    if column.null_count and null != "none":
        cells[column.mask()] = {"nan": np.nan, "na": pd.NA}[null]
    return cells


def objects_with_nulls(column: ArrowColumn, tag: dict[str, Any], where: str) -> np.ndarray:
    """The object array of a column with several of None, NaN and NA."""
    cells, which = column.child("values").objects(), column.child("nulls").values()
    missing = which > 0
    cells[missing] = _NULLS[which[missing]]
    return cells


def _cells(array: Any) -> np.ndarray:
    sample = array.slice(0, 4096)
    if len(array) <= 4096 or 2 * len(sample.unique()) > len(sample):
        plain: np.ndarray = array.to_numpy(zero_copy_only=False)
        return plain
    # Repeated texts share one object, which takes a fifth of the time and memory.
    encoded = array.dictionary_encode()
    # One more cell than the dictionary has: None, to which null codes point.
    distinct = np.empty(len(encoded.dictionary) + 1, dtype=object)
    distinct[:-1] = encoded.dictionary.to_numpy(zero_copy_only=False)
    codes: np.ndarray = encoded.indices.fill_null(len(distinct) - 1).to_numpy()
    return distinct.take(codes)


def _by_pyarrow(values: np.ndarray, present: set[type], nulls: set[type]) -> ArrowColumn | None:
    pa = pyarrow_or_none()
    if pa is None or len(present) != 1:
        return None
    kind = next(iter(present))
    if kind not in (str, bytes):
        return None
    try:
        array = pa.array(values, pa.large_string() if kind is str else pa.large_binary(), from_pandas=True)
    except (pa.ArrowException, UnicodeError, TypeError):
        # A float that is not NaN, or a lone surrogate. The core's error names the row.
        return None
    return ArrowColumn.from_arrow(array, object_tag(_NULL_NAMES[next(iter(nulls))] if nulls else None))
