"""Finds and names the losses of a round trip. Engines with losses are ranked separately from exact ones."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from colonnade_bench.panel.fidelity_arrow import arrow_losses, unpacked
from colonnade_bench.panel.loss_kinds import NOT_PASSED_ON, REORDERED, listed, reordered


def losses(original: Any, result: Any) -> list[str]:
    """Lists the differences of two DataFrames or Tables, one sentence each. Empty if nothing was lost.

    Of pandas it compares labels, names and kinds of both axes and column types, then values column by column: nulls,
    NaN against null, integers beyond 2^53, categories, time zones, units.

    Examples
    --------
    >>> import pandas as pd
    >>> losses(pd.DataFrame({"a": pd.Categorical(["x"])}), pd.DataFrame({"a": ["x"]}))
    ['a: category became str']
    """
    if not hasattr(original, "iloc") and type(original) is type(result):
        return arrow_losses(original, result)
    if not hasattr(result, "iloc") or not hasattr(result, "columns"):
        return [f"a {type(result).__name__} came back"]
    out: list[str] = []
    if reordered(list(original.columns), list(result.columns)):
        out.append(REORDERED)
        result = result[list(original.columns)]
    if len(original) != len(result):
        out.append(f"{len(original):,} rows became {len(result):,}")
    out += axis_losses("columns", original.columns, result.columns)
    if len(original) == len(result):
        out += axis_losses("index", original.index, result.index)
    if dict(original.attrs) != dict(result.attrs):
        out.append("attrs")
    if len(original) == len(result) and original.shape[1] == result.shape[1]:
        for k, label in enumerate(original.columns):
            out += column_losses(str(label), original.iloc[:, k], result.iloc[:, k])
    elif original.shape[1] != result.shape[1]:
        out.append(f"{original.shape[1]} columns became {result.shape[1]}")
    return listed(out)


def losses_of_tables(
    original: Mapping[str, Any], result: Mapping[str, Any], withheld: Collection[str] = ()
) -> list[str]:
    """Lists the differences of several tables. The table's name comes first if there is more than one.

    Losses of `withheld` parts ("index") are named as the benchmark's own.
    """
    out = [f"table {name} is gone" for name in original if name not in result]
    for name in original:
        if name in result:
            prefix = f"{name.rpartition('-')[2]}." if len(original) > 1 else ""
            for text in losses(original[name], result[name]):
                part = text.partition(":")[0]
                out.append(prefix + (f"{part}: {NOT_PASSED_ON}" if part in withheld else text))
    return list(dict.fromkeys(out))


def axis_losses(side: str, original: Any, result: Any) -> list[str]:
    out = []
    if list(original.names) != list(result.names):
        out.append(f"{side}: names {list(original.names)} became {list(result.names)}")
    if len(original) != len(result):
        out.append(f"{side}: number of labels")
    elif not original.equals(result) and labels_differ(original, result):
        out.append(f"{side}: labels differ")
    elif type(original) is not type(result):
        out.append(f"{side}: {type(original).__name__} became {type(result).__name__}")
    elif original.dtype != result.dtype:
        out.append(f"{side}: {original.dtype} became {result.dtype}")
    return out


def labels_differ(original: Any, result: Any) -> bool:
    """Whether labels differ that are not equal as they are: the same ones may have another type, unit or zone."""
    try:
        return original.nlevels != 1 != result.nlevels or values_differ(original.to_series(), result.to_series()) > 0
    except (TypeError, ValueError, OverflowError, AttributeError):
        return True


def column_losses(label: str, original: Any, result: Any) -> list[str]:
    """Compares one column: first its type, then its values, as far as the two types allow."""
    out = []
    if original.dtype == "category" == result.dtype:
        before, after = original.cat.categories, result.cat.categories
        if list(before) != list(after):
            out.append(f"{label}: categories differ")
        elif before.dtype != after.dtype:
            out.append(f"{label}: categories of {before.dtype} became those of {after.dtype}")
        if original.cat.ordered != result.cat.ordered:
            out.append(f"{label}: order of categories")
    elif original.dtype != result.dtype:
        out.append(f"{label}: {original.dtype} became {result.dtype}")
    try:
        wrong = values_differ(original, result)
    except (TypeError, ValueError, OverflowError, AttributeError, IndexError):
        wrong = None
    if wrong is None:
        out.append(f"{label}: values of another kind")
    elif wrong:
        large = original.dtype.kind in "iu" and bool((np.abs(np.asarray(original, dtype=np.float64)) >= 2**53).any())
        what = "integers beyond 2^53 changed" if large else "values changed"
        out.append(f"{label}: {what} ({wrong:,} of {len(original):,})")
    if original.dtype == object == result.dtype and (other := classes_differ(original, result)):
        out.append(f"{label}: classes of cells changed ({other:,} of {len(original):,})")
    return out


def classes_differ(original: Any, result: Any) -> int:
    """Counts the object cells whose classes differ. None and NaN, True and 1, a tuple and a list are different."""
    return sum(type(a) is not type(b) for a, b in zip(original.array, result.array, strict=True))


def values_differ(original: Any, result: Any) -> int:
    """Counts the cells whose values differ, regardless of type. Nulls equal nulls, and numbers compare by value."""
    a, b = plain(original), plain(as_times(result, original) if original.dtype.kind == "M" else result)
    if getattr(a.dtype, "kind", "O") == "f" == getattr(b.dtype, "kind", "O") and a.dtype.itemsize < b.dtype.itemsize:
        b = b.astype(a.dtype)  # the shortest text of a float says it among those of its width
    null_a, null_b = np.asarray(original.isna()), np.asarray(result.isna())
    differ = null_a != null_b
    both = ~(null_a | null_b)
    if {getattr(a.dtype, "kind", "O"), getattr(b.dtype, "kind", "O")} in ({"i", "f"}, {"u", "f"}):
        a, b = a.astype(object), b.astype(object)  # Python compares integers with floats exactly
    if both.any():
        differ[both] = cells_differ(a[both], b[both], original.dtype)
    return int(differ.sum())


def cells_differ(a: Any, b: Any, dtype: Any) -> Any:
    """Tells which cells differ. Jagged ones are compared as values of the original's Arrow type, if it has one."""
    import pandas as pd
    import pyarrow as pa

    nested = isinstance(dtype, pd.ArrowDtype) and pa.types.is_nested(dtype.pyarrow_dtype)
    if nested:
        with contextlib.suppress(pa.ArrowInvalid, pa.ArrowTypeError, TypeError):
            a, b = (pa.array(list(each), dtype.pyarrow_dtype).to_pylist() for each in (a, b))
    else:
        with contextlib.suppress(ValueError):  # cells that are arrays, or hold some
            return np.asarray(a != b, dtype=bool)
    return np.array([unpacked(x) != unpacked(y) for x, y in zip(a, b, strict=True)])


def as_times(column: Any, original: Any) -> Any:
    """Returns the times that text says, in UTC, or counts in the original's unit. Only their type is lost then."""
    import pandas as pd

    if column.dtype == np.int64:
        return pd.Series(column.to_numpy().view(f"M8[{original.dt.unit}]"))
    if not pd.api.types.is_string_dtype(column.dtype):
        return column
    return pd.to_datetime(column, utc=True, format="ISO8601")


def plain(column: Any) -> Any:
    """Converts cells for comparison across types: times to UTC nanoseconds, text to objects, numbers unchanged."""
    import pandas as pd

    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return plain(column.astype(column.cat.categories.dtype))
    if kind == "M":
        utc = column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz is not None else column
        return utc.to_numpy(dtype="M8[ns]")
    if kind == "m":
        return column.to_numpy(dtype="m8[ns]")
    if kind in "biufc" and isinstance(column.dtype, np.dtype):
        return column.to_numpy()
    if kind in "biuf":  # nullable numbers: nulls are compared separately
        fill: Callable[[str], Any] = {"b": bool, "i": int, "u": int, "f": float}.__getitem__
        return column.to_numpy(dtype=object, na_value=fill(kind)())
    return column.to_numpy(dtype=object)
