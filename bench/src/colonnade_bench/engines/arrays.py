"""Converts a DataFrame to NumPy arrays and a description of each column, for stores that hold only arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

About = list[dict[str, Any]]


def parted(frame: Any) -> tuple[dict[str, Any], About]:
    """Returns arrays by name (text as objects), and the label and kind of each column.

    Raises
    ------
    TypeError
        A column has objects that are not text.
    """
    import pandas as pd

    arrays: dict[str, Any] = {}
    about: About = []
    for position, (label, column) in enumerate(frame.items()):
        key, dtype = str(position), column.dtype
        said: dict[str, Any] = {"label": label, "dtype": str(dtype)}
        if isinstance(dtype, pd.CategoricalDtype):
            arrays[key] = column.cat.codes.to_numpy()
            said |= {"categories": dtype.categories.tolist(), "ordered": bool(dtype.ordered)}
        elif hasattr(column.array, "asi8"):
            arrays[key] = column.array.asi8
        elif isinstance(dtype, np.dtype) and dtype.kind != "O":
            arrays[key] = column.to_numpy()
        elif pd.api.types.infer_dtype(column, skipna=True) in ("string", "empty"):
            there = column.notna().to_numpy()
            arrays[key] = column.to_numpy(dtype=object, na_value="")
            if not there.all():
                arrays[key + ".there"] = there
        else:
            raise TypeError(f"bench: the column {label!r} of {dtype} is no array of numbers, times or text")
        about.append({**said, "there": key + ".there" in arrays})
    return arrays, about


def joined(array: Callable[[str], Any], about: About, column: str | None = None) -> Any:
    """Returns the DataFrame, or one column of it. `array` returns an array by its name."""
    import pandas as pd

    columns = {}
    wanted = {k: said for k, said in enumerate(about) if column is None or said["label"] == column}
    for position, said in wanted.items():
        there = array(f"{position}.there") if said["there"] else None
        columns[position] = restored(array(str(position)), there, said)
    out = pd.DataFrame(columns, copy=False)
    out.columns = pd.Index([said["label"] for said in wanted.values()])
    return out


def restored(values: Any, there: Any, said: dict[str, Any]) -> Any:
    """Restores one column from its description."""
    import pandas as pd

    dtype = said["dtype"]
    if "categories" in said:
        return pd.Categorical.from_codes(values, said["categories"], ordered=said["ordered"])
    if dtype.startswith("datetime64"):
        unit, _, zone = dtype.removeprefix("datetime64[").removesuffix("]").partition(", ")
        index = pd.DatetimeIndex(values.view(f"M8[{unit}]"))
        return index.tz_localize("UTC").tz_convert(zone) if zone else index
    if values.dtype.kind in "OT":
        text = values.astype(object)
        if there is not None:
            text[~there] = None
        return pd.array(text, dtype=dtype)
    return values.view(dtype) if dtype.startswith("timedelta64") else values
