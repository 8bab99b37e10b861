"""Every kind of pandas index, four labels each: name -> a function that makes it."""

import datetime as dt
import decimal
import uuid
from collections.abc import Callable

import numpy as np
import pandas as pd

LABELS: dict[str, Callable[[], pd.Index]] = {
    "range": lambda: pd.RangeIndex(4),
    "range with step": lambda: pd.RangeIndex(10, 2, -2, name="r"),
    "int64": lambda: pd.Index([5, -3, 5, 2**62], name=7),
    "uint8": lambda: pd.Index([1, 2, 3, 255], dtype="uint8"),
    "float64": lambda: pd.Index([1.5, np.nan, -0.0, np.inf]),
    "float32": lambda: pd.Index([1.5, 2.5, -0.0, np.inf], dtype="float32"),
    "complex": lambda: pd.Index([1j, 2, 3, 4]),
    "bool": lambda: pd.Index([True, False, True, True]),
    "str": lambda: pd.Index(["a", "bb", "", "dup"], name="s"),
    "object str": lambda: pd.Index(["a", "bb", "é", "a"], dtype=object),
    "str of uneven length": lambda: pd.Index(["x" * 100_000, "b", "c", "d"]),
    "str ending in NUL": lambda: pd.Index(["a\0", "b", "c", "d"], dtype=object),
    "all empty str": lambda: pd.Index([""] * 4),
    "object bytes": lambda: pd.Index([b"a", b"b\0", b"", b"d"], dtype=object),
    "object None": lambda: pd.Index(["a", None, "c", "d"], dtype=object),
    "object NaN": lambda: pd.Index(["a", np.nan, "c", "d"], dtype=object),
    "mixed": lambda: pd.Index(["a", 1, None, ("x", 2)], dtype=object, tupleize_cols=False),
    "tuples": lambda: pd.Index([("a", 1), ("b", 2), ("c",), ()], dtype=object, tupleize_cols=False),
    "object int": lambda: pd.Index([1, 2, 2**100, -1], dtype=object),
    "object bool": lambda: pd.Index([True, False, True, False], dtype=object),
    "dates": lambda: pd.Index([dt.date(2020, 1, i) for i in range(1, 5)], dtype=object),
    "scalars": lambda: pd.Index(
        [uuid.UUID(int=5), decimal.Decimal("1.0"), np.int8(3), pd.Timestamp("2020", tz="UTC")], dtype=object
    ),
    "datetime": lambda: pd.DatetimeIndex(["2020-01-01", "2020-01-03", None, "1970-01-01"], name="when"),
    "datetime s": lambda: pd.DatetimeIndex(["2020-01-01", "2020-01-03", None, "1970-01-01"]).as_unit("s"),
    "datetime freq": lambda: pd.date_range("2020-01-31", periods=4, freq="ME"),
    "datetime freq tz": lambda: pd.date_range("2020-03-28", periods=4, freq="D", tz="Europe/Berlin"),
    "datetime business freq": lambda: pd.bdate_range("2020-01-01", periods=4),
    "timedelta": lambda: pd.TimedeltaIndex(["1h", None, "-3ns", "2D"]),
    "timedelta freq": lambda: pd.timedelta_range("1h", periods=4, freq="90min", name="td"),
    "period": lambda: pd.PeriodIndex(["2020-01", None, "2020-03", "2020-02"], freq="M", name="p"),
    "period quarter": lambda: pd.period_range("2020Q1", periods=4, freq="Q-NOV"),
    "interval": lambda: pd.IntervalIndex.from_tuples([(0, 1), (1, 2), (1, 3), (5, 6)], closed="both"),
    "interval of times": lambda: pd.interval_range(pd.Timestamp("2020-01-01", tz="UTC"), periods=4),
    "categorical": lambda: pd.CategoricalIndex(
        ["a", "b", None, "a"], categories=["b", "a", "c"], ordered=True, name="cat"
    ),
    "Int64": lambda: pd.Index([1, None, 3, 4], dtype="Int64"),
    "boolean": lambda: pd.Index([True, None, False, True], dtype="boolean"),
    "hierarchical": lambda: pd.MultiIndex.from_product([["b", "a"], [2, 1]], names=["x", "y"]),
    "hierarchical of one level": lambda: pd.MultiIndex.from_arrays([["b", "a", "c", "a"]], names=["only"]),
    "hierarchical of three": lambda: pd.MultiIndex.from_arrays(
        [["b", "b", "a", "a"], pd.to_datetime(["2020", "2021", "2020", "2021"]), [1.5, np.nan, 2.5, 1.5]],
        names=[None, ("t", 1), 3],
    ),
    "hierarchical without names": lambda: pd.MultiIndex.from_tuples([("a", 1), ("a", 1), ("b", 2), ("a", 3)]),
    "hierarchical with missing ints": lambda: pd.MultiIndex(
        [[10, 20], ["x", "y"]], [[0, -1, 1, 1], [0, 1, -1, 0]], names=["i", "s"]
    ),
    "hierarchical of pandas types": lambda: pd.MultiIndex.from_arrays(
        [
            pd.CategoricalIndex(["a", "b", None, "a"], categories=["b", "a", "c"], ordered=True),
            pd.period_range("2020-01", periods=4, freq="M"),
            pd.date_range("2020-01-01", periods=4, tz="Europe/Berlin"),
            pd.array([1, None, 2, 1], dtype="Int8"),
            pd.IntervalIndex.from_breaks(range(5)),
            pd.timedelta_range("1h", periods=4),
        ]
    ),
    "hierarchical mixed objects": lambda: pd.MultiIndex.from_arrays(
        [
            pd.Index(["a", 1, ("x", 2), "a"], dtype=object, tupleize_cols=False),
            pd.Index([b"x", b"y", b"x", b"z"], dtype=object),
        ]
    ),
    "hierarchical unused and unsorted": lambda: pd.MultiIndex(
        [["z", "a", "unused"], [3, 1, 2]], [[0, 1, 0, 1], [2, 0, 1, 1]]
    ),
    "hierarchical bool and int8": lambda: pd.MultiIndex.from_arrays(
        [pd.Index([True, False, True, False]), pd.Index([1, 2, 3, 4], dtype="int8")]
    ),
}
