"""Converts frames to plain columns of any type, for engines that hold plain objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from colonnade_bench import pandas_to_objects


def to_columns(frame: Any) -> dict[str, list[Any]]:
    """Returns columns as lists. Times are text, None for missing ones. Durations are counts."""
    out = {}
    for name, values in pandas_to_objects.to_arrays(frame).items():
        if isinstance(values, list):
            out[name] = values
        elif frame[name].dtype.kind == "M":
            out[name] = as_text(values.view(f"M8[{frame[name].dt.unit}]"))
        else:
            out[name] = values.tolist()
    return out


def as_text(times: Any) -> list[str | None]:
    """Formats times as ISO 8601, as NumPy writes and reads it."""
    text = np.datetime_as_string(times).astype(object)
    text[np.isnat(times)] = None
    out: list[str | None] = text.tolist()
    return out


def from_columns(columns: dict[str, Any], dtypes: dict[str, str]) -> Any:
    """Makes a DataFrame from lists, or from the bytes of numbers. Times are counts or text."""
    import pandas as pd

    # Arrays over received bytes are read-only, so pandas copies them. All other arrays are already writable.
    over = any(isinstance(values, bytes) for values in columns.values())
    return pd.DataFrame({name: column(values, dtypes[name]) for name, values in columns.items()}, copy=over)


def column(values: Any, dtype: str) -> Any:
    """Makes one column of any dtype."""
    import pandas as pd

    if dtype == "category":
        return pd.Categorical(values)
    if dtype.startswith("period"):
        raise TypeError(f"bench: a column of {dtype} has no place among plain objects")
    if dtype.startswith("datetime64") and spelled(values):
        unit, _, zone = dtype.removeprefix("datetime64[").removesuffix("]").partition(", ")
        return pandas_to_objects.times(np.array(values, f"M8[{unit}]").view("i8"), unit, zone)
    if dtype in ("float64", "float32"):
        try:
            return pandas_to_objects.column(values, dtype)
        except TypeError:  # None, because JSON has no NaN
            return np.array(values, dtype)
    return (
        pandas_to_objects.column(values, dtype) if dtype == "str" or of_numpy(dtype) else pd.array(values, dtype=dtype)
    )


def spelled(values: Any) -> bool:
    """Whether these times are text (or all missing)."""
    if not isinstance(values, list):
        return False
    first = next((value for value in values if value is not None), None)
    return first is None or isinstance(first, str)


def of_numpy(dtype: str) -> bool:
    """Whether NumPy, or `plain`, knows this dtype. All others are pandas extension types."""
    try:
        return np.dtype(dtype) is not None
    except TypeError:
        return dtype.startswith("datetime64")
