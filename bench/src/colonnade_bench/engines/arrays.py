"""Converts a DataFrame to plain columns and a description of them, for formats that have no tables.

Numbers are arrays, times are counts since 1970, categories are codes. Text is a list with None for missing cells, or
with `masked` an array and a mask. The description is JSON: types and labels of the columns, levels and names of the
index, attrs. Users of such formats pass these on, so the benchmark does too.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from colonnade_bench import pandas_to_objects

About = dict[str, Any]
MASK = ".there"
"""The ending of the key of a mask, which is false for missing cells."""


def parted(frame: Any, *, masked: bool = False) -> tuple[dict[str, Any], About]:
    """Returns columns by position ("0", "1"...), then levels of the index, and their description.

    Raises
    ------
    TypeError
        A column has a type that plain columns cannot express. With `masked` also objects that are not text.
    """
    values: dict[str, Any] = {}
    keys = map(str, itertools.count())

    def add(column: Any) -> dict[str, Any]:
        key = next(keys)
        values[key], mask, said = plain(column, masked)
        if mask is not None:
            values[key + MASK] = mask
        return {"key": key, "masked": mask is not None, **said}

    about: About = {"columns": [add(frame.iloc[:, k]) for k in range(frame.shape[1])]}
    about["labels"] = {**labels_of(frame.columns), "names": list(frame.columns.names)}
    about["index"] = {**levels_of(frame.index, add), "names": list(frame.index.names)}
    if frame.attrs:
        about["attrs"] = dict(frame.attrs)
    return values, about


def joined(values: Mapping[str, Any] | Callable[[str], Any], about: About, column: str | None = None) -> Any:
    """Returns the DataFrame, or one column of it without its index. `values` gives columns by key."""
    import pandas as pd

    get = values.__getitem__ if isinstance(values, Mapping) else values
    labels = labels_from(about["labels"])
    found = [k for k, label in enumerate(labels) if column is None or label == column]
    columns = {k: restored(get, about["columns"][k]) for k in found}
    index = None if column is not None else index_from(about["index"], get)
    # Arrays over received bytes are read-only, so pandas copies them. All other arrays are already writable.
    fixed = any(isinstance(each, np.ndarray) and not each.flags.writeable for each in columns.values())
    out = pd.DataFrame(columns, index=index, copy=fixed)
    out.columns = labels if column is None else labels[found]
    out.attrs.update(about.get("attrs", {}))
    return out


# ---------------------------------------------------------------- one column


def plain(column: Any, masked: bool) -> tuple[Any, Any, dict[str, Any]]:
    """Returns the values of a column, its mask or None, and its description."""
    import pandas as pd

    dtype = column.dtype
    said: dict[str, Any] = {"dtype": str(dtype)}
    if isinstance(dtype, pd.CategoricalDtype):
        codes, kinds = column.cat.codes.to_numpy(), dtype.categories
        about = {"codes": str(codes.dtype), "categories": kinds.tolist(), "of": str(kinds.dtype)}
        return codes, None, {**said, **about, "ordered": bool(dtype.ordered)}
    if isinstance(dtype, pd.PeriodDtype):
        raise TypeError(f"bench: a column of {dtype} has no place among plain columns")
    if hasattr(column.array, "asi8"):
        return column.array.asi8, None, said
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return np.ascontiguousarray(column.to_numpy()), None, said
    if isinstance(dtype, pd.ArrowDtype):
        said["arrow"] = as_schema(dtype.pyarrow_dtype)
    if dtype.kind in "biuf" and (masked or not column.hasnans):
        said["numpy"] = str(np.dtype(dtype.numpy_dtype))
    if "numpy" in said and not masked:
        return column.to_numpy(dtype=said["numpy"]), None, said
    if not masked:
        return as_cells(column), None, said
    there = column.notna().to_numpy()
    mask = None if there.all() else there
    if "numpy" in said:
        return column.to_numpy(dtype=said["numpy"], na_value=0), mask, said
    if pd.api.types.infer_dtype(column, skipna=True) not in ("string", "empty"):
        raise TypeError(f"bench: the column {column.name!r} of {dtype} is no array of numbers, times or text")
    return column.to_numpy(dtype=object, na_value=""), mask, said


def restored(get: Callable[[str], Any], said: Mapping[str, Any]) -> Any:
    """Restores one column: from a list, the bytes of its numbers, or an array."""
    import pandas as pd

    values, dtype = get(said["key"]), said["dtype"]
    if "categories" in said:
        kinds = pd.Index(said["categories"], dtype=said["of"])
        return pd.Categorical.from_codes(numbers(values, said["codes"]), kinds, ordered=said["ordered"])
    if dtype.startswith("datetime64"):
        unit, _, zone = dtype.removeprefix("datetime64[").removesuffix("]").partition(", ")
        return pandas_to_objects.times(numbers(values, "int64"), unit, zone)
    if dtype.startswith("timedelta64"):
        return numbers(values, "int64").view(f"m8[{dtype.removeprefix('timedelta64[').removesuffix(']')}]")
    if of_numpy(dtype):
        return numbers(values, dtype)
    if "numpy" in said:
        values = numbers(values, said["numpy"])
    if "arrow" in said:
        dtype = from_schema(said["arrow"])
    return extended(values, dtype, get(said["key"] + MASK) if said["masked"] else None)


def as_cells(column: Any) -> list[Any]:
    """Returns plain Python objects, None for missing cells, lists and dicts for nested ones."""
    import pandas as pd
    import pyarrow as pa

    if isinstance(column.dtype, pd.ArrowDtype) and pa.types.is_nested(column.dtype.pyarrow_dtype):
        cells: list[Any] = pa.array(column).to_pylist()
        return cells
    out: list[Any] = column.to_numpy(dtype=object, na_value=None).tolist()
    return out


def as_schema(kind: Any) -> str:
    """Returns a type of Arrow as text, in the way of pyarrow's own metadata."""
    import pyarrow as pa

    return base64.b64encode(pa.schema([("", kind)]).serialize()).decode()


