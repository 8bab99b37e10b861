"""Converts Arrow columns as pandas' readers do, without pyarrow, for the types with a short and cheap rule.

Numbers with nulls become floats with NaN. Times get NaT. Bools with nulls become objects. Text becomes pandas' string
dtype over the same buffers. Dictionaries become categoricals. `_pandas_arrow_table` converts all other types.
"""

import functools
from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn
from .._values.cells import cells_of, is_msgpack
from .._values.zones import zone_from_text
from ._pandas_arrow_table import EXTENSION, field_metadata, table_to_pandas
from ._pandas_foreign import times_of, writable, zoned_array
from ._pandas_objects import objects_from_tagged
from ._pandas_strings import default_string_dtype, pyarrow_or_none, strings_from_column

_NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "halffloat", "float", "double")
_TEXT = ("utf8", "large_utf8")
_BYTES = ("binary", "large_binary")


def is_number(column: ArrowColumn) -> bool:
    """Whether `numbers_block` supports the column."""
    kind = column.type
    if kind in _NUMBERS:
        return EXTENSION not in field_metadata(column)
    if kind == "bool":
        return not column.null_count and EXTENSION not in field_metadata(column)
    return kind.startswith(("timestamp[", "duration[")) and "," not in kind and EXTENSION not in field_metadata(column)


def number_dtype(column: ArrowColumn) -> np.dtype[Any]:
    """The pandas dtype of a column of numbers or times: its own, or float64 for integers with nulls."""
    dtype = _own_dtype(column.type)
    return np.dtype(np.float64) if column.null_count and dtype.kind in "iu" else dtype


@functools.lru_cache(maxsize=64)
def _own_dtype(kind: str) -> np.dtype[Any]:
    named = {"halffloat": "f2", "float": "f4", "double": "f8"}.get(kind, kind)
    if kind.startswith(("timestamp", "duration")):
        named = ("M8" if kind.startswith("t") else "m8") + kind[kind.index("[") :]
    return np.dtype(named)


def numbers_block(columns: list[ArrowColumn], dtype: np.dtype[Any]) -> np.ndarray:
    """Columns of one `number_dtype` as a block of shape (len(columns), nrows), nulls as NaN or NaT."""
    if dtype.kind == "b":
        return np.stack([column.values() for column in columns])
    return ArrowColumn.block(columns, dtype)


def native_array(column: ArrowColumn, dtype: Any, zone: str | None) -> Any:
    """Converts a column to one array; None if the conversion needs pyarrow.

    `dtype`: the extension dtype that the `pandas` metadata asks for, if any; `zone` its time zone.
    """
    if EXTENSION in field_metadata(column):
        return None
    kind = column.type
    if "\0" in kind:  # The C data interface would cut this field name; Python's dicts hold it.
        return cells_of(column)
    if kind.startswith("dictionary"):
        return _categorical(column) if dtype is None or isinstance(dtype, pd.StringDtype) else None
    if kind in _TEXT:
        if dtype is None or isinstance(dtype, pd.StringDtype):
            return text_array(column, default_string_dtype() if dtype is None else dtype)
        return None
    if dtype is not None:
        return masked_array(column.values(), column.mask(), dtype) if kind in _NUMBERS or kind == "bool" else None
    if is_number(column):
        return None if zone is not None else numbers_block([column], number_dtype(column))[0]
    if kind.startswith("timestamp["):
        zone_name = kind[:-1].partition(", ")[2]
        found = _zone_of(zone_name) if zone is None or zone == zone_name else None
        return None if found is None else zoned_array(times_of(column), found)
    if kind == "bool":
        return column.objects()
    if kind in _BYTES:
        return cells_of(column) if is_msgpack(column.tag) else objects_from_tagged(column, {}, "")
    if kind == "null":
        return np.full(len(column), None, dtype=object)
    return None


def masked_array(values: np.ndarray, mask: np.ndarray | None, dtype: Any) -> Any:
    """Integers or bools as pandas' nullable array of the same dtype; None for every other dtype."""
    cls = dtype.construct_array_type() if isinstance(dtype, pd.api.extensions.ExtensionDtype) else None
    if cls not in (pd.arrays.IntegerArray, pd.arrays.BooleanArray) or dtype.numpy_dtype != values.dtype:
        return None
    mask = np.zeros(len(values), dtype=bool) if mask is None else writable(mask)
    return cls(writable(values), mask)


def text_array(column: ArrowColumn, dtype: Any) -> Any:
    """Text as an array of a string dtype, or (pandas 2) as objects with None for null."""
    return objects_from_tagged(column, {}, "") if isinstance(dtype, np.dtype) else strings_from_column(column, dtype)


def _categorical(column: ArrowColumn) -> pd.Categorical | None:
    values = column.categories()
    if values.null_count:
        return None
    if values.type in _TEXT:
        # pandas infers the dtype of categories from the texts. Without texts the dtype is object.
        categories: Any = text_array(values, default_string_dtype() if len(values) else np.dtype(object))
    elif values.type in _NUMBERS and values.type != "halffloat":
        categories = values.values()
    else:
        return None
    codes, labels = column.codes(), pd.Index(categories)
    if not labels.is_unique:  # The dictionaries of several batches were joined.
        every, labels = labels, labels.unique()
        codes = np.where(codes < 0, -1, labels.get_indexer(every).take(codes))
    return None if labels.hasnans else pd.Categorical.from_codes(codes, labels, ordered=column.ordered)


@functools.lru_cache(maxsize=64)
def _zone_of(text: str) -> Any:
    """The zone object that pyarrow's readers make; None for an unknown name."""
    pa = pyarrow_or_none()
    try:
        if pa is None:
            return zone_from_text(text)
        empty = pa.table({"0": pa.array([], pa.timestamp("ns", text))})
        return table_to_pandas(empty, None).dtypes.iloc[0].tz
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
