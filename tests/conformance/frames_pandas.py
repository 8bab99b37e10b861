"""Frames that pandas 3 makes, every dtype spelled out: defaults depend on what else is installed."""

from __future__ import annotations

from typing import Any

import numpy as np


def pandas_text() -> Any:
    """Text with nulls, of each storage that pandas tells apart; the first is what it makes by default."""
    import pandas as pd

    text = ["", None, "é\0ü", "\U0001f600", "x" * 70]
    kinds = {
        "default": pd.StringDtype("pyarrow", na_value=np.nan),
        "python": pd.StringDtype("python", na_value=np.nan),
        "na": pd.StringDtype("python"),
    }
    frame = pd.DataFrame({name: pd.array(text, dtype=dtype) for name, dtype in kinds.items()})
    return frame.set_axis(pd.Index(list("vwxyz"), dtype=kinds["default"], name="row"), axis=0).set_axis(
        pd.Index(list(kinds), dtype=kinds["default"]), axis=1
    )


def _columns(columns: dict[str, Any], index: Any = None) -> Any:
    import pandas as pd

    labels = pd.Index(list(columns), dtype=pd.StringDtype("python", na_value=np.nan))
    return pd.DataFrame(columns, index=index).set_axis(labels, axis=1)


def pandas_categorical() -> Any:
    """Categories of text, ordered and not, and of integers; one is never used, one cell is null."""
    import pandas as pd

    words = pd.Index(["low", "mid", "high"], dtype=pd.StringDtype("python", na_value=np.nan))
    numbers = pd.Index([30, 10, 20], dtype="int64")
    make = pd.Categorical.from_codes
    return _columns(
        {
            "ordered": make([0, -1, 2, 0], dtype=pd.CategoricalDtype(words, ordered=True)),
            "unordered": make([2, 2, -1, 0], dtype=pd.CategoricalDtype(words, ordered=False)),
            "numbers": make([1, 0, 2, -1], dtype=pd.CategoricalDtype(numbers, ordered=False)),
        }
    )


def pandas_zoned() -> Any:
    """Instants with a zone, across the hour that occurs twice, and an offset."""
    import pandas as pd

    ticks = np.array(["2020-10-25T00:30", "2020-10-25T01:30", "NaT"], "M8[us]")
    at = pd.DatetimeIndex(ticks).tz_localize("UTC")
    return _columns({"zone": at.tz_convert("Europe/Berlin"), "utc": at.as_unit("ns"), "bare": ticks})


def pandas_nullable() -> Any:
    """Masked integers, floats and booleans, with and without a null; a NaN that is no null."""
    import pandas as pd

    floats = pd.arrays.FloatingArray(np.array([np.nan, 0.0, -0.0]), np.array([False, True, False]))
    return _columns(
        {
            "int64": pd.array([1, None, -3], dtype="Int64"),
            "uint8": pd.array([1, 2, 255], dtype="UInt8"),
            "float64": floats,
            "float32": pd.array([1.5, None, -2.0], dtype="Float32"),
            "boolean": pd.array([True, None, False], dtype="boolean"),
        }
    )


def pandas_period_and_interval() -> Any:
    """Months and intervals, as columns and as row labels."""
    import pandas as pd

    months = pd.PeriodIndex(["2020-01", "1969-12", "2020-02"], freq="M", name="month")
    spans = pd.arrays.IntervalArray.from_arrays(np.array([0, 1, 2]), np.array([1, 2, 5]), closed="left")
    gaps = pd.PeriodIndex(["2020-01", None, "2020-02"], freq="M")
    return _columns({"span": spans, "month": gaps._data}, index=months)


def pandas_range_and_attrs() -> Any:
    """A RangeIndex that starts at 5 in steps of 2, a name, and attrs."""
    import pandas as pd

    frame = _columns({"x": np.array([1.5, 2.5, 3.5])}, index=pd.RangeIndex(5, 11, 2, name="every other"))
    frame.attrs = {"unit": "m", "of": [1, None, {"deep": True}]}
    return frame


def pandas_hierarchical_columns() -> Any:
    """Two levels of column labels, one named, text above integers; a label that stands twice."""
    import pandas as pd

    words = pd.Index(["data", "data", "valid", "data"], dtype=pd.StringDtype("python", na_value=np.nan))
    columns = pd.MultiIndex.from_arrays([words, np.array([1, 2, 1, 1])], names=["kind", None])
    return pd.DataFrame(np.arange(8, dtype="<i8").reshape(2, 4), columns=columns)


def pandas_datetime_index() -> Any:
    """Days with their frequency as row labels."""
    import pandas as pd

    days = pd.DatetimeIndex(np.array(["2020-02-28", "2020-02-29", "2020-03-01"], "M8[ns]"), freq="D", name="day")
    return _columns({"x": np.array([1, 2, 3], "<i8")}, index=days)