def from_schema(text: str) -> Any:
    import pandas as pd
    import pyarrow as pa

    return pd.ArrowDtype(pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text))).field(0).type)


def extended(values: Any, dtype: Any, there: Any) -> Any:
    """Makes text, or another type of pandas, from a list with None, or from an array and its mask."""
    import pandas as pd

    if dtype == "str" and isinstance(values, list):
        return pandas_to_objects.text(values)
    if isinstance(dtype, pd.ArrowDtype) and isinstance(values, list):
        import pyarrow as pa

        return pd.array(pa.array(values, dtype.pyarrow_dtype), dtype=dtype)
    if isinstance(values, list):
        return np.fromiter(values, object, len(values)) if dtype == "object" else pd.array(values, dtype=dtype)
    values = values.astype(object) if values.dtype.kind in "OTU" else values
    if there is not None and values.dtype.kind == "O":
        values[~there] = None
    out = values if dtype == "object" else pd.array(values, dtype=dtype)
    if there is not None and dtype != "object":
        out[~there] = pd.NA
    return out


def numbers(values: Any, dtype: str) -> Any:
    """Makes numbers of a list, of bytes without a copy, or of an array. None, JSON's NaN, becomes NaN."""
    if isinstance(values, np.ndarray):
        return values
    try:
        return pandas_to_objects.numbers(values, dtype)
    except TypeError:
        if np.dtype(dtype).kind != "f":
            raise
        return np.array(values, dtype)


def of_numpy(dtype: str) -> bool:
    """Whether NumPy knows this dtype as numbers. Others are text, objects or pandas' own types."""
    try:
        return np.dtype(dtype).kind in "biufc" and dtype != "str"
    except (TypeError, ValueError):
        return False


# ---------------------------------------------------------------- axes


def labels_of(columns: Any) -> dict[str, Any]:
    """Describes column labels. Labels other than text, numbers, None and tuples of them fail later, in JSON."""
    import pandas as pd

    if isinstance(columns, pd.RangeIndex):
        return {"range": [columns.start, columns.stop, columns.step]}
    if isinstance(columns, pd.MultiIndex):
        return {"tuples": [list(each) for each in columns]}
    return {"values": columns.tolist(), "dtype": str(columns.dtype)}


def labels_from(said: Mapping[str, Any]) -> Any:
    import pandas as pd

    if "range" in said:
        out: Any = pd.RangeIndex(*said["range"])
    elif "tuples" in said:
        out = pd.MultiIndex.from_tuples([tuple(each) for each in said["tuples"]])
    else:
        out = pd.Index(said["values"], dtype=said["dtype"])
    out.names = said["names"]
    return out


def levels_of(index: Any, add: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """Describes the index: three numbers of a range, or one more column for each level."""
    import pandas as pd

    if isinstance(index, pd.RangeIndex):
        return {"range": [index.start, index.stop, index.step]}
    return {"levels": [add(pd.Series(index.get_level_values(k))) for k in range(index.nlevels)]}


def index_from(said: Mapping[str, Any], get: Callable[[str], Any]) -> Any:
    import pandas as pd

    if "range" in said:
        return pd.RangeIndex(*said["range"], name=said["names"][0])
    levels = [pd.Index(restored(get, level)) for level in said["levels"]]
    return (
        levels[0].rename(said["names"][0])
        if len(levels) == 1
        else pd.MultiIndex.from_arrays(levels, names=said["names"])
    )
