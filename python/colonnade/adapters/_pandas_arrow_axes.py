"""Builds both axes of a frame of Arrow data as pandas' readers build them from the `pandas` metadata."""

import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from .._core import ArrowColumn, CoreFrame
from ._pandas_arrow_meta import PandasMetadata, zone_told
from ._pandas_arrow_native import native_array
from ._pandas_arrow_table import arrow_array, table_to_pandas
from ._pandas_foreign import writable
from ._pandas_index import index_from_axis
from ._pandas_strings import pyarrow_or_none

_GENERATED = re.compile(r"^__index_level_\d+__$")
_TEXT = ("unicode", "string")
_ENTRY = {"pandas_type": "empty", "numpy_type": "object", "metadata": None}


# --------------------------------------------------------------------------- rows
def index_from_arrow(core: CoreFrame, meta: PandasMetadata | None, dtype_backend: str | None) -> pd.Index:
    """The row labels: levels of the fields that `index_columns` names, or a range."""
    axis = core.index
    if axis.is_auto or meta is None or len(meta.index_fields) < axis.depth:
        return index_from_axis(axis, "index")
    fields = meta.index_fields[: axis.depth]
    levels = [axis.level(i, writable=True) for i in range(axis.depth)]
    zones = [zone_told(meta.columns[field]) if field in meta.columns else None for field in fields]
    pairs = zip(levels, zones, strict=True)
    native = [_native_level(level, zone) for level, zone in pairs] if dtype_backend is None else [None]
    if any(level is None for level in native):
        return _levels_by_pyarrow(levels, fields, meta, dtype_backend)
    names = [_level_name(meta, field) for field in fields]
    series = [pd.Series(level, copy=False) for level in native]
    return pd.Index(series[0], name=names[0]) if len(series) == 1 else pd.MultiIndex.from_arrays(series, names=names)


def _native_level(level: np.ndarray | ArrowColumn, zone: str | None) -> Any:
    """Converts labels without pyarrow; None if pyarrow is needed, as for a zone in the metadata."""
    if zone is not None and isinstance(level, np.ndarray) and level.dtype.kind == "M":
        return None
    values = native_array(level, None, zone) if isinstance(level, ArrowColumn) else writable(level)
    if isinstance(values, np.ndarray) and values.dtype == np.float16:
        return values.astype(np.float32)  # pandas has no float16 index; float32 holds every value of it
    return values


def _levels_by_pyarrow(
    levels: list[np.ndarray | ArrowColumn], fields: list[str], meta: PandasMetadata, dtype_backend: str | None
) -> pd.Index:
    """The index of a table that holds only the levels. A level that the readers refuse keeps its Arrow type."""
    arrays = [arrow_array(level, field) for level, field in zip(levels, fields, strict=True)]
    entries = [{**_ENTRY, **meta.columns.get(field, {"name": field}), "field_name": field} for field in fields]
    text = json.dumps({"index_columns": fields, "column_indexes": [], "columns": entries})
    table = pyarrow_or_none().table(arrays, names=fields).replace_schema_metadata({"pandas": text})
    try:
        return table_to_pandas(table, dtype_backend).index
    except MemoryError:
        raise
    except Exception:
        names = [_level_name(meta, field) for field in fields]
        extension_arrays = [pd.arrays.ArrowExtensionArray(array) for array in arrays]
        return (
            pd.Index(extension_arrays[0], name=names[0])
            if len(extension_arrays) == 1
            else pd.MultiIndex.from_arrays(extension_arrays, names=names)
        )


def _level_name(meta: PandasMetadata, field: str) -> Any:
    entry = meta.columns.get(field)
    name = field if entry is None else entry["name"]
    return None if name == field and _GENERATED.match(field) else name


# --------------------------------------------------------------------------- columns
def columns_from_arrow(core: CoreFrame, meta: PandasMetadata | None, names: list[str] | None) -> pd.Index:
    """The column labels: names of fields, in the type that `column_indexes` gives."""
    if names is None:
        return index_from_axis(core.columns, "columns")
    kinds = [] if meta is None else meta.column_indexes
    if not names:
        return _labels_by_pyarrow(names, meta, kinds) if kinds else pd.Index([])
    renamed = meta is not None and meta.renamed and any(_label(meta, name) != name for name in names)
    if not renamed and len(kinds) <= 1:
        simple = _SIMPLE.get((kinds[0].get("pandas_type"), kinds[0].get("numpy_type")) if kinds else None)
        if simple is not None:
            index = simple(index_from_axis(core.columns, "columns"))
            index.name = kinds[0]["name"] if kinds else None
            return index
    return _labels_by_pyarrow(names, meta, kinds)


def _identity(index: pd.Index) -> pd.Index:
    return index


def _int64(index: pd.Index) -> pd.Index:
    return index.astype(np.int64)


# (pandas_type, numpy_type) of labels that need no pyarrow.
_SIMPLE: dict[Any, Callable[[pd.Index], pd.Index]] = {
    None: _identity,
    **{(kind, text): _identity for kind in _TEXT for text in ("object", "str")},
    ("int64", "int64"): _int64,
}


def _label(meta: PandasMetadata, name: str) -> Any:
    entry = meta.columns.get(name)
    return name if entry is None else entry["name"]


def _labels_by_pyarrow(names: list[str], meta: PandasMetadata | None, kinds: list[dict[str, Any]]) -> pd.Index:
    """The labels of a table of no rows with these names and these `column_indexes`."""
    pa = pyarrow_or_none()
    if pa is None:
        raise ImportError(
            "pandas: column labels: pyarrow is not installed, and it rebuilds labels that are no plain text. "
            "Install it with: pip install pyarrow",
            name="pyarrow",
        )
    entries: list[dict[str, Any]] = []
    if meta is not None:
        entries = [{**_ENTRY, "name": _label(meta, name), "field_name": name} for name in dict.fromkeys(names)]
    text = json.dumps({"index_columns": [], "column_indexes": kinds, "columns": entries})
    schema = pa.schema([pa.field(name, pa.null()) for name in names], metadata={"pandas": text})
    try:
        return table_to_pandas(schema.empty_table(), None).columns
    except MemoryError:
        raise
    except Exception:  # The readers refuse the whole table, so the labels are the names of the fields.
        return pd.Index(names)
