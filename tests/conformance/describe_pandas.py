"""What a DataFrame holds, as the record that `cases.json` keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from tests.conformance.describe import auto, column, index_class, levels, record, tagged
from tests.conformance.values import cells

_ARROW = {"f2": "halffloat", "f4": "float", "f8": "double", "b1": "bool"}


def of_pandas(frame: pd.DataFrame) -> dict[str, Any]:
    """Shape, attrs, both axes and every column."""
    data = [_column(frame.iloc[:, i].array) for i in range(frame.shape[1])]
    attrs = {"attrs": frame.attrs} if frame.attrs else {}
    return record("pandas", frame.shape, _axis(frame.index), _axis(frame.columns), data, **attrs)


def _axis(index: pd.Index) -> dict[str, Any]:
    if isinstance(index, pd.RangeIndex):
        return auto(index.start, index.stop, index.step, tagged(index.name)) | {"native_class": "RangeIndex"}
    native = {"native_class": type(index).__name__}
    if isinstance(index, pd.MultiIndex):
        each = [_level(index.get_level_values(i)) for i in range(index.nlevels)]
        name = tagged(tuple(index.names)) if any(name is not None for name in index.names) else None
        return levels("IndexHierarchy", name, each) | native
    cls, labels = _level(index)
    if getattr(index, "freqstr", None) is not None:
        native["freq"] = index.freqstr
    return levels(cls, tagged(index.name), [(cls, labels)]) | native


def _level(index: pd.Index) -> tuple[str, dict[str, Any]]:
    labels = _labels(index)
    cls = index_class(np.dtype(labels["dtype"])) if labels["dtype"].startswith("<M8") else "Index"
    return cls, labels


def _labels(index: pd.Index) -> dict[str, Any]:
    """Short text is kept as U, zoned times as UTC, periods as datetime64 of their unit: what StaticFrame opens."""
    if isinstance(index.dtype, pd.StringDtype) or index.dtype == object:
        return column(np.array(index.to_list(), dtype=str))
    if isinstance(index, pd.DatetimeIndex):
        return column(index.tz_localize(None).values if index.tz is None else index.tz_convert(None).values)
    if isinstance(index, pd.PeriodIndex):
        return column(index.asi8.view(f"<M8[{index.freqstr[:1]}]"))
    return _column(index.array)


def _column(array: Any) -> dict[str, Any]:
    dtype, missing = array.dtype, pd.isna(array)
    if isinstance(dtype, pd.StringDtype):
        return {"dtype": "large_utf8", "values": _masked(array.to_numpy(object), missing)}
    if isinstance(dtype, pd.CategoricalDtype):
        categories = _column(dtype.categories.array)
        arrow = categories["dtype"] if categories["dtype"][0] not in "<|" else _arrow(dtype.categories.dtype)
        name = f"dictionary<{_arrow(array.codes.dtype)}, {arrow}, ordered={str(bool(dtype.ordered)).lower()}>"
        return {"dtype": name, "categories": categories["values"], "values": array.codes.tolist()}
    if isinstance(dtype, pd.DatetimeTZDtype):
        ticks = array.tz_convert(None).to_numpy()
        return {"dtype": f"timestamp[{dtype.unit}, {dtype.tz}]", "values": _masked(np.array(cells(ticks)), missing)}
    if isinstance(dtype, pd.PeriodDtype):
        return {"dtype": "int64", "period": array.freqstr, "values": _masked(array.asi8, missing)}
    if isinstance(dtype, pd.IntervalDtype):
        part = _arrow(dtype.subtype)
        pairs = zip(cells(np.asarray(array.left)), cells(np.asarray(array.right)), strict=True)
        name = f"struct<left: {part}, right: {part}>"
        return {"dtype": name, "closed": dtype.closed, "values": [list(pair) for pair in pairs]}
    if isinstance(array, pd.arrays.NumpyExtensionArray | pd.arrays.DatetimeArray | pd.arrays.TimedeltaArray):
        return column(np.asarray(array))
    numbers = array.to_numpy(dtype.numpy_dtype, na_value=np.zeros((), dtype.numpy_dtype).item())
    name = _arrow(dtype.numpy_dtype)
    return {"dtype": name, "values": _masked(np.array(cells(numbers), dtype=object), missing)}


def _masked(values: np.ndarray, missing: np.ndarray) -> list[Any]:
    return [None if gone else value for value, gone in zip(values.tolist(), missing.tolist(), strict=True)]


def _arrow(dtype: np.dtype) -> str:
    return _ARROW.get(dtype.str[1:]) or dtype.name
