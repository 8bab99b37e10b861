"""A Hypothesis strategy for random pandas DataFrames: random bits, nullable and categorical columns, any labels.

Needs ``hypothesis`` and pandas.
"""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from .strategies import MAX_COLUMNS, MAX_ROWS, arrays, labels, names

_BLOCKS = ["|b1", "|i1", "<i4", "<i8", "|u1", "<u8", "<f2", "<f4", "<f8", ">f8", "<c16", "<M8[s]", "<M8[ns]", "<m8[us]"]
_NULLABLE = ["Int8", "Int64", "UInt16", "Float32", "Float64", "boolean"]
_COLUMNS = ("block", "nullable", "objects", "string", "categorical", "zoned", "period", "interval")
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
# pandas cannot compare two categorical dtypes with tuples among other labels.
_NO_TUPLES = labels().filter(lambda label: not isinstance(label, tuple))
_FREQS = ["D", "h", "ME", "W-TUE", "QS", "90min"]


@st.composite
def _cells(draw: st.DrawFn, cell: st.SearchStrategy[Any], size: int) -> np.ndarray:
    values = np.empty(size, dtype=object)
    for position, item in enumerate(draw(st.lists(cell, min_size=size, max_size=size))):
        values[position] = item
    return values


@st.composite
def columns(draw: st.DrawFn, nrows: int) -> Any:
    """The values of one column: a NumPy or pandas array."""
    kind = draw(
        st.sampled_from(("block", "nullable", "objects", "string", "categorical", "zoned", "period", "interval"))
    )
    if kind == "block":
        return draw(arrays(draw(st.sampled_from(_BLOCKS)), (nrows,)))
    if kind == "nullable":
        dtype = pd.api.types.pandas_dtype(draw(st.sampled_from(_NULLABLE)))
        values = draw(arrays(dtype.numpy_dtype.str, (nrows,)))
        mask = draw(arrays("|b1", (nrows,)))
        return dtype.construct_array_type()(values.copy(), mask.copy())
    if kind == "objects":
        cell = draw(st.sampled_from((_TEXT, st.binary(max_size=4), st.booleans())))
        null = st.sampled_from((None, pd.NA, float("nan")))
        return draw(_cells(cell | null, nrows))
    if kind == "string":
        return pd.array(draw(_cells(_TEXT | st.none(), nrows)), dtype="string")
    if kind == "categorical":
        categories = pd.Index(draw(_cells(_NO_TUPLES, draw(st.integers(0, 4)))), dtype=object, tupleize_cols=False)
        if categories.hasnans or not categories.is_unique:  # 1, 1.0 and True are one label for pandas
            categories = pd.Index(range(len(categories)))
        codes = draw(st.lists(st.integers(-1, len(categories) - 1), min_size=nrows, max_size=nrows))
        return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(categories, ordered=draw(st.booleans())))
    ticks = draw(arrays("<i4", (nrows,))).astype("i8")
    if kind == "zoned":
        return pd.DatetimeIndex(ticks.view("M8[s]")).tz_localize("UTC").tz_convert("Europe/Berlin")
    if kind == "period":
        return pd.PeriodIndex.from_ordinals(ticks // 2**16, freq=draw(st.sampled_from(("M", "D", "Q-FEB", "h"))))
    return pd.arrays.IntervalArray.from_arrays(ticks, ticks + 1, closed=draw(st.sampled_from(("left", "both"))))


@st.composite
def indexes(draw: st.DrawFn, size: int) -> pd.Index:
    """An index of `size` labels: a range, flat of any kind, or hierarchical."""
    name = draw(names())
    kind = draw(st.sampled_from(("range", "text", "labels", "column", "frequency", "hierarchical")))
    if kind == "range":
        start, step = draw(st.integers(-5, 5)), draw(st.integers(1, 3))
        return pd.RangeIndex(start, start + size * step, step, name=name)
    if kind == "text":
        return pd.Index(draw(_cells(_TEXT, size)), dtype=draw(st.sampled_from((object, "string"))), name=name)
    if kind == "labels":
        return pd.Index(draw(_cells(labels(), size)), dtype=object, tupleize_cols=False, name=name)
    if kind == "frequency":
        return pd.date_range("2000-02-29", periods=size, freq=draw(st.sampled_from(_FREQS)), name=name)
    if kind == "hierarchical":
        levels = [pd.Index(draw(_flat(size))) for _ in range(draw(st.integers(1, 3)))]
        return pd.MultiIndex.from_arrays(levels, names=[draw(names()) for _ in levels])
    return pd.Index(draw(_flat(size)), name=name)


def _flat(size: int) -> st.SearchStrategy[Any]:
    # pandas has no float16 index, and converts other byte orders to the native one.
    return columns(size).filter(lambda values: getattr(values.dtype, "str", "") not in ("<f2", ">f8"))


@st.composite
def pandas_frames(draw: st.DrawFn) -> pd.DataFrame:
    """A DataFrame of random columns, labels, names and attrs."""
    nrows = draw(st.integers(0, MAX_ROWS))
    values = draw(st.lists(columns(nrows), max_size=MAX_COLUMNS))
    frame = pd.DataFrame({i: pd.Series(array, copy=False) for i, array in enumerate(values)}, index=range(nrows))
    frame.index = draw(indexes(nrows))
    frame.columns = draw(indexes(len(values)))
    frame.attrs = draw(st.dictionaries(labels(), labels(), max_size=2))
    return frame
