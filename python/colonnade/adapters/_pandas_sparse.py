"""Converts sparse arrays of pandas to columns, and back.

The column holds the dense values, so that every program reads it; the tag holds subtype, fill value and kind of index.
On return pandas finds the gaps again: they are the cells that equal the fill value. An array may also store such cells,
or have a fill value that its subtype lacks (NaN among integers). This array becomes a struct of ``values`` and
``stored``, which is False in the gaps.
"""

from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn, EncodeError
from .._values import tagged_labels


def dense_parts(values: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """The dense values, and which of them are stored; None if the values and the dtype say that."""
    dtype = values.dtype
    gap, is_exact = _gap(dtype)
    dense = np.full(len(values), gap, dtype=dtype.subtype)
    stored = np.zeros(len(values), dtype=bool)
    stored[values.sp_index.to_int_index().indices] = True
    dense[stored] = values.sp_values
    again = pd.arrays.SparseArray(dense, dtype=dtype) if is_exact else None
    if again is not None and np.array_equal(again.sp_index.indices, np.flatnonzero(stored)):
        return dense, None
    return dense, stored


def _gap(dtype: Any) -> tuple[Any, bool]:
    """The dense value of a gap, and whether pandas finds gaps by it."""
    fill, subtype = dtype.fill_value, dtype.subtype
    if subtype.kind == "O":
        return fill, True
    if pd.isna(fill):
        return ("NaT", True) if subtype.kind in "mM" else (np.nan, True) if subtype.kind in "fc" else (0, False)
    try:
        cast = np.array(fill).astype(subtype)[()]
    except (ValueError, TypeError, OverflowError):
        return np.zeros((), subtype)[()], False
    return cast, bool(cast == fill)  # float32 has no 0.1


def sparse_tag(values: Any, dense: ArrowColumn, where: str) -> str:
    """The tag of a sparse array with this column of dense values. EncodeError for a fill value that has no text."""
    dtype = values.dtype
    tag = {"kind": "sparse", "subtype": dtype.subtype.str, "fill": dtype.fill_value, "index": values.kind}
    if dense.tag is not None:
        tag["values"] = tagged_labels.decode(dense.tag)
    try:
        return tagged_labels.encode(tag)
    except EncodeError as error:
        raise EncodeError(f"{where}: the fill value {dtype.fill_value!r}: {error}") from error


def sparse_array(dense: Any, stored: np.ndarray | None, tag: dict[str, Any]) -> Any:
    """The sparse array of `dense_parts` and `sparse_tag`. ValueError for a tag that does not fit the values."""
    dtype = pd.SparseDtype(np.dtype(tag["subtype"]), tag["fill"])
    if not isinstance(dense, np.ndarray) or dense.dtype != dtype.subtype:
        raise ValueError(f"expected dense values of {dtype.subtype}, found {dense.dtype}")
    if stored is None:
        return pd.arrays.SparseArray(dense, dtype=dtype, kind=tag["index"])
    index = pd.arrays.SparseArray(stored, fill_value=False, kind=tag["index"]).sp_index
    return pd.arrays.SparseArray._simple_new(dense[stored], index, dtype)
