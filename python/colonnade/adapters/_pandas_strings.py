"""Converts pandas' string dtypes to and from Arrow text, with their storage and missing value.

pandas 3.0 has four string dtypes (storage ``python`` or ``pyarrow``, missing value NaN or NA). Earlier versions hold
text in object columns. A file names the dtype. Without pyarrow, a reader gets the dtype with the same semantics in
Python's storage.
"""

import functools
from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn
from .._values.cells import cells_of
from .._values.cells import to_pyarrow as array_of

HAS_NAN_STRINGS = int(pd.__version__.partition(".")[0]) >= 3


@functools.cache
def pyarrow_or_none() -> Any:
    """The pyarrow module; None if it is not installed."""
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def string_tag(dtype: pd.StringDtype) -> dict[str, Any]:
    """The tag of a string dtype."""
    storage = dtype.storage
    if storage == "pyarrow_numpy":  # The name in pandas 2 of pyarrow storage with NaN.
        return {"kind": "string", "storage": "pyarrow", "na": "nan"}
    return {"kind": "string", "storage": storage, "na": "NA" if dtype.na_value is pd.NA else "nan"}


@functools.cache
def string_dtype(storage: str, na: str) -> Any:
    """The string dtype of a tag, or the nearest one that the installed pandas and pyarrow have."""
    if storage not in ("python", "pyarrow") or na not in ("nan", "NA"):
        raise ValueError(f"expected a storage of python or pyarrow and na of nan or NA, found {storage!r}, {na!r}")
    if pyarrow_or_none() is None:
        storage = "python"
    if HAS_NAN_STRINGS:
        return pd.StringDtype(storage, na_value=np.nan if na == "nan" else pd.NA)
    if na == "NA":
        return pd.StringDtype(storage)
    return pd.StringDtype("pyarrow_numpy") if pyarrow_or_none() is not None else np.dtype(object)


@functools.cache
def default_string_dtype() -> Any:
    """The dtype that pandas itself uses for text: `str` since 3.0, object before."""
    return pd.StringDtype(na_value=np.nan) if HAS_NAN_STRINGS else np.dtype(object)


def column_from_strings(values: Any, tag: str) -> ArrowColumn:
    """A pandas string array as a text column."""
    if values.dtype.storage == "python":
        return ArrowColumn.from_objects(np.asarray(values, dtype=object), "str", tag)
    return ArrowColumn.from_arrow(one_chunk(values._pa_array), tag)


def strings_from_column(column: ArrowColumn, dtype: Any) -> Any:
    """A text column as an array of a string dtype or, if the dtype is object, as objects with NaN for null."""
    if not isinstance(dtype, np.dtype) and dtype.storage != "python":
        return strings_from_arrow(to_pyarrow(column), dtype)
    cells = cells_of(column)
    if column.null_count:
        cells[column.mask()] = np.nan if isinstance(dtype, np.dtype) else dtype.na_value
    return cells if isinstance(dtype, np.dtype) else _python_strings(cells, dtype)


def strings_from_unicode(values: np.ndarray, dtype: Any) -> Any:
    """Converts a `<U` array to an array of a string dtype, or to objects."""
    if isinstance(dtype, np.dtype):
        return values.astype(object)
    if dtype.storage == "python":
        return _python_strings(values.astype(object), dtype)
    return strings_from_arrow(to_pyarrow(ArrowColumn.from_unicode(values)), dtype)


def strings_from_arrow(array: Any, dtype: Any) -> Any:
    """A pyarrow text array as an array of a string dtype of pyarrow storage."""
    cls = dtype.construct_array_type()
    if "view" in str(array.type):  # pandas supports only the two types with offsets.
        array = array.cast(pyarrow_or_none().large_string())
    return cls(array, dtype=dtype) if HAS_NAN_STRINGS else cls(array)


def to_pyarrow(column: ArrowColumn) -> Any:
    """The column as a pyarrow array over the same buffers."""
    pa = pyarrow_or_none()
    if pa is None:
        raise ImportError(
            f"pyarrow is not installed, and pandas needs it for a column of type {column.type}. "
            "Install it with: pip install pyarrow",
            name="pyarrow",
        )
    return array_of(column)


def one_chunk(chunked: Any) -> Any:
    """The pyarrow array of a chunked array. Copies only if there are several chunks."""
    if chunked.num_chunks == 1:
        return chunked.chunk(0)
    pa = pyarrow_or_none()
    # In older pyarrow, combine_chunks returns a chunked array, and fails for an empty array of some types.
    return pa.concat_arrays(chunked.chunks) if chunked.num_chunks else pa.nulls(0, chunked.type)


def _python_strings(cells: np.ndarray, dtype: Any) -> Any:
    return dtype.construct_array_type()._from_sequence(cells, dtype=dtype)
